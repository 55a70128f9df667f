"""Every place and estimator of the KL to the reference: what its expected gradient is, exactly."""

import pytest
import torch
from tabular import (
    MASK,
    REWARDS,
    expected_gradient,
    gradient,
    kl_gradient,
    logprobs,
    probabilities,
    reward_gradient,
    same,
    table,
    token_kl_gradient,
)

from rlenv.trainers.algorithms.advantages import leave_one_out, returns_to_go
from rlenv.trainers.algorithms.choices import EXACT_KL, KlEstimator
from rlenv.trainers.algorithms.losses import adapted_coefficient, kl_penalty, score_function, trust_region_penalty
from rlenv.trainers.algorithms.row import ALGORITHMS

BETA = 0.37


@pytest.fixture
def policy() -> torch.Tensor:
    return table(0)


@pytest.fixture
def reference() -> torch.Tensor:
    return table(1).detach()


def _penalty(policy: torch.Tensor, reference: torch.Tensor, estimator: KlEstimator) -> torch.Tensor:
    return kl_penalty(logprobs(policy), logprobs(reference), estimator) * MASK


def _in_loss(policy: torch.Tensor, reference: torch.Tensor, estimator: KlEstimator) -> torch.Tensor:
    terms = _penalty(policy, reference, estimator)
    return expected_gradient(policy, 1, lambda i: terms[i].sum())


def _in_reward(policy: torch.Tensor, reference: torch.Tensor, estimator: KlEstimator, *, to_go: bool) -> torch.Tensor:
    costs = _penalty(policy, reference, estimator).detach()
    returns = returns_to_go(costs, MASK) if to_go else costs.sum(1, keepdim=True) * MASK
    terms = score_function(logprobs(policy), -returns)
    return expected_gradient(policy, 1, lambda i: terms[i].sum())


@pytest.mark.parametrize("to_go", [True, False], ids=["return to go", "sum of the sequence"])
def test_k1_in_the_reward_has_exactly_the_gradient_of_the_kl(
    policy: torch.Tensor, reference: torch.Tensor, to_go: bool
) -> None:
    found = _in_reward(policy, reference, "k1", to_go=to_go)
    same(found, kl_gradient(policy, reference))


def test_k1_inside_the_leave_one_out_reward_keeps_both_gradients_exact(
    policy: torch.Tensor, reference: torch.Tensor
) -> None:
    """RLOO as it is run: the KL of the whole completion is taken off its reward before the baseline."""
    held = REWARDS - BETA * _penalty(policy, reference, "k1").sum(1).detach()
    graded = torch.ones(3, dtype=torch.bool)
    spoken = logprobs(policy)

    def loss(index: torch.Tensor) -> torch.Tensor:
        advantages = leave_one_out(held[index], graded, 3)[:, None] * MASK[index]
        return score_function(spoken[index], advantages).sum() / 3

    expected = BETA * kl_gradient(policy, reference) - reward_gradient(policy)
    same(expected_gradient(policy, 3, loss), expected)


def test_k1_in_the_loss_has_no_expected_gradient(policy: torch.Tensor, reference: torch.Tensor) -> None:
    found = _in_loss(policy, reference, "k1")
    same(found, torch.zeros_like(found))


def test_k2_in_the_loss_has_the_gradient_of_the_reverse_kl_at_each_state(
    policy: torch.Tensor, reference: torch.Tensor
) -> None:
    """KL(pi || ref), without the way in which the policy chooses the states that it comes to."""
    found = _in_loss(policy, reference, "k2")
    same(found, token_kl_gradient(policy, reference))


def test_k3_in_the_loss_has_the_gradient_of_the_forward_kl_at_each_state(
    policy: torch.Tensor, reference: torch.Tensor
) -> None:
    """KL(ref || pi): where GRPO's penalty parts from the KL that it estimates."""
    found = _in_loss(policy, reference, "k3")
    same(found, token_kl_gradient(policy, reference, forward=True))
    value = (probabilities(policy)[:, None] * _penalty(policy, reference, "k3")).sum()
    kl = (probabilities(policy)[:, None] * _penalty(policy, reference, "k1")).sum()
    same(value, kl)


@pytest.mark.parametrize("estimator", ["k2", "k3"])
def test_k2_and_k3_in_the_reward_miss_their_own_derivative(
    policy: torch.Tensor, reference: torch.Tensor, estimator: KlEstimator
) -> None:
    """E[k score] is the gradient of E[k] without E[grad k], the part that pulled the policy back."""
    terms = _penalty(policy, reference, estimator)
    whole = gradient((probabilities(policy) * terms.sum(1)).sum(), policy)
    missed = _in_loss(policy, reference, estimator)
    found = _in_reward(policy, reference, estimator, to_go=False)
    same(found, whole - missed)
    assert torch.cosine_similarity(found.flatten(), kl_gradient(policy, reference).flatten(), 0) < 0.9


def test_every_row_of_the_table_keeps_the_kl_where_its_gradient_is_right() -> None:
    assert all(row.kl.estimator in EXACT_KL[row.kl.place] for row in ALGORITHMS.values())


def test_the_trust_region_penalty_has_exactly_the_gradient_of_the_kl_from_the_old_policy(policy: torch.Tensor) -> None:
    """Samples of the old policy do not depend on the new one: nothing is left out, visits included."""
    old = table(2).detach()
    terms = trust_region_penalty(logprobs(policy), logprobs(old)) * MASK
    found = expected_gradient(policy, 1, lambda i: terms[i].sum(), behaviour=old)
    exact = (probabilities(old) * (logprobs(old) - logprobs(policy)).sum(1)).sum()
    same(found, gradient(exact, policy))
    value = (probabilities(old)[:, None] * terms).sum()
    same(value, exact)


def test_the_coefficient_of_the_trust_region_is_halved_and_doubled_by_schulmans_rule() -> None:
    target = 0.02
    for kl, factor in ((target / 1.5 - 1e-6, 0.5), (target / 1.5 + 1e-6, 1.0), (target, 1.0)):
        assert adapted_coefficient(0.8, kl, target) == 0.8 * factor
    for kl, factor in ((target * 1.5 - 1e-6, 1.0), (target * 1.5 + 1e-6, 2.0), (9.0, 2.0)):
        assert adapted_coefficient(0.8, kl, target) == 0.8 * factor
