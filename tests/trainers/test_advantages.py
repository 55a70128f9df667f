"""Advantages are exact: worked numbers, degenerate groups, dynamic programming."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rlenv.trainers.algorithms.advantages import gae, group_standardised, leave_one_out, returns_to_go, varied, whiten

ALL = torch.ones(4, dtype=torch.bool)
ONE_RIGHT = torch.tensor([0.0, 0.0, 1.0, 0.0])


def test_one_right_of_four_in_both_forms() -> None:
    torch.testing.assert_close(leave_one_out(ONE_RIGHT, ALL, 4), torch.tensor([-1 / 3, -1 / 3, 1.0, -1 / 3]))
    torch.testing.assert_close(group_standardised(ONE_RIGHT, ALL, 4), torch.tensor([-0.5, -0.5, 1.5, -0.5]))


@pytest.mark.parametrize("reward", [0.0, 0.3, 1.0, 10.1, -7.7])
@pytest.mark.parametrize("size", [2, 5, 16, 32])
def test_a_group_of_equal_rewards_has_advantage_exactly_zero(reward: float, size: int) -> None:
    rewards, graded = torch.full((size,), reward), torch.ones(size, dtype=torch.bool)
    for function in (group_standardised, leave_one_out):
        assert torch.equal(function(rewards, graded, size), torch.zeros(size))
    assert not varied(rewards, graded, size).any()


@given(st.lists(st.floats(-100, 100, width=32), min_size=3, max_size=8))
def test_leave_one_out_is_the_scaled_centred_reward(values: list[float]) -> None:
    rewards = torch.tensor(values, dtype=torch.float64)
    size = len(values)
    expected = torch.stack([r - (rewards.sum() - r) / (size - 1) for r in rewards])
    found = leave_one_out(rewards, torch.ones(size, dtype=torch.bool), size)
    torch.testing.assert_close(found, expected, atol=1e-9, rtol=1e-9)


def test_an_ungraded_member_is_left_out_of_its_group() -> None:
    rewards = torch.tensor([1.0, 0.0, 0.0, 1.0, 0.0, 7.0])
    graded = torch.tensor([True, True, False, True, False, False])
    assert torch.equal(leave_one_out(rewards, graded, 3), torch.tensor([1.0, -1.0, 0.0, 0.0, 0.0, 0.0]))
    assert varied(rewards, graded, 3).tolist() == [True, False]


def test_groups_do_not_see_each_other() -> None:
    rewards = torch.rand(12)
    graded = torch.ones(12, dtype=torch.bool)
    for function in (group_standardised, leave_one_out):
        whole = function(rewards, graded, 4)
        parts = [function(rewards[i : i + 4], graded[:4], 4) for i in (0, 4, 8)]
        torch.testing.assert_close(whole, torch.cat(parts))


def test_returns_to_go_skip_tokens_that_the_policy_did_not_choose() -> None:
    rewards = torch.tensor([[1.0, 0.0, 2.0, 4.0]])
    mask = torch.tensor([[1, 0, 1, 1]])
    assert returns_to_go(rewards, mask, 0.5).tolist() == [[1 + 0.5 * (2 + 0.5 * 4), 0.0, 4.0, 4.0]]


def test_gae_equals_dynamic_programming_on_a_chain() -> None:
    """With lambda 1 the return is the discounted sum; with exact values the advantage is 0."""
    gamma = 0.9
    rewards = torch.tensor([[0.5, -1.0, 0.0, 2.0]], dtype=torch.float64)
    mask = torch.ones(1, 4)
    exact = [0.0] * 5
    for t in reversed(range(4)):
        exact[t] = float(rewards[0, t]) + gamma * exact[t + 1]
    values = torch.tensor([exact[:4]], dtype=torch.float64)
    advantages, returns = gae(rewards, values, mask, gamma, 0.7)
    torch.testing.assert_close(advantages, torch.zeros_like(advantages), atol=1e-12, rtol=0)
    torch.testing.assert_close(returns, values)
    advantages, returns = gae(rewards, torch.zeros_like(values), mask, gamma, 1.0)
    torch.testing.assert_close(returns, values)


@pytest.mark.parametrize("gae_lambda", [0.0, 0.5, 0.95, 1.0])
def test_gae_with_observation_tokens_equals_gae_of_the_chosen_tokens_alone(gae_lambda: float) -> None:
    generator = torch.Generator().manual_seed(0)
    for mask_row in itertools.product([0, 1], repeat=5):
        mask = torch.tensor([[1, *mask_row]])
        rewards = torch.randn(1, 6, generator=generator, dtype=torch.float64) * mask
        values = torch.randn(1, 6, generator=generator, dtype=torch.float64) * mask
        chosen = mask[0] > 0
        found, _ = gae(rewards, values, mask, 0.9, gae_lambda)
        alone, _ = gae(rewards[:, chosen], values[:, chosen], mask[:, chosen], 0.9, gae_lambda)
        torch.testing.assert_close(found[:, chosen], alone, atol=1e-12, rtol=0)
        assert not found[:, ~chosen].any()


def test_gae_bootstraps_where_the_environment_ended_the_episode() -> None:
    rewards, values, mask = torch.zeros(2, 2), torch.zeros(2, 2), torch.ones(2, 2)
    advantages, _ = gae(rewards, values, mask, 0.5, 1.0, bootstrap=torch.tensor([0.0, 8.0]))
    assert advantages.tolist() == [[0.0, 0.0], [2.0, 4.0]]


def test_whitening_uses_the_chosen_tokens_only() -> None:
    values = torch.tensor([[1.0, 3.0, 99.0]])
    found = whiten(values, torch.tensor([[1, 1, 0]]))
    torch.testing.assert_close(found, torch.tensor([[-1.0, 1.0, 0.0]]))
    assert torch.equal(whiten(torch.full((1, 3), 0.3), torch.ones(1, 3)), torch.zeros(1, 3))
