"""Rows that change a reward by others of its group, or whose baseline is a value: each written anew, without the code.

Shorter right answers, different ones; VAPO's lambdas and its likelihood of right answers; VinePPO's continuations.
"""

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from digits import config, digits, warm
from scripted import LONGEST, ScriptedPolicy
from tabular import (
    LENGTH,
    MASK,
    REWARDS,
    SEQUENCES,
    buffer,
    expected_gradient,
    logprobs,
    probabilities,
    reward_gradient,
    same,
    table,
)

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS, Trainer, changed, with_changes
from rlenv.trainers.algorithms.advantages import step_advantages
from rlenv.trainers.algorithms.losses import averaging_weights, policy_terms
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.branches import rationalise as continued
from rlenv.trainers.loop.environments import training_environment
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.rollouts.collect import collect
from rlenv.trainers.rollouts.rollout import Rollout, rollout_of
from rlenv.trainers.updates.prepare import FrozenModels, prepared, with_advantages
from rlenv.trainers.updates.update import Step, policy_step

ROUNDING = 1e-6
"""Rewards of a rollout are float32."""


def _rollout(said: list[tuple[float | None, str]]) -> Rollout:
    """Completions of these rewards, a token a letter."""
    verdicts = [Verdict.error("broken") if r is None else Verdict.of(("correct", r)) for r, _ in said]
    tokens = [tuple(map(ord, text)) for _, text in said]
    episodes = [
        Episode(Task("?"), Completion(text, ids, (-1.0,) * len(ids)), verdict, (5,), index=i)
        for i, ((_, text), ids, verdict) in enumerate(zip(said, tokens, verdicts, strict=True))
    ]
    return rollout_of(episodes, 0, [[]] * len(episodes))


SAID: list[tuple[float | None, str]] = [
    (1.0, "abcd"),
    (1.0, "ab"),
    (0.0, "a"),
    (1.0, "abc"),
    (1.0, "ab"),
    (None, "abcdefgh"),
    (1.0, "xy"),
    (0.0, "ab"),
]
SIZE = 4


@pytest.mark.parametrize("weight", [0.1, 0.4, 1.0])
def test_a_right_answer_is_paid_less_the_longer_it_is_among_the_right_ones(weight: float) -> None:
    """1[right] (1 - alpha sigmoid((|y| - mean) / std)), mean and std over the right answers of the prompt."""
    row = changed(ALGORITHMS["length-aware"], "advantage.length_weight", weight)
    found = with_advantages(_rollout(SAID), row, SIZE).advantages[:, 0]
    for first in (0, SIZE):
        group = SAID[first : first + SIZE]
        long = [len(text) for reward, text in group if reward == 1.0]
        mean = sum(long) / len(long)
        std = math.sqrt(sum((n - mean) ** 2 for n in long) / len(long))
        paid = [
            None if r is None else r * (1 - weight / (1 + math.exp(-((len(t) - mean) / std if std else 0.0))))
            for r, t in group
        ]
        for i, reward in enumerate(paid):
            others = [p for j, p in enumerate(paid) if j != i and p is not None]
            expected = 0.0 if reward is None else reward - sum(others) / len(others)
            assert float(found[first + i]) == pytest.approx(expected, abs=ROUNDING)


def test_darling_pays_by_how_many_of_the_others_say_something_else() -> None:
    """r (1/(n-1)) sum_j 1[y_j is another], less the group's mean."""
    found = with_advantages(_rollout(SAID), ALGORITHMS["darling"], SIZE).advantages[:, 0]
    for first in (0, SIZE):
        group = [(i, *SAID[first + i]) for i in range(SIZE) if SAID[first + i][0] is not None]
        paid = {
            i: (r or 0.0) * sum(other != text for j, _, other in group if j != i) / (len(group) - 1)
            for i, r, text in group
        }
        mean = sum(paid.values()) / len(paid)
        for i in range(SIZE):
            expected = paid[i] - mean if i in paid else 0.0
            assert float(found[first + i]) == pytest.approx(expected, abs=ROUNDING)


WITHIN = 1e-7


def _valued(lengths: Sequence[int], width: int) -> Rollout:
    generator = torch.Generator().manual_seed(2)

    def numbers() -> torch.Tensor:
        return torch.randn(len(lengths), width, generator=generator, dtype=torch.float64)

    mask = (torch.arange(width)[None] < torch.tensor(lengths)[:, None]).double()
    return buffer(mask, token_rewards=numbers() * mask, values=numbers() * mask)


