"""The learning rate rises and falls as the schedule says."""

from itertools import pairwise

import pytest

from rlenv.core.errors import ConfigError
from rlenv.trainers import TrainConfig


def shares(**settings: object) -> list[float]:
    config = TrainConfig(steps=10, **{"warmup_steps": 0, **settings})  # type: ignore[arg-type]
    return [config.learning_rate_share(step, step) for step in range(10)]


def test_it_is_constant_unless_asked_for() -> None:
    assert shares() == [1.0] * 10


def test_it_rises_over_the_first_optimiser_steps() -> None:
    assert shares(warmup_steps=4)[:5] == [0.25, 0.5, 0.75, 1.0, 1.0]


def test_linear_falls_to_a_tenth_over_the_whole_run_or_its_last_share() -> None:
    assert shares(schedule="linear") == pytest.approx([1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
    last_half = [1, 1, 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2]
    assert shares(schedule="linear", decay_share=0.5) == shares(decay_share=0.5) == pytest.approx(last_half)


def test_cosine_is_half_way_down_in_the_middle_and_flat_at_both_ends() -> None:
    found = shares(schedule="cosine")
    assert found[0] == 1.0
    assert found[5] == pytest.approx(0.55)
    falls = [before - after for before, after in pairwise(found)]
    assert max(falls) == max(falls[4:6])
    assert 0.1 < found[9] < 0.13


def test_another_schedule_is_refused() -> None:
    with pytest.raises(ConfigError, match="constant, linear, cosine, got 'cosin'"):
        TrainConfig(schedule="cosin")
