"""Where the answer stands in a right completion, what kind of answer it is, and when two answers say the same.

>>> answer = locate("42", "So it is \\\\boxed{42}.")
>>> answer.core, answer.framed("41"), answer.kind
('42', 'So it is \\\\boxed{41}.', 'number')
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from rlenv.core.jsontypes import Json, canonical
from rlenv.evidence.parts import marked

Kind: TypeAlias = Literal["number", "quantity", "list", "text", "formula", "structure", "long"]
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_QUANTITY = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([A-Za-z]{1,12}|%|°)")
_FORMULA = re.compile(r"[\\^*=+{}$×·÷±√≤≥∞]|\d\s*[-/]\s*\d|\w\(")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_TOLERANCE = re.compile(
    r"\b(?:within|approximate\w*|about|around|roughly|tolerance|rounded?|rounding|nearest|estimate\w*|significant|"
    r"decimals?|decimal places|plus or minus|accura\w+|precision)\b|±|\\pm|≈",
    re.IGNORECASE,
)
_EDGES = " \t\r\n.,;:!?\"'`*$()[]{}<>"
LONG = 200
"""Texts with more characters are taken for prose or programs: many other texts may be as right."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A right completion, taken apart around what decides it."""

    before: str
    core: str
    after: str
    known: bool
    """The core is the reference itself: what differs in value from it is wrong."""

    @property
    def text(self) -> str:
        return self.framed(self.core)

    def framed(self, core: str) -> str:
        return f"{self.before}{core}{self.after}"

    @property
    def kind(self) -> Kind:
        core = self.core.strip()
        if NUMBER.fullmatch(_THOUSANDS.sub("", core)):
            return "number"
        if _QUANTITY.fullmatch(core):
            return "quantity"
        if core[:1] in "[{" or core.count("\n") >= 2:
            return "structure"
        if len(core) > LONG:
            return "long"
        if _FORMULA.search(core):
            return "formula"
        return "list" if len(items(core)[0]) > 1 else "text"


def locate(reference: Json, solution: str) -> Answer:
    """The answer in a solution: where the reference stands last as a whole, or a marked place, or all of it."""
    written = reference_texts(reference)
    for text in written:
        if text and solution.strip() == text:
            start = solution.index(text)
            return Answer(solution[:start], text, solution[start + len(text) :], True)
    for text in written:
        places = list(re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", solution)) if text.strip() else []
        if places:
            return Answer(solution[: places[-1].start()], text, solution[places[-1].end() :], True)
    return last_marked(solution)


def last_marked(solution: str) -> Answer:
    """What stands in the last tags, box or answer line of a solution, or all of it."""
    places = [part.place for part in marked(solution)]
    start, end = places[-1] if places else (0, len(solution))
    return Answer(solution[:start], solution[start:end], solution[end:], False)


def reference_texts(reference: Json) -> list[str]:
    """How a reference may be written in a completion; of one with many columns, the column `answer`."""
    if isinstance(reference, Mapping) and isinstance(reference.get("answer"), str | int | float):
        return reference_texts(reference["answer"])
    if isinstance(reference, str):
        return [reference.strip()]
    if reference is None:
        return []
    if isinstance(reference, (dict, list, tuple)):
        return [canonical(reference), json.dumps(reference)]
    return [str(reference)]


def items(core: str) -> tuple[list[str], str]:
    """The items of a list written with commas, semicolons, lines or arrows, and what stands between them."""
    for separator in ("\n", "; ", ", ", ",", " -> ", " → ", " | "):
        parts = core.split(separator)
        if len(parts) > 1 and all(part.strip() for part in parts):
            return parts, separator
    return [core], ""


def bare(text: str) -> str:
    """The text without case, marks around it, and tags: what a reader would call the answer."""
    text = re.sub(r"</?\w+>|\\boxed|\\text|\\,", " ", text)
    return " ".join(_THOUSANDS.sub("", text.strip(_EDGES)).split()).casefold()


def same(one: str, other: str) -> bool:
    """True where the texts say the same number, the same JSON value or the same words.

    >>> same("<answer>4.0</answer>", "4"), same("A", "(a)"), same("1 2", "2 1")
    (True, True, False)
    """
    first, second = bare(one), bare(other)
    if first == second:
        return True
    if first.replace(" ", "") == second.replace(" ", ""):
        return True
    value = number(first)
    return value is not None and value == number(second)


def number(text: str) -> Fraction | None:
    """The number that the whole text is."""
    written = _THOUSANDS.sub("", text.strip())
    if len(written) > 60 or not NUMBER.fullmatch(written):
        return None
    _, _, exponent = written.lower().partition("e")
    return Fraction(written) if abs(int(exponent or 0)) <= 400 else None


def announces_tolerance(prompt: str) -> bool:
    """True where the prompt speaks of rounding or of a tolerance."""
    return _TOLERANCE.search(prompt) is not None
