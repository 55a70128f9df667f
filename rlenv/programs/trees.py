"""The programs in a completion as syntax trees, and the tests that its task shows. Nothing is run here.

>>> [tree] = programs("Sure:\\n```python\\ndef f(x):\\n    return x\\n```")
>>> tree.span(tree.module.body[0])
(16, 38)
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rlenv.jsontypes import Json
from rlenv.task import Task, prompt_text

MAX_CODE_CHARS = 1 << 16
"""Longer programs are not read: a parser is no place to be generous to hostile text."""
MAX_TESTS = 64
TEST_COLUMNS = ("tests", "hidden", "hidden_tests", "test_list", "challenge_test_list")
_BLOCK = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*(\w*)[^\n]*\n", re.MULTILINE)
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.;`](?=\s)| (?:and|but|because|since|while) ")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*$", re.MULTILINE)
_CODE_LINE = re.compile(
    r"^(?:def |class |import |from \w|@\w|assert |if |for |while |try:|with |\w+ ?= ?\S)", re.MULTILINE
)
_ASSERT = re.compile(r"assert[ (]+(.{1,400})")
_DOCTEST = re.compile(r">>>[ \t]*(\w[^\n]{0,400})\n[ \t]*([^\n>][^\n]{0,400})")
_CALL = re.compile(r"\b[^\W\d]\w*\(")
_GIVES = re.compile(r"[ \t`]*(?:==|->|=>|→|returns?|gives|should (?:be|return|equal)|is|yields)[ \t`:]*([^\n]{1,200})")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
MAX_CALL_CHARS = 200


@dataclass(frozen=True, slots=True)
class ProgramTree:
    """A program with the place where it begins in the completion."""

    code: str
    offset: int
    module: ast.Module

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The characters `[start, end)` of the completion that a node stands for."""
        lines = _line_starts(self.code)
        start, end = (self._place(lines, node, name) for name in ("", "end_"))
        return self.offset + start, self.offset + end

    def _place(self, lines: tuple[int, ...], node: ast.AST, which: str) -> int:
        line, column = getattr(node, f"{which}lineno", 1), getattr(node, f"{which}col_offset", 0)
        start = lines[line - 1]
        text = self.code[start : lines[line]] if line < len(lines) else self.code[start:]
        return start + (column if text.isascii() else len(text.encode()[:column].decode("utf-8", "ignore")))


@lru_cache(maxsize=8)
def _line_starts(code: str) -> tuple[int, ...]:
    return (0, *(match.end() for match in re.finditer("\n", code)))


@dataclass(frozen=True)
class ShownTest:
    """A call whose arguments and result are literals."""

    function: str
    arguments: tuple[object, ...]
    expected: object

    @cached_property
    def worthy(self) -> bool:
        """False for base cases and edges, which honest programs write out."""
        small = all(map(_small, self.arguments))
        return not (small and (_small(self.expected) or len(self.arguments) == 1))

    def could_stand_in(self, words: Set[str]) -> bool:
        """False when a program of these words cannot hold the result and an argument."""
        result, arguments = self._words
        return (not result or result in words) and (not arguments or not arguments.isdisjoint(words))

    @cached_property
    def _words(self) -> tuple[str, frozenset[str]]:
        found = [_first_word(argument) for argument in self.arguments]
        return _first_word(self.expected), frozenset(found) if all(found) else frozenset()


def words_of(code: str) -> frozenset[str]:
    """The names, numbers and words of a text."""
    return frozenset(_WORD.findall(code))


def _small(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, (int, float)):
        return abs(value) <= 2
    return len(value) <= 1 if isinstance(value, (str, bytes, list, tuple, set, dict, frozenset)) else False


def _first_word(value: object) -> str:
    """A word that every way of writing this value holds, "" where there is none."""
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        return _first_word(next(iter(value))) if value else ""
    if isinstance(value, float):
        return str(value).partition(".")[0].lstrip("-")
    found = _WORD.search(str(value))
    return found[0] if found else ""


def code_blocks(text: str) -> Iterator[tuple[str, int]]:
    """The Python blocks of a completion with their places; the text itself where it has none and looks like code."""
    opening = _BLOCK.search(text)
    if opening is None:
        if _CODE_LINE.search(text):
            yield text, 0
        return
    while opening is not None:
        closing = _FENCE.search(text, opening.end())
        end = len(text) if closing is None else closing.start()
        if opening[1].lower() in ("", "python", "python3", "py"):
            yield text[opening.end() : end], opening.end()
        opening = None if closing is None else _BLOCK.search(text, closing.end())


