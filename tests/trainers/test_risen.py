"""A reward that did not rise is told with its figures; one that rose, or is too short to tell, is not."""

import numpy as np
import pytest

from rlenv.trainers.records.risen import not_risen


def run(*rewards: float) -> list[dict[str, float]]:
    return [{"reward": reward} for reward in rewards]


def test_flat_falling_and_noisy_rewards_have_not_risen() -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, 40)
    assert "0 in the first 2 rollouts, 0 in the last 2" in not_risen(run(*[0.0] * 10))
    assert "0.9 in the first 2 rollouts, 0.1 in the last 2" in not_risen(run(*[0.9] * 5, *[0.1] * 5))
    assert not_risen(run(*(0.3 + noise)))


@pytest.mark.parametrize("rewards", [np.linspace(0, 1, 20), [0.1] * 10 + [0.2] * 10, [0.0] * 9, []])
def test_a_rise_and_a_run_that_is_too_short_are_left_alone(rewards: list[float]) -> None:
    assert not_risen(run(*rewards)) == ""


def test_rollouts_without_a_reward_are_passed_over() -> None:
    assert not_risen([{"loss": 1.0}] * 30) == ""
