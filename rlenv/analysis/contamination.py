"""Which tasks have a run of words in common with a training file, as GPT-3's authors looked for it.

Words are compared without case and punctuation; a task is found where 13 of its words in a row stand in the file
(Brown et al. 2020, arXiv 2005.14165, appendix C, who take 8 to 13 by the length of a data set's tasks), and a shorter
task where all of it does. Tasks of fewer than 8 words are left out: what they share says nothing.

>>> found = overlapping(["The quick brown fox, it jumps over THE lazy dog.", "Add 3 and 4."],
...                     ["... the quick brown fox it jumps over the lazy dog ..."])
>>> found
[True, None]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rlenv.core.jsontypes import Json
from rlenv.env.tasksets import read_rows

WORDS, FEWEST = 13, 8
_WORD = re.compile(r"[^\W_]+")
"""`it's 3.5` is it, s, 3, 5: letters and digits of any script."""


def overlapping(tasks: Sequence[str], training: Iterable[str]) -> list[bool | None]:
    """For each task whether a run of its words stands in a text of the training; None where it is too short."""
    runs: list[frozenset[tuple[str, ...]]] = [frozenset(_runs(_words(text))) for text in tasks]
    lengths = sorted({len(run) for own in runs for run in own})
    wanted = frozenset[tuple[str, ...]]().union(*runs)
    found: set[tuple[str, ...]] = set()
    for text in training:
        words = _words(text)
        for length in lengths:
            found.update(run for run in _windows(words, length) if run in wanted)
    return [bool(own & found) if own else None for own in runs]


def training_texts(path: Path) -> Iterator[str]:
    """All text of each row of a file of training data (JSONL, JSON, CSV, Parquet), or each paragraph of any other."""
    if path.suffix not in (".jsonl", ".json", ".csv", ".parquet"):
        yield from path.read_text(encoding="utf-8", errors="replace").split("\n\n")
        return
    for _, row in read_rows(path):
        yield "\n".join(_texts(row))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return _windows(words, min(WORDS, len(words))) if len(words) >= FEWEST else iter(())


def _windows(words: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + length]) for start in range(len(words) - length + 1))
