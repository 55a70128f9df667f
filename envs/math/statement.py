"""What extraction finds: a final answer with its place, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from rlenv.core.verdict import Flag
from rlenv.envs.math.comparing.policy import Place
from rlenv.envs.math.values import Value
from rlenv.text.boxes import place_of

Same: TypeAlias = Callable[[str, str], bool]
"""Whether two answers state one value."""
WORKING_CHARS = 60
"""Less text than this between two statements is no working."""


class Extracted(NamedTuple):
    """The final answer with its span and place. `result` is what stands behind its last equal sign, where a
    sentence led to it; `parts` are all boxes, where there are several with different values, and `labelled` what they
    say together, where a name stands before each."""

    text: str
    start: int
    end: int
    place: Place
    flags: tuple[Flag, ...] = ()
    result: str = ""
    parts: tuple[str, ...] = ()
    labelled: str = ""

    def without_mark(self, text: str) -> Extracted:
        """The same with the span of the answer itself, in the text it was found in, without the box or tag around it.

        On a line it stands bare already: a value, or the sentence that picks an option.
        """
        if self.place == "line":
            return self
        end = self.end - len("</answer>") if self.place == "tag" else self.end
        start, end = place_of(self.text, text, self.start, end)
        return self._replace(start=start, end=end)


class Refusal(NamedTuple):
    """Why there is no final answer."""

    reason: str
    flags: tuple[Flag, ...] = ()


def is_working(between: str) -> bool:
    """True for text between two statements that leads from one to the other."""
    return len(between) > WORKING_CHARS and any(map(str.isdigit, between))


def agree(later: Value, found: Extracted, same: Same) -> bool:
    """Whether a statement says the same as a found answer, or nothing about it."""
    if any(same(text, found.text) for text in (later.text, later.result) if text):
        return True
    if any(map(str.isdigit, later.text)) != any(map(str.isdigit, found.text)):
        return True  # a remark such as `the answer is correct`
    return found.text.strip() != "" and later.text.startswith(found.text.strip())
