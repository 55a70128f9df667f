r"""The five places where a final answer may stand, and how each is read.

>>> from rlenv.envs.math.boxed import equal_text
>>> text = r"So \boxed{41} and \boxed{42}."
>>> PLACES["box"](text, (0, len(text)), equal_text, False).text
'41, 42'

Each takes the text, the span to look at, a judge of sameness, and whether an option is looked for; it gives the
answer, a refusal that ends the search, or None where it holds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rlenv.core.verdict import Flag
from rlenv.envs.math.announced import answer_before, line_answer
from rlenv.envs.math.boxed import Span
from rlenv.envs.math.choice import chosen_letter, is_choice
from rlenv.envs.math.closing import closing_answer
from rlenv.envs.math.comparing.policy import Place
from rlenv.envs.math.marks import hash_answer, tag_answer
from rlenv.envs.math.statement import Extracted, Refusal, Same, agree, is_working
from rlenv.envs.math.values import NEGATED, Value, is_bare
from rlenv.text.boxes import Box, find_boxes, side_by_side

MAX_CANDIDATES = 8
"""More different boxes than this are refused, and not even compared."""
MAX_PARTS = 12
MAX_WHOLE = 1000
"""A completion longer than this is not an answer as a whole."""
MAX_WORDS_CHARS = 100
"""Nor is one in words that is longer than this."""
_INTRODUCED = re.compile(r"\A\s*\\(?:text|mbox|textrm|textbf)\s*\{[^{}]*\b(?:answer|result)\s+(?:is|:)\s*\}\s*")
_LEAD_IN = re.compile(
    r"\A(?:∴|⇒|→|[=-]>|(?:so|thus|hence|therefore|then|finally|i\.e\.|we (?:get|have|find)(?: that)?"
    r"|(?:it|this|that) is)\b)[,:]?\s*",
    re.I,
)
_ENDED = re.compile(r"\s*(?:[∎□■◻▪]|\$?\\(?:blacksquare|square|qed|Box)\$?|Q\.?E\.?D\.?)\s*\Z")  # $\blacksquare$
_LABEL = re.compile(r"(?P<name>(?<![A-Za-z\\])[A-Za-z](?:_\{?\w\}?)?|\([A-Za-z](?:\s*,\s*[A-Za-z])+\))\s*=\s*\$*\s*\Z")
"""`x =` or `(x,y) =` before a box"""
_QUOTED = re.compile(r"\A[\"'“‘«]([^\"'“”‘’«»]{1,100})[\"'”’»]\Z")
"""Quotation marks around the whole answer."""
_CLAIM = re.compile(r"\b(?:is|are|was|not|isn't|wrong|incorrect|false)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^0-9$\\]*[a-z]{2,}[^0-9$\\]* [^0-9$\\]*[a-z]{2,}[.!?…]+")
_BRACKETED = re.compile(r"\A\[([^\[\](),;]+)\]\Z")
_LETTERS = re.compile(r"\(?[A-J]\)?(?:[\s,;/]+\(?[A-J]\)?)+")


def _box(text: str, span: Span, same: Same, _choice: bool) -> Extracted | Refusal | None:
    boxes, unclosed = find_boxes(text, *span)
    if unclosed is not None:
        return Refusal("the last \\boxed{ is never closed", (Flag("unclosed_box", unclosed, span[1]),))
    if not boxes:
        empty = text.find("\\boxed{", *span)
        return None if empty < 0 else Refusal("the box is empty", (Flag("empty_box", empty, span[1]),))
    last = boxes[-1]
    line = text.rfind("\n", span[0], last.start) + 1  # a line above that ends in "not" denies nothing
    before = text[max(span[0], line, last.start - 30) : last.start]
    if NEGATED.search(before):
        return Refusal("the last box is denied", (Flag("denied_box", last.start - len(before), last.end),))
    answer = _INTRODUCED.sub("", last.text)
    if len(boxes) == 1:
        return Extracted(answer, last.start, last.end, "box")
    return _of_several(text, [*boxes[:-1], last._replace(text=answer)], same)


def _of_several(text: str, boxes: list[Box], same: Same) -> Extracted | Refusal:
    last, run = boxes[-1], _different(side_by_side(text, boxes), same)
    if len(run) > 1:
        joined = ", ".join(box.text for box in run)
        return Extracted(joined, run[0].start, last.end, "box", (Flag("joined_boxes", run[0].start, last.end),))
    others = _different(boxes, same)
    if len(others) == 1:
        return Extracted(last.text, last.start, last.end, "box")
    flag = Flag("conflicting_boxes", boxes[0].start, last.end, f"{len(others)} different values")
    if len(others) > MAX_CANDIDATES:
        return Refusal(f"more than {MAX_CANDIDATES} different boxed answers", (flag, flag._replace(name="spray")))
    parts = tuple(box.text for box in others)
    return Extracted(last.text, last.start, last.end, "box", (flag,), parts=parts, labelled=_labelled(text, others))


def _labelled(text: str, boxes: list[Box]) -> str:
    """`x = 1, y = 2` of boxes with a name before each, "" where one has none."""
    said, begin = [], 0
    for box in boxes:
        line = max(begin, text.rfind("\n", 0, box.start) + 1, box.start - 80)
        label = _LABEL.search(text[line : box.start])
        if label is None:
            return ""
        said.append(f"{label['name']} = {box.text}")
        begin = box.end
    return ", ".join(said)


def _different(boxes: list[Box], same: Same) -> list[Box]:
    """One box a value, in order; of many, text alone decides."""
    kept: list[Box] = []
    by_text = {"".join(box.text.split()): box for box in boxes}
    cheap = len(by_text) > MAX_PARTS
    for box in by_text.values():
        if cheap or not any(same(box.text, other.text) for other in kept):
            kept.append(box)
    return sorted(kept, key=lambda box: box.start)


def _hash(text: str, span: Span, same: Same, _choice: bool) -> Extracted | None:
    return _stated(hash_answer(text, *span), "hash", same)


def _tag(text: str, span: Span, same: Same, _choice: bool) -> Extracted | Refusal | None:
    value = tag_answer(text, *span)
    earlier = None if value is None else tag_answer(text, span[0], value.start)
    return _unless_contradicted(text, _stated(value, "tag", same), earlier, same)


def _line(text: str, span: Span, same: Same, choice: bool) -> Extracted | Refusal | None:
    if choice:
        return _letter(text, span, same)
    announced = line_answer(text, *span)
    if announced is not None:
        earlier = answer_before(text, span[0], announced)
        return _unless_contradicted(text, _stated(announced, "line", same), earlier, same)
    if _nothing_but_mathematics(text, span):
        return None
    return _stated(closing_answer(text, *span), "line", same)


def _unless_contradicted(
    text: str, found: Extracted | None, earlier: Value | None, same: Same
) -> Extracted | Refusal | None:
    """The found answer, unless the same place says something else just before."""
    if found is None or earlier is None or agree(earlier, found, same):
        return found
    flag = Flag("conflicting_answers", earlier.start, found.end)
    if is_working(text[earlier.end : found.start]):
        return found._replace(flags=(*found.flags, flag))
    return Refusal(f"two answers are given: {earlier.text[:40]!r} and {found.text[:40]!r}", (flag,))


def _nothing_but_mathematics(text: str, span: Span) -> bool:
    """True where the whole completion is one answer."""
    if span[1] - span[0] > MAX_WHOLE:
        return False
    whole = text[slice(*span)].strip()
    if "**" in whole[2:-2]:
        return False  # 5 + 7 = **12**
    return is_bare(whole) or (whole.isascii() and not any(map(str.isspace, whole)))


def _whole(text: str, span: Span, same: Same, _choice: bool) -> Extracted | Refusal | None:
    start, end = span
    if end - start > MAX_WHOLE:
        return None
    whole = text[start:end].strip()
    if not whole or (not is_bare(whole) and _is_prose(whole)):
        return None
    whole = _LEAD_IN.sub("", _LEAD_IN.sub("", whole)) or whole
    whole = _QUOTED.sub(r"\1", _ENDED.sub("", whole)) or whole
    start = text.index(whole, start)
    return Extracted(_BRACKETED.sub(r"\1", whole), start, start + len(whole), "whole")


def _is_prose(whole: str) -> bool:
    """True for what says something about a value, or nothing at all, instead of being one."""
    if len(whole) > MAX_WORDS_CHARS or _SENTENCE.fullmatch(whole):
        return True
    return any(map(str.isdigit, whole)) and _CLAIM.search(whole) is not None


def _letter(text: str, span: Span, same: Same) -> Extracted | Refusal | None:
    """The option that the last line picks, or the one that is announced."""
    whole = text[max(span[0], span[1] - MAX_WHOLE) : span[1]].strip()
    if _LETTERS.fullmatch(whole):
        return Refusal("several options", (Flag("spray", *span),))
    end = span[1]
    while end > span[0] and text[end - 1].isspace():
        end -= 1
    start = max(span[0], text.rfind("\n", span[0], end) + 1)
    letter = chosen_letter(text[start:end])
    if letter is None:
        announced = line_answer(text, *span)
        picked = announced is not None and is_choice(announced.text)
        return _stated(announced, "line", same) if picked else None
    earlier = line_answer(text, span[0], start)
    if (
        earlier is not None
        and is_choice(earlier.text)
        and earlier.text != letter
        and not is_working(text[earlier.end : start])
    ):
        return Refusal(
            f"two options are picked: {earlier.text} and {letter}", (Flag("conflicting_answers", earlier.start, end),)
        )
    return Extracted(letter, start, end, "line")


def _stated(value: Value | None, place: Place, same: Same) -> Extracted | None:
    if value is None:
        return None
    text = value.parts[0] if value.parts and all(same(value.parts[0], part) for part in value.parts) else value.text
    text = _BRACKETED.sub(r"\1", text) if place == "line" else text
    return Extracted(text, value.start, value.end, place, result=value.result)


PLACES: dict[Place, Callable[[str, Span, Same, bool], Extracted | Refusal | None]] = {
    "box": _box,
    "hash": _hash,
    "tag": _tag,
    "line": _line,
    "whole": _whole,
}
