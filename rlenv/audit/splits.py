"""The splits of an environment, and the tasks of one that stand in another: what was trained on is no test.

Two tasks are near copies where their numbers and their references are the same and 85 of 100 words are: another name
for the hero is a copy, other numbers are another task of the same kind. Where the tasks of one split are as near to
each other as to those of another one, this is how tasks of this kind are, and says nothing about the splits. Of tasks
that are drawn from a generator, copies alone are looked for.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any, NamedTuple

import gymnasium

from rlenv.audit.playing import of_shares
from rlenv.audit.severity import severity_of
from rlenv.core.errors import RlenvError
from rlenv.core.jsontypes import canonical
from rlenv.core.task import Task, TaskSet, prompt_text
from rlenv.env.registry import load
from rlenv.env.tasksets import ListTasks
from rlenv.evidence.exploits.finding import Finding, Severity, shown

NAMES = ("test", "train", "demonstrations")
LISTED = 20_000
"""Rows of a split that are read."""
DRAWN = 16
"""Of splits that are drawn so many tasks each: two that are one set of up to 85 prompts share one of them at 95 %."""
SAME_WORDS = 0.85
"""Share of the words, in their order, that near copies have in common: another hero's name twice leaves nine in ten."""
BY_KIND = 2
"""Near copies are told where there are more than so many times those that the test split's own tasks let expect."""
FEWEST_WORDS = 12
"""Of shorter prompts, copies alone are looked for: a word more makes another task."""
SKETCH, SHINGLE = 8, 2
"""The smallest hashes of its pairs of words stand for a text: near copies share one of them."""
NAMED = 20
"""How many pairs of rows a finding names."""


def splits_of(id: str, kwargs: Mapping[str, Any]) -> dict[str, TaskSet]:
    """The task sets of its splits by name; none where it has no splits, or its rows are those of one file."""
    if not takes(id, "split") or "data" in kwargs:
        return {}
    found: dict[str, TaskSet] = {}
    for name in NAMES:
        try:
            found[name] = load(id, **{**kwargs, "split": name}).tasks
        except RlenvError:  # it has no split of this name, or none with these keywords
            continue
    return found


def takes(id: str, keyword: str) -> bool:
    """True where the factory of a registered environment has this parameter."""
    spec = gymnasium.registry.get(id)
    factory = str(spec.kwargs.get("factory", "")) if spec is not None else ""
    module, _, name = factory.partition(":")
    return bool(factory) and keyword in inspect.signature(getattr(importlib.import_module(module), name)).parameters


class _Text(NamedTuple):
    row: int
    prompt: str
    words: tuple[str, ...]
    key: str
    """Numbers and reference: what near copies have in common."""


def overlap_findings(splits: Mapping[str, TaskSet], *, hidden: bool = False) -> list[Finding]:
    """A finding for each split that shares tasks with the one named 'test'.

    `hidden`: the reference is no answer to the prompt alone (an episode that is paid as a whole), so that the same
    prompt with another reference is another task.
    """
    test = list(_texts(splits["test"])) if "test" in splits else []
    others = {name: list(_texts(tasks)) for name, tasks in splits.items() if test and name != "test"}
    copied = {name: _copies(test, other, hidden) for name, other in others.items()}
    return [_finding(name, rows, test) for name, rows in copied.items() if rows]


def _copies(test: Sequence[_Text], other: Sequence[_Text], hidden: bool) -> dict[int, str]:
    """By row of `test` that has a copy in `other`, the rows of both: `4=7` word for word, else `4~7`."""

    def exactly(text: _Text) -> str:
        return f"{text.prompt}\n{text.key}" if hidden else text.prompt

    exact = {exactly(text): text.row for text in reversed(other)}
    copied = {text.row: f"{text.row}={row}" for text in test if (row := exact.get(exactly(text))) is not None}
    near = _near([text for text in test if text.row not in copied], other)
    if near:
        alike = len(_near(test, test)) / len(test)
        by_chance = 1 - (1 - alike) ** (len(other) / max(1, len(test) - 1))
        near = near if len(near) > BY_KIND * by_chance * len(test) else {}
    return dict(sorted({**copied, **{row: f"{row}~{one}" for row, one in near.items()}}.items()))


def _near(texts: Sequence[_Text], others: Sequence[_Text]) -> dict[int, int]:
    """By row of a text, the row of the first other one that is nearly the same."""
    sketched: dict[tuple[str, int], list[_Text]] = {}
    for text in others:
        for mark in _sketch(text.words):
            sketched.setdefault((text.key, mark), []).append(text)
    found: dict[int, int] = {}
    for text in texts:
        near = {one.row: one for mark in _sketch(text.words) for one in sketched.get((text.key, mark), ())}
        row = next((row for row, one in near.items() if one is not text and _alike(text, one)), None)
        if row is not None:
            found[text.row] = row
    return found


def _texts(tasks: TaskSet) -> Iterator[_Text]:
    """A listed set whole; of one that is drawn, the first tasks, without the words by which near copies are found."""
    if isinstance(tasks, ListTasks) and len(tasks) <= LISTED:
        return (_text(row, tasks[row]) for row in range(len(tasks)))
    return (_text(row, tasks[row])._replace(words=()) for row in range(min(DRAWN, len(tasks))))


def _text(row: int, task: Task) -> _Text:
    prompt = prompt_text(task.prompt)
    words = tuple(_words(unicodedata.normalize("NFKC", prompt).casefold()))
    numbers = sorted(word for word in words if word.isdigit())
    return _Text(row, prompt, words, f"{' '.join(numbers)}\n{canonical(task.reference)}")


def _words(text: str) -> Iterator[str]:
    """Runs of letters, runs of digits; spaces and punctuation make no other text."""
    for kind, run in groupby(text, lambda sign: "digit" if sign.isdigit() else "letter" if sign.isalpha() else ""):
        if kind:
            yield "".join(run)


def _sketch(words: Sequence[str]) -> list[int]:
    """The smallest hashes of a text's runs of words; none of a text that is too short to be nearly another."""
    if len(words) < FEWEST_WORDS:
        return []
    runs = {" ".join(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}
    hashes = (hashlib.blake2b(run.encode("utf-8", "surrogatepass"), digest_size=8).digest() for run in runs)
    return sorted(int.from_bytes(one, "big") for one in hashes)[:SKETCH]


def _alike(one: _Text, two: _Text) -> bool:
    match = SequenceMatcher(None, one.words, two.words, autojunk=False)
    return match.real_quick_ratio() >= SAME_WORDS and match.quick_ratio() >= SAME_WORDS and match.ratio() >= SAME_WORDS


def _finding(name: str, rows: Mapping[int, str], test: Sequence[_Text]) -> Finding:
    named = list(rows.values())
    near = sum("~" in pair for pair in named)
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    message = (
        f"{len(rows)} of {len(test)} tasks of the split 'test' stand in {name!r} too ({len(rows) - near} word for "
        f"word, {near} nearly), by rows {', '.join(named[:NAMED])}{more}: {shown(test[next(iter(rows))].prompt, 120)}"
    )
    shares = [1.0] * len(rows) + [0.0] * (len(test) - len(rows))
    return of_shares("tasks/split-overlap", max(Severity.LOW, severity_of(shares)), message, shares, variant=name)
