r"""Answers that the last lines or the last sentence tell part by part: bullets, equations, coordinates, rows.

>>> list(listed("2, 3", "The solutions are:\n- x = 2\n- x = 3", ""))
['x = 2, x = 3']
>>> list(listed("(5,-1,6)", "So b = -1, c = 6 and a = b + c = 5.", "Find the ordered triple $(a,b,c)$."))
['(5, -1, 6)']
>>> list(listed("(1,2)", "It has x-coordinate 1 and y-coordinate 2.", "Find the point."))
['(1, 2)']
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import takewhile

from rlenv.envs.math.reading.written import MATHEMATICS, inside
from rlenv.envs.math.rereading.denials import denying
from rlenv.envs.math.values import is_bare

MAX_CHARS = 600
MAX_ITEMS = 12
_ITEM = re.compile(r"[ \t]*(?:[-*•–]|\(?[0-9]{1,2}[.)])[ \t]+(?P<said>\S[^\n]{0,80}?)[ \t.,;]*")  # - x = 2
_EQUATION = re.compile(r"[ \t$*]*(?P<name>[A-Za-z])(?:_?[0-9₁₂₃])?\s*=[^=\n]{1,80}")  # x = 1 + 4t
_SETS_ONE = re.compile(r"\W*(?P<name>[A-Za-z])\s*=\s*(?P<value>[^=<>]{1,30}?)[\s.]*")  # a = 5
_PAIR = re.compile(r"[A-Za-z]\s*=\s*[^\s=,;]+(?:,| and|, and) [A-Za-z]\s*=\s*[^\s=,;]+(?=[\s,;.]|\Z)")  # a = 1, b = 6
_LABEL = re.compile(r"\A[A-Za-z][A-Za-z -]{2,30}:\s*(?=\()")  # y-intercept: (0, -8)
_MARKS = re.compile(r"\A[\s$*]+|[\s$*.,;]+\Z|\\[()]")  # $x = 2$
_LETTERS = re.compile(r"\(\s*([A-Za-z](?:_\{?[0-9]\}?)?(?:\s*,\s*[A-Za-z](?:_\{?[0-9]\}?)?){1,3})\s*\)")  # (a, b, c)
_LAST_NAME = re.compile(r"(?<![A-Za-z])[A-Za-z](?:_[0-9])?\s*\Z")  # the b of `So b `
_COORDINATE = re.compile(
    r"\b\$?(?P<name>[a-z])\$?-(?:coordinate|value)(?: is| of| =|:)?\s*(?P<value>[^\sA-Za-z,;]+)", re.IGNORECASE
)
"""x-coordinate 1"""
_SPEAKS_OF_ROWS = re.compile(r"\brows?\b", re.IGNORECASE)  # first row (3, -1) and second row (-5, 2)
_TUPLE = re.compile(r"[(\[]([^()\[\]]{1,60})[)\]]")  # (3, -1)
_BRACKETED = re.compile(r"\s*[|\[(](?P<cells>\s*[^\s,\[\]|()]+(?:[\s,]+[^\s,\[\]|()]+)+)\s*[|\])]\s*")  # [1 2]
_WRITTEN = re.compile(r"\[(?P<rows>[^\[\];]+(?:;[^\[\];]+)+)\][\s.]*\Z")  # [1 2; 3 4]
_PARTS = re.compile(
    r"\breal part(?: is| of|:)?\s*(?P<real>[^\sA-Za-z,;]+),?(?: and)?(?: the| an)? imaginary part(?: is| of|:)?\s*"
    r"(?P<imaginary>[^\sA-Za-z,;]+?)[\s.]*\Z"
)
"""The real part is 5 and the imaginary part is 1."""
_LETTER = re.compile(r"(?<![A-Za-z\\])[a-z](?![A-Za-z])")  # the x of 2x + 1
_DENIED = denying(r"wrong|extraneous|reject\w*|impossible|instead")  # it is not 12
_MEETS = re.compile(
    r"(?<![A-Za-z])\$?(?P<axis>[xy])\$?-(?:axis|intercept)(?: is| at| of|:| =)*\s*(?:the point )?"
    r"(?:\$?(?!(?P=axis)\b)?[xy] ?= ?)?"
    r"(?P<value>\([^()]{1,30}\)|[^\sA-Za-z,;()]{1,20})(?=[\s,;.$]|\Z)"
)
"""crosses the x-axis at x = 6, y-intercept: (0, 4)"""
_CUT = re.compile(r"[,;\n]|\band\b|\bso\b|\.\s|\b(?:is|are) an?\b")  # b = -1, c = 6 and a = 5


def listed(gold: str, text: str, question: str) -> Iterator[str]:
    """What the end of a text lists, in the notation of a reference of several parts."""
    text = text[-MAX_CHARS:].rstrip()
    lines = [line for line in text.split("\n") if line.strip()]
    yield from _items(lines)
    yield from _equations(lines)
    yield from _table(lines)
    yield from _pairs(gold, lines, question)
    yield from _named(gold, lines)
    if "0" in gold and lines and (crossed := _intercepts(" ".join(lines[-2:]))):
        yield crossed
    if "matrix}" in gold and lines:
        yield from _matrix(lines)
    parts = _PARTS.search(lines[-1]) if lines else None
    if parts is not None:
        yield f"{parts['real']}+({parts['imaginary']})i"
    if gold.strip().lstrip("$").removeprefix("\\left").startswith("(") and lines:
        yield from _coordinates(lines[-1], question)


def _items(lines: list[str]) -> Iterator[str]:
    """The values of the bullets that end a text."""
    said: list[str] = []
    for line in reversed(lines):
        item = _ITEM.fullmatch(line)
        if item is None:
            break
        said.insert(0, _LABEL.sub("", _MARKS.sub("", item["said"])))
    if 1 < len(said) <= MAX_ITEMS and all(item and is_bare(item) and item.count("=") < 2 for item in said):
        yield ", ".join(said)


def _table(lines: list[str]) -> Iterator[str]:
    """The last column of the table that ends a text, or the one row below its head."""
    rows = [line.strip() for line in takewhile(lambda line: line.strip().startswith("|"), reversed(lines))][::-1]
    if len(rows) > 2 and set(rows[1]) <= set("|-: "):
        said = [_MARKS.sub("", row.strip("|").rpartition("|")[2]) for row in rows[2:]]
        if len(rows) == 3 and rows[0].count("|") > 3:
            said = [_MARKS.sub("", cell) for cell in rows[2].strip("|").split("|")[1:]]
        if all(item and is_bare(item) for item in said):
            yield ", ".join(said)


def _named(gold: str, lines: list[str]) -> Iterator[str]:
    """The values of the letters that the reference gives values to, wherever they stand in the last line."""
    letters = re.findall(r"(?<![A-Za-z])([A-Za-z])\s*=", gold)
    if lines and 1 < len(letters) == len(set(letters)):
        values = {} if _DENIED.search(lines[-1]) else _values(lines[-1], letters)
        if values.keys() == set(letters):
            yield ", ".join(f"{name} = {values[name]}" for name in letters)


def _equations(lines: list[str]) -> Iterator[str]:
    """Equations for different letters on lines of their own."""
    names: list[str] = []
    said: list[str] = []
    for line in reversed(lines):
        equation = _EQUATION.fullmatch(line.rstrip(" .,;"))
        if equation is None or equation["name"] in names or not is_bare(line):
            break
        names.append(equation["name"])
        said.insert(0, _MARKS.sub("", line))
    if 1 < len(said) <= 4:
        yield ", ".join(said)


def _pairs(gold: str, lines: list[str], question: str) -> Iterator[str]:
    """The tuples of lines, or of parts joined by `or`, that each give all letters a value: `a = 5, b = 20`."""
    parts = lines if len(lines) < 2 or "=" not in lines[-2] else lines[-MAX_ITEMS:]
    if not parts or "(" not in gold:
        return
    if len(parts) == 1:
        parts = _PAIR.findall(parts[0]) if not _DENIED.search(parts[0].replace(" or ", " and ")) else []
    rows: list[dict[str, str]] = []
    for part in reversed(parts):
        found = [_SETS_ONE.fullmatch(one) for one in re.split(r",|\band\b", _MARKS.sub("", part.replace("$", "")))]
        if len(found) < 2 or not all(found) or (rows and rows[0].keys() != {one["name"] for one in found if one}):
            break
        rows.insert(0, {one["name"]: one["value"] for one in found if one is not None})
    names = list(rows[0]) if rows else []
    if (
        len(rows) > 1
        and len(names) == len(set(names))
        and (names == sorted(names) or f"({', '.join(names)})" in question)
    ):
        yield ", ".join(f"({', '.join(row[name] for name in names)})" for row in rows)


def _matrix(lines: list[str]) -> Iterator[str]:
    """A matrix whose rows are told one by one, in one sentence or on lines of their own."""
    rows = _TUPLE.findall(lines[-1]) if _SPEAKS_OF_ROWS.search(lines[-1]) else []
    if len(rows) < 2:
        ended = list(takewhile(bool, map(_BRACKETED.fullmatch, reversed(lines))))
        rows = [row["cells"] for row in reversed(ended) if row is not None]
    whole = _WRITTEN.search(lines[-1])
    rows = whole["rows"].split(";") if whole is not None else rows
    if len(rows) > 1:
        cells = [re.split(r"\s*[,&]\s*|\s+", row.strip()) for row in rows]
        yield "\\begin{pmatrix}" + "\\\\".join("&".join(row) for row in cells) + "\\end{pmatrix}"


def _coordinates(line: str, question: str) -> Iterator[str]:
    """The values of the letters whose tuple the question asks for, or of the coordinates."""
    line = re.sub(r"\bordinate\b", "y-coordinate", re.sub(r"\babscissa\b", "x-coordinate", line))
    told = {found["name"].lower(): found["value"].rstrip(".$") for found in _COORDINATE.finditer(line)}
    for names in ("xy", "xyz"):
        if told.keys() == set(names):
            yield f"({', '.join(told[name] for name in names)})"
    asked = _LETTERS.findall(question)
    letters = [re.sub(r"[\s{}]", "", name) for name in asked[-1].split(",")] if asked else _unknowns(question)
    values = _values(line, letters)
    if letters and values.keys() == set(letters):
        yield f"({', '.join(values[name] for name in letters)})"


def _intercepts(text: str) -> str:
    """The points in which a curve meets the axes, "" where one is not told, or told twice."""
    found = [(match["axis"], match["value"].strip(" .$")) for match in _MEETS.finditer(text)]
    if [axis for axis, _ in found] not in (["x", "y"], ["y", "x"]) or _DENIED.search(text):
        return ""
    points = {"x": "({}, 0)", "y": "(0, {})"}
    return ", ".join(value if value[0] == "(" else points[axis].format(value) for axis, value in found)


def _unknowns(question: str) -> list[str]:
    """x and y, or x, y and z, where these are the letters of the question's mathematics."""
    found = sorted({name for span in MATHEMATICS.finditer(question) for name in _LETTER.findall(inside(span))})
    return found if found in (["x", "y"], ["x", "y", "z"]) else []


def _values(line: str, letters: Collection[str]) -> dict[str, str]:
    """The last side of the last equation for each of the letters."""
    values: dict[str, str] = {}
    for part in _CUT.split(_MARKS.sub("", line)):
        left, _, value = part.partition("=")
        name = _LAST_NAME.search(re.sub(r"[{}$]", "", left))
        if value and name is not None and name[0].strip() in letters:
            values[name[0].strip()] = value.rpartition("=")[2].strip(" .$")
    return {name: value for name, value in values.items() if value}
