"""The library: worlds are made alike again, questions need their look-ups, and the answer is exact."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from random_caller import RandomCaller

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.turns.play import play, reference_completion

pytest.importorskip("bm25s", reason="the extra search is not installed")

from rlenv.envs.tools.search.environment import LEVELS, library, world

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


@pytest.mark.parametrize("level", LEVELS)
def test_question_is_not_answered_by_looking_itself_up(level: int) -> None:
    tasks = [rlenv.load("tools/search-v0", level=level).tasks[i] for i in range(100)]
    once = [any(str(t.reference) in e.text for e in library(key(t)).find(str(t.prompt))) for t in tasks]
    assert sum(once) / len(once) <= 0.05


def test_no_answer_is_frequent() -> None:
    counted = Counter(LEVEL_1.tasks[i].reference for i in range(300))
    assert counted.most_common(1)[0][1] <= 6


def test_worlds_are_the_same_again_and_names_are_told_apart() -> None:
    known = world("2-train-0")
    world.cache_clear()
    assert known == world("2-train-0")
    assert len(known) == len({name.casefold() for name in known}) == 900
    assert sum("confused" in entity.text for entity in known.values()) > 50


def test_splits_have_worlds_of_their_own() -> None:
    worlds: dict[str, set[str]] = {}
    for split in ("train", "test", "demonstrations", "all"):
        tasks = rlenv.load("tools/search-v0", split=split).tasks
        assert tasks[3] == tasks[3]
        worlds[split] = {key(tasks[i]) for i in range(60)}
    assert not worlds["train"] & worlds["test"]
    assert not worlds["train"] & worlds["demonstrations"]
    assert worlds["all"] == worlds["train"] | worlds["test"] | worlds["demonstrations"]
    names = [set(world(key)) for key in ("1-train-0", "1-test-0")]
    assert len(names[0] & names[1]) < 5


@pytest.mark.parametrize(
    ("said", "reward"),
    [
        ("<answer>{right}</answer>", 1.0),
        ("It is <answer> {right}\n</answer>, I think.", 1.0),
        ("<answer>1</answer> no: <answer>{right}</answer>", 1.0),
        ("<answer>{right}</answer> or <answer>1</answer>", 0.0),
        ("<answer>{right} or 1</answer>", 0.0),
        ("<answer>{right}0</answer>", 0.0),
        ("{right}", 0.0),
        ("<think><answer>{right}</answer></think>I do not know.", 0.0),
        ("<answer></answer>", 0.0),
    ],
)
def test_only_the_exact_answer_is_paid(said: str, reward: float) -> None:
    task = LEVEL_1.tasks[0]
    completion = Completion(said.format(right=task.reference))
    assert LEVEL_1.verifier.verify(task, completion).reward == reward


def test_judged_answer_stands_in_the_last_turn() -> None:
    task = LEVEL_1.tasks[0]
    batch = rlenv.BatchEnvironment(LEVEL_1)
    batch.reset(tasks=[task])
    assert batch.step([reference_completion(LEVEL_1, task)])[0].answer_text == task.reference


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("zzzzz", "nothing was found"),
        ("", "nothing was found"),
        ("the of", "nothing was found"),
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


def test_saved_episodes_are_judged_again_alike(tmp_path: Any) -> None:
    rlenv.evaluate("tools/search-v0", "reference", limit=6, n=2, k=(1, 2), out=tmp_path / "run", quiet=True)
    assert rlenv.rescore(tmp_path / "run", quiet=True).changes == ()


@pytest.mark.parametrize("settings", [{"level": 4}, {"split": "dev"}, {"size": 0}])
def test_impossible_settings_are_refused(settings: dict[str, Json]) -> None:
    with pytest.raises(rlenv.RlenvError, match="expected"):
        rlenv.load("tools/search-v0", **settings)
