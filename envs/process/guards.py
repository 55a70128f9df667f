r"""Finds the steps of a worked solution in prose, and looks at them with guards against tricks with steps.

>>> text = "6*12=72\n6*12=72\n72-50=22\n\\boxed{22}"
>>> [(flag.name, text[flag.start : flag.end]) for flag in StepGuards().read(text).flags]
[('repeated_step', '6*12=72')]

    guard                     sees                                          effect on the reward
    repeated_step             the words of an earlier step, but for case    none: what further steps score can only
                              and blanks                                    lower the safe forms
    giant_step                more than `max_equations` equations, or       trips
                              `max_chars` characters, in one step
    too_many_steps            more than `max_steps`                         trips
    steps_after_the_answer    more than the answer again behind the box     trips
    no_steps                  no equation and no words beside the answer    trips
    split_step                pieces that say nothing by themselves, or an  they are joined to the step before: the
                              equation that goes on in the next step        reward is that of the whole step

Where a guard trips the aggregate is 0, the lowest there is, and lies on the step that tripped: no trick that trips can
pay. What trips is decided before anything is scored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Flag
from rlenv.envs.math.answer_place.boxed import answer_tail
from rlenv.envs.process.reading import StepReading, tripped
from rlenv.envs.process.steps import Kind, Span, split
from rlenv.envs.process.units import relations, units
from rlenv.text.boxes import find_boxes

Cut: TypeAlias = Kind | Literal["equations"]
CUTS = ("equations", *get_args(Kind))
PIECES = 2
"""From so many joined pieces on, a completion is flagged for cutting steps up."""
_ENDS_OPEN = re.compile(r"[=≈+*/×÷^(]\s*$|[-−]\s*$|\\(?:times|cdot|div)\s*$")
_BEGINS_OPEN = re.compile(r"\s*[=≈+*/×÷^)]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True)
class StepGuards:
    """A StepReader: cuts, joins what was cut up, and trips."""

    cut: Cut = "equations"
    """`equations` for one step an equation, whatever the layout (rlenv.envs.process.units), or a kind of `split`."""
    separator: str = ";"
    max_steps: int = 64
    max_equations: int = 8
    max_chars: int = 4000

    def __post_init__(self) -> None:
        if self.cut not in CUTS:
            raise ConfigError(f"expected a cut out of {', '.join(CUTS)}, got {self.cut!r}")
        self._cut("")  # a separator that is no pattern is refused here

    @property
    def version(self) -> str:
        return f"guards-2-{self.cut}-{self.separator!r}-{self.max_steps}-{self.max_equations}-{self.max_chars}"

    def read(self, text: str) -> StepReading:
        """The steps of a completion, with what the guards saw."""
        pieces = self._cut(text)
        many = len(pieces) > 4 * self.max_steps
        spans, joined = joined_again(text, pieces[: 4 * self.max_steps])
        trips = [*self._sizes(text, spans, many), *self._around_the_answer(text, spans)]
        return tripped(spans[: self.max_steps], trips, (*joined, *repeated(text, spans)))

    def _cut(self, text: str) -> tuple[Span, ...]:
        return units(text) if self.cut == "equations" else split(text, self.cut, self.separator)

    def _sizes(self, text: str, spans: tuple[Span, ...], many: bool) -> list[Flag]:
        found = []
        if many or len(spans) > self.max_steps:
            place = spans[min(self.max_steps, len(spans) - 1)]
            found.append(Flag("too_many_steps", *place, f"expected at most {self.max_steps} steps"))
        for start, end in spans[: self.max_steps]:
            if end - start > self.max_chars or len(relations(text[start:end])) > self.max_equations:
                found.append(Flag("giant_step", start, end, "too much for one step"))
        return found

    def _around_the_answer(self, text: str, spans: tuple[Span, ...]) -> list[Flag]:
        """Steps behind the answer, and an answer without any before it."""
        found = []
        start, end = answer_tail(text)
        boxes, _ = find_boxes(text, start, end)
        behind = text[boxes[-1].end : end] if boxes else ""
        if relations(behind) or len(_WORD.findall(behind)) > MAX_WORDS_BEHIND:
            found.append(Flag("steps_after_the_answer", boxes[-1].end, end, "more than the answer again"))
        said = text[: boxes[-1].start] if boxes else text
        if not relations(said) and len(_WORD.findall(said)) < LEAST_WORDS:
            last = spans[-1] if spans else (0, len(text))
            found.append(Flag("no_steps", *last, "nothing that can be checked beside the answer"))
        return found


MAX_WORDS_BEHIND = 12
"""A last sentence such as `so the answer is 22 dollars` is no step."""
LEAST_WORDS = 3


def joined_again(text: str, pieces: tuple[Span, ...]) -> tuple[tuple[Span, ...], tuple[Flag, ...]]:
    """The steps without those that say nothing, or that go on with an equation: they belong to the one before."""
    spans: list[Span] = list(pieces[:1])
    cut_up: list[Span] = []
    for before, piece in pairwise(pieces):
        if _is_piece(text, before, piece):
            spans[-1] = (spans[-1][0], piece[1])
            cut_up.append(piece)
        else:
            spans.append(piece)
    if len(spans) > 1 and not _says_something(text[slice(*spans[0])]):
        spans[:2] = [(spans[0][0], spans[1][1])]
    if len(cut_up) < PIECES:
        return tuple(spans), ()
    detail = f"{len(cut_up)} pieces joined to the steps before them"
    return tuple(spans), (Flag("split_step", cut_up[0][0], cut_up[-1][1], detail),)


def _is_piece(text: str, before: Span, piece: Span) -> bool:
    tail, step = text[max(before[0], before[1] - 20) : before[1]], text[slice(*piece)]
    return bool(_ENDS_OPEN.search(tail) or _BEGINS_OPEN.match(step[:20]) or not _says_something(step))


def _says_something(step: str) -> bool:
    """A number, or two words."""
    return any(character.isdigit() for character in step) or len(_WORD.findall(step)) > 1


def repeated(text: str, spans: tuple[Span, ...]) -> list[Flag]:
    """Steps that say what an earlier one said."""
    seen: set[str] = set()
    found = []
    for start, end in spans:
        said = _BLANKS.sub("", text[start:end]).strip(".,;:").casefold()
        if said in seen:
            found.append(Flag("repeated_step", start, end, "said before"))
        seen.add(said)
    return found
