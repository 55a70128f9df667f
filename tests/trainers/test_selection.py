"""Self-training keeps the stated episodes and descends the stated divergence; preference losses end where known.

On a bandit with known preferences, the exact expected loss has its known minimum.
"""

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from tabular import tilted

from rlenv import Completion, Episode, Task, Verdict
from rlenv.trainers import ALGORITHMS
from rlenv.trainers.algorithms.choices import Preference, Selection
from rlenv.trainers.algorithms.losses import Scored, averaging_weights, odds_ratio_loss, pair_losses, score_function
from rlenv.trainers.rollouts.rollout import rollout_of
from rlenv.trainers.updates.prepare import best, selected, threshold_at, tilted_weights, with_selection

ROWS = ALGORITHMS
REWARDS = torch.tensor([0.0, 1.0, 0.5, 1.0, 0.5, 0.5, -1.0, 0.0])
GRADED = torch.tensor([True, True, True, True, True, True, True, False])


def kept(rule: Selection | None, epoch: int = 0, epochs: int = 1, graded: torch.Tensor = GRADED) -> list[int]:
    assert rule is not None
    weights = selected(REWARDS, graded, rule, 4, epoch, epochs)
    assert set(weights.tolist()) <= {0.0, 1.0}
    return [i for i, weight in enumerate(weights.tolist()) if weight]


def test_star_keeps_what_passes() -> None:
    assert kept(ROWS["star"].selection) == [1, 3]


def test_rest_raises_its_threshold_from_pass_to_pass_and_ends_at_the_last() -> None:
    rule = ROWS["rest"].selection
    assert [kept(rule, epoch, 3) for epoch in range(3)] == [[1, 2, 3, 4, 5], [1, 3], [1, 3]]
    assert kept(rule, 0, 1) == [1, 3]


