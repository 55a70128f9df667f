"""How far a step may go: every ratio and bound on the policy that sampled, and off it, by exact sums."""

from collections.abc import Callable

import pytest
import torch
from tabular import (
    LENGTH,
    MASK,
    REWARDS,
    expected_gradient,
    gradient,
    logprobs,
    probabilities,
    reward_gradient,
    same,
    table,
    token_entropy_gradient,
)
from tabular import entropies as entropies_of

from rlenv.trainers.algorithms.advantages import group_standardised
from rlenv.trainers.algorithms.choices import Averaging, Control, Correction
from rlenv.trainers.algorithms.losses import (
    averaging_weights,
    correction_weights,
    entropy_bonus,
    policy_terms,
)

PLAIN = Control()
CLIPS = {
    "clip": Control(ratio="token", bound="clip"),
    "clip higher": Control(ratio="token", bound="clip", clip_high=0.28),
    "dual clip": Control(ratio="token", bound="clip", ratio_cap=3.0),
    "weight": Control(ratio="token", bound="weight", clip_low=1.0, clip_high=4.0),
    "ratio alone": Control(ratio="token"),
    "adaptive penalty": Control(ratio="token", bound="kl"),
    "sequence": Control(ratio="sequence", bound="clip", clip_low=3e-4, clip_high=4e-4),
}
AVERAGES: tuple[Averaging, ...] = ("token", "sequence", "response", "constant")


@pytest.fixture
def policy() -> torch.Tensor:
    return table(0)


def _expected(
    policy: torch.Tensor, control: Control, averaging: Averaging, old: torch.Tensor, size: int = 2
) -> torch.Tensor:
    """Expected gradient of the loss of batches that `old` sampled, advantages from their groups."""
    spoken, before = logprobs(policy), logprobs(old).detach()
    graded = torch.ones(size, dtype=torch.bool)

    def loss(index: torch.Tensor) -> torch.Tensor:
        mask = MASK[index]
        advantages = group_standardised(REWARDS[index], graded, size)[:, None] * mask
        terms = policy_terms(spoken[index], before[index], advantages, mask, control)
        return (averaging_weights(mask, averaging, LENGTH) * terms).sum()

    return expected_gradient(policy, size, loss, behaviour=old)


@pytest.mark.parametrize("averaging", AVERAGES)
@pytest.mark.parametrize("name", CLIPS)
def test_on_the_policy_that_sampled_every_bound_has_the_plain_gradient(
    policy: torch.Tensor, name: str, averaging: Averaging
) -> None:
    found = _expected(policy, CLIPS[name], averaging, policy.detach())
    same(found, _expected(policy, PLAIN, averaging, policy.detach()))


def _surrogate(policy: torch.Tensor, old: torch.Tensor, control: Control, averaging: Averaging) -> torch.Tensor:
    """The number whose gradient a step follows, summed over all sequences of the old policy."""
    spread = (REWARDS - 0.5)[:, None] * MASK
    terms = policy_terms(logprobs(policy), logprobs(old), spread, MASK, control)
    chance = probabilities(old).detach()
    return (chance[:, None] * averaging_weights(MASK, averaging, LENGTH) * terms).sum()


def _differences(value: Callable[[torch.Tensor], torch.Tensor], policy: torch.Tensor) -> torch.Tensor:
    """Central differences, number by number."""
    step, found = 1e-6, torch.zeros_like(policy)
    at = policy.detach()
    for place in range(at.numel()):
        move = torch.zeros_like(at).view(-1)
        move[place] = step
        high, low = value(at + move.view_as(at)), value(at - move.view_as(at))
        found.view(-1)[place] = ((high - low) / (2 * step)).detach()
    return found


@pytest.mark.parametrize("name", ["clip", "clip higher", "dual clip", "ratio alone", "adaptive penalty"])
def test_off_policy_the_gradient_is_that_of_the_surrogate_by_finite_differences(
    policy: torch.Tensor, name: str
) -> None:
    old = (policy + 0.3 * table(5)).detach()
    ratio = (logprobs(policy) - logprobs(old)).exp()[MASK > 0]
    assert (ratio < 0.8).any()
    assert (ratio > 1.28).any()
    found = gradient(_surrogate(policy, old, CLIPS[name], "token"), policy)
    by_hand = _differences(lambda p: _surrogate(p, old, CLIPS[name], "token"), policy)
    same(found, by_hand, 1e-9)


def test_off_policy_the_sequence_ratio_follows_its_own_surrogate(policy: torch.Tensor) -> None:
    """GSPO: exp of the mean log-ratio of a completion, as one number a completion, clipped as one."""
    old = (policy + 0.1 * table(5)).detach()
    control = Control(ratio="sequence", bound="clip", clip_low=0.02, clip_high=0.03)
    lengths = MASK.sum(1)

    def by_hand(p: torch.Tensor) -> torch.Tensor:
        ratio = ((logprobs(p) - logprobs(old)).sum(1) / lengths).exp()
        advantages = REWARDS - 0.5
        kept = torch.min(ratio * advantages, ratio.clamp(0.98, 1.03) * advantages)
        return -(probabilities(old).detach() * kept).mean()

    ratio = ((logprobs(policy) - logprobs(old)).sum(1) / lengths).exp()
    assert (ratio < 0.98).any()
    assert (ratio > 1.03).any()
    found = gradient(_surrogate(policy, old, control, "response"), policy)
    same(found, gradient(by_hand(policy), policy))
    same(found, _differences(by_hand, policy), 1e-9)


