r"""Which tests a prompt gives away: to pass those proves nothing, to fail them costs all.

>>> prompt = "def add(a, b):\n    '''Adds.\n    >>> add(1, 2)\n    3\n    '''\n"
>>> mark_shown(prompt, "add", [{"call": "add(1, 2)", "expect": "3"}, {"call": "add(2, 5)", "expect": "7"}])
[{'call': 'add(1, 2)', 'expect': '3', 'shown': True}, {'call': 'add(2, 5)', 'expect': '7'}]

A test is shown when its very call stands in the prompt, as in a doctest, or when its arguments do: every one of
them as a bracketed or quoted literal of at least five characters (`[1, 2, 3] => 6`). A number in the
prose could mean anything and shows nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from rlenv.core.jsontypes import Json
from rlenv.envs.code.expression import VALUE_ERRORS, Unsupported, evaluate, parse, render

MIN_LITERAL_CHARS = 5
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def mark_shown(prompt: str, function: str, rows: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """The tests, with those marked that the prompt gives away."""
    shown = shown_calls(prompt, function, [str(row["call"]) for row in rows])
    return [{**row, "shown": True} if given else row for row, given in zip(rows, shown, strict=True)]


def shown_calls(prompt: str, function: str, calls: Sequence[str]) -> list[bool]:
    """Which of the calls the prompt gives away."""
    known, squeezed = set(_calls(prompt, function)), _squeezed(prompt)
    return [_arguments(call) in known or _stands_in(call, squeezed) for call in calls]


def _calls(prompt: str, function: str) -> Iterator[str]:
    """The arguments of every call of the function that stands in the prompt."""
    for match in re.finditer(rf"\b{re.escape(function)}[ \t]*\(", prompt):
        end = _closed(prompt, match.end() - 1)
        if end is not None:
            yield _arguments(prompt[match.start() : end])


def _arguments(call: str) -> str:
    """The arguments in one canonical writing; without white space where they are no literals."""
    try:
        node = parse(" ".join(call.split("\n")))
        if isinstance(node, ast.Call):
            named = [f"{keyword.arg}={render(evaluate(keyword.value))}" for keyword in node.keywords]
            return ", ".join([*(render(evaluate(argument)) for argument in node.args), *named])
    except (Unsupported, *VALUE_ERRORS):
        pass
    return _squeezed(call[call.index("(") :])


def _closed(text: str, start: int) -> int | None:
    """The end of the bracket that opens at `start`, strings seen as such."""
    opened: list[str] = []
    quote = ""
    for place in range(start, len(text)):
        sign = text[place]
        if quote:
            if sign == quote and text[place - 1] != "\\":
                quote = ""
        elif sign in "'\"":
            quote = sign
        elif sign in _CLOSING:
            opened.append(_CLOSING[sign])
        elif opened and sign == opened[-1]:
            opened.pop()
            if not opened:
                return place + 1
    return None


def _stands_in(call: str, squeezed: str) -> bool:
    """True when every argument is a literal that the prompt holds."""
    try:
        node = parse(call)
        if not isinstance(node, ast.Call) or not node.args or node.keywords:
            return False
        literals = [_squeezed(render(evaluate(argument))) for argument in node.args]
    except (Unsupported, *VALUE_ERRORS):
        return False
    return all(text[0] in "[({'" and len(text) >= MIN_LITERAL_CHARS and text in squeezed for text in literals)


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text).replace('"', "'")
