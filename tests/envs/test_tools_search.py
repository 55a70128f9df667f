"""The library: worlds are made alike again, questions need their look-ups, and the answer is exact."""

from __future__ import annotations

import json

import pytest
from random_caller import RandomCaller

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.turns.play import play

pytest.importorskip("bm25s", reason="the extra search is not installed")

from tables import tables

from rlenv.envs.tools.search.environment import LEVELS, library, world

CASES = tables(__file__)

LEVEL_1 = rlenv.load("tools/search-v0")


def path(task: Task) -> list[str]:
    return task.metadata["path"]  # type: ignore[return-value]


def key(task: Task) -> str:
    return str(task.metadata["world"])


@pytest.mark.parametrize("level", [1, 2, 3, "1-3"])
def test_reference_earns_everything(level: int | str) -> None:
    report = rlenv.evaluate("tools/search-v0", "reference", env_kwargs={"level": level}, limit=30, quiet=True)
    assert report.mean_reward == 1.0


def test_nothing_is_earned_by_babble_and_random_calls() -> None:
    assert LEVEL_1.interaction is not None
    for policy in ("empty", RandomCaller(LEVEL_1.interaction.tools, ["<answer>{word}</answer>"])):
        assert (rlenv.evaluate(LEVEL_1, policy, limit=40, quiet=True).mean_reward or 0.0) <= 0.05


@pytest.mark.parametrize("level", LEVELS)
def test_each_look_up_finds_the_document_that_names_the_next(level: int) -> None:
    tasks = rlenv.load("tools/search-v0", level=level).tasks
    for task in (tasks[i] for i in range(40)):
        names = path(task)
        assert (len(names), names[0] in str(task.prompt)) == (LEVELS[level].look_ups, True)
        for name, following in zip(names, [*names[1:], str(task.reference)], strict=True):
            assert following not in str(task.prompt)
            found = library(key(task)).find(name)
            assert found[0].name == name
            assert following in found[0].text


def test_worlds_are_the_same_again_and_names_are_told_apart() -> None:
    known = world("2-train-0")
    world.cache_clear()
    assert known == world("2-train-0")
    assert len(known) == len({name.casefold() for name in known}) == 900
    assert sum("confused" in entity.text for entity in known.values()) > 50


@pytest.mark.parametrize(("said", "reward"), CASES["answers"])
def test_only_the_exact_answer_is_paid(said: str, reward: float) -> None:
    task = LEVEL_1.tasks[0]
    completion = Completion(said.format(right=task.reference))
    assert LEVEL_1.verifier.verify(task, completion).reward == reward


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("zzzzz", "nothing was found"),
        ("", "nothing was found"),
        ("the of", "nothing was found"),
        ("x" * 200, "nothing was found"),
        ("x" * 201, "ValueError: expected a query of at most 200 characters, got 201"),
    ],
)
def test_search_answers_anything(query: str, answer: str) -> None:
    call = f"<tool_call>{json.dumps({'name': 'search', 'arguments': {'query': query}})}</tool_call>"
    said = play(LEVEL_1, ScriptedPolicy("s", lambda _: (call, "x")), [LEVEL_1.tasks[0]])[0]
    assert said.text == f"{call}\n{answer}\nx"


def test_results_are_bounded() -> None:
    task = rlenv.load("tools/search-v0", level=3).tasks[0]
    found = library(key(task)).find("town inhabitants mayor firm founded born")
    assert len(found) == 5
    assert max(len(entity.text) for entity in world(key(task)).values()) < 400
