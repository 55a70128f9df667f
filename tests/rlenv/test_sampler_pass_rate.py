"""The sampler that follows measured pass rates: where it goes, and that it repeats and resumes exactly."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv import BatchEnvironment, Definition, Episode, FunctionVerifier, ListTasks, Task, Verdict
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.env.sampler import SAMPLERS, PassRateSampler, UniformSampler, sampler_named

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


def test_seed_and_step_and_what_was_seen_decide_the_draw() -> None:
    sampler, other = PassRateSampler(Levels(), seed=1), PassRateSampler(Levels(), seed=2)
    assert sampler.draw(3, 8) == sampler.draw(3, 8) == PassRateSampler(Levels(), seed=1).draw(3, 8)
    assert sampler.draw(3, 8) != other.draw(3, 8)
    assert sampler.draw(3, 8) != sampler.draw(4, 8)
    rounds(sampler, {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 0.5}, range(5))
    assert sampler.draw(3, 8) != PassRateSampler(Levels(), seed=1).draw(3, 8)


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


def test_a_set_without_levels_is_followed_task_by_task() -> None:
    tasks = ListTasks(Task(f"{number}?", str(number)) for number in range(6))
    sampler = PassRateSampler(tasks, seed=0, floor=0.06)
    assert sampler.by == "task"
    for number in range(6):
        for _ in range(20):
            sampler.observe(episodes(tasks[number], [number == 0, number in (0, 3)]))
    shares = list(sampler.shares().values())
    assert shares[3] > 0.45
    assert max(shares[:3] + shares[4:]) < 0.15
    assert len(set(sampler.draw(0, 6))) == 6
    assert Counter(sampler.draw(0, 600)).most_common(1)[0][0] == 3


def test_bins_may_be_made_of_any_column() -> None:
    tasks = ListTasks(Task(f"{number}?", metadata={"subject": "ab"[number % 2]}) for number in range(10))
    sampler = PassRateSampler(tasks, by="subject")
    for _ in range(30):
        sampler.observe(episodes(tasks[0], [True] * 4) + episodes(tasks[1], [True, False]))
    assert list(sampler.shares()) == ["a", "b"]
    assert sampler.shares()["b"] > 0.8
    assert {tasks[index].metadata["subject"] for index in sampler.draw(0, 4)} <= {"a", "b"}


def test_what_the_checker_failed_on_and_foreign_tasks_teach_nothing() -> None:
    sampler = PassRateSampler(Levels(), seed=0)
    before = sampler.state_dict()
    sampler.observe([Episode(Levels()[0], Completion("x"), Verdict.error("lost"))])
    sampler.observe(episodes(Task("?", metadata={"level": 9}), [True]) + episodes(Task("?"), [False]))
    assert sampler.state_dict() == before


def test_a_lower_threshold_counts_a_part_of_the_reward_as_a_pass() -> None:
    sampler = PassRateSampler(Levels(), threshold=0.5)
    sampler.observe([Episode(Levels()[0], Completion("x"), Verdict.of(("r", 0.5)))] * 3)
    assert sampler.pass_rates()["1"] == 3.5 / 4


def test_old_observations_fade() -> None:
    sampler, task = PassRateSampler(Levels(), memory=0.5), Levels()[0]
    for _ in range(10):
        sampler.observe(episodes(task, [False] * 8))
    for _ in range(4):
        sampler.observe(episodes(task, [True] * 8))
    assert sampler.pass_rates()["1"] > 0.85


def test_the_batch_saves_and_resumes_it() -> None:
    definition = Definition(tasks=Levels(), verifier=FunctionVerifier(lambda completion: completion == "a", cheap=True))

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


@pytest.mark.parametrize("kwargs", [{"floor": -0.1}, {"floor": 1.1}, {"memory": 2.0}])
def test_settings_out_of_range_are_named(kwargs: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(kwargs))):
        PassRateSampler(Levels(), **kwargs)  # type: ignore[arg-type]


def test_a_set_too_large_to_follow_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match=r"100,000 tasks.*several levels \(level='1-4'\)"):
        PassRateSampler(rlenv.load("math/arithmetic-v0", level=5).tasks)


def test_a_state_of_other_bins_is_refused() -> None:
    tasks = ListTasks([Task("?")])
    with pytest.raises(ConfigError, match="expected a state of bins by 'level', got 'task'"):
        PassRateSampler(Levels()).load_state_dict(PassRateSampler(tasks).state_dict())


def test_samplers_are_known_by_name() -> None:
    tasks = rlenv.load("math/arithmetic-v0", level="1-3").tasks
    assert [type(sampler_named(name, tasks, 0)) for name in SAMPLERS] == [UniformSampler, PassRateSampler]
    with pytest.raises(ConfigError, match="sampler out of uniform, pass-rate, got 'random'"):
        sampler_named("random", tasks, 0)


def test_levels_of_our_environments_are_the_bins() -> None:
    for env in ("math/arithmetic-v0", "math/countdown-v0"):
        sampler = PassRateSampler(rlenv.load(env, level="1-3").tasks)
        assert list(sampler.shares()) == ["1", "2", "3"]
        assert len(set(sampler.shares().values())) == 1
