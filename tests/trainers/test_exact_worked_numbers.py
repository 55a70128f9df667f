"""Numbers worked out in the literature, derived here again."""

import math

import pytest
import torch
from tabular import same

from rlenv.trainers.algorithms.advantages import group_centred, group_standardised, leave_one_out
from rlenv.trainers.algorithms.kl import kl_penalty
from rlenv.trainers.algorithms.losses import score_function

ONE_OF_FOUR = torch.tensor([0.0, 0.0, 1.0, 0.0])
GRADED = torch.ones(4, dtype=torch.bool)
PRIOR = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
REWARDS = torch.tensor([5.0, 2.0, 1.0], dtype=torch.float64)


def test_one_success_in_four_in_the_three_forms() -> None:
    third = 1 / 3
    assert leave_one_out(ONE_OF_FOUR, GRADED, 4).tolist() == pytest.approx([-third, -third, 1.0, -third])
    assert group_standardised(ONE_OF_FOUR, GRADED, 4).tolist() == pytest.approx([-0.5, -0.5, 1.5, -0.5])
    assert group_centred(ONE_OF_FOUR, GRADED, 4).tolist() == pytest.approx([-0.25, -0.25, 0.75, -0.25])


@pytest.mark.parametrize(
    ("beta", "expected"),
    [
        (1.0, [0.9641356, 0.0288009, 0.0070635]),
        (0.1, [1.0, 0.0, 0.0]),
        (5.0, [0.6626824, 0.2182127, 0.1191050]),
    ],
)
def test_the_tilted_distribution_is_where_reward_and_kl_balance(beta: float, expected: list[float]) -> None:
    """pi* = prior exp(r/beta) / Z: the policy at which the score function of r - beta k1 has no expectation left."""
    weights = PRIOR * torch.exp(REWARDS / beta)
    tilted = weights / weights.sum()
    assert tilted.tolist() == pytest.approx(expected, abs=1e-7)
    logits = tilted.log().requires_grad_()
    chosen = logits.log_softmax(-1)
    returns = (REWARDS - beta * kl_penalty(chosen, PRIOR.log(), "k1")).detach()
    (gradient,) = torch.autograd.grad((tilted * score_function(chosen, returns)).sum(), logits)
    same(gradient, torch.zeros_like(gradient), 1e-12)


def test_the_best_value_of_the_leash_is_the_log_of_the_normaliser() -> None:
    """E r - beta KL at the tilted distribution is beta log Z; the prior itself and the greedy choice give less."""

    def value(policy: torch.Tensor, beta: float) -> float:
        held = policy > 0
        kl = (policy[held] * (policy[held] / PRIOR[held]).log()).sum()
        return float((policy * REWARDS).sum() - beta * kl)

    for beta in (0.1, 1.0, 5.0):
        weights = PRIOR * torch.exp(REWARDS / beta)
        best = value(weights / weights.sum(), beta)
        assert best == pytest.approx(beta * math.log(float(weights.sum())), abs=1e-12)
        assert best > value(PRIOR, beta)
        assert best >= value(torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64), beta)