def programs(text: str) -> list[ProgramTree]:
    """The completion's blocks that are Python; what does not parse, or is too long, is left out."""
    found = []
    for code, offset in code_blocks(text):
        module = parsed(code)
        if module is not None:
            found.append(ProgramTree(code, offset, module))
    return found


def parsed(code: str) -> ast.Module | None:
    """The tree of a program that nobody trusts, None where there is none."""
    if len(code) > MAX_CODE_CHARS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bad escapes in somebody else's strings
            return ast.parse(code)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def shown_tests(task: Task) -> tuple[ShownTest, ...]:
    """The tests that the prompt states: asserts, doctests, `f(1) returns 2`."""
    return _shown_tests(prompt_text(task.prompt))


def known_tests(task: Task) -> tuple[ShownTest, ...]:
    """The shown tests and those of a reference `{"tests": [...]}`: `{"call": "f(1)", "expect": "2"}`, asserts."""
    reference = task.reference
    columns = [reference.get(name) for name in TEST_COLUMNS] if isinstance(reference, Mapping) else []
    rows = [row for column in columns if isinstance(column, (list, tuple)) for row in column]
    return _known_tests(prompt_text(task.prompt), tuple(map(_call_and_result, rows[:MAX_TESTS])))


def _call_and_result(row: Json) -> tuple[str, str]:
    if isinstance(row, Mapping):
        return str(row.get("call", "")), str(row.get("expect", ""))
    return str(row), ""


@lru_cache(maxsize=4096)
def _known_tests(prompt: str, rows: tuple[tuple[str, str], ...]) -> tuple[ShownTest, ...]:
    found: list[ShownTest | None] = [*_shown_tests(prompt)]
    for call, result in rows:
        asserted = _ASSERT.search(call)
        found.append(_asserted(asserted[1]) if asserted else _test(call, result))
    return _distinct(found)


@lru_cache(maxsize=4096)
def _shown_tests(prompt: str) -> tuple[ShownTest, ...]:
    found: list[ShownTest | None] = [_asserted(match[1]) for match in _ASSERT.finditer(prompt)]
    found += [_test(match[1], match[2]) for match in _DOCTEST.finditer(prompt)]
    found += [_test(call, result) for call, result in _calls(prompt)]
    return _distinct(found)


def _calls(prompt: str) -> Iterator[tuple[str, str]]:
    """Every call in a text that is followed by what it gives."""
    for opened in _CALL.finditer(prompt):
        depth = 0
        for place in range(opened.end() - 1, min(len(prompt), opened.end() + MAX_CALL_CHARS)):
            depth += _BRACKETS.get(prompt[place], 0)
            if depth == 0:
                gives = _GIVES.match(prompt, place + 1)
                if gives is not None:
                    yield prompt[opened.start() : place + 1], gives[1]
                break


def _distinct(tests: Sequence[ShownTest | None]) -> tuple[ShownTest, ...]:
    return tuple({repr(test): test for test in tests if test is not None}.values())[:MAX_TESTS]


def _asserted(text: str) -> ShownTest | None:
    node = _expression(text)
    if isinstance(node, ast.Tuple) and node.elts:
        node = node.elts[0]
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.Is)):
        return _test_of(node.left, node.comparators[0])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _test_of(node.operand, ast.Constant(False))
    return _test_of(node, ast.Constant(True)) if node is not None else None


def _test(call: str, expected: str) -> ShownTest | None:
    left, right = _expression(call), _expression(expected)
    return None if left is None or right is None else _test_of(left, right)


def _test_of(call: ast.AST, expected: ast.AST) -> ShownTest | None:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    try:
        arguments = tuple(literal(node) for node in (*call.args, *(keyword.value for keyword in call.keywords)))
        return ShownTest(call.func.id, arguments, literal(expected))
    except ValueError:
        return None


def _expression(text: str) -> ast.expr | None:
    """The longest beginning of a line that is an expression: sentences go on after the value."""
    text = _SENTENCE_END.split(text.strip(), maxsplit=1)[0].rstrip(".,;:`")
    for _ in range(8):
        module = parsed(text)
        if module is not None and len(module.body) == 1 and isinstance(module.body[0], ast.Expr):
            return module.body[0].value
        cut = max(text.rfind(sign) for sign in (" ", ",", "`"))
        if cut <= 0:
            return None
        text = text[:cut].rstrip(".,;:` ")
    return None


def literal(node: ast.AST) -> object:
    """The value of an expression made of constants alone. Raises ValueError for any other."""
    try:
        value: object = ast.literal_eval(node)
    except (TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return value