@pytest.mark.parametrize("epochs", range(1, 12))
@pytest.mark.parametrize("thresholds", [(1.0,), (0.2, 0.5), (0.1, 0.2, 0.3)])
def test_thresholds_never_fall_and_the_last_pass_has_the_last(thresholds: tuple[float, ...], epochs: int) -> None:
    found = [threshold_at(thresholds, epoch, epochs) for epoch in range(epochs)]
    assert found == sorted(found)
    assert found[-1] == thresholds[-1]
    if epochs % len(thresholds) == 0:
        assert [found.count(t) for t in thresholds] == [epochs // len(thresholds)] * len(thresholds)


def test_raft_keeps_the_best_of_each_group_if_it_earned_something() -> None:
    assert kept(ROWS["raft"].selection) == [1, 4]
    assert kept(Selection(kind="top_k", top_k=3)) == [1, 2, 3, 4, 5]
    assert kept(Selection(kind="top_k", top_k=4)) == [1, 2, 3, 4, 5]
    assert kept(Selection(kind="top_k", top_k=3, above=None)) == [1, 2, 3, 4, 5, 6]


def test_what_the_checker_failed_on_is_never_kept() -> None:
    nobody = torch.zeros(8, dtype=torch.bool)
    for rule in [*(row.selection for row in ROWS.values() if row.selection), Selection(kind="top_k", above=None)]:
        assert kept(rule, graded=nobody) == []
    assert tilted_weights(REWARDS, nobody, 1.0, 4).tolist() == [0.0] * 8


def test_ties_at_the_last_rank_go_to_the_earlier() -> None:
    rewards = torch.tensor([0.5, 1.0, 0.5, 0.5])
    assert best(rewards, torch.ones(4, dtype=torch.bool), 2, 0.0, 4).tolist() == [True, True, False, False]


def test_tilted_weights_are_those_of_the_tilted_policy_over_the_sampled_one() -> None:
    rewards, graded = torch.tensor([1.0, 0.0, 0.5, 9.0], dtype=torch.float64), torch.tensor([True, True, True, False])
    found = tilted_weights(rewards, graded, 0.5, 4)
    tilt = torch.exp(rewards[:3] / 0.5)
    torch.testing.assert_close(found[:3], tilt / tilt.mean())
    assert found[3] == 0


def test_what_is_left_out_counts_in_no_denominator() -> None:
    episodes = [
        Episode(Task(str(i)), Completion("", (7,) * length, (0.0,) * length), Verdict.of(("r", reward)), (5,), 0, i)
        for i, (length, reward) in enumerate([(1, 1.0), (4, 0.0), (3, 1.0)])
    ]
    rollout = with_selection(rollout_of(episodes, 0, [[]] * 3), Selection(kind="threshold"), 3)
    weights = averaging_weights(rollout.mask, "token", 4)
    assert rollout.mask.sum(1).tolist() == [1, 0, 3]
    assert (weights * rollout.advantages).sum(1).tolist() == [0.25, 0.0, 0.75]


def test_learning_what_passes_descends_the_forward_kl_to_the_policy_given_that_it_passes() -> None:
    """Expected over samples of the old policy: the gradient of NLL on kept ones is that of KL(old | passes || new)."""
    old = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
    rewards = torch.tensor([1.0, 0.0, 1.0, 0.5], dtype=torch.float64)
    logits = torch.tensor([0.3, -0.2, 0.0, 0.5], dtype=torch.float64, requires_grad=True)
    everyone = torch.ones(4, dtype=torch.bool)
    weights = selected(rewards, everyone, Selection(kind="threshold"), 1)
    loss = (old * score_function(logits.log_softmax(-1), weights)).sum() / (old * weights).sum()
    target = old * (rewards >= 1.0) / old[rewards >= 1.0].sum()
    kl = (torch.special.xlogy(target, target) - target * logits.log_softmax(-1)).sum()
    for found, expected in zip(*(torch.autograd.grad(x, logits) for x in (loss, kl)), strict=True):
        torch.testing.assert_close(found, expected, atol=1e-14, rtol=0)


def test_best_of_n_learns_the_distribution_of_the_best_of_n() -> None:
    """RAFT with one kept of G: by enumeration of all groups, the target is that of the maximum of G draws."""
    old = torch.tensor([0.2, 0.5, 0.3], dtype=torch.float64)
    rewards, size = torch.tensor([0.25, 0.5, 1.0], dtype=torch.float64), 3
    target = torch.zeros(3, dtype=torch.float64)
    for members in itertools.product(range(3), repeat=size):
        picked = best(rewards[list(members)], torch.ones(size, dtype=torch.bool), 1, None, size)
        target[[m for m, p in zip(members, picked.tolist(), strict=True) if p]] += old[list(members)].prod()
    below = torch.cat([torch.zeros(1, dtype=torch.float64), old.cumsum(0)])
    torch.testing.assert_close(target, below[1:] ** size - below[:-1] ** size, atol=1e-14, rtol=0)


def test_the_tilted_weights_lead_to_the_tilted_policy_as_groups_grow() -> None:
    """A group that holds each answer as often as the policy says it: the weighted answers are the tilted policy."""
    counts = torch.tensor([50, 30, 20])
    rewards = torch.tensor([5.0, 2.0, 1.0], dtype=torch.float64)
    said = torch.repeat_interleave(torch.arange(3), counts)
    weights = tilted_weights(rewards[said], torch.ones(100, dtype=torch.bool), 5.0, 100)
    found = torch.zeros(3, dtype=torch.float64).index_add(0, said, weights) / 100
    torch.testing.assert_close(found, tilted(counts.double() / 100, rewards, 5.0))


REF = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)
SAMPLER = torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64)
"""Whoever offered the pairs: not the reference, so that the two cannot be confused."""
WORTH = torch.tensor([1.0, -0.5, 2.0, 0.25], dtype=torch.float64)
ARMS = range(len(REF))


def bradley_terry() -> torch.Tensor:
    """p(row beats column)."""
    return torch.sigmoid(WORTH[:, None] - WORTH[None, :])