@pytest.mark.parametrize("alpha", [0.05, 0.3, 2.0])
def test_vapo_has_a_lambda_for_each_length_and_learns_its_values_from_whole_returns(alpha: float) -> None:
    """A_t = sum_l lambda^l delta_(t+l), lambda = 1 - 1/(alpha |y|); what the critic learns is sum_l r_(t+l)."""
    changes = {"advantage.length_lambda": alpha, "advantage.whiten": False, "kl.beta": 0.0}
    row, rollout = with_changes(ALGORITHMS["vapo"], changes), _valued([30, 7, 1, 22], 30)
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


def test_while_the_critic_is_trained_alone_the_policy_stays_and_then_warms_up(tmp_path: Any) -> None:
    row = changed(ALGORITHMS["vapo"], "critic.pretrain", 2)
    settings = config(algorithm=row, steps=3, warmup_steps=4, learning_rate=1e-2, minibatches=2)
    run = Trainer(settings, digits(), warm(), tmp_path, quiet=True)
    rates, weights, critics = [], [], []
    for _ in range(3):
        assert run.learner.networks.critic is not None
        weights.append(torch.cat([p.detach().flatten() for p in run.policy.model.parameters()]).clone())
        critics.append(
            torch.cat([p.detach().flatten() for p in run.learner.networks.critic.trained_parameters()]).clone()
        )
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
    rollout, metrics = run.source.rollout(0).rollout, run.source.rollout(0).metrics
    run.close()
    mask = rollout.mask > 0
    means = {0: 0.15, 1: 1.15, 2: 1.15}  # of the four verdicts; none came behind two tokens, so that of the step before
    for t in range(rollout.mask.shape[1]):
        chosen = rollout.values[:, t][mask[:, t]]
        same(chosen, torch.full_like(chosen, means[t]), 1e-6)
    assert len(set(asked)) < int(rollout.mask.sum())
    assert metrics["continued/errors"] > 0
    assert metrics["continued/drawn"] == len(asked) / 2 * 4


def test_continuations_of_several_turns_are_refused() -> None:
    with pytest.raises(ConfigError, match="from the middle of one turn"):
        training_environment(digits(interaction=object()), config(algorithm="vineppo"), None)


MU, RATE, MEMBERS = 0.5, 0.3, 2


def _pay(text: str) -> float:
    return (0.0, 0.3, 1.0)[sum(map(ord, text)) % 3]


def _moved(row: Algorithm, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
    """How far one step of SGD moves the weights, and the gradient of the mean NLL of right answers before it."""
    policy = tiny_policy(0)
    environment = digits(lambda completion, answer: _pay(completion))
    settings = config(algorithm=row, groups=4, group_size=MEMBERS, max_new_tokens=LONGEST)
    scripted = ScriptedPolicy(policy, _pay, MEMBERS)
    rollout = collect(BatchEnvironment(environment, group_size=MEMBERS), scripted, settings, 0).rollout
    judges = FrozenModels(policy=policy.model, temperature=1.0, micro_batch_tokens=tokens)
    ready, _ = prepared(rollout, row, MEMBERS, judges)
    parameters = list(policy.model.parameters())
    kept = torch.tensor([reward == 1.0 for reward in rollout.rewards.tolist()])
    assert 0 < int(kept.sum()) < len(kept)
    spoken, _ = completion_logprobs(policy.model, ready.ids, ready.attention_mask, ready.mask)
    nll = -spoken[kept].sum() / ready.mask[kept].sum()
    gradient = torch.cat([g.flatten() for g in torch.autograd.grad(nll, parameters)])
    before = torch.cat([p.detach().flatten() for p in parameters]).clone()
    step = Step(row=row, micro_batch_tokens=tokens, max_new_tokens=LONGEST, group_size=MEMBERS, max_grad_norm=1e9)
    policy_step(policy.model, torch.optim.SGD(parameters, RATE), ready, torch.arange(len(ready)), step)
    return torch.cat([p.detach().flatten() for p in parameters]) - before, gradient


@pytest.mark.parametrize("tokens", [100_000, 1], ids=["at once", "one by one"])
@pytest.mark.parametrize("name", ["grpo", "pass-at-k"])
def test_it_adds_the_gradient_of_the_mean_likelihood_of_right_answers(name: str, tokens: int) -> None:
    plain, _ = _moved(ALGORITHMS[name], tokens)
    found, gradient = _moved(changed(ALGORITHMS[name], "positive_nll", MU), tokens)
    assert gradient.abs().max() > 1e-3
    same(found - plain, -RATE * MU * gradient, 1e-6)
