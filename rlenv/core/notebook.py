r"""Values as a notebook shows them: HTML of which the text of others is no part.

>>> escaped("<b>1</b> \x1b[2J")
'&lt;b&gt;1&lt;/b&gt; \\x1b[2J'
>>> marked("So 42.", [(3, 5, "answer")])
'<pre style="white-space:pre-wrap;text-align:left">So <mark title="answer">42</mark>.</pre>'
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence

MOST_CHARS = 20_000
"""Of one text that is shown; a page of megabytes stops the browser."""
_PRE = '<pre style="white-space:pre-wrap;text-align:left">'


def escaped(text: object) -> str:
    """Text that is neither markup nor a command: what is invisible or turns letters around is shown as an escape."""
    kept = (
        c if c.isprintable() or c in "\n\t" or unicodedata.category(c) == "Zs" else ascii(c)[1:-1] for c in str(text)
    )
    return html.escape("".join(kept))


def table(title: str, head: Sequence[object], rows: Iterable[Sequence[object]], notes: Iterable[object] = ()) -> str:
    """A table under its title, with a list of what else there is to say."""
    lines = [f"<p><b>{escaped(title)}</b></p>"]
    cells = [_row(row, "td") for row in rows]
    if cells:
        lines += ["<table>", _row(head, "th"), *cells, "</table>"]
    told = [f'<li style="white-space:pre-wrap">{escaped(note)}</li>' for note in notes]
    return "\n".join([*lines, *(["<ul>", *told, "</ul>"] if told else [])])


def marked(text: str, spans: Iterable[tuple[int, int, str]] = ()) -> str:
    """A text as it stands, with these spans marked by their names; of spans that overlap the first is shown."""
    parts, at = [_PRE], 0
    for start, end, name in sorted(spans):
        if at <= start < end <= MOST_CHARS:
            mark = f'<mark title="{escaped(name)}">{escaped(text[start:end])}</mark>'
            parts += [escaped(text[at:start]), mark]
            at = end
    left_out = f" ... {len(text) - MOST_CHARS:,} more characters" if len(text) > MOST_CHARS else ""
    return "".join([*parts, escaped(text[at:MOST_CHARS]), left_out, "</pre>"])


def _row(values: Sequence[object], kind: str) -> str:
    cells = (f'<{kind} style="text-align:left">{escaped(_written(value))}</{kind}>' for value in values)
    return f"<tr>{''.join(cells)}</tr>"


def _written(value: object) -> object:
    return f"{value:.4g}" if isinstance(value, float) else value
