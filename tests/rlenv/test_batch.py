"""The batch form: groups that share a task, journals, and state that saves and resumes."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import cloudpickle
import gymnasium
import pytest
from gymnasium.wrappers import NormalizeReward

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
