"""Samplers: the uniform one, and the one that follows measured pass rates and resumes exactly."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv import BatchEnvironment, Definition, Episode, FunctionVerifier, ListTasks, Task, Verdict
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.env.sampler import PassRateSampler, UniformSampler
from rlenv.wrappers import RunningCentre

GROUP = 8


class Levels:
    """Five levels of 40 tasks that take turns, as the levelled sets of the environments do."""

    levels = (1, 2, 3, 4, 5)

    def __len__(self) -> int:
        return 200

    def __getitem__(self, index: int) -> Task:
        return Task(f"task {index}", metadata={"level": 1 + index % 5})

    def members(self, level: int) -> range:
        return range(level - 1, 200, 5)


def episodes(task: Task, passed: Sequence[bool]) -> list[Episode]:
    return [Episode(task, Completion("x"), Verdict.of(("r", float(ok)))) for ok in passed]


def rounds(
    sampler: PassRateSampler, skill: Mapping[int, float], steps: range, groups: int = 16
) -> list[Counter[object]]:
    """What is drawn step by step by a policy that solves level k with chance skill[k]."""
    drawn: list[Counter[object]] = []
    tasks = Levels()
    for step in steps:
        chosen = [tasks[index] for index in sampler.draw(step, groups)]
        rng = np.random.default_rng([9, step])
        for task in chosen:
            level = task.metadata["level"]
            assert isinstance(level, int)
            sampler.observe(episodes(task, [bool(ok) for ok in rng.random(GROUP) < skill[level]]))
        drawn.append(Counter[object](task.metadata["level"] for task in chosen))
    return drawn


def share(drawn: Sequence[Counter[object]], level: int) -> float:
    return sum(counter[level] for counter in drawn) / sum(counter.total() for counter in drawn)


def test_it_moves_to_what_is_solved_sometimes_and_on_when_that_is_solved() -> None:
    sampler = PassRateSampler(Levels(), seed=1)
    early = rounds(sampler, {1: 1.0, 2: 0.5, 3: 0.0, 4: 0.0, 5: 0.0}, range(30))
    assert share(early[10:], 2) > 0.6
    later = rounds(sampler, {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.1, 5: 0.0}, range(30, 80))
    assert share(later[30:], 3) > 0.45
    assert share(later[30:], 3) > 2 * share(later[30:], 2)
    assert share(later[30:], 4) > share(later[30:], 5)
    assert min(share(later, level) for level in Levels.levels) > 0


def test_resuming_is_exact() -> None:
    skill = {1: 0.9, 2: 0.6, 3: 0.4, 4: 0.2, 5: 0.0}
    whole = PassRateSampler(Levels(), seed=4)
    rounds(whole, skill, range(7))
    resumed = PassRateSampler(Levels(), seed=4)
    resumed.load_state_dict(json.loads(json.dumps(whole.state_dict())))
    assert resumed.draw(7, 16) == whole.draw(7, 16)
    assert rounds(resumed, skill, range(7, 12)) == rounds(whole, skill, range(7, 12))
    assert resumed.state_dict() == whole.state_dict()


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 199), st.integers(0, GROUP)), max_size=30), st.integers(1, 300))
def test_draws_are_in_range_and_shares_sum_to_one(seen: list[tuple[int, int]], count: int) -> None:
    sampler, tasks = PassRateSampler(Levels(), seed=0), Levels()
    for index, passes in seen:
        sampler.observe(episodes(tasks[index], [number < passes for number in range(GROUP)]))
    shares = sampler.shares()
    assert math.isclose(sum(shares.values()), 1.0)
    assert min(shares.values()) >= 0.99 * 0.1 / 5
    drawn = sampler.draw(0, count)
    assert len(drawn) == count
    assert all(type(index) is int and 0 <= index < 200 for index in drawn)
    for level, times in Counter(index % 5 for index in drawn).items():
        if times <= 40:
            assert len({index for index in drawn if index % 5 == level}) == times


def test_what_the_checker_failed_on_and_foreign_tasks_teach_nothing() -> None:
    sampler = PassRateSampler(Levels(), seed=0)
    before = sampler.state_dict()
    sampler.observe([Episode(Levels()[0], Completion("x"), Verdict.error("lost"))])
    sampler.observe(episodes(Task("?", metadata={"level": 9}), [True]) + episodes(Task("?"), [False]))
    assert sampler.state_dict() == before


def test_a_saved_batch_goes_on_with_its_sampler_and_wrappers() -> None:
    verifier = FunctionVerifier(lambda completion: completion == "a", cheap=True)
    definition = Definition(tasks=Levels(), verifier=verifier, wrappers=[RunningCentre(decay=0.5)])

    def batch() -> BatchEnvironment:
        return BatchEnvironment(definition, group_size=2, sampler=PassRateSampler(Levels(), seed=3))

    def step(env: BatchEnvironment) -> list[Episode]:
        env.reset(groups=6)
        return env.step(["a", "b"] * 3 + ["a", "a"] * 3)

    whole, first = batch(), batch()
    for _ in range(4):
        step(whole)
        step(first)
    resumed = batch()
    resumed.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert step(resumed) == step(whole)
    assert resumed.state_dict() == whole.state_dict()


def test_a_state_of_other_bins_is_refused() -> None:
    tasks = ListTasks([Task("?")])
    with pytest.raises(ConfigError, match="expected a state of bins by 'level', got 'task'"):
        PassRateSampler(Levels()).load_state_dict(PassRateSampler(tasks).state_dict())


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
