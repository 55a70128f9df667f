r"""The one box that states the answer: the strict rule, for answers that are only a value, such as whole numbers.

>>> final_box(r"So \boxed{41}.").text
'41'
>>> final_box(r"\boxed{41} or \boxed{42}").reason
'2 different boxed answers; expected one'
>>> from rlenv import Completion, Task
>>> check = IntegerVerifier()
>>> [check.verify(Task("3+8=?", "11"), Completion(text)).reward for text in (r"\boxed{11}", r"\boxed{3+8}", "11")]
[1.0, 0.0, 0.0]

Only the last MAX_CHARS characters before another turn are searched, however much is said: a final answer stands at the
end, and what a search costs stays bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.errors import TaskError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.text.boxes import Box, find_boxes
from rlenv.text.folding import INVISIBLE

Span: TypeAlias = "tuple[int, int]"
MAX_CHARS = 32_768
_TURN_ENDS = ("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|eom_id|>", "</s>")
MAX_COMPARED = 8
"""More different boxes than this are not even compared."""
_MARK = re.compile(
    r"<!--|~~(?=[^~\s])|<[A-Za-z][^<>]{0,300}>|^\[[^\[\]\n]{1,40}\]:[ ]?(?:#|<>)"
    r"|\\(?:sout|st|cancel|bcancel|xcancel|[hv]?phantom|(?:text)?color\s*\{\s*(?:white|transparent)\s*\})\s*(?=[^a-zA-Z])",
    re.MULTILINE,
)
r"""Where something unseen may begin: `<!--`, `~~12~~`, `<del>`, `[//]: # (...)`, `\sout{`, `\color{white}`"""
_NAME = re.compile(r"[\s/>]")  # what ends the name of a tag
_STRUCK = frozenset({"s", "del", "strike"})
_LEFT_OUT = frozenset({"template", "script", "style"})
_HIDDEN = ("hidden", "display:none", "color:white", "color:#fff", "font-size:0", "opacity:0")
_STARTS = ("<", "~~", "]:", "\\sout", "\\st", "cancel", "phantom", "color")
"""Without any of these, all that is printed is seen."""
_NOTHING = re.compile(f"[{INVISIBLE}]")  # a zero-width space
_TURNED = re.compile(r"\u202e[^\u202c\n]*")  # shown from right to left: 57 for 75
_WORD = re.compile(rf"\S*[{INVISIBLE}]\S*")  # a word with one in it
_TOKEN = re.compile(r"\\.|[{}]", re.DOTALL)  # \\{, {


def equal_text(left: str, right: str) -> bool:
    """Equal but for white space."""
    return left == right or "".join(left.split()) == "".join(right.split())


def final_box(text: str, same: Callable[[str, str], bool] = equal_text) -> Box | Verdict:
    """The one box of a text that states the answer, or the verdict that refuses it: the strict rule.

    Here boxes with different values are no answer at all. `same` says whether two contents are one value.
    """
    start, end = answer_tail(text)
    boxes, unclosed = find_boxes(text, start, end)
    if unclosed is not None:
        return refuse("unclosed_box", "the last \\boxed{ is never closed", unclosed, end)
    if not boxes:
        return refuse("", "no \\boxed{} with an answer")
    last = boxes[-1]
    if len(boxes) == 1:
        return last
    others = {box.text for box in boxes[:-1] if not equal_text(box.text, last.text)}
    if len(others) < MAX_COMPARED:
        others = {value for value in others if not same(value, last.text)}
    if others:
        reason = f"{len(others) + 1} different boxed answers; expected one"
        return refuse("conflicting_boxes", reason, boxes[0].start, last.end)
    return last


def refuse(flag: str, reason: str, start: int = 0, end: int = 0, answer: tuple[int, int] | None = None) -> Verdict:
    """A verdict of 0 with its reason and, where there is something to see, a flag."""
    flags = (Flag(flag, start, end),) if flag else ()
    return Verdict.of(("correct", 0.0), flags=flags, reason=reason, answer=answer)


def answer_tail(text: str) -> Span:
    """The span that is searched for an answer: before the first token that ends a turn, cut to its tail.

    >>> answer_tail("So 42.<|im_end|>")
    (0, 6)
    """
    end = len(text)
    if "<" in text:
        end = _turn_end(text, max(0, end - MAX_CHARS), end)
    return max(0, end - MAX_CHARS), end


def _turn_end(text: str, start: int, end: int) -> int:
    """Where the first token that ends a turn stands, ignoring those that open the text."""
    for token in _TURN_ENDS:
        found = text.find(token, start, end)
        if found >= 0 and text[start:found].strip():
            end = found
    return end


_INTEGER = re.compile(r"[+-]?[0-9]+")  # 42, -7, +3


@lru_cache(maxsize=4096)
def _right(start: int, end: int) -> Verdict:
    """Verdicts are immutable, so right answers in one place share theirs: making it takes longer than judging."""
    return Verdict.of(("correct", 1.0), answer=(start, end))


@dataclass(frozen=True)
class IntegerVerifier:
    """The answer is an optional sign and at most `max_digits` digits; anything else is worth 0."""

    max_digits: int = 20
    cheap: bool = True
    version: str = "boxed-integer-3"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        expected = self._integer(str(task.reference))
        if expected is None:
            raise TaskError(f"task {task.id}: expected an integer as the reference, got {task.reference!r}")
        content = completion.content
        return self._judged(visible(content.text), expected).placed(content)

    def _judged(self, said: str, expected: int) -> Verdict:
        box = final_box(said, self._same)
        if isinstance(box, Verdict):
            return box
        answer = self._integer(box.text)
        if answer == expected:
            return _right(*box.place(said))
        what = "not a whole number" if answer is None else f"got {answer}, expected {expected}"
        return refuse("", f"boxed answer: {what}", answer=box.place(said))

    def _same(self, left: str, right: str) -> bool:
        value = self._integer(left)
        return value is not None and value == self._integer(right)

    def _integer(self, text: str) -> int | None:
        text = text.strip()
        if len(text) > self.max_digits + 1 or _INTEGER.fullmatch(text) is None:
            return None
        return int(text)


def visible(text: str) -> str:
    r"""The text as it is seen, as long as before: no comments, struck, white or hidden text, zero-width characters.

    >>> [visible(text).strip() for text in (r"13 <!-- \boxed{12} -->", "~~12~~ 13", r"\cancel{12} 13", "1\u200b2")]
    ['13', '13', '13', '12']

    What is not seen becomes blanks, so that every place in the text stays where it was; only behind a zero-width
    character the rest of its word moves up, and the blanks stand at the word's end. One pass, linear in the length.
    """
    if not text.isascii() and _NOTHING.search(text):
        text = _TURNED.sub(lambda turned: " " * len(turned[0]), text)
        text = _WORD.sub(lambda word: _NOTHING.sub("", word[0]).ljust(len(word[0])), text)
    if not any(start in text for start in _STARTS):
        return text
    seen, at = [], 0
    for start, end in _unseen(text):
        seen += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*seen, text[at:]]) if seen else text


def _unseen(text: str) -> Iterator[tuple[int, int]]:
    """The spans that are not seen, in order, none within another."""
    end = 0
    for mark in _MARK.finditer(text):
        if mark.start() >= end:
            found = _end(text, mark)
            if found > mark.start():
                end = found
                yield mark.start(), end


def _end(text: str, mark: re.Match[str]) -> int:
    """Where what begins with the mark ends; -1 where it is seen."""
    name = mark[0]
    if name == "<!--":
        return _behind(text, "-->", mark.end()) or len(text)
    if name == "~~":
        paragraph = text.find("\n\n", mark.end())
        return _behind(text, "~~", mark.end(), len(text) if paragraph < 0 else paragraph) or -1
    if name[0] == "[":
        line = text.find("\n", mark.end())
        return len(text) if line < 0 else line
    if name[0] == "<":
        return _element(text, name, mark.end())
    return _group(text, mark.end(), "color" in name and not name.startswith("\\textcolor"))


def _behind(text: str, word: str, start: int, end: int | None = None) -> int:
    place = text.find(word, start, end)
    return place + len(word) if place >= 0 else 0


def _element(text: str, tag: str, start: int) -> int:
    """Where a struck or hidden element ends, with elements of its name inside it; -1 where it is seen."""
    name = _NAME.split(tag[1:], maxsplit=1)[0].lower()
    settings = "".join(tag[len(name) + 1 :].lower().split())
    struck = name in _STRUCK and settings.count("=") >= (settings != ">")  # x <s and t> 5 strikes nothing
    if tag.endswith("/>") or not (struck or name in _LEFT_OUT or any(word in settings for word in _HIDDEN)):
        return -1
    depth = 1
    for found in re.compile(rf"<(/?){re.escape(name)}(?=[\s>])[^<>]*>", re.IGNORECASE).finditer(text, start):
        depth += -1 if found[1] else 1
        if not depth:
            return found.end()
    return len(text)


def _group(text: str, start: int, to_the_end: bool) -> int:
    """Where the braces that open here close; with `to_the_end` and none here, where those around it do."""
    here = text.startswith("{", start)
    if not here and not to_the_end:
        return -1
    depth = 0 if here else 1
    for brace in _TOKEN.finditer(text, start):
        depth += (brace[0] == "{") - (brace[0] == "}")
        if not depth:
            return brace.end() - (not here)
    return len(text)
