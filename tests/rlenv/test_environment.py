"""The one-turn environment and its space of text: what reset and step give, seeds, wrappers, hostile completions."""

import math
import pickle
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.error import CustomSpaceError, ResetNeeded
from gymnasium.vector.utils import batch_space, concatenate, create_shared_memory, iterate
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import FunctionVerifier, VerifierFunction
from rlenv.core.wrapper import State
from rlenv.env.environment import Environment, wrap
from rlenv.env.spaces import Unicode
from rlenv.env.tasksets import ListTasks

TASKS = ListTasks([Task(f"{i}+{i}=?", str(2 * i)) for i in range(20)])


def exact(completion: str, answer: str) -> bool:
    return completion.strip() == answer


def environment(function: VerifierFunction = exact, **settings: Any) -> Environment:
    definition = Definition(tasks=TASKS, verifier=FunctionVerifier(function, cheap=True), **settings)
    return Environment(definition)


def prompts(env: Environment, seed: int, count: int = 10) -> list[str]:
    return [env.reset(seed=seed)[0], *(env.reset()[0] for _ in range(count - 1))]


def test_episode_is_one_prompt_and_one_completion() -> None:
    env = environment()
    prompt, info = env.reset(options={"task": 3})
    assert (prompt, info) == ("3+3=?", {"task_id": TASKS[3].id})
    observation, reward, terminated, truncated, info = env.step(" 6 ")
    assert (observation, reward, terminated, truncated) == ("", 1.0, True, False)
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    assert info == {"task_id": TASKS[3].id, "graded": True, "status": "graded", "verdict": info["verdict"]}
    assert info["verdict"].reward == 1.0


def test_info_of_a_step_has_the_same_keys_and_types_whatever_happens() -> None:
    outcomes: Iterator[object] = iter([True, 0.5, math.nan, None, Verdict.of(("a", 1.0), scores={"raw": 2})])
    env = environment(lambda completion: next(outcomes))  # type: ignore[arg-type, return-value]
    seen = set()
    for _ in range(5):
        env.reset(seed=0)
        _, reward, _, _, info = env.step("x")
        assert isinstance(reward, float)
        seen.add(tuple((key, type(value)) for key, value in info.items()))
    assert seen == {(("task_id", str), ("graded", bool), ("status", str), ("verdict", Verdict))}


def test_failure_of_the_checker_is_no_wrong_answer() -> None:
    env = environment(lambda completion: math.nan)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("x")
    assert (reward, terminated, info["graded"], info["status"]) == (0.0, True, False, "verifier_error")
    assert info["verdict"].reward is None


def test_step_after_the_end_asks_for_a_reset() -> None:
    env = environment()
    with pytest.raises(ResetNeeded, match="the episode is over"):
        env.step("x")
    env.reset(seed=0)
    env.step("x")
    with pytest.raises(ResetNeeded):
        env.step("x")


def test_same_seed_gives_the_same_episodes() -> None:
    assert prompts(environment(), 5) == prompts(environment(), 5)
    assert prompts(environment(), 5) != prompts(environment(), 6)
    assert len(set(prompts(environment(), 5))) > 3


def test_global_random_state_is_left_alone() -> None:
    def state() -> tuple[object, bytes]:
        return random.getstate(), pickle.dumps(np.random.get_state())

    before, env = state(), environment()
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.reset()
    assert state() == before


@pytest.mark.parametrize("choice", [4, np.int64(4), Task("4+4=?", "8"), {"prompt": "4+4=?", "answer": "8"}])
def test_task_may_be_chosen_by_index_row_or_whole(choice: object) -> None:
    env = environment()
    assert env.reset(options={"task": choice})[0] == "4+4=?"
    assert env.step("8")[1] == 1.0


@pytest.mark.parametrize("choice", [20, -1, "4"])
def test_task_that_is_not_there_is_refused(choice: object) -> None:
    with pytest.raises(TaskError, match=r"a Task, a row or an index below 20"):
        environment().reset(options={"task": choice})


@pytest.mark.parametrize("text", ["", "\x00" * 100, "\ud800"])
def test_hostile_text_is_graded_zero(text: str) -> None:
    env = environment()
    env.reset(seed=0)
    _, reward, _, _, info = env.step(text)
    assert (reward, info["graded"]) == (0.0, True)


def test_completion_longer_than_allowed_is_graded_zero_unread() -> None:
    env = environment(lambda completion: 1 / 0, max_completion_chars=100)
    env.reset(seed=0)
    _, reward, _, _, info = env.step("x" * 101)
    assert (reward, info["graded"]) == (0.0, True)
    assert info["verdict"].flags == (Flag("over_limit", detail="100 characters"),)


@pytest.mark.parametrize("action", [4, b"4"])
def test_action_that_is_no_text_is_refused(action: object) -> None:
    env = environment()
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=r"a string or a Completion, got"):
        env.step(action)  # type: ignore[arg-type]


