"""Loss, gradient and metrics of the preference branch equal those of TRL's own code on the same model and pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel
from trl_preference import TokenPair, flat_gradient, trl_preference

from rlenv import Completion, Episode, Task, Verdict
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers.algorithms.choices import Preference
from rlenv.trainers.algorithms.row import ALGORITHMS
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.rollouts.rollout import Rollout, rollout_of
from rlenv.trainers.updates.branch_steps import accumulate, preference_step, ranked_pairs
from rlenv.trainers.updates.update import Step

pytest.importorskip("trl", reason="needs the extra: trl")
pytestmark = pytest.mark.slow
CASES: list[tuple[str, dict[str, float]]] = [
    ("dpo", {"beta": 0.3}),
    ("ipo", {"beta": 0.3}),
    ("kto", {"beta": 0.3, "desirable_weight": 1.5, "undesirable_weight": 0.75}),
    ("simpo", {"beta": 2.0, "margin": 1.0}),
    ("orpo", {"beta": 0.3, "nll_weight": 1.0}),
]
TRL_NAMES = {"margin": "simpo_gamma"}
SHARED = ("rewards/chosen", "rewards/rejected", "rewards/margins", "logps/chosen", "logps/rejected")


def token_pairs(seed: int = 0) -> list[TokenPair]:
    """Prompts and completions of all lengths, the shortest of one token."""
    generator = torch.Generator().manual_seed(seed)

    def tokens(count: int) -> list[int]:
        return torch.randint(5, 100, (count,), generator=generator).tolist()

    lengths = [(5, 3, 7), (2, 6, 1), (9, 1, 2), (4, 4, 4)]
    return [TokenPair(tokens(p), tokens(c), tokens(r)) for p, c, r in lengths]


def as_rollout(pairs: list[TokenPair], reference: PreTrainedModel) -> Rollout:
    """Groups of two, the chosen one rewarded."""
    episodes = []
    for group, pair in enumerate(pairs):
        for said, reward in ((pair.chosen, 1.0), (pair.rejected, 0.0)):
            completion = Completion("", tuple(said), (0.0,) * len(said))
            verdict = Verdict.of(("reward", reward))
            episodes.append(Episode(Task(str(group)), completion, verdict, tuple(pair.prompt), group))
    rollout = rollout_of(episodes, 0, [[] for _ in episodes])
    with torch.no_grad():
        ref, _ = completion_logprobs(reference, rollout.ids, rollout.attention_mask, rollout.mask)
    return rollout.with_(ref_logprobs=ref)


def step_of(rule: Preference, tokens: int = 10_000) -> Step:
    row = replace(ALGORITHMS["dpo"], preference=rule)
    return Step(row=row, group_size=2, micro_batch_tokens=tokens, max_grad_norm=1e9)


def models() -> tuple[PreTrainedModel, PreTrainedModel]:
    """A policy and a reference that are near each other, as in training."""
    policy, reference = tiny_policy(0).model, tiny_policy(0).model
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape, generator=generator))
    return policy.eval(), reference.eval()


@pytest.mark.parametrize(("loss", "settings"), CASES)
@pytest.mark.parametrize("tokens", [10_000, 1], ids=["at_once", "pair_by_pair"])
def test_loss_gradient_and_metrics_equal_those_of_trl(loss: str, settings: dict[str, float], tokens: int) -> None:
    model, reference = models()
    rule = Preference(loss=loss, **settings)  # type: ignore[arg-type]
    rollout = as_rollout(token_pairs(), reference)
    pairs = ranked_pairs(rollout, torch.arange(len(rollout)), 2, rule.pairs)
    measured = accumulate(model, rollout, pairs, step_of(rule, tokens), rule, reference)
    theirs = {TRL_NAMES.get(name, name): value for name, value in settings.items() if name != "nll_weight"}
    model_too, _ = models()
    said = trl_preference(loss, model_too, reference, token_pairs(), **theirs)
    assert measured["loss"] == pytest.approx(said.loss, abs=1e-6)
    torch.testing.assert_close(flat_gradient(model), said.gradient, atol=1e-6, rtol=1e-5)
    for name in (*SHARED, *(("kl",) if loss == "kto" else ()), *(("nll_loss",) if loss == "orpo" else ())):
        assert measured[name] == pytest.approx(said.metrics[name], abs=2e-5), name
    if "rewards/accuracies" in said.metrics:
        assert measured["rewards/accuracies"] == pytest.approx(said.metrics["rewards/accuracies"])


def test_the_comparison_can_fail() -> None:
    model, reference = models()
    said = trl_preference("dpo", model, reference, token_pairs(), beta=0.3)
    other = trl_preference("dpo", model, reference, token_pairs(seed=1), beta=0.3)
    assert (said.gradient - other.gradient).abs().max() > 1e-3


@pytest.mark.parametrize(("loss", "settings"), CASES)
def test_three_steps_of_gradient_descent_end_at_the_weights_that_trls_losses_lead_to(
    loss: str, settings: dict[str, float]
) -> None:
    rule = Preference(loss=loss, **settings)  # type: ignore[arg-type]
    theirs = {TRL_NAMES.get(name, name): value for name, value in settings.items() if name != "nll_weight"}
    (ours, reference), (peer, _) = models(), models()
    optimizer: Any = torch.optim.SGD(ours.parameters(), 0.05)
    for seed in range(3):
        rollout = as_rollout(token_pairs(seed), reference)
        preference_step(ours, optimizer, rollout, torch.arange(len(rollout)), step_of(rule), reference)
        said = trl_preference(loss, peer, reference, token_pairs(seed), **theirs)
        torch.nn.utils.vector_to_parameters(
            torch.nn.utils.parameters_to_vector(peer.parameters()).detach() - 0.05 * said.gradient, peer.parameters()
        )
    found, expected = (torch.nn.utils.parameters_to_vector(m.parameters()).detach() for m in (ours, peer))
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)
