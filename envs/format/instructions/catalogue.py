"""Every kind of instruction by its name, and sets of instructions that one text can follow.

A kind is a row of data/instructions.jsonl (how it is asked for, one set of parameters, texts that are right and wrong
with these) and its check and fit by the same name:

>>> kind = KINDS["words_at_most"]
>>> kind.ask({"count": 1}), kind.holds("one", {"count": 1}), kind.holds("one two", {"count": 1})
('Use at most 1 word.', True, False)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.format.instructions.checks import CHECKS
from rlenv.envs.format.instructions.drafts import FITS, Fitted
from rlenv.envs.format.instructions.measures import DATA


class _Count(int):
    """A number that a sentence counts something by: `{count:line}` is `1 line` or `3 lines`."""

    def __format__(self, noun: str) -> str:
        return f"{int(self)} {noun}{'' if self == 1 else 's'}" if noun else str(int(self))


@dataclass(frozen=True)
class Kind:
    """One kind of instruction."""

    name: str
    stage: int
    """Drafts are fitted in this order: 0 language, 1 body, 2 layout, 3 letters, 4 edges, 5 what is only counted."""
    sentence: str
    params: Mapping[str, Json]
    """An example, whose types are those that every set of parameters has."""
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    check: Callable[..., bool]
    fit: Callable[[str, np.random.Generator], Fitted | None] | None
    """None for kinds that only rows ask for."""

    def ask(self, params: Mapping[str, Json]) -> str:
        """The sentence that asks for it in the prompt."""
        return self.sentence.format(**{name: _said(name, value) for name, value in self._given(params).items()})

    def holds(self, text: str, params: Mapping[str, Json]) -> bool:
        """Whether the text follows the instruction. Raises TypeError and KeyError for parameters of another kind."""
        return self.check(text, **self._given(params))

    def _given(self, params: Mapping[str, Json]) -> dict[str, Json]:
        """The parameters with their types checked."""
        for name, example in self.params.items():
            if not _alike(params[name], example):
                expected = {int: "a whole number", str: "a text"}.get(type(example), "a list of texts")
                raise TypeError(f"expected the parameter {name!r} to be {expected}, got {params[name]!r}")
        return {name: params[name] for name in self.params}


def _alike(value: Json, example: Json) -> bool:
    """Whether a parameter has the type of the example, and is not empty where that is a text or a list."""
    if isinstance(example, list):
        return (
            isinstance(value, (list, tuple)) and bool(value) and all(item and isinstance(item, str) for item in value)
        )
    return type(value) is type(example) and value != ""


def _said(name: str, value: Json) -> object:
    """How a parameter is written in the sentence."""
    if isinstance(value, (list, tuple)):
        return " / ".join(map(str, value)) if name == "options" else ", ".join(f'"{word}"' for word in value)
    return _Count(value) if isinstance(value, int) else value


def _read(line: str) -> Kind:
    row = json.loads(line)
    name = row["kind"]
    examples = row["params"], tuple(row["right"]), tuple(row["wrong"])
    return Kind(name, row.get("stage", -1), row["ask"], *examples, CHECKS[name], FITS.get(name))


KINDS: dict[str, Kind] = {
    kind.name: kind for kind in map(_read, (DATA / "instructions.jsonl").read_text(encoding="utf-8").splitlines())
}


DRAWN = tuple(name for name, kind in KINDS.items() if kind.fit is not None)
"""Kinds of which tasks are made."""


@dataclass(frozen=True)
class Instruction:
    """A kind with its parameters."""

    kind: str
    params: dict[str, Json]

    @property
    def sentence(self) -> str:
        return KINDS[self.kind].ask(self.params)

    def holds(self, text: str) -> bool:
        """True when the text follows the instruction."""
        return KINDS[self.kind].holds(text, self.params)


def compose(draft: str, kinds: Sequence[str], rng: np.random.Generator) -> tuple[str, list[Instruction]] | None:
    """A text made of the draft that follows one instruction of each kind; None where they exclude each other."""
    found: dict[str, Instruction] = {}
    for name in sorted(kinds, key=lambda name: KINDS[name].stage):
        fit = KINDS[name].fit
        fitted = None if fit is None else fit(draft, rng)
        if fitted is None:
            return None
        draft, found[name] = fitted.draft, Instruction(name, fitted.params)
    instructions = [found[name] for name in kinds]
    return (draft, instructions) if all(instruction.holds(draft) for instruction in instructions) else None
