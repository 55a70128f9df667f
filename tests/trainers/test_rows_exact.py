"""The rows of 2025 beside their papers: each objective written anew in this file, in float64, without the code.

And what is done where the engine that sampled and the trainer disagree: each weight within its bounds.
"""

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from tabular import (
    LENGTH,
    MASK,
    REWARDS,
    buffer,
    expected_gradient,
    gradient,
    logprobs,
    probabilities,
    reward_gradient,
    same,
    table,
)

from rlenv import Completion, Episode, Task, Verdict
from rlenv.trainers import ALGORITHMS, changed
from rlenv.trainers.algorithms.advantages import group_standardised, pass_at_k
from rlenv.trainers.algorithms.choices import Control, Correction
from rlenv.trainers.algorithms.losses import (
    averaging_weights,
    correction_weights,
    covariant,
    mismatch,
    policy_terms,
    trust_region_penalty,
    uncertain,
    unweighed_share,
)
from rlenv.trainers.rollouts.rollout import Rollout, rollout_of
from rlenv.trainers.updates.prepare import FrozenModels, prepared, with_advantages

WITHIN = 1e-7


def _normal(seed: int, *shape: int, scale: float = 1.0) -> torch.Tensor:
    return scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture
def policy() -> torch.Tensor:
    return table(0)


def _rollout(rewards: list[float | None], lengths: list[int]) -> Rollout:
    """Groups of completions of these lengths, what is None not graded."""
    verdicts = [Verdict.error("broken") if r is None else Verdict.of(("correct", r)) for r in rewards]
    episodes = [
        Episode(Task("?"), Completion("x", (7,) * n, (-1.0,) * n), verdict, (5,), index=i)
        for i, (n, verdict) in enumerate(zip(lengths, verdicts, strict=True))
    ]
    return rollout_of(episodes, 0, [[]] * len(episodes))


def test_gmpo_is_the_geometric_mean_of_clipped_ratios(policy: torch.Tensor) -> None:
    """L = - mean_i A_i (prod_t |min((r_t)^s, clip(r_t, e^-0.4, e^0.4)^s)|)^(s / |y_i|), s the sign of A_i."""
    old = (policy + 0.6 * table(5)).detach()
    spread = REWARDS - 0.5
    row = ALGORITHMS["gmpo"]
    terms = policy_terms(logprobs(policy), logprobs(old), spread[:, None] * MASK, MASK, row.control)
    found = (averaging_weights(MASK, row.averaging, LENGTH) * terms).sum()
    by_hand, clipped = torch.zeros((), dtype=torch.float64), 0
    for i, advantage in enumerate(spread.tolist()):
        sign, product, length = (
            (1.0 if advantage > 0 else -1.0),
            torch.ones((), dtype=torch.float64),
            int(MASK[i].sum()),
        )
        for t in range(length):
            ratio = (logprobs(policy)[i, t] - logprobs(old)[i, t]).exp()
            kept = ratio.clamp(math.exp(-0.4), math.exp(0.4))
            clipped += bool(kept**sign < ratio**sign)
            product = product * torch.minimum(ratio**sign, kept**sign) ** sign
        by_hand = by_hand - advantage * product ** (1 / length) / len(spread)
    assert clipped > 1
    same(found.detach(), by_hand.detach(), WITHIN)
    same(gradient(found, policy), gradient(by_hand, policy), WITHIN)


LENGTHS = [5, 2, 9, 3, 4, 4, 1, 7]
PAID = [1.0, 0.0, 1.0, 0.5, 0.0, 1.0, None, 0.25]


@pytest.mark.parametrize("by", ["length", "efficiency"])
def test_gfpo_compares_the_kept_half_of_each_group_alone(by: str) -> None:
    """m_i = 1 on the k best by the metric; A_i = m_i (R_i - mean over m) / std over m."""
    row = changed(ALGORITHMS["gfpo"], "advantage.kept_by", by)
    rollout = _rollout(PAID, LENGTHS)
    found = with_advantages(rollout, row, 4).advantages
    for first in (0, 4):
        members = [i for i in range(first, first + 4) if PAID[i] is not None]
        metric = {i: LENGTHS[i] if by == "length" else -(PAID[i] or 0.0) / LENGTHS[i] for i in members}
        kept = sorted(members, key=lambda i: metric[i])[:2]
        paid = torch.tensor([PAID[i] for i in kept], dtype=torch.float64)
        for i in range(first, first + 4):
            expected = 0.0 if i not in kept else float((PAID[i] - paid.mean()) / paid.std())  # type: ignore[operator]
            expected = 0.0 if float(paid.max()) == float(paid.min()) else expected
            torch.testing.assert_close(found[i, : LENGTHS[i]], torch.full((LENGTHS[i],), expected), atol=1e-6, rtol=0)
    assert bool(found.any())


