"""Rows whose baseline is a value: VAPO's lambdas, VinePPO's continuations; each written anew here, without the code."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from digits import config, digits, warm
from tabular import (
    LENGTH,
    MASK,
    REWARDS,
    SEQUENCES,
    expected_gradient,
    logprobs,
    probabilities,
    reward_gradient,
    same,
    table,
)

from rlenv import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.trainers import ALGORITHMS, Trainer, changed, with_changes
from rlenv.trainers.algorithms.advantages import step_advantages
from rlenv.trainers.algorithms.choices import AdvantageRule, Control, CriticRule
from rlenv.trainers.algorithms.losses import averaging_weights, policy_terms
from rlenv.trainers.branches import continued
from rlenv.trainers.mixtures.environments import training_environment
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.updates.prepare import with_advantages

WITHIN = 1e-7


def _rollout(lengths: Sequence[int], width: int) -> Rollout:
    generator = torch.Generator().manual_seed(2)

    def numbers() -> torch.Tensor:
        return torch.randn(len(lengths), width, generator=generator, dtype=torch.float64)

    mask = (torch.arange(width)[None] < torch.tensor(lengths)[:, None]).double()
    empty, one = torch.zeros(len(lengths), 0), numbers()[:, 0]
    return Rollout(
        ids=mask.long(),
        attention_mask=mask.long(),
        mask=mask,
        old_logprobs=numbers() * mask,
        rewards=one,
        graded=torch.ones(len(lengths), dtype=torch.bool),
        token_rewards=numbers() * mask,
        advantages=mask,
        ref_logprobs=empty,
        values=numbers() * mask,
        returns=empty,
        signals=one,
        cut=torch.zeros(len(lengths), dtype=torch.bool),
    )


@pytest.mark.parametrize("alpha", [0.05, 0.3, 2.0])
def test_vapo_has_a_lambda_for_each_length_and_learns_its_values_from_whole_returns(alpha: float) -> None:
    """A_t = sum_l lambda^l delta_(t+l), lambda = 1 - 1/(alpha |y|); what the critic learns is sum_l r_(t+l)."""
    changes = {"advantage.length_lambda": alpha, "advantage.whiten": False, "kl.beta": 0.0}
    row, rollout = with_changes(ALGORITHMS["vapo"], changes), _rollout([30, 7, 1, 22], 30)
    found = with_advantages(rollout, row, 2)
    for i, length in enumerate([30, 7, 1, 22]):
        lam = max(0.0, 1 - 1 / (alpha * length))
        r, v = rollout.token_rewards[i].tolist(), [*rollout.values[i, :length].tolist(), 0.0]
        delta = [r[t] + v[t + 1] - v[t] for t in range(length)]
        for t in range(length):
            expected = sum(lam**k * delta[t + k] for k in range(length - t))
            assert float(found.advantages[i, t]) == pytest.approx(expected, abs=WITHIN)
            assert float(found.returns[i, t]) == pytest.approx(sum(r[t:length]), abs=WITHIN)
        assert not bool(found.advantages[i, length:].any())


def test_vapo_is_what_its_paper_names() -> None:
    row = ALGORITHMS["vapo"]
    assert (row.averaging, row.control.clip_high, row.positive_nll) == ("token", 0.28, 0.1)
    assert row.critic is not None
    assert row.critic.pretrain == 50


def test_while_the_critic_is_trained_alone_the_policy_stays_and_then_warms_up(tmp_path: Any) -> None:
    row = changed(ALGORITHMS["vapo"], "critic.pretrain", 2)
    settings = config(algorithm=row, steps=3, warmup_steps=4, learning_rate=1e-2, minibatches=2)
    run = Trainer(settings, digits(), warm(), tmp_path, quiet=True)
    rates, weights, critics = [], [], []
    for _ in range(3):
        assert run.networks.critic is not None
        weights.append(torch.cat([p.detach().flatten() for p in run.policy.model.parameters()]).clone())
        critics.append(torch.cat([p.detach().flatten() for p in run.networks.critic.trained_parameters()]).clone())
        rates.append(run.step()["learning_rate"])
    after = torch.cat([p.detach().flatten() for p in run.policy.model.parameters()])
    run.close()
    assert torch.equal(weights[0], weights[1])
    assert torch.equal(weights[0], weights[2])
    assert not torch.equal(critics[0], critics[1])
    assert not torch.equal(weights[2], after)
    assert rates == pytest.approx([0.00375, 0.00875, 0.00375])  # the means of a quarter and a half, and so on


def _exact_values(policy: torch.Tensor, step_tokens: int) -> torch.Tensor:
    """What the policy earns on the average from before the step of each token, by enumeration. (7, LENGTH)"""
    chance = probabilities(policy).detach()
    values = torch.zeros(len(SEQUENCES), LENGTH, dtype=torch.float64)
    for i, said in enumerate(SEQUENCES):
        for t in range(len(said)):
            begun = said[: t // step_tokens * step_tokens]
            same_start = torch.tensor([other[: len(begun)] == begun for other in SEQUENCES])
            values[i, t] = (chance * REWARDS)[same_start].sum() / chance[same_start].sum()
    return values


@pytest.mark.parametrize("step_tokens", [1, 2, 5])
def test_values_of_continuations_leave_the_gradient_of_the_reward_exact(step_tokens: int) -> None:
    policy, row = table(0), ALGORITHMS["vineppo"]
    values, spoken = _exact_values(policy, step_tokens), logprobs(policy)

    def loss(index: torch.Tensor) -> torch.Tensor:
        advantages = step_advantages(REWARDS[index], values[index], MASK[index], step_tokens)
        terms = policy_terms(spoken[index], spoken[index].detach(), advantages, MASK[index], row.control)
        return (averaging_weights(MASK[index], "sequence") * terms).sum()

    same(expected_gradient(policy, 1, loss), -reward_gradient(policy), WITHIN)


def test_a_step_is_paid_what_it_changes() -> None:
    rewards, values = torch.tensor([1.0, 0.0, 0.5]), torch.rand(3, 7, generator=torch.Generator().manual_seed(3))
    lengths = [7, 3, 1]
    mask = (torch.arange(7)[None] < torch.tensor(lengths)[:, None]).float()
    found = step_advantages(rewards, values, mask, 3)
    for i, length in enumerate(lengths):
        for t in range(7):
            next_step = (t // 3 + 1) * 3
            after = values[i, next_step] if next_step < length else rewards[i]
            expected = float(after - values[i, t]) if t < length else 0.0
            assert float(found[i, t]) == pytest.approx(expected, abs=WITHIN)


def test_values_are_the_mean_verdicts_of_what_is_said_from_there(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Continuations whose verdicts are known: the k-th of each prefix is paid k / 10, and the checker fails on some."""
    asked: list[tuple[int, ...]] = []

    def scripted(policy: Any, prompts: Any, prefixes: Any, n: int, sampling: Sampling) -> list[Completion]:
        asked.extend(tuple(prefix) for prefix in prefixes)
        return [Completion(f"{len(prefix)} {k}", (*prefix, 7), (0.0,)) for prefix in prefixes for k in range(n)]

    def paid(completion: str) -> float:
        length, _, k = completion.partition(" ")
        if length == "2":
            raise ValueError("broken")
        return int(k) / 10 + int(length) if k else 0.25

    monkeypatch.setattr(continued, "continue_tokens", scripted)
    row = with_changes(ALGORITHMS["vineppo"], {"advantage.step_tokens": 1, "advantage.continuations": 4})
    settings = config(algorithm=row, max_error_share=1.0)
    run = Trainer(settings, digits(paid), warm(), tmp_path, quiet=True)
    rollout, metrics = run._drawn().rollout, run._drawn().metrics
    run.close()
    mask = rollout.mask > 0
    means = {0: 0.15, 1: 1.15, 2: 1.15}  # of the four verdicts; none came behind two tokens, so that of the step before
    for t in range(rollout.mask.shape[1]):
        chosen = rollout.values[:, t][mask[:, t]]
        same(chosen, torch.full_like(chosen, means[t]), 1e-6)
    assert len(set(asked)) < int(rollout.mask.sum())
    assert metrics["continued/errors"] > 0
    assert metrics["continued/drawn"] == len(asked) / 2 * 4


