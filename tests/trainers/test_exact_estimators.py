"""What multiplies the score function, and how tokens are averaged: exact expectations over all batches."""

import itertools

import numpy as np
import pytest
import torch
from tabular import (
    LENGTH,
    MASK,
    REWARDS,
    SEQUENCES,
    expected_gradient,
    gradient,
    logprobs,
    probabilities,
    reward_gradient,
    same,
    table,
)

from rlenv.trainers.algorithms.advantages import (
    group_centred,
    group_standardised,
    leave_one_out,
    moved_baseline,
    returns_to_go,
    varied,
    whiten,
)
from rlenv.trainers.algorithms.choices import Averaging
from rlenv.trainers.algorithms.losses import averaging_weights, score_function

SIZES = (2, 3)


@pytest.fixture
def policy() -> torch.Tensor:
    return table(0)


def _all(size: int) -> torch.Tensor:
    return torch.ones(size, dtype=torch.bool)


def _loss(
    policy: torch.Tensor, index: torch.Tensor, advantages: torch.Tensor, averaging: Averaging = "sequence"
) -> torch.Tensor:
    """The loss of a batch whose advantages are (B,) or (B, T), by the functions that the trainer uses."""
    mask = MASK[index]
    spread = advantages if advantages.dim() == 2 else advantages[:, None] * mask
    weights = averaging_weights(mask, averaging, LENGTH)
    return (weights * score_function(logprobs(policy)[index], spread)).sum()


def _token_rewards() -> torch.Tensor:
    """A reward for the first token, as soon as it is said, and one for the whole at its end."""
    found = torch.zeros_like(MASK)
    found[range(len(MASK)), (MASK.sum(1) - 1).long()] += REWARDS
    found[:, 0] += torch.tensor([(0.2, 0.5, -0.1)[sequence[0]] for sequence in SEQUENCES])
    return found


@pytest.mark.parametrize("size", [1, 2])
def test_reinforce_has_exactly_the_gradient_of_the_expected_reward(policy: torch.Tensor, size: int) -> None:
    found = expected_gradient(policy, size, lambda i: _loss(policy, i, REWARDS[i]))
    same(found, -reward_gradient(policy))


def test_the_return_to_go_leaves_out_only_what_has_no_expectation(policy: torch.Tensor) -> None:
    rewards = _token_rewards()
    later = returns_to_go(rewards, MASK)
    found = expected_gradient(policy, 1, lambda i: _loss(policy, i, later[i]))
    assert not torch.allclose(later, rewards.sum(1, keepdim=True) * MASK)
    same(found, -reward_gradient(policy, rewards.sum(1)))


def test_a_discount_weighs_each_reward_by_its_distance_from_the_token(policy: torch.Tensor) -> None:
    gamma, rewards = 0.6, _token_rewards()
    found = expected_gradient(policy, 1, lambda i: _loss(policy, i, returns_to_go(rewards, MASK, gamma)[i]))
    per_token = logprobs(policy)
    by_hand = torch.zeros((), dtype=torch.float64)
    for place in range(len(MASK)):
        for acted, paid in itertools.combinations_with_replacement(range(LENGTH), 2):
            by_hand = by_hand - (
                probabilities(policy)[place].detach()
                * (gamma ** (paid - acted) * rewards[place, paid])
                * per_token[place, acted]
            )
    same(found, gradient(by_hand, policy))


@pytest.mark.parametrize("before", [0.0, 0.4, -3.0])
def test_a_moving_baseline_from_earlier_rollouts_changes_no_expectation(policy: torch.Tensor, before: float) -> None:
    found = expected_gradient(policy, 2, lambda i: _loss(policy, i, REWARDS[i] - before))
    same(found, -reward_gradient(policy))


def test_a_baseline_that_has_already_moved_to_the_batch_loses_a_share_of_the_gradient(policy: torch.Tensor) -> None:
    """Why the trainer moves its baseline after the advantages are taken: B - 1 + decay of B would be left."""
    decay, size = 0.9, 2

    def too_early(index: torch.Tensor) -> torch.Tensor:
        baseline = moved_baseline(0.4, REWARDS[index], _all(size), decay)
        assert baseline is not None
        return _loss(policy, index, REWARDS[index] - baseline)

    left = 1 - (1 - decay) / size
    same(expected_gradient(policy, size, too_early), -left * reward_gradient(policy), 1e-9)


@pytest.mark.parametrize("size", SIZES)
def test_leave_one_out_is_unbiased(policy: torch.Tensor, size: int) -> None:
    found = expected_gradient(policy, size, lambda i: _loss(policy, i, leave_one_out(REWARDS[i], _all(size), size)))
    same(found, -reward_gradient(policy))


@pytest.mark.parametrize("size", SIZES)
def test_the_group_mean_as_baseline_gives_g_minus_1_over_g(policy: torch.Tensor, size: int) -> None:
    found = expected_gradient(policy, size, lambda i: _loss(policy, i, group_centred(REWARDS[i], _all(size), size)))
    same(found, -reward_gradient(policy) * (size - 1) / size)


