"""What `rlenv.wrap` leaves as it is: seeds, specifications and the bounds of the environment within."""

from dataclasses import replace
from typing import cast

import pytest

import rlenv
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict
from rlenv.env.environment import wrap


def graded(completion: str) -> Verdict:
    """Half a point for anything."""
    return Verdict.of(("half", 0.5))


def environment() -> rlenv.Environment:
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

    env = wrap(environment(), Watching())  # type: ignore[arg-type]
    for index, said in ((1, "one"), (0, "two")):
        env.reset(options={"task": index})
        env.step(said)
    assert seen == [("b", "one", 1), ("a", "two", 2)]


def test_a_prompt_of_exactly_the_length_allowed_is_given() -> None:
    definition = replace(environment().definition, max_prompt_chars=5)
    assert rlenv.Environment(definition).reset(options={"task": 0})[0] == "say a"
    with pytest.raises(TaskError, match="at most 4 characters, got 5"):
        rlenv.Environment(replace(definition, max_prompt_chars=4)).reset(seed=0)
