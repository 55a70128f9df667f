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
import unicodedata

STAYS = "\n\t"


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
    """One line that stays in its cell of a Markdown table."""
    return shown_line(text).replace("|", "\\|")


def shown_json(value: object, indent: int | None = None) -> str:
    """JSON whose text holds no control character: DEL is the one that JSON lets stand."""
    return json.dumps(value, indent=indent).replace("\x7f", "\\u007f")


def _escaped(character: str) -> str:
    return character if unicodedata.category(character) == "Zs" else ascii(character)[1:-1]
