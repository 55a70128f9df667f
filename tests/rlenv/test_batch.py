"""The batch form: groups that share a task, journals, and state that saves and resumes."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import cloudpickle
import gymnasium
import pytest
from gymnasium.wrappers import NormalizeReward, RecordEpisodeStatistics

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
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


def test_tasks_may_be_given() -> None:
    batch = BatchEnvironment(defined(), group_size=2)
    assert batch.reset(tasks=[TASKS[3], TASKS[1]]) == ["3+3=?", "1+1=?"]
    assert rewards(batch.step(["6", "7", "2", "2"])) == [1.0, 0.0, 1.0, 1.0]


def test_seed_and_number_decide_which_tasks_come() -> None:
    first, second = (BatchEnvironment(defined(), seed=3) for _ in range(2))
    drawn = [first.reset(5) for _ in range(3)]
    assert [second.reset(5, step=2), second.reset(5, step=0)] == [drawn[2], drawn[0]]
    assert BatchEnvironment(defined(), seed=4).reset(5) != drawn[0]
    assert second.reset(5) == drawn[1]


@pytest.mark.parametrize("arguments", [{}, {"groups": 0}, {"groups": 2, "tasks": [TASKS[0]]}])
def test_reset_takes_a_number_or_tasks(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="either a number of groups above 0 or a list of tasks"):
        BatchEnvironment(defined()).reset(**arguments)


@pytest.mark.parametrize("count", [0, 3, 5])
def test_wrong_number_of_completions_is_refused(count: int) -> None:
    batch = BatchEnvironment(defined(), group_size=2)
    batch.reset(2)
    with pytest.raises(ConfigError, match=rf"expected 4 completions \(2 groups of 2\), got {count}"):
        batch.step(["x"] * count)


def test_step_ends_the_batch() -> None:
    batch = BatchEnvironment(defined())
    batch.reset(1)
    batch.step(["x"])
    with pytest.raises(ConfigError, match=r"call reset\(\) first"):
        batch.step(["x"])


def test_group_of_nobody_is_refused() -> None:
    with pytest.raises(ConfigError, match="group size of at least 1, got 0"):
        BatchEnvironment(defined(), group_size=0)


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


def test_journal_hears_of_verdicts_given_before_a_crash() -> None:
    def check(completion: str) -> bool:
        if completion == "stop":
            raise KeyboardInterrupt
        return True

    batch, journal = BatchEnvironment(defined(check)), Journal()
    batch.reset(tasks=[TASKS[0]] * 3)
    with pytest.raises(KeyboardInterrupt):
        batch.step(["a", "stop", "b"], journal)
    assert journal.recorded == [0]


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


def test_made_environments_go_into_a_batch_with_their_wrappers() -> None:
    env = rlenv.wrap(rlenv.make("math/arithmetic-v0"), OverlongPenalty(limit=10, buffer=5))
    assert [wrapper.name for wrapper in BatchEnvironment(env).definition.wrappers] == ["overlong"]


@pytest.mark.parametrize("wrapper", [RecordEpisodeStatistics, NormalizeReward])
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


@pytest.mark.parametrize("answer", [None, [], [Verdict(1.0)] * 3, [None, None], 7])
def test_wrapper_that_fails_is_a_failure_of_the_checker_for_its_group(answer: object) -> None:
    batch = BatchEnvironment(defined(wrappers=[Faulty(answer)]), group_size=2)
    batch.reset(tasks=[TASKS[0], TASKS[1], TASKS[2]])
    episodes = batch.step(["0", "1", "2", "3", "4", "5"])
    assert rewards(episodes) == [1.0, 0.0, None, None, 1.0, 0.0]
    assert all(episode.verdict.reason.startswith("wrapper faulty: ") for episode in episodes[2:4])


class Rising:
    """A sampler that learns: it hands out tasks from the number of episodes seen."""

    def __init__(self) -> None:
        self.seen = 0

    def draw(self, step: int, count: int) -> list[int]:
        return [(self.seen + i) % len(TASKS) for i in range(count)]

    def observe(self, episodes: Sequence[Episode]) -> None:
        self.seen += len(episodes)

    def state_dict(self) -> dict[str, Json]:
        return {"seen": self.seen}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        self.seen = int(str(state["seen"]))


def test_saved_batch_goes_on_as_if_it_had_never_stopped() -> None:
    def fresh() -> BatchEnvironment:
        return BatchEnvironment(defined(wrappers=[RunningCentre(decay=0.5)]), group_size=2, sampler=Rising())

    def go_on(batch: BatchEnvironment, rounds: int) -> list[Episode]:
        episodes = []
        for _ in range(rounds):
            batch.reset(3)
            episodes += batch.step([str(2 * i) for i in range(6)])
        return episodes

    straight = fresh()
    whole = go_on(straight, 4)
    first = fresh()
    before = go_on(first, 2)
    second = fresh()
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    assert before + go_on(second, 2) == whole
    assert second.state_dict() == straight.state_dict()


def test_saved_state_is_not_shared_with_the_batch() -> None:
    batch = BatchEnvironment(defined(wrappers=[RunningCentre(decay=0.5)]))
    batch.reset(1)
    batch.step(["x"])
    state = batch.state_dict()
    saved = json.dumps(state)
    batch.reset(tasks=[TASKS[0]])
    batch.step(["0"])
    assert json.dumps(state) == saved


def test_failure_of_the_checker_stays_out_of_its_neighbours_rewards() -> None:
    def check(completion: str) -> float:
        return float(completion)

    batch = BatchEnvironment(defined(check), group_size=4)
    batch.reset(1)
    episodes = batch.step(["1", "x", "nan", "0.5"])
    assert rewards(episodes) == [1.0, None, None, 0.5]
    assert [episode.verdict.graded for episode in episodes] == [True, False, False, True]


def test_episodes_name_environment_and_verifier() -> None:
    batch = rlenv.make_batch("math/arithmetic-v0")
    batch.reset(1)
    episode = batch.step(["1"])[0]
    assert (episode.env_id, episode.verifier_version) == ("math/arithmetic-v0", batch.definition.verifier.version)