def test_gfpo_does_not_take_what_is_masked_for_short() -> None:
    rollout = _rollout([1.0, 0.0, 1.0, 0.0], [5, 2, 9, 3])
    rollout = rollout.with_(mask=rollout.mask * torch.tensor([[1.0], [1.0], [0.0], [1.0]]))
    found = with_advantages(rollout, ALGORITHMS["gfpo"], 4).advantages
    assert not bool(found.any())  # the shortest two of the others are both wrong


def _covariances(logp: torch.Tensor, advantages: torch.Tensor, mask: torch.Tensor) -> dict[tuple[int, int], float]:
    places = [(int(i), int(t)) for i, t in mask.nonzero()]
    of_p = math.fsum(float(logp[p]) for p in places) / len(places)
    of_a = math.fsum(float(advantages[p]) for p in places) / len(places)
    return {p: (float(logp[p]) - of_p) * (float(advantages[p]) - of_a) for p in places}


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5])
def test_kl_cov_holds_the_tokens_that_make_the_covariance(share: float) -> None:
    """L_t = - r_t A_t, and beta KL beside it at the k N tokens with the highest (log pi - mean)(A - mean)."""
    mask = (torch.arange(6)[None] < torch.tensor([6, 3, 5, 1])[:, None]).double()
    logp, advantages = (-1 + _normal(1, 4, 6)) * mask, _normal(2, 4, 1) * mask
    parts = _covariances(logp, advantages, mask)
    count = max(1, int(share * len(parts)))
    expected = torch.zeros_like(mask)
    for place in sorted(parts, key=lambda p: -parts[p])[:count]:
        expected[place] = 1.0
    assert torch.equal(covariant(logp, advantages, mask, share), expected)


def test_kl_cov_keeps_its_coefficient_and_the_penalty_is_that_of_the_policy_that_sampled() -> None:
    row = ALGORITHMS["kl-cov"]
    assert row.control.kl_target is None
    now, old = _normal(3, 2, 3), _normal(4, 2, 3)
    expected = (now - old).exp() - 1 - (now - old)
    same(trust_region_penalty(now, old), expected, WITHIN)


def test_high_entropy_keeps_the_tokens_at_and_above_the_quantile() -> None:
    mask = (torch.arange(9)[None] < torch.tensor([9, 4, 7, 1, 5])[:, None]).double()
    entropies = _normal(5, 5, 9).abs() * mask
    for share in (0.05, 0.2, 0.5, 1.0):
        expected = (entropies >= torch.quantile(entropies[mask > 0], 1 - share)) & (mask > 0)
        assert torch.equal(uncertain(entropies, mask, share) > 0, expected)
    assert not bool(uncertain(entropies, torch.zeros_like(mask), 0.2).any())


def _best_of(policy: torch.Tensor, k: int, rewards: torch.Tensor) -> torch.Tensor:
    """E[max of k rewards], by enumeration."""
    chance, total = probabilities(policy), torch.zeros((), dtype=torch.float64)
    for members in itertools.product(range(len(rewards)), repeat=k):
        index = torch.tensor(members)
        total = total + chance[index].prod() * rewards[index].max()
    return total


