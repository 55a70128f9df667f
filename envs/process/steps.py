r"""Cuts a completion into steps, as spans of characters: in order, disjoint, none of them blank.

>>> text = "3+8=11; 11+5=16; \\boxed{16}"
>>> [text[start:end] for start, end in split(text, "separators")]
['3+8=11', '11+5=16', '\\boxed{16}']
>>> text = "First the eggs: 3 + 4 = 7.\n\nThen she sells them\nat $2: 7 * 2 = 14."
>>> [text[start:end] for start, end in split(text)]
['First the eggs: 3 + 4 = 7.', 'Then she sells them\nat $2: 7 * 2 = 14.']

What can be seen belongs to exactly one step, but for separators; blanks and invisible characters at the edges of a
step belong to none, so a line of zero-width characters is no step. The time is linear in the length of the text; what
follows MAX_PIECES cuts is one piece.

    paragraphs   between blank lines
    lines        one a line
    numbered     from one numbered heading to the next (`Step 2:`, `2.`, `(2)`, `**2)**`); the number must be the one
                 before plus one, or stand behind the word step; what comes before the first is a step
    separators   between semicolons, or between the matches of a pattern of your own
    auto         numbered where there are two headings, else paragraphs where there are two, else lines
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError

Span: TypeAlias = tuple[int, int]
Kind: TypeAlias = Literal["auto", "paragraphs", "lines", "numbered", "separators"]
SEPARATOR = ";"
MAX_PIECES = 4096
"""More pieces than this are one: no working has as many, and each takes time."""
_BREAK = re.compile(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")
_HEADING = re.compile(
    r"[ \t]{0,8}(?:#{1,6}[ \t]{0,4}|[-*][ \t]{1,4})?(?:\*\*|__)?"
    r"(?:(?P<word>step)[ \t]{0,4}(?P<a>[0-9]{1,4})\b|\(?(?P<b>[0-9]{1,4})(?:[.):](?:\*\*|__)?(?=[ \t]|$)|\)(?=\S)))",
    re.IGNORECASE,
)


def split(text: str, kind: Kind = "auto", separator: str = SEPARATOR) -> tuple[Span, ...]:
    """The spans `[start, end)` of the steps. `separator` is a regular expression, used by `separators` alone.

    Raises ConfigError for a kind that does not exist, or a separator that is no pattern or matches nothing.
    """
    if kind not in get_args(Kind):
        raise ConfigError(f"expected a kind of steps out of {', '.join(get_args(Kind))}, got {kind!r}")
    if kind == "separators":
        return _trimmed(text, _between(text, _pattern(separator)))
    lines = _trimmed(text, _between(text, _BREAK))
    if kind == "lines":
        return lines
    if kind == "paragraphs":
        return _paragraphs(text, lines)
    headings = _headings(text, lines)
    if kind == "numbered" or len(headings) > 1:
        return _from_headings(lines, headings)
    paragraphs = _paragraphs(text, lines)
    return paragraphs if len(paragraphs) > 1 else lines


def _pattern(separator: str) -> re.Pattern[str]:
    try:
        pattern = re.compile(separator)
    except re.error as error:
        raise ConfigError(f"expected a regular expression as separator, got {separator!r}: {error}") from error
    if pattern.match(""):
        raise ConfigError(f"expected a separator that matches at least one character, got {separator!r}")
    return pattern


def _between(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    """The stretches between the matches, blank ones included; the last one holds all that is left."""
    at = 0
    for match in islice(pattern.finditer(text), MAX_PIECES):
        if match.end() > match.start():
            yield at, match.start()
            at = match.end()
    yield at, len(text)


def _trimmed(text: str, spans: Iterator[Span]) -> tuple[Span, ...]:
    """The spans without what cannot be seen at their edges; those with nothing to see are left out."""
    kept = []
    for start, end in spans:
        while start < end and not _is_seen(text[start]):
            start += 1
        while end > start and not _is_seen(text[end - 1]):
            end -= 1
        if start < end:
            kept.append((start, end))
    return tuple(kept)


def _is_seen(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def _paragraphs(text: str, lines: tuple[Span, ...]) -> tuple[Span, ...]:
    """Lines joined where a single break lies between them."""
    joined: list[Span] = []
    for start, end in lines:
        if joined and len(_BREAK.findall(text, joined[-1][1], start)) == 1:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return tuple(joined)


def _headings(text: str, lines: tuple[Span, ...]) -> list[int]:
    """Which lines open a numbered step."""
    found: list[int] = []
    last: int | None = None
    for index, (start, end) in enumerate(lines):
        match = _HEADING.match(text, start, end)
        if match is None:
            continue
        number = int(match["a"] or match["b"])
        if match["word"] or (number in (0, 1) if last is None else number == last + 1):
            found.append(index)
            last = number
    return found


def _from_headings(lines: tuple[Span, ...], headings: list[int]) -> tuple[Span, ...]:
    if not lines:
        return ()
    opening = sorted({0, *headings})
    closing = [*opening[1:], len(lines)]
    return tuple((lines[first][0], lines[last - 1][1]) for first, last in zip(opening, closing, strict=True))
