r"""Where the final answer of a completion stands: `strict` in the one box, `lenient` in the places of the policy.

>>> policy = MathPolicy()
>>> for text in (r"It is \boxed{41}, no: \boxed{42}.", "So\n#### 42", "The answer is 42 cm.", "He has 42."):
...     found = extract(text, policy)
...     print(found.text, found.place)
42 box
42 hash
42 cm line
42 line
>>> extract("I do not know.", policy).reason
'no final answer in the last 14 characters'

The places are asked in the order of `MathPolicy.answer_in`; the first that holds an answer gives it, and in each
the last one counts. Nothing else in the prose is weighed. One candidate is ever graded, so naming many gains nothing:

- boxes side by side, with nothing but commas or words like `and` between them, are one list (`joined_boxes`);
- other boxes with other values are flagged (`conflicting_boxes`), more than MAX_CANDIDATES of them refused (`spray`);
- a last box that is never closed is a completion cut while it answered (`unclosed_box`);
- an answer that stands only in the reasoning is none (`thinking_only`), unless the policy counts it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.reading import Passage
from rlenv.core.verdict import Flag, Verdict
from rlenv.envs.math.answer_place.boxed import MAX_CHARS, Span, answer_tail, equal_text, final_box, visible
from rlenv.envs.math.answer_place.choice import chosen_letter
from rlenv.envs.math.answer_place.stated import Value, is_bare, stated, unwrapped
from rlenv.envs.math.equality.policy import MathPolicy, Place
from rlenv.text.boxes import Box, find_boxes, place_of, side_by_side

Same: TypeAlias = Callable[[str, str], bool]
"""Whether two answers state one value."""
MAX_CANDIDATES = 8
MAX_WHOLE = 1000  # a longer completion is not an answer as a whole
MAX_MARKED = 1000  # an answer is announced this close to the end
_MARKER = re.compile(
    r"(?<![A-Za-z])(?:answer|ans|réponse(?: finale)?|respuesta(?: final)?|antwort|risposta(?: finale)?|odpowiedź|ответ"
    r"|resposta(?: final)?|відповідь|antwoord|cevap|jawaban(?:nya)?|đáp án|απάντηση|الجواب|الإجابة|उत्तर|คำตอบ|答案|答え"
    r"|정답|답)(?:\s+to\s+[^.\n:]{1,60}?)?[*_#\s\"]*(?:(?:is|are|would be|should be|must be|was|equals|est|es|ist"
    r"|lautet|è|é|to|jest|равен|это|adalah|là)(?![^\W\d_])|هو|هي|है|คือ|是|为|は|은|는|[:：=–]|-(?=\s)|\n|(?=\$|\\[(\[]))[*_:\s]*"
    r"|^[ \t>*]*A:\s*",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(r"(?<=[^\d\s][.!?。！？])\s+|(?<=[0-9)\]}$][.!?])\s+(?=[A-Z*])")
_LEAD_IN = re.compile(
    r"\A(?:∴|⇒|→|[=-]>|(?:so|thus|hence|therefore|then|finally|(?:it|this|that) is)\b)[,:]?\s*", re.IGNORECASE
)
_SEPARATORS = {"٫": ".", "．": ".", "％": "%", "＝": "=", "＋": "+", "－": "-"}
_TAG = re.compile(
    r"</?(?:(br|p|div|li)|b|i|em|strong|u|code|span|font|mark|sup|t[dhr]|h[1-6])(?:\s[^<>\n]{0,200})?/?>", re.IGNORECASE
)
"""What only gives the text a look: <b>, </p>"""
_DISPLAY = re.compile(r"\\\[.*?\\\]|\$\$.*?\$\$|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)  # $$1\n+2$$
MAX_SENTENCES = 3
"""Behind the sentence that states the answer stand fewer than this many that name no value."""


class Extracted(NamedTuple):
    """The final answer with the span of itself, and its place."""

    text: str
    start: int
    end: int
    place: Place
    flags: tuple[Flag, ...] = ()


class Refusal(NamedTuple):
    """Why there is no final answer."""

    reason: str
    flags: tuple[Flag, ...] = ()


def answer_of(
    completion: Completion, policy: MathPolicy, same: Same = equal_text, choice: bool = False, strict: bool = False
) -> tuple[Extracted | Refusal, Passage]:
    """The final answer of what was said, and the passage of the completion that its spans are of; a `strict` reader
    looks for the one box."""
    said = completion.content
    if strict:
        return _boxed(said.text, same), said
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
    text = _readable(text)
    span = answer_tail(text)
    for place in policy.answer_in:
        found = _PLACES[place](text, span, same, choice)
        if found is not None:
            return found
    return Refusal(f"no final answer in the last {span[1] - span[0]} characters" if span[1] else "nothing is said")


def _boxed(text: str, same: Same) -> Extracted | Refusal:
    text = _readable(text)
    box = final_box(text, same)
    if isinstance(box, Verdict):
        return Refusal(box.reason, box.flags)
    return Extracted(box.text, *box.place(text), "box")


def _readable(text: str) -> str:
    """What is seen, the end of it with the digits and separators of any script in ASCII; the length stays the same."""
    text = visible(text)
    if "<" in text:
        text = _TAG.sub(lambda tag: ("\n" if tag[1] else "").ljust(len(tag[0])), text)
    if text.isascii():
        return text
    start = max(0, len(text) - MAX_CHARS)
    tail = text[start:]
    other = {ord(character): _ascii_digit(character) for character in set(tail) if not character.isascii()}
    return text[:start] + tail.translate(other)


@lru_cache(maxsize=4096)
def _ascii_digit(character: str) -> str:
    if character.isascii() or not character.isdecimal():
        return _SEPARATORS.get(character, character)
    return str(unicodedata.decimal(character))


def _box(text: str, span: Span, same: Same, _choice: bool) -> Extracted | Refusal | None:
    boxes, unclosed = find_boxes(text, *span)
    if unclosed is not None:
        return Refusal("the last \\boxed{ is never closed", (Flag("unclosed_box", unclosed, span[1]),))
    if not boxes:
        empty = text.find("\\boxed{", *span)
        return None if empty < 0 else Refusal("the box is empty", (Flag("empty_box", empty, span[1]),))
    last = boxes[-1]
    if len(boxes) == 1:
        return Extracted(last.text, *last.place(text), "box")
    run = _different(side_by_side(text, boxes), same)
    if len(run) > 1:
        flag = Flag("joined_boxes", run[0].start, last.end)
        return Extracted(", ".join(box.text for box in run), run[0].start, last.end, "box", (flag,))
    others = _different(boxes, same)
    if len(others) == 1:
        return Extracted(last.text, *last.place(text), "box")
    flag = Flag("conflicting_boxes", boxes[0].start, last.end, f"{len(others)} different values")
    if len(others) > MAX_CANDIDATES:
        return Refusal(f"more than {MAX_CANDIDATES} different boxed answers", (flag, flag._replace(name="spray")))
    return Extracted(last.text, *last.place(text), "box", (flag,))


def _different(boxes: list[Box], same: Same) -> list[Box]:
    """One box a value, in order; of many, text alone decides."""
    kept: list[Box] = []
    by_text = {"".join(box.text.split()): box for box in boxes}
    cheap = len(by_text) > MAX_CANDIDATES
    for box in by_text.values():
        if cheap or not any(same(box.text, other.text) for other in kept):
            kept.append(box)
    return sorted(kept, key=lambda box: box.start)


def _hash(text: str, span: Span, _same: Same, _choice: bool) -> Extracted | None:
    """What follows `####` on the last line."""
    end = span[0] + len(text[slice(*span)].rstrip())
    begin = max(span[0], text.rfind("\n", span[0], end) + 1)
    line = text[begin:end].lstrip(" \t>*")
    answer = unwrapped(line.strip("#* ")) if line.startswith("####") else ""
    return Extracted(answer, *place_of(answer, text, begin, end), "hash") if answer else None


def _tag(text: str, span: Span, _same: Same, _choice: bool) -> Extracted | None:
    """What the last `<answer>` holds."""
    close = text.rfind("</answer>", *span)
    begin = text.rfind("<answer>", span[0], close) if close >= 0 else -1
    inner = text[begin + len("<answer>") : close] if begin >= 0 else ""
    value = _value(inner)
    if value is None:
        return None
    return Extracted(value.text, *place_of(value.text, text, begin + len("<answer>"), close), "tag")


def _line(text: str, span: Span, _same: Same, choice: bool) -> Extracted | None:
    """What follows the last `answer is`, or what the last line states."""
    start = max(span[0], span[1] - MAX_MARKED)
    tail = text[start : span[1]].rstrip()
    lines = (tail.rfind("\n") + 1, 0)  # most announce the answer on the last one, and to search them all is slow
    marker = next((found[-1] for begin in lines if (found := list(_MARKER.finditer(tail, begin)))), None)
    if marker is not None:
        line = tail[marker.end() :].partition("\n")[0]
        letter = chosen_letter(line) if choice else None
        value = Value(letter, 0, len(line)) if letter else None if choice else _value(line)
        if value is not None:
            return _placed(value, start + marker.end())
    if choice:
        begin = tail.rfind("\n") + 1
        letter = chosen_letter(tail[begin:])
        return Extracted(letter, start + begin, start + len(tail), "line") if letter else None
    if _nothing_but_mathematics(text, span):
        return None
    return _last_stated(tail, start)


def _last_stated(tail: str, start: int) -> Extracted | None:
    """What the last of the sentences states that names a value."""
    tail = _DISPLAY.sub(lambda block: block[0].replace("\n", " "), tail)
    begin = tail.rfind("\n\n") + 1
    ends = [begin + found.end() for found in _SENTENCE.finditer(tail[begin:])]
    starts = sorted({begin, *ends, *(at + 1 for at, character in enumerate(tail) if character == "\n" and at >= begin)})
    for at, stop in list(zip(starts, [*starts[1:], len(tail)], strict=True))[: -MAX_SENTENCES - 1 : -1]:
        value = stated(tail[at:stop])
        if value is not None:
            return _placed(value, start + at)
    return None


def _placed(value: Value, offset: int) -> Extracted:
    return Extracted(value.text, offset + value.start, offset + value.end, "line")


def _value(said: str) -> Value | None:
    """An answer that a mark points to: mathematics as it stands, else what the words state."""
    if is_bare(said):
        bare = unwrapped(said)
        at = said.find(bare)
        return Value(bare, at, at + len(bare)) if bare else None
    return stated(said, marked=True)


def _nothing_but_mathematics(text: str, span: Span) -> bool:
    """True where the whole completion is one answer."""
    whole = text[slice(*span)].strip()
    if "\n" in _DISPLAY.sub("", whole):
        return False
    one = is_bare(whole) or (whole.isascii() and not any(sign in whole for sign in " \n\t<&"))
    return len(whole) <= MAX_WHOLE and "**" not in whole[2:-2] and one


def _whole(text: str, span: Span, _same: Same, _choice: bool) -> Extracted | None:
    whole = text[slice(*span)].strip()
    if not whole or not (_nothing_but_mathematics(text, span) or (len(whole) <= 100 and "." not in whole)):
        return None
    bare = unwrapped(_LEAD_IN.sub("", whole))
    return Extracted(bare, *place_of(bare, text, *span), "whole") if bare else None


_PLACES: dict[Place, Callable[[str, Span, Same, bool], Extracted | Refusal | None]] = {
    "box": _box,
    "hash": _hash,
    "tag": _tag,
    "line": _line,
    "whole": _whole,
}
