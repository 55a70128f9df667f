r"""The final answer of a completion: where it stands, and why there is none.

>>> policy = MathPolicy()
>>> extract(r"It is \boxed{41}, no: \boxed{42}.", policy).text
'42'
>>> extract(r"\boxed{41}. The final answer is 42.", policy).reason
"the box says '41' and the line behind it says '42'"
>>> extract("1 2 3 42", policy).flags[0].name
'spray'

The places are asked in the order of `MathPolicy.answer_in`; the first that holds an answer gives it.
One candidate is ever graded, so naming many gains nothing, and what looks like it is flagged or refused:

- the last box is the answer; other boxes with other values are flagged (`conflicting_boxes`), more than
  MAX_CANDIDATES of them refused; boxes side by side, with nothing but commas or words like `and` between them,
  are one list (`joined_boxes`);
- a box, a tag, a `####` line or an announced answer that stands behind the chosen one and says something else
  refuses the completion (`conflicting_answers`), unless working stands between: then the later one counts;
- a last box that is never closed is a completion cut while it answered (`unclosed_box`);
- several numbers in a row are no answer (`spray`);
- an answer that stands only in the reasoning is none (`thinking_only`), unless the policy counts it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rlenv.core.completion import Completion
from rlenv.core.reading import Passage
from rlenv.core.verdict import Flag
from rlenv.envs.math.announced import line_answer
from rlenv.envs.math.boxed import MAX_CHARS, Span, answer_tail, equal_text
from rlenv.envs.math.choice import several_options
from rlenv.envs.math.closing import closing_answer
from rlenv.envs.math.comparing.policy import MathPolicy, Place
from rlenv.envs.math.layout import as_read
from rlenv.envs.math.marks import hash_answer, tag_answer
from rlenv.envs.math.places import MAX_WHOLE, PLACES
from rlenv.envs.math.sections import stating_part
from rlenv.envs.math.statement import Extracted, Refusal, Same, agree, is_working
from rlenv.envs.math.withdrawal import denied, withdrawn

_SPRAY = re.compile(r"(?<![\w.,^{}])-?[0-9]+(?:\.[0-9]+)?(?:[ \t\n]+-?[0-9]+(?:\.[0-9]+)?(?![\w/.,])){2,}")
_THOUSANDS = re.compile(r"-?[0-9]{1,3}(?:[ \t][0-9]{3})+(?:\.[0-9]+)?")
_SEPARATORS = {"٫": ".", "．": ".", "％": "%", "＝": "=", "＋": "+", "－": "-"}


def answer_of(
    completion: Completion, policy: MathPolicy, same: Same = equal_text, choice: bool = False
) -> tuple[Extracted | Refusal, Passage]:
    """The final answer of what was said, and the passage of the completion that its spans are of."""
    said = completion.content
    found = extract(said.text, policy, same, choice)
    if isinstance(found, Extracted) or found.flags or not completion.reading.traces:
        return found, said
    thought = completion.reasoning
    inside = extract(thought.text, policy, same, choice)
    if isinstance(inside, Refusal):
        return found, said
    flag = Flag("thinking_only", inside.start, inside.end)
    if policy.thinking == "counts":
        return inside._replace(flags=(*inside.flags, flag)), thought
    return Refusal("the answer stands only in the reasoning", (flag,)), thought


def extract(text: str, policy: MathPolicy, same: Same = equal_text, choice: bool = False) -> Extracted | Refusal:
    """The final answer of a text. `choice` says that the letter of an option is looked for."""
    if not text.isascii():
        text = _with_ascii_digits(text)
    start, end = answer_tail(text)
    said = text[start:end]
    read = as_read(said)
    text = text if read is said else text[:start] + read + text[end:]
    found = _extract_in(text, (start, end), policy, same, choice)
    return found if isinstance(found, Refusal) else found.without_mark(text)


def _with_ascii_digits(text: str) -> str:
    """The end of the text with the digits and separators of any script in ASCII; the length stays the same."""
    start = max(0, len(text) - MAX_CHARS)
    tail = text[start:]
    other = {ord(character): _ascii_digit(character) for character in set(tail) if not character.isascii()}
    return text[:start] + tail.translate(other)


@lru_cache(maxsize=4096)
def _ascii_digit(character: str) -> str:
    if character.isascii() or not character.isdecimal():
        return _SEPARATORS.get(character, character)
    return str(unicodedata.decimal(character))


def _extract_in(text: str, span: Span, policy: MathPolicy, same: Same, choice: bool) -> Extracted | Refusal:
    for place in policy.answer_in:
        at = stating_part(text, *span) if place in ("line", "whole") else span
        found = PLACES[place](text, at, same, choice)
        if found is not None:
            break
    else:
        return Refusal(f"no final answer in the last {span[1] - span[0]} characters" if span[1] else "nothing is said")
    if isinstance(found, Refusal):
        return found
    found = _sprayed(found, choice) or found
    return found if isinstance(found, Refusal) else _contradicted(text, span, found, same)


def _sprayed(found: Extracted, choice: bool) -> Refusal | None:
    if choice and several_options(found.text):
        return Refusal("several options", (Flag("spray", found.start, found.end),))
    match = _SPRAY.search(found.text) if len(found.text) <= MAX_WHOLE else None
    if match is None or _THOUSANDS.fullmatch(match[0]) or f"({match[0]})" in found.text:
        return None
    return Refusal("several numbers in a row", (Flag("spray", found.start, found.end),))


def _contradicted(text: str, span: Span, found: Extracted, same: Same) -> Extracted | Refusal:
    """The found answer, unless something behind it announces another one."""
    if span[1] - found.end < 5:
        return found
    behind = (found.end, span[1])
    later = hash_answer(text, *behind) or tag_answer(text, *behind) or line_answer(text, *behind)
    back = found.place != "line" and denied(text[slice(*behind)])
    if later is None and (back or withdrawn(text[slice(*behind)])):
        later = closing_answer(text, *behind)
    if back and (later is None or agree(later, found, same)):
        return Refusal("the answer is taken back", (Flag("denied_answer", found.start, behind[1]),))
    if later is None or found.place in ("line", "whole") or agree(later, found, same):
        return found
    flag = Flag("conflicting_answers", found.start, later.end)
    between = text[found.end : later.start]
    if back or is_working(between):
        place: Place = "line"
        return Extracted(later.text, later.start, later.end, place, (*found.flags, flag), later.result)
    shown = found.text[:40], later.text[:40]
    return Refusal(
        f"the {found.place} says {shown[0]!r} and the line behind it says {shown[1]!r}", (*found.flags, flag)
    )