def cyclic() -> torch.Tensor:
    """Preferences that no reward explains: 0 beats 1, 1 beats 2, 2 beats 0 for certain; 3 is as good as any."""
    table = torch.full((4, 4), 0.5, dtype=torch.float64)
    for better, worse in ((0, 1), (1, 2), (2, 0)):
        table[better, worse], table[worse, better] = 1.0, 0.0
    table[0, 3], table[3, 0] = 0.9, 0.1
    return table


def expected_loss(logits: torch.Tensor, rule: Preference, beats: torch.Tensor, ref: torch.Tensor) -> torch.Tensor:
    """Over pairs of independent draws of the sampler, and over which of the two wins."""
    places = torch.tensor([(w, v) for w, v in itertools.product(ARMS, ARMS) if w != v])
    won, lost = places.T
    logprobs, one = logits.log_softmax(-1), torch.ones(len(won), dtype=torch.float64)
    scored = Scored(logprobs[won], logprobs[lost], one, one, ref.log()[won], ref.log()[lost])
    weight = 2 * SAMPLER[won] * SAMPLER[lost] * beats[won, lost]
    return (weight * pair_losses(scored, rule)).sum()


def minimised(loss: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """The policy at the minimum."""
    logits = torch.zeros(len(REF), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [logits],
        max_iter=2000,
        max_eval=10_000,
        tolerance_grad=1e-14,
        tolerance_change=0.0,
        history_size=20,
        line_search_fn="strong_wolfe",
    )

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        value = loss(logits)
        value.backward()
        return value

    optimizer.step(closure)
    return logits.detach().softmax(-1)


@pytest.mark.parametrize("share", [0.25, 0.75, 1.0])
def test_dpo_shift_counts_a_share_of_the_rejected_one(share: float) -> None:
    """-log sigmoid(beta log pi(w)/ref(w) - f beta log pi(l)/ref(l)); its gradient holds up the chosen one."""
    beta, rule = 0.3, Preference(loss="dpo", beta=0.3, rejected_share=share)
    won, lost, one = -2.0, -3.5, torch.ones(1, dtype=torch.float64)
    spoken = torch.tensor([won, lost], dtype=torch.float64, requires_grad=True)
    scored = Scored(spoken[:1], spoken[1:], one, one, -2.5 * one, -3.0 * one)
    found = pair_losses(scored, rule)
    margin = beta * (won + 2.5) - share * beta * (lost + 3.0)
    assert found.item() == pytest.approx(math.log1p(math.exp(-margin)), abs=1e-7)
    slope = beta / (1 + math.exp(margin))
    found.backward()
    assert spoken.grad is not None
    assert spoken.grad.tolist() == pytest.approx([-slope, share * slope], abs=1e-7)


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_dpo_on_bradley_terry_preferences_ends_at_the_reference_tilted_by_the_reward(beta: float) -> None:
    rule = Preference(loss="dpo", beta=beta)
    found = minimised(lambda logits: expected_loss(logits, rule, bradley_terry(), REF))
    torch.testing.assert_close(found, tilted(REF, WORTH, beta), atol=1e-8, rtol=0)


@pytest.mark.parametrize("beats", [bradley_terry, cyclic])
@pytest.mark.parametrize("tau", [0.1, 1.0])
def test_ipo_ends_at_the_reference_tilted_by_how_often_an_answer_wins(
    tau: float, beats: Callable[[], torch.Tensor]
) -> None:
    rule = Preference(loss="ipo", beta=tau)
    found = minimised(lambda logits: expected_loss(logits, rule, beats(), REF))
    wins = beats() @ SAMPLER
    torch.testing.assert_close(found, tilted(REF, wins, tau), atol=1e-8, rtol=0)


def test_orpo_has_a_gradient_where_a_completion_is_certain() -> None:
    """A mean log-prob of 0 has infinite odds; the loss is then nothing and pulls on nothing, instead of being NaN."""
    chosen, rejected = torch.zeros(1, requires_grad=True), torch.tensor([-1.0], requires_grad=True)
    loss = odds_ratio_loss(chosen, rejected).sum()
    loss.backward()
    assert loss < 1e-5
    for gradient in (chosen.grad, rejected.grad):
        assert gradient is not None
        assert abs(float(gradient)) < 1e-5
