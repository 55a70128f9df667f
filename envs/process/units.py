r"""Cuts a worked solution into one step an equation, however it is laid out.

>>> text = "6*12=72 buns, and 72-50=22 are left.\nSo \\boxed{22}"
>>> [text[start:end] for start, end in units(text)]
['6*12=72 buns,', 'and 72-50=22 are left.', 'So \\boxed{22}']
>>> text = "6*12=72 buns 72-50=\n22 are left"
>>> [text[start:end] for start, end in units(text)]
['6*12=72 buns', '72-50=\n22 are left']

Line breaks and blank lines make no steps, so putting one equation on two lines, or two on one line, leaves their number
as it is. Between two equations the cut is at the last end of a line, sentence or clause that leaves something for the
second to say; else before the number that the second begins with. `a = b = c` is one equation. The answer is a step of
its own, where it is not what an equation comes to.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice, pairwise

from rlenv.envs.process.steps import Span

_RELATION = re.compile(r"(?<![<>=!:])[=≈](?!=)|\\approx\b|\b(?:equals?|equal to)\b")
_ANCHOR = re.compile(rf"{_RELATION.pattern}|\\boxed\b|####")
"""What a step can hold one of, but for chains: an equation, or the answer."""
MAX_ANCHORS = 1024
"""Twice as many as 64 steps of 8 equations hold, which is what guards let pass."""
_BREAK = re.compile(r"\n|[.!?;:,](?=\s)|\\\\|\s(?=(?:and|so|then|which|thus|hence|therefore|giving)\b)", re.IGNORECASE)
_BETWEEN = r"[^0-9+*/×÷·=≈^−-]"
GAP_CHARS = 400
_GAP = re.compile(rf"(?<=[0-9%)}}]){_BETWEEN}{{1,{GAP_CHARS}}}?(?=[$€£(]{{0,2}}\.?[0-9])")
"""What stands between two numbers and works nothing out: ` buns and ` of `72 buns and (50`."""
_UP_TO_A_NUMBER = re.compile(rf"(?<!{_BETWEEN})[^\s0-9+*/×÷·=≈^−-]*+\s{_BETWEEN}*+(?=[0-9])")
"""A stretch with a blank in which gaps may lie, the whole of it: ` eggs, ` of `72 eggs, 50`. A gap in it ends at most
three characters before the number."""
MAX_GAPS = 12
"""So many numbers are looked at before an equal sign for the one that its equation begins with."""
_OPERATOR = re.compile(
    r"(?:[xX]|\\(?:times|cdot|div)|\b(?:of|per|plus|minus|times|by|over|out))\s*[$€£(]*$|[{\\_]", re.IGNORECASE
)
ANSWERS = ("\\boxed", "####")
_SAYS = re.compile(r"[0-9A-Za-z]")


def relations(text: str) -> list[Span]:
    """Where the text says that two things are equal."""
    return [match.span() for match in _RELATION.finditer(text)]


def units(text: str) -> tuple[Span, ...]:
    """The spans `[start, end)` of the steps: in order, disjoint, none of them blank. Linear in the length.

    What follows the first MAX_ANCHORS equations and answers is one step with the last of them.
    """
    cuts = [0]
    for one, other in pairwise(islice(_ANCHOR.finditer(text), MAX_ANCHORS)):
        cut = _cut(text, one.end(), other.start(), other[0] in ANSWERS)
        if cut is not None:
            cuts.append(cut)
    found = (_trimmed(text, start, end) for start, end in pairwise([*cuts, len(text)]))
    return tuple((start, end) for start, end in found if start < end)


def _cut(text: str, start: int, end: int, answer: bool) -> int | None:
    """Where the equation after `start` ends and what is at `end` begins; None where they are one."""
    between = text[start:end]
    first = _SAYS.search(between)
    if first is None:
        return None
    last = len(between) - 1 - next(at for at, one in enumerate(reversed(between)) if _SAYS.match(one))
    for match in reversed(list(_BREAK.finditer(between))):
        if first.start() < match.start() and match.end() <= last:
            return start + match.end()
    if answer:
        return end
    gap = next((gap for gap in _gaps(between) if _parts(gap[0])), None)
    return None if gap is None else start + gap.end()


def _gaps(between: str) -> Iterator[re.Match[str]]:
    """The last gaps, the last first, in linear time: sought only where a number follows within their length."""
    for stretch in reversed(deque(_UP_TO_A_NUMBER.finditer(between), maxlen=MAX_GAPS)):
        start = max(stretch.start(), stretch.end() - GAP_CHARS - 4)
        yield from reversed(list(_GAP.finditer(between, start, stretch.end() + 1)))


def _parts(gap: str) -> bool:
    """Whether what stands between two numbers keeps them apart."""
    return any(character.isspace() for character in gap) and not _OPERATOR.search(gap.rstrip(" "))


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