def test_off_policy_the_clipped_weight_multiplies_each_tokens_score(policy: torch.Tensor) -> None:
    """CISPO: no token is left without a gradient, and none counts more than the cap."""
    old = (policy + 0.6 * table(5)).detach()
    control = Control(ratio="token", bound="weight", clip_low=1.0, clip_high=0.2)
    spread = (REWARDS - 0.5)[:, None] * MASK
    weight = (logprobs(policy) - logprobs(old)).exp().clamp(max=1.2).detach()
    assert (weight == 1.2).any()
    by_hand = -(probabilities(old).detach()[:, None] * weight * spread * logprobs(policy)).sum() / MASK.sum()
    found = gradient(_surrogate(policy, old, control, "token"), policy)
    same(found, gradient(by_hand, policy))


def test_past_the_clip_the_gradient_is_gone_on_the_side_it_must_be() -> None:
    ratios = torch.tensor([[1.5, 1.5, 0.5, 0.5, 1.25, 4.0]])
    advantages = torch.tensor([[1.0, -1.0, 1.0, -1.0, 1.0, -1.0]])

    def moved(control: Control) -> list[bool]:
        spoken = ratios.log().requires_grad_()
        policy_terms(spoken, torch.zeros_like(spoken), advantages, torch.ones_like(spoken), control).sum().backward()
        assert spoken.grad is not None
        return (spoken.grad[0] != 0).tolist()

    assert moved(CLIPS["clip"]) == [False, True, True, False, False, True]
    assert moved(CLIPS["clip higher"]) == [False, True, True, False, True, True]
    assert moved(CLIPS["dual clip"]) == [False, True, True, False, False, False]
    assert moved(CLIPS["weight"]) == [True] * 6


def test_the_entropy_bonus_has_the_gradient_of_the_entropy_at_each_state(policy: torch.Tensor) -> None:
    terms = entropy_bonus(entropies_of(policy), 0.3)
    found = expected_gradient(policy, 1, lambda i: (terms[i] * MASK[i]).sum())
    same(found, -0.3 * token_entropy_gradient(policy))


def _corrected_gradient(policy: torch.Tensor, engine: torch.Tensor, rule: Correction) -> torch.Tensor:
    """Of batches that another engine sampled, weighed by this rule."""
    spoken = logprobs(policy)
    weight, _ = correction_weights(spoken.detach(), logprobs(engine), MASK, rule)
    terms = policy_terms(spoken, spoken.detach(), REWARDS[:, None] * MASK * weight, MASK, PLAIN)
    return expected_gradient(policy, 1, lambda i: (terms[i] * MASK[i]).sum(), behaviour=engine)


def test_the_ratio_of_whole_completions_makes_another_engines_gradient_exact(policy: torch.Tensor) -> None:
    engine = (policy + 0.2 * table(5)).detach()
    rule = Correction(kind="truncate", per="sequence", cap=1e9)
    same(_corrected_gradient(policy, engine, rule), -reward_gradient(policy))


def test_the_importance_correction_makes_the_last_token_exact_and_leaves_the_prefix(policy: torch.Tensor) -> None:
    """Weights of single tokens: what the engine says before a token stays the engine's, the token becomes ours."""
    engine = (policy + 0.2 * table(5)).detach()
    drift = (logprobs(policy) - logprobs(engine)).detach()
    found = _corrected_gradient(policy, engine, Correction(kind="truncate", cap=1e9))
    weight = drift.exp()
    by_hand = (probabilities(engine).detach()[:, None] * weight * -REWARDS[:, None] * MASK * logprobs(policy)).sum()
    same(found, gradient(by_hand, policy))
    unmoved = _corrected_gradient(policy, policy.detach(), Correction(kind="truncate"))
    same(unmoved, -reward_gradient(policy))


@pytest.mark.parametrize("masked", [False, True], ids=["truncate", "mask"])
def test_bounded_weights_are_those_of_the_rule(policy: torch.Tensor, masked: bool) -> None:
    engine, cap = (policy + 0.8 * table(5)).detach(), 1.5
    ratio = (logprobs(policy) - logprobs(engine)).exp().detach()
    kept = ratio * ((ratio <= cap) & (ratio >= 1 / cap)) if masked else ratio.clamp(max=cap)
    assert (kept[MASK > 0] != ratio[MASK > 0]).any()
    by_hand = (probabilities(engine).detach()[:, None] * kept * -REWARDS[:, None] * MASK * logprobs(policy)).sum()
    rule = Correction(kind="mask" if masked else "truncate", cap=cap)
    found = _corrected_gradient(policy, engine, rule)
    same(found, gradient(by_hand, policy))
