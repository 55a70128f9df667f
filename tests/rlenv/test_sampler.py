"""The uniform sampler."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.env.sampler import UniformSampler


@settings(deadline=None)
@given(st.integers(1, 1000), st.integers(0, 2**40), st.integers(0, 10**6), st.integers(1, 64))
def test_draws_are_in_range_repeatable_and_without_repeats_while_they_last(
    size: int, seed: int, step: int, count: int
) -> None:
    drawn = UniformSampler(size, seed).draw(step, count)
    assert UniformSampler(size, seed).draw(step, count) == drawn
    assert len(drawn) == count
    assert all(type(index) is int and 0 <= index < size for index in drawn)
    assert len(set(drawn)) == count or count > size


@pytest.mark.parametrize("changed", [(1_000_000, 1, 0), (1_000_000, 0, 1)])
def test_seed_and_step_both_matter(changed: tuple[int, int, int]) -> None:
    size, seed, step = changed
    assert UniformSampler(size, seed).draw(step, 8) != UniformSampler(size, 0).draw(0, 8)


def test_draws_do_not_depend_on_what_was_drawn_before() -> None:
    sampler = UniformSampler(100, 3)
    for step in range(5):
        sampler.draw(step, 7)
    assert sampler.draw(2, 7) == UniformSampler(100, 3).draw(2, 7)
    assert sampler.state_dict() == {}


def test_every_task_comes() -> None:
    sampler = UniformSampler(10, 0)
    assert {index for step in range(40) for index in sampler.draw(step, 3)} == set(range(10))
