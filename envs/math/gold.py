r"""The reference of a task as one answer: bare, in a box, or at the end of a written solution.

>>> gold_answer(r"Adding gives $n = \boxed{1,-2}.$"), gold_answer(12), gold_answer("x + 1")
('1,-2', '12', 'x + 1')
"""

from __future__ import annotations

import re
from functools import lru_cache

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.math.announced import line_answer
from rlenv.envs.math.closing import closing_answer
from rlenv.envs.math.comparing import readable
from rlenv.envs.math.values import is_bare
from rlenv.text.boxes import find_boxes, side_by_side

MAX_BARE = 300
KEPT_CHARS = 2_000
"""Readings of longer references are not kept."""
_PERCENT = re.compile(r"[\s$)\\\]]*(?:%|percent\b|pct\b)")
_LETTERS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]|[=,;]")  # x = 3
_NUMBER = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?")  # 42, -1.5


def gold_answer(reference: Json) -> str:
    """The answer that the reference states. Raises TaskError where it states none that can be compared."""
    if isinstance(reference, bool) or not isinstance(reference, (str, int, float)):
        raise TaskError(f"expected a text or a number as the reference, got {reference!r:.80}")
    text = str(reference)
    answer = (_readable if len(text) <= KEPT_CHARS else _readable.__wrapped__)(text)
    if answer is None:
        raise TaskError(f"the reference {text[:200]!r} cannot be read as mathematics")
    return answer


@lru_cache(maxsize=1024)
def is_number(gold: str) -> bool:
    r"""Whether a reference has no letters but in commands: 12, \frac16, 36\pi."""
    return not _LETTERS.search(gold.replace("{,}", ""))


@lru_cache(maxsize=4096)
def _readable(text: str) -> str | None:
    if _NUMBER.fullmatch(text):
        return text
    answer = _stated(text)
    return answer if answer is not None and readable(answer) else None


def _stated(text: str) -> str | None:
    text = text.strip()
    boxes, unclosed = find_boxes(text, 0, len(text))
    if unclosed is not None:
        return text[text.index("{", unclosed) + 1 :] or None
    if boxes:
        percent = "\\%" if _PERCENT.match(text, boxes[-1].end) and "%" not in boxes[-1].text else ""
        return ", ".join(dict.fromkeys(box.text for box in side_by_side(text, boxes))) + percent
    if is_bare(text) or (len(text) <= MAX_BARE and "answer" not in text):
        return text or None
    said = line_answer(text, 0, len(text)) or closing_answer(text, 0, len(text))
    return text if said is None else said.text
