"""`tools/search-v0`: questions over a made-up library that need two to four look-ups.

    How many inhabitants does the town where Drako Venar was born have?

    policy   <tool_call>{"name": "search", "arguments": {"query": "Drako Venar"}}</tool_call>
    tool     Drako Venar: Drako Venar is a potter, born in Belmerstad on 3 May 1902. ...
    policy   <tool_call>{"name": "search", "arguments": {"query": "Belmerstad"}}</tool_call>
    tool     Belmerstad: Belmerstad is a town in Upper Mar with 48120 inhabitants. ...
    policy   <answer>48120</answer>       1.0
    policy   <answer>48121</answer>       0.0

Each split has worlds of its own: nothing that is learned by heart in training is asked for in the test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.envs.levels import check_size, drawn, levels_named
from rlenv.envs.splits import check_split
from rlenv.envs.tools.search.library import MAX_QUERY_CHARS, Library
from rlenv.envs.tools.search.questions import draw
from rlenv.envs.tools.search.world import Entity, make_world, words
from rlenv.text.answer_tags import blocks, tags
from rlenv.turns.tool_prompt import call_text
from rlenv.turns.tools import ToolInteraction

MAX_TURNS = 10
WORLDS: Mapping[str, int] = {"train": 4, "test": 2, "demonstrations": 2}


@dataclass(frozen=True)
class Level:
    """How large a world is, and how many look-ups a question needs."""

    about: str
    look_ups: int
    people: int
    doubles: float
    """The share of entities that have a namesake but for a letter."""


LEVELS: Mapping[int, Level] = {
    1: Level("two look-ups among 300 documents", 2, 150, 0.2),
    2: Level("three look-ups among 900 documents, many names alike", 3, 450, 0.5),
    3: Level("four look-ups among 2,000 documents, most names alike", 4, 1_000, 0.8),
}


@dataclass(frozen=True)
class DrawnTask:
    """Draws task `index` of a seed in one of the worlds of the split."""

    level: int
    split: str

    def __call__(self, seed: int, index: int) -> Task:
        rng = np.random.default_rng([seed, index, self.level])
        split = self.split if self.split != "all" else tuple(WORLDS)[int(rng.integers(len(WORLDS)))]
        key = f"{self.level}-{split}-{int(rng.integers(WORLDS[split]))}"
        question = draw(world(key), LEVELS[self.level].look_ups, rng)
        prompt = str(words()["prompt"]).format(question=question.text)
        return Task(prompt, question.answer, metadata={"world": key, "path": list(question.path), "level": self.level})


def search_questions(
    level: int | str = 1, split: str = "train", seed: int = 0, size: int | None = None, max_turns: int = MAX_TURNS
) -> Definition:
    """Questions of a level (see LEVELS) or of several in turn (`"1-3"`), out of the worlds of one split."""
    levels = levels_named(level, LEVELS)
    check_split(split)
    check_size(size)

    def tasks(of_split: str, limit: int | None) -> TaskSet:
        return drawn(lambda number: DrawnTask(number, of_split), levels, seed, limit)

    return Definition(
        tasks=tasks(split, size),
        verifier=FunctionVerifier(check, cheap=True, name="correct", version="search-1"),
        solution=solution,
        script=script,
        interaction=ToolInteraction([search], initial=_initial, cheap=True),
        max_turns=max_turns,
        demonstrations=None if split == "all" else tasks("demonstrations", None),
        max_completion_chars=100_000,
        description="questions over a made-up library: " + "; ".join(LEVELS[n].about for n in levels),
    )


def search(query: str, *, state: dict[str, Json]) -> str:
    """Search the library: the five documents that fit the words best.

    Args:
        query: The words to look for, 200 characters at most; names are found best.
    """
    if len(query) > MAX_QUERY_CHARS:
        raise ValueError(f"expected a query of at most {MAX_QUERY_CHARS} characters, got {len(query)}")
    found = library(str(state["world"])).find(query)
    return "\n\n".join(f"{entity.name}: {entity.text}" for entity in found) or "nothing was found"


def check(completion: str, answer: str) -> Verdict:
    """1.0 if the last `<answer>` holds the answer, letter for letter but for white space."""
    found = [block for block in blocks(tags(completion)) if block.name == "answer"]
    if not found:
        return Verdict.of(("correct", 0.0), reason="no <answer></answer>")
    start, end = found[-1].inner_start, found[-1].inner_end
    right = " ".join(completion[start:end].split()) == answer
    return Verdict.of(("correct", float(right)), answer=(start, end))


def solution(task: Task) -> str:
    """The answer in its tags."""
    return f"<answer>{task.reference}</answer>"


def script(task: Task) -> tuple[str, ...]:
    """A look-up of each entity on the way, then the answer."""
    looks = [call_text("search", query=name) for name in cast("list[str]", task.metadata["path"])]
    return (*looks, solution(task))


@lru_cache(maxsize=16)
def world(key: str) -> dict[str, Entity]:
    """The world of this key: level, split and number."""
    level = LEVELS[int(key.partition("-")[0])]
    others = level.people // 2
    return make_world(key, people=level.people, places=others, firms=others, doubles=level.doubles)


@lru_cache(maxsize=16)
def library(key: str) -> Library:
    """The library of a world, indexed when it is first searched."""
    return Library(world(key))


def _initial(task: Task) -> Json:
    return {"world": task.metadata["world"]}
