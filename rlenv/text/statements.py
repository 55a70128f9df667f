"""Where a completion states its final answer, as plainly as any format does: box, tag, `####`, `the answer is`.

Text only: what is right is the verifier's business. Only the last `LAST` characters are searched.

>>> [text for text in map(str, statements("The answer is 41. So \\\\boxed{42}"))]
['41', '42']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rlenv.text.answer_tags import blocks, tags
from rlenv.text.boxes import find_boxes

LAST = 20_000
MOST = 64
LONGEST_BOX, LONGEST_TAG = 400, 2_000
_HASH = re.compile(r"^[ \t]*####[ \t]*([^\n]{1,200})$", re.MULTILINE)
_ANCHORS = (
    "answer",
    "antwort",
    "respuesta",
    "réponse",
    "reponse",
    "risposta",
    "resposta",
    "ответ",
    "答案",
    "答え",
    "\na:",
)
_BE = r"(?:is|are|was|=|would be|should be|could be|might be|may be|must be|can be|will be|lautet|ist|est|es|é|è)"
_ANNOUNCED = re.compile(
    rf"(?:\w{{0,3}}(?=((?:[ ]\w+){{0,6}}?[ ]{_BE}(?!\w)))\1[*_: ]*"
    r"|\w{0,3}[*_ )]*[:：][*_ ]*|[是为は][:： ]*)([^\n]{1,240})",
    re.IGNORECASE,
)
"""What stands behind one of the anchors."""
_SENTENCE_END = re.compile(r"(?<=[\w)\]}$*\"'%])[.!?。](?=\s|$|\*|\")|[;。]")


@dataclass(frozen=True, slots=True)
class Statement:
    """A stated answer: the value's characters `[start, end)`, and how it is stated."""

    kind: str
    start: int
    end: int
    text: str

    def __str__(self) -> str:
        return self.text


def statements(text: str) -> list[Statement]:
    """What is stated, in order of place; an announcement around a box counts as the box."""
    offset = max(0, len(text) - LAST)
    found = [*boxes(text), *_tags(text, offset)]
    taken = [(s.start, s.end) for s in found]
    for statement in _announced(text, offset):
        if not any(statement.start <= start <= statement.end for start, _ in taken):
            found.append(statement)
    return sorted(found, key=lambda s: s.start)[-MOST:]


def boxes(text: str) -> list[Statement]:
    """The closed boxes alone, of which one in a box counts once."""
    found, _ = find_boxes(text, max(0, len(text) - LAST), len(text))
    return [Statement("box", *box.place(text), box.text) for box in found[-MOST:] if len(box.text) < LONGEST_BOX]


def _tags(text: str, offset: int) -> Iterator[Statement]:
    if "####" in text:
        for match in list(_HASH.finditer(text, offset))[-MOST:]:
            if any(c.isdigit() for c in match[1][:40]) and not match[1].lower().startswith(("step", "case", "part")):
                yield Statement("hash", match.start(1), match.end(1), match[1])
    if "</" in text:
        for block in blocks(tags(text[offset:]))[-MOST:]:
            start, end = offset + block.inner_start, offset + block.inner_end
            if end - start < LONGEST_TAG and "<" not in text[start:end]:
                yield Statement("tag", start, end, text[start:end])


def _announced(text: str, offset: int) -> Iterator[Statement]:
    lower = text.lower()
    if len(lower) != len(text):
        return
    if not offset and lower.startswith("a:"):
        yield from _said(text, 1)
    for anchor in _ANCHORS:
        place = lower.find(anchor, offset)
        seen = 0
        while place >= 0 and seen < MOST:
            seen += 1
            behind = place + len(anchor)
            yield from _said(text, behind - anchor.endswith(":"))
            place = lower.find(anchor, behind)


def _said(text: str, behind: int) -> Iterator[Statement]:
    """What is announced by the word that ends here."""
    match = _ANNOUNCED.match(text, behind)
    if match:
        stop = _SENTENCE_END.search(match[2])
        start = match.start(2)
        end = start + (stop.start() if stop else len(match[2]))
        if text[start:end].strip():
            yield Statement("announced", start, end, text[start:end])
