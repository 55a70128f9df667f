"""The batch form: groups that share a task, journals, samplers, and state that saves and resumes."""

import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import NormalizeReward
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier, VerifierFunction
from rlenv.env.batch import BatchEnvironment
from rlenv.env.environment import Environment
from rlenv.env.sampler import PassRateSampler, UniformSampler
from rlenv.env.tasksets import ListTasks
from rlenv.wrappers import OverlongPenalty, RunningCentre, Wrapper

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests
TASKS = ListTasks([Task(f"{i}+{i}=?", str(2 * i)) for i in range(20)])


def exact(completion: str, answer: str) -> bool:
    return completion == answer


def defined(function: VerifierFunction = exact, **settings: Any) -> Definition:
    return Definition(tasks=TASKS, verifier=FunctionVerifier(function, cheap=True), **settings)


def rewards(episodes: Sequence[Episode]) -> list[float | None]:
    return [episode.verdict.reward for episode in episodes]


class Journal:
    """Keeps verdicts by place, as a run folder does."""

    def __init__(self, known: Mapping[int, Verdict] | None = None) -> None:
        self.verdicts = dict(known or {})
        self.recorded: list[int] = []

    def known(self, completions: Sequence[Completion]) -> Mapping[int, Verdict]:
        return dict(self.verdicts)

    def record(self, index: int, completion: Completion, verdict: Verdict) -> None:
        self.recorded.append(index)
        self.verdicts[index] = verdict


def test_group_shares_its_task_and_its_number() -> None:
    batch = BatchEnvironment(defined(), group_size=3, seed=1)
    prompts = batch.reset(4)
    answers = [task.reference for task in batch.tasks]
    episodes = batch.step([str(answer) for answer in answers for _ in range(3)])
    assert rewards(episodes) == [1.0] * 12
    assert [episode.task.prompt for episode in episodes] == [prompt for prompt in prompts for _ in range(3)]
    assert [episode.group for episode in episodes] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [episode.index for episode in episodes] == list(range(12))
    assert len({episode.task.id for episode in episodes}) == 4


@pytest.mark.parametrize("count", [3, 5])
def test_wrong_number_of_completions_is_refused(count: int) -> None:
    batch = BatchEnvironment(defined(), group_size=2)
    batch.reset(2)
    with pytest.raises(ConfigError, match=rf"expected 4 completions \(2 groups of 2\), got {count}"):
        batch.step(["x"] * count)


def test_verdicts_are_journalled_as_they_come_and_never_asked_again() -> None:
    asked: list[str] = []

    def check(completion: str, answer: str) -> bool:
        asked.append(completion)
        return completion == answer

    batch, journal = BatchEnvironment(defined(check), group_size=2), Journal()
    batch.reset(tasks=[TASKS[1], TASKS[2]])
    first = batch.step(["2", "b", "4", "d"], journal)
    assert (asked, journal.recorded) == (["2", "b", "4", "d"], [0, 1, 2, 3])
    half = Journal({index: journal.verdicts[index] for index in (0, 3)})
    asked.clear()
    batch.reset(tasks=[TASKS[1], TASKS[2]])
    assert batch.step(["2", "b", "4", "d"], half) == first
    assert (asked, half.recorded) == (["b", "4"], [1, 2])


def test_workers_and_inline_give_the_same_episodes() -> None:
    texts = ["2", "no", "\ud800", "x" * 2000]
    given = []
    for isolation in ("inline", "process"):
        batch = BatchEnvironment(defined(isolation=isolation, max_completion_chars=1000), group_size=4)
        batch.reset(tasks=[TASKS[1]])
        given.append(batch.step(texts))
    assert given[0] == given[1]
    assert rewards(given[0]) == [1.0, 0.0, 0.0, 0.0]


def test_wrappers_give_the_same_verdicts_in_one_environment_and_in_a_batch() -> None:
    wrappers: list[Wrapper] = [OverlongPenalty(limit=10, buffer=5), RunningCentre(decay=0.5)]
    texts = ["2", "2" * 8, "2" * 20, "", "2"]
    env = rlenv.wrap(Environment(defined()), *wrappers)
    in_one = []
    for text in texts:
        env.reset(options={"task": 1})
        _, reward, _, _, info = env.step(text)
        assert reward == info["verdict"].reward
        in_one.append(info["verdict"])
    inside = Environment(defined(wrappers=wrappers))
    in_definition = []
    for text in texts:
        inside.reset(options={"task": 1})
        in_definition.append(inside.step(text)[4]["verdict"])
    in_batch = []
    for batch in (BatchEnvironment(env), BatchEnvironment(defined(wrappers=wrappers))):
        verdicts = []
        for text in texts:
            batch.reset(tasks=[TASKS[1]])
            verdicts.append(batch.step([text])[0].verdict)
        in_batch.append(verdicts)
    assert in_one == in_definition == in_batch[0] == in_batch[1]
    assert len({verdict.reward for verdict in in_one}) > 2


@pytest.mark.parametrize("wrapper", [NormalizeReward])
def test_foreign_wrapper_is_refused_by_name(wrapper: type[gymnasium.Wrapper[Any, Any, Any, Any]]) -> None:
    with pytest.raises(ConfigError, match=f"{wrapper.__name__} acts on single steps only"):
        BatchEnvironment(wrapper(Environment(defined())))


class Faulty:
    """A wrapper that fails on one group."""

    name = "faulty"

    def __init__(self, answer: object = None) -> None:
        self.answer = answer

    def judge(self, episodes: Sequence[Episode], state: object) -> list[Verdict]:
        if episodes[0].task != TASKS[1]:
            return [episode.verdict for episode in episodes]
        if self.answer is None:
            raise ValueError("odd group")
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize("answer", [None, [Verdict(1.0)] * 3, 7])
def test_wrapper_that_fails_is_a_failure_of_the_checker_for_its_group(answer: object) -> None:
    batch = BatchEnvironment(defined(wrappers=[Faulty(answer)]), group_size=2)
    batch.reset(tasks=[TASKS[0], TASKS[1], TASKS[2]])
    episodes = batch.step(["0", "1", "2", "3", "4", "5"])
    assert rewards(episodes) == [1.0, 0.0, None, None, 1.0, 0.0]
    assert all(episode.verdict.reason.startswith("wrapper faulty: ") for episode in episodes[2:4])


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
