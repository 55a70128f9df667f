r"""Text of others as a person may see it: what would command the terminal, or hide, is shown as an escape.

A completion that is printed as it is can move the cursor over a verdict, recolour it, rename the window or turn the
order of letters around. So whatever comes from a completion, a prompt, a task, a file or an error goes through here.

>>> shown("\x1b[2Jright\r\nand \u202eon")
'\\x1b[2Jright\\r\nand \\u202eon'
>>> shown_line("over\r\ntwo lines")
'over\\r two lines'

Escaped is what Python's own `repr` escapes: controls (C0, DEL, C1), format characters (directions, zero width, tags),
lone surrogates, the separators of lines and paragraphs, private and unassigned ones. Spaces of any width stay.
"""

from __future__ import annotations

import json
import re
import unicodedata

STAYS = "\n\t"
_MARKUP = re.compile(r"[\\`*<>#|]|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")
"""Of Markdown and of HTML in it: <script>, [a](b), *a*, _a_, a | b; [0.1, 0.2] and the line of a_b are text."""


def shown(text: str) -> str:
    """Text of several lines: newline and tab stay."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in STAYS else _escaped(c) for c in text)


def shown_line(text: str, most: int = 0) -> str:
    """The same on one line; of a text longer than `most` characters, where that is given, the middle is left out."""
    line = " ".join(shown(text).split())
    return line if not most or len(line) <= most else f"{line[: 2 * most // 3]} ... {line[-(most // 3) :]}"


def shown_cell(text: str) -> str:
    r"""One line of a Markdown page, or one cell of a table in it, of which nothing is markup.

    >>> print(shown_cell("<img src=x> | [a](b)"))
    \<img src=x\> \| [a\](b)
    """
    return _MARKUP.sub(r"\\\g<0>", shown_line(text))


def shown_code(text: str) -> str:
    """The same as code, behind more backticks than it holds; nothing for nothing.

    >>> shown_code("a"), shown_code("a `b`")
    ('`a`', '`` a `b` ``')
    """
    line = shown_line(text).replace("|", "\\|")  # which ends a cell of a table inside code too
    ticks = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return "" if not line else f"{ticks}{line}{ticks}" if ticks == "`" else f"{ticks} {line} {ticks}"


def shown_json(value: object, indent: int | None = None) -> str:
    """JSON whose text holds no control character: DEL is the one that JSON lets stand."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


def _escaped(character: str) -> str:
    return character if unicodedata.category(character) == "Zs" else ascii(character)[1:-1]
