r"""Which code a completion answers with.

1. Where there are fenced blocks (``` or ~~~, on lines of their own; the last may be left open by a completion that
   was cut), those marked as Python, or not marked at all, can be the answer; other languages and outputs cannot. The
   answer is the last of them that defines the function asked for; if none does, the last of them. One block
   is the answer: blocks are never joined. Text that begins with code and runs up to an unmarked fence is a
   block that this fence closes.
2. Without a fence the text itself is the answer: from the first line that begins like code (a definition, an
   import, a decorator, an assignment, ...), up to the first sentence at the margin below the function.
3. Where a task is to complete a function, an answer that does not define it goes on from the prompt: if its first
   line is indented, or begins like no definition or import (it then lost its indentation, and gets four
   spaces back). It ends at the first later line that is not indented, closing brackets apart.
4. Code that stands indented as a whole is moved to the margin.
5. A byte order mark (U+FEFF) before the text or before the code is no part of it, as Python takes it of files.

Every step is a scan over lines: hostile text costs no more than its length, and nothing is parsed here.

>>> find("Sure:\n```python\ndef add(a, b):\n    return a + b\n```\nTry `add(1, 2)`.", "add").text
'def add(a, b):\n    return a + b\n'
>>> find("    return a + b\nprint(add(1, 2))", "add", continued=True)
Code(text='    return a + b\n', start=0, end=17, continues=True)
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import NamedTuple

_MARK = re.compile(r"\s*+\ufeff++")  # a byte order mark, blank lines before it
# ```python title="a.py"
_FENCE = re.compile(r"^\ufeff?[ \t]{0,3}(`{3,}+|~{3,}+)[ \t]*+([^`\s]*+)([^`\n]*+)$", re.MULTILINE)
_PYTHON = frozenset({"", "python", "python3", "py", "python2", "ipython", "pycon3"})
_BEGINS_CODE = re.compile(
    r"^(?:(?:async\s+)?def\s|class\s|import\s|from\s+[\w.]+\s+import\s|@\w|if\s+__name__|[A-Za-z_]\w*\s*=[^=]|#!)",
    re.MULTILINE,
)
_TOP_LEVEL = re.compile(r"\s*(?:(?:async\s+)?def\s|class\s|import\s|from\s|@|#)")
_SENTENCE = re.compile(r"^[A-Z][A-Za-z']*+(?:[ ,]++[A-Za-z'`][\w'`.()-]*+){2}", re.MULTILINE)
_NOT_INDENTED = re.compile(r"^[^\s)\]}]", re.MULTILINE)
INDENT = "    "


class Code(NamedTuple):
    """The answer with its span `[start, end)` in the content."""

    text: str
    start: int
    end: int
    continues: bool = False
    """True when it goes on where the prompt ends."""


class _Block(NamedTuple):
    language: str
    start: int
    end: int


def find(content: str, function: str = "", *, continued: bool = False) -> Code | None:
    """The code that the content of a completion answers with, None where it holds none.

    `function` is the name that the task asks for, `continued` says that the prompt is the head of it.
    """
    if mark := _MARK.match(content):
        found = find(content[mark.end() :], function, continued=continued)
        return found and found._replace(start=found.start + mark.end(), end=found.end + mark.end())
    blocks = [block for block in _blocks(content, continued) if block.language.lower() in _PYTHON]
    if blocks:
        chosen = next((b for b in reversed(blocks) if _defines(content[b.start : b.end], function)), blocks[-1])
        return _code(content, chosen.start, chosen.end, function if continued else "")
    if _FENCE.search(content) or not content.strip():
        return None
    start, end = 0, len(content)
    if not continued or _defines(content, function):
        head = _BEGINS_CODE.search(content)
        start = 0 if head is None else head.start()
        end = _end_of_code(content, start, function)
    return _code(content, start, end, function if continued else "")


def _blocks(text: str, continued: bool) -> list[_Block]:
    """The fenced blocks in order. A fence is closed by a bare one of the same sign that is at least as long."""
    found: list[_Block] = []
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None and not found and not fence[2] and _begins_with_code(text[: fence.start()], continued):
            found.append(_Block("", 0, fence.start()))
        elif opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2]:
            found.append(_Block(opened[2], min(opened.end() + 1, fence.start()), fence.start()))
            opened = None
    if opened is not None:
        found.append(_Block(opened[2], min(opened.end() + 1, len(text)), len(text)))
    return [block for block in found if text[block.start : block.end].strip()]


def _begins_with_code(text: str, continued: bool) -> bool:
    """True when the first line that is not blank is code; an indented one goes on from the prompt."""
    line = next((line for line in text.splitlines() if line.strip()), "")
    return _BEGINS_CODE.match(line) is not None or (continued and line[:1] in (" ", "\t"))


def _end_of_code(text: str, start: int, function: str) -> int:
    """Where the first sentence at the margin begins below the definition of the function."""
    definition = re.compile(rf"^(?:async[ \t]+)?def[ \t]+{re.escape(function)}\b", re.MULTILINE).search(text, start)
    sentence = _SENTENCE.search(text, definition.end()) if function and definition else None
    return len(text) if sentence is None else sentence.start()


def _defines(code: str, function: str) -> bool:
    """True when a line that is not indented defines the function, as far as a look at the text can tell."""
    name = re.escape(function)
    pattern = rf"^\ufeff*(?:(?:async[ \t]+)?def[ \t]+{name}[ \t]*\(|class[ \t]+{name}\b|{name}[ \t]*(?::[^=\n]*)?=[^=])"
    return bool(function) and re.search(pattern, dedent(code), re.MULTILINE) is not None


def _code(text: str, start: int, end: int, head: str) -> Code:
    """The code in a span, which may go on from the prompt where that ends in the definition of `head`."""
    if mark := _MARK.match(text, start, end):
        start = mark.end()
    code = text[start:end]
    if not head or _defines(code, head):
        return Code(dedent(code), start, end)
    start += len(code) - len(code.lstrip("\r\n"))
    first_line, _, _ = text[start:end].partition("\n")
    indented = first_line[:1] in (" ", "\t")
    if not indented and _TOP_LEVEL.match(first_line):
        return Code(code, start, end)
    stop = _NOT_INDENTED.search(text, min(start + len(first_line) + 1, end), end)
    end = end if stop is None else stop.start()
    return Code(("" if indented else INDENT) + text[start:end], start, end, True)