def test_a_policy_that_is_always_paid_alike_has_no_advantage(tmp_path: Any) -> None:
    row = changed(ALGORITHMS["vineppo"], "advantage.step_tokens", 1)
    run = Trainer(config(algorithm=row), digits(lambda: 0.5), warm(), tmp_path, quiet=True)
    run._collect()
    rollout = run._rollout
    run.close()
    assert rollout is not None
    assert not bool(rollout.advantages.any())


def test_what_values_cannot_know_is_refused() -> None:
    with pytest.raises(ConfigError, match="paid by the verifier alone"):
        with_changes(ALGORITHMS["vineppo"], {"kl.place": "reward", "kl.estimator": "k1", "kl.beta": 0.1})
    with pytest.raises(ConfigError, match="belong to kind 'gae'"):
        AdvantageRule(length_lambda=0.1)
    with pytest.raises(ConfigError, match=r"critic\.pretrain=0"):
        CriticRule(shared_trunk=True, pretrain=1)
    several = digits(interaction=object())
    with pytest.raises(ConfigError, match="from the middle of one turn"):
        training_environment(several, config(algorithm="vineppo"), None)


def test_a_row_without_values_of_its_own_takes_none() -> None:
    assert ALGORITHMS["vineppo"].critic is None
    assert ALGORITHMS["vineppo"].control == Control(ratio="token", bound="clip")