@pytest.mark.parametrize(("k", "size"), [(2, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("binary", [True, False])
def test_pass_at_k_has_exactly_the_gradient_of_the_best_of_k(
    policy: torch.Tensor, k: int, size: int, binary: bool
) -> None:
    rewards = (REWARDS > 0.5).double() if binary else REWARDS
    everyone = torch.ones(size, dtype=torch.bool)
    spoken = logprobs(policy)

    def loss(index: torch.Tensor) -> torch.Tensor:
        advantages = pass_at_k(rewards[index], everyone, size, k)[:, None] * MASK[index]
        terms = policy_terms(spoken[index], spoken[index].detach(), advantages, MASK[index], Control())
        return (averaging_weights(MASK[index], "sequence") * terms).sum()

    same(expected_gradient(policy, size, loss), -gradient(_best_of(policy, k, rewards), policy), WITHIN)


def test_pass_at_k_is_the_sum_over_all_subsets_and_leaves_out_what_was_not_graded() -> None:
    rewards = torch.tensor([0.3, 1.0, 0.3, 0.0, 9.0, 0.7, -1.0, 0.2], dtype=torch.float64)
    graded = torch.tensor([True, True, True, True, False, True, True, True])
    for k in (2, 3, 4):
        found = pass_at_k(rewards, graded, 4, k)
        for i in range(8):
            others = [j for j in range(i // 4 * 4, i // 4 * 4 + 4) if j != i and graded[j]]
            subsets = list(itertools.combinations(others, k - 1))
            gains = [max(0.0, float(rewards[i]) - max(float(rewards[j]) for j in s)) for s in subsets]
            expected = k * sum(gains) / len(gains) if gains and graded[i] else 0.0
            assert float(found[i]) == pytest.approx(expected, abs=WITHIN)


def test_entropy_in_the_reward_has_the_gradient_of_the_entropy_of_completions(policy: torch.Tensor) -> None:
    """Maximum-entropy RL: E[R] + alpha H(pi), where H is that of whole completions."""
    alpha, size = 0.3, 2
    row = changed(changed(ALGORITHMS["max-entropy"], "entropy.coefficient", alpha), "kl.beta", 0.0)
    spoken, before = logprobs(policy), logprobs(policy).detach()

    def loss(index: torch.Tensor) -> torch.Tensor:
        rollout = buffer(MASK[index], old_logprobs=before[index], rewards=REWARDS[index])
        advantages = with_advantages(rollout, row, size).advantages
        terms = policy_terms(spoken[index], before[index], advantages, MASK[index], row.control)
        return (averaging_weights(MASK[index], row.averaging) * terms).sum()

    chance = probabilities(policy)
    entropy = -(chance * chance.log()).sum()
    expected = reward_gradient(policy) + alpha * gradient(entropy, policy)
    same(expected_gradient(policy, size, loss), -expected, WITHIN)
    assert row.entropy.at(0, 10) == 0.0  # nothing is left for the loss


def _rejected(rewards: list[float]) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """Reinforce-Rej by hand: the raw reward times the clipped ratio, without groups all right or all wrong."""

    def loss(now: torch.Tensor, old: torch.Tensor) -> torch.Tensor:
        total, count = torch.zeros((), dtype=torch.float64), 0
        for first in range(0, len(rewards), 2):
            if len(set(rewards[first : first + 2])) == 1:
                continue
            for i in (first, first + 1):
                ratio = (now[i] - old[i]).exp()
                total = total - torch.min(ratio * rewards[i], ratio.clamp(0.8, 1.2) * rewards[i]).mean()
                count += 1
        return total / count

    return loss


def test_reinforce_rej_is_the_clipped_reward_over_groups_that_differ() -> None:
    row, rewards = ALGORITHMS["reinforce-rej"], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]
    rollout = _rollout(list(rewards), [3] * 8)
    ready, _ = prepared(rollout, row, 2, FrozenModels(policy=None, temperature=1.0, micro_batch_tokens=99))  # type: ignore[arg-type]
    now, old = (-1 + _normal(8, 8, 3, scale=0.4)).requires_grad_(), -1 + _normal(9, 8, 3, scale=0.4)
    mask = ready.mask.double()
    terms = policy_terms(now, old, ready.advantages.double(), mask, row.control)
    found = (averaging_weights(mask, row.averaging) * terms).sum()
    by_hand = _rejected(rewards)(now, old)
    same(found.detach(), by_hand.detach(), WITHIN)
    same(gradient(found, now), gradient(by_hand, now), WITHIN)


def test_what_was_cut_is_compared_and_not_learned_from() -> None:
    """Overlong filtering (DAPO, section 3.4): the loss of what was cut is masked, its reward stays in the mean."""
    rewards = [1.0, 0.0, 0.0, 1.0]
    rollout = _rollout(list(rewards), [3, 2, 4, 1]).with_(cut=torch.tensor([False, False, True, False]))
    judges = FrozenModels(policy=None, temperature=1.0, micro_batch_tokens=99)  # type: ignore[arg-type]
    ready, _ = prepared(rollout, changed(ALGORITHMS["grpo"], "drawing.mask_cut", True), 4, judges)
    whole = group_standardised(torch.tensor(rewards), torch.ones(4, dtype=torch.bool), 4)
    assert ready.mask.sum(1).tolist() == [3.0, 2.0, 0.0, 1.0]
    torch.testing.assert_close(ready.advantages, whole[:, None] * ready.mask)


RATIOS = torch.tensor([[0.1, 0.6, 1.0, 9.0], [1.2, 1.25, 7.0, 7.0]])
CHOSEN = torch.tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
"""The second completion has two tokens; what stands behind it counts nowhere."""
PRODUCT, MEAN = (0.54, 1.5), (0.54**0.25, 1.5**0.5)


def found(kind: str, per: str, cap: float = 2.0) -> tuple[list[list[float]], list[list[float]]]:
    rule = Correction(kind=kind, per=per, cap=cap)  # type: ignore[arg-type]
    weight, left = correction_weights(RATIOS.log(), torch.zeros(2, 4), CHOSEN, rule)
    return [[round(x, 4) for x in row] for row in (weight * CHOSEN).tolist()], left.tolist()


@pytest.mark.parametrize(
    ("kind", "first", "left"),
    [
        ("truncate", [0.1, 0.6, 1.0, 2.0], [1, 1, 1, 1]),
        ("mask", [0.0, 0.6, 1.0, 0.0], [1, 1, 1, 1]),
        ("reject", [0.0, 0.6, 1.0, 0.0], [0, 1, 1, 0]),
    ],
)
def test_a_token_has_its_own_weight_within_the_cap(kind: str, first: list[float], left: list[float]) -> None:
    assert found(kind, "token") == ([first, [1.2, 1.25, 0, 0]], [left, [1, 1, 0, 0]])


@pytest.mark.parametrize("per", ["sequence", "geometric"])
@pytest.mark.parametrize("kind", ["truncate", "mask", "reject"])
def test_a_completion_has_one_weight_within_the_cap(kind: str, per: str) -> None:
    one, other = PRODUCT if per == "sequence" else MEAN
    cap = 1.45 if per == "sequence" else 1.16  # outside the bounds: both products but one is cut; one mean
    bounded = [w if 1 / cap <= w <= cap else 0.0 for w in (one, other)]
    if kind == "truncate":
        bounded = [min(one, cap), min(other, cap)]
    weight, left = found(kind, per, cap)
    assert weight == [[round(bounded[0], 4)] * 4, [round(bounded[1], 4)] * 2 + [0, 0]]
    kept = [1.0 if w or kind != "reject" else 0.0 for w in bounded]
    assert left == [[kept[0]] * 4, [kept[1]] * 2 + [0, 0]]


def test_a_product_that_overflows_is_silenced_and_not_nan() -> None:
    apart = torch.full((1, 400), 1.0)
    for kind in ("mask", "reject"):
        weight, left = correction_weights(
            apart, torch.zeros(1, 400), torch.ones(1, 400), Correction(kind=kind, per="sequence")
        )
        assert float((weight * 1.0).sum()) == 0
        assert unweighed_share(weight, torch.ones(1, 400)) == 1
        assert float(left.sum()) == (400 if kind == "mask" else 0)


def test_what_was_measured_is_of_chosen_tokens_alone() -> None:
    metrics = mismatch(RATIOS.log(), torch.zeros(2, 4), CHOSEN)
    chosen = [0.1, 0.6, 1.0, 9.0, 1.2, 1.25]
    assert metrics["sampling/importance_sampling_ratio/max"] == pytest.approx(9.0)
    assert metrics["sampling/sampling_logp_difference/max"] == pytest.approx(-math.log(0.1))
    assert metrics["sampling/kl"] == pytest.approx(sum(r - 1 - math.log(r) for r in chosen) / 6, rel=1e-5)
    assert mismatch(RATIOS, RATIOS, torch.zeros(2, 4)) == {}