def test_chat_prompt_is_observed_as_text_and_kept_whole() -> None:
    messages = [{"role": "system", "content": "Brief."}, {"role": "user", "content": "Hi"}]
    env = environment()
    observation, _ = env.reset(options={"task": {"prompt": messages, "answer": "Hi"}})
    assert observation == "system: Brief.\n\nuser: Hi"
    assert env.prompt == tuple(messages)
    env.step("Hi")
    assert env.prompt is None
    assert env.task is None


@dataclass(frozen=True)
class Becomes:
    """Makes one verdict of every verdict."""

    verdict: Verdict
    name: str = "becomes"

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        return [self.verdict for _ in episodes]


def wrapped_step(function: VerifierFunction, *wrappers: Becomes) -> tuple[object, dict[str, Any]]:
    env = rlenv.wrap(environment(function), *wrappers)
    env.reset(options={"task": 1})
    _, reward, terminated, truncated, info = env.step("2")
    assert (terminated, truncated) == (True, False)
    return reward, info


@pytest.mark.parametrize(
    ("made", "reward"), [(Verdict(0.25), 0.25), (Verdict(-1.0), -1.0), (Verdict.error("gone"), 0.0)]
)
def test_reward_and_info_of_a_wrapped_step_are_those_of_what_the_wrapper_made(made: Verdict, reward: float) -> None:
    given, info = wrapped_step(lambda completion: math.nan, Becomes(made))
    assert (given, type(given)) == (reward, float)
    assert (info["graded"], info["status"], info["verdict"]) == (made.graded, made.status, made)
    assert info["task_id"] == TASKS[1].id


def graded(completion: str) -> Verdict:
    """Half a point for anything."""
    return Verdict.of(("half", 0.5))


def two_tasks() -> rlenv.Environment:
    tasks = rlenv.ListTasks.from_rows([{"prompt": "say a", "id": "a"}, {"prompt": "say b", "id": "b"}])
    verifier = rlenv.FunctionVerifier(graded, cheap=True)
    return rlenv.Environment(rlenv.Definition(tasks=tasks, verifier=verifier))


def test_a_wrapper_sees_the_task_and_the_completion_of_its_step_and_remembers() -> None:
    seen: list[tuple[object, ...]] = []

    class Watching:
        name = "watching"

        def judge(self, episodes: list[rlenv.Episode], state: dict[str, Json]) -> list[Verdict]:
            state["steps"] = cast("int", state.get("steps", 0)) + 1
            seen.extend((e.task.id, e.completion.text, state["steps"]) for e in episodes)
            return [e.verdict for e in episodes]

    env = wrap(two_tasks(), Watching())  # type: ignore[arg-type]
    for index, said in ((1, "one"), (0, "two")):
        env.reset(options={"task": index})
        env.step(said)
    assert seen == [("b", "one", 1), ("a", "two", 2)]


def test_a_prompt_of_exactly_the_length_allowed_is_given() -> None:
    definition = replace(two_tasks().definition, max_prompt_chars=5)
    assert rlenv.Environment(definition).reset(options={"task": 0})[0] == "say a"
    with pytest.raises(TaskError, match="at most 4 characters, got 5"):
        rlenv.Environment(replace(definition, max_prompt_chars=4)).reset(seed=0)


SPACE = Unicode(50)
any_text = st.text(st.characters(categories=("L", "M", "N", "P", "S", "Z", "C")), max_size=50)


@settings(deadline=None)
@given(any_text)
def test_any_text_is_contained_and_survives_flattening(text: str) -> None:
    assert text in SPACE
    assert spaces.unflatten(SPACE, spaces.flatten(SPACE, text)) == text


@pytest.mark.parametrize("other", ["x" * 51, b"bytes", None, 3, ["x"], np.zeros(3)])
def test_what_is_too_long_or_no_text_is_not_contained(other: object) -> None:
    assert other not in SPACE


def test_shortest_length_holds() -> None:
    space = Unicode(5, min_length=2)
    assert ("a" in space, "ab" in space) == (False, True)
    assert all(space.sample() in space for _ in range(100))
    assert len(Unicode(1000, min_length=900).sample()) == 900


def test_space_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(SPACE)) == SPACE
    assert len(pickle.dumps(Unicode(1_000_000))) < 10_000


def test_batched_space_holds_one_text_an_environment() -> None:
    batched = batch_space(SPACE, 3)
    assert isinstance(batched, spaces.Tuple)
    assert batched.sample() in batched
    texts = ("a", "\ud800", "🙂")
    assert concatenate(SPACE, texts, ()) == texts
    assert tuple(iterate(batched, texts)) == texts


def test_shared_memory_is_refused_with_the_way_round() -> None:
    with pytest.raises(CustomSpaceError, match="'shared_memory': False"):
        create_shared_memory(SPACE, n=2)