@pytest.mark.parametrize("size", SIZES)
def test_a_constant_divisor_gives_dr_grpo_the_same_direction(policy: torch.Tensor, size: int) -> None:
    found = expected_gradient(
        policy, size, lambda i: _loss(policy, i, group_centred(REWARDS[i], _all(size), size), "constant")
    )
    same(found, -reward_gradient(policy) * (size - 1) / size / LENGTH)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ddof", [0, 1])
def test_standardised_groups_are_those_of_numpy_group_by_group(policy: torch.Tensor, size: int, ddof: int) -> None:
    def by_hand(index: torch.Tensor) -> torch.Tensor:
        rewards = REWARDS[index].numpy()
        if len(set(rewards.tolist())) == 1:
            return torch.zeros((), dtype=torch.float64)
        scaled = (rewards - rewards.mean()) / (np.std(rewards, ddof=ddof) + 1e-4)
        return -(torch.from_numpy(scaled) * logprobs(policy)[index].sum(1)).mean()

    found = expected_gradient(
        policy, size, lambda i: _loss(policy, i, group_standardised(REWARDS[i], _all(size), size, 1e-4, ddof))
    )
    same(found, expected_gradient(policy, size, by_hand))


@pytest.mark.parametrize("ddof", [0, 1])
def test_whitening_is_that_of_numpy_over_all_chosen_tokens(policy: torch.Tensor, ddof: int) -> None:
    def by_hand(index: torch.Tensor) -> torch.Tensor:
        advantages = (REWARDS[:, None] * MASK)[index].numpy()
        chosen = advantages[MASK[index].numpy() > 0]
        if len(set(chosen.tolist())) < 2:
            return torch.zeros((), dtype=torch.float64)
        scaled = (advantages - chosen.mean()) / np.sqrt(np.var(chosen, ddof=ddof) + 1e-8)
        return -(torch.from_numpy(scaled) * logprobs(policy)[index]).sum() / len(chosen)

    def ours(index: torch.Tensor) -> torch.Tensor:
        raw = (REWARDS[:, None] * MASK)[index]
        return _loss(policy, index, whiten(raw, MASK[index], 1e-8, ddof), "token")

    same(expected_gradient(policy, 2, ours), expected_gradient(policy, 2, by_hand))


def test_the_mean_over_a_response_is_the_reward_divided_by_its_length(policy: torch.Tensor) -> None:
    """GRPO's average: exactly the gradient of the expected reward per token, lengths taken as given."""
    found = expected_gradient(policy, 2, lambda i: _loss(policy, i, REWARDS[i], "response"))
    same(found, -reward_gradient(policy, REWARDS / MASK.sum(1)))


def test_the_mean_over_tokens_divides_by_what_was_said_in_the_whole_step(policy: torch.Tensor) -> None:
    def by_hand(index: torch.Tensor) -> torch.Tensor:
        return -(REWARDS[index] * logprobs(policy)[index].sum(1)).sum() / MASK[index].sum()

    found = expected_gradient(policy, 2, lambda i: _loss(policy, i, REWARDS[i], "token"))
    same(found, expected_gradient(policy, 2, by_hand))


def test_averages_of_four_kinds() -> None:
    mask = torch.tensor([[1.0, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]])
    terms = torch.tensor([[1.0, 1, 1, 1], [6, 0, 0, 0], [9, 9, 9, 9]])
    kinds: tuple[Averaging, ...] = ("token", "sequence", "response", "constant")
    found = {kind: float((averaging_weights(mask, kind, 8) * terms).sum()) for kind in kinds}
    assert found == pytest.approx(
        {"token": 10 / 5, "sequence": (4 + 6) / 2, "response": (1 + 6) / 2, "constant": (4 + 6) / 2 / 8}
    )


def test_an_ungraded_completion_leaves_the_others_as_if_it_were_not_there(policy: torch.Tensor) -> None:
    """A failure of the checker: the pair that is left is a group of two."""
    graded = torch.tensor([True, False, True])
    rewards = torch.tensor([0.3, 0.0, 1.0], dtype=torch.float64)
    for function in (leave_one_out, group_centred, group_standardised):
        alone = function(rewards[graded], _all(2), 2)
        same(function(rewards, graded, 3)[graded], alone)
        assert float(function(rewards, graded, 3)[1]) == 0


@pytest.mark.parametrize("reward", [0.3, 10.1, -7.7])
def test_a_group_of_equal_rewards_has_advantage_exactly_zero(reward: float) -> None:
    for size in (2, 5, 32):
        rewards, graded = torch.full((size,), reward), _all(size)
        for function in (group_standardised, group_centred, leave_one_out):
            assert torch.equal(function(rewards, graded, size), torch.zeros(size))
        assert not varied(rewards, graded, size).any()
        assert torch.equal(whiten(rewards[None], torch.ones(1, size)), torch.zeros(1, size))


def test_groups_do_not_see_each_other_nor_what_was_not_graded() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.0, 1.0, 0.0, 7.0])
    graded = torch.tensor([True, True, False, True, False, False])
    assert torch.equal(leave_one_out(rewards, graded, 3), torch.tensor([1.0, -1.0, 0.0, 0.0, 0.0, 0.0]))
    assert varied(rewards, graded, 3).tolist() == [True, False]
