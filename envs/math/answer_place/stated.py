r"""Which value a line states: the one behind its last *is* or equal sign, its bold one, or the last one that it names.

>>> [stated(line).text for line in ("So the area is $75$ square units.", "It is 41 or 42.", "So **4** had none of 9.")]
['75', '41 or 42', '4']
>>> stated("They had 3 and ate 1."), stated("There is no solution.").text
(Value(text='1', start=19, end=20), 'no solution')

Nothing else is weighed. Values joined by `or`, `and` or commas are one list, so naming several gains nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rlenv.envs.math.grammar.units import UNIT_WORDS

MAX_LINE = 1200
"""Longer lines state nothing."""
_DIGITS = (
    r"(?:[0-9]{1,3}(?:[,'][0-9]{3})+(?![0-9])|[0-9]{1,3}(?:\.[0-9]{3}){2,}(?:,[0-9]{1,3})?(?![.0-9])"
    r"|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?![0-9])|[0-9]+,[0-9]{1,2}(?=\s?(?:€|[a-z]{1,2}\b))|[0-9]+)"
)
"""1,234 and 1'234, 1.234.567, 1,00,000, 2,5 cm, 1234"""
_NUMBER = rf"(?:{_DIGITS}(?:\.[0-9]+|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])?(?:[eE][-+]?[0-9]+(?![0-9A-Za-z]))?|\.[0-9]+|[½⅓⅔¼¾])"
_LETTER = r"(?<![A-Za-z])[A-Za-zα-ωΔ](?![A-Za-z])(?:_?[0-9₀-₉])?"
_NAMED = r"(?:sqrt|cbrt|sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|log|ln|exp|pi|infinity)(?![A-Za-z])"
_GROUP = rf"[(\[{{\]](?:[^A-Za-z()\[\]{{}}\n]|{_LETTER}|{_NAMED}|\([^()\nA-Za-z]*\)){{1,60}}[)\]}}\[]"
_ATOM = rf"(?:(?:\\?[$€£]\s?)?{_NUMBER}(?:\s?\\?%|°)?|{_NAMED}|{_LETTER}|{_GROUP}|[√π∞⁰¹²³⁴-⁹!]|\|[^|\n]{{1,20}}\|)"
_SIGN = r"(?:\s?(?:[-−–+*/×÷·:^=≈≡≤≥<>±∪∩∈]|(?<!\s)\*\*|\\times|\\cdot|\bmod\b)\s{0,4})"
_RUN = rf"(?<![A-Za-z0-9_.\\])(?:[-−+±]\s?|(?:minus|negative)\s)?{_ATOM}(?:{_SIGN}++[-−]?{_ATOM}|{_ATOM})*+"
_TOKEN = re.compile(
    r"\\begin\{(?P<env>[a-z]+\*?)\}.+?\\end\{(?P=env)\}|\*\*(?P<bold>[^*\n]{1,200})\*\*|__(?P<under>[^_\n]{1,200})__"
    r"|\$\$(?P<d>.+?)\$\$|\\\[(?P<e>.+?)\\\]|\\\((?P<f>.+?)\\\)|(?<![\\$0-9])\$(?P<g>[^$\n]+?)(?<!\\)\$(?!\d)"
    rf"|`(?P<code>[^`\n]{{1,100}})`|(?P<run>{_RUN})",
    re.DOTALL,
)
r"""**7**, $7$, `7`, 2x + 1 = 7"""
_SOMETHING = re.compile(r"[0-9π∞½⅓⅔¼¾]|\bpi\b|infinity|=")
_JOIN = re.compile(
    r"\s*(?:,|;|、|，)?\s*(?:or|and|oder|und|ou|et|o|y)?\s*(?:maybe|perhaps|else|then|also)?\s*", re.IGNORECASE
)
_IS = re.compile(
    r"(?<![A-Za-z])(?:is|are|was|were|be|equals?|becomes|costs|totals?|gives?|leaves|est|sont|ist|sind|lautet|es|son|è)"
    r"(?![A-Za-z])|[:：=≈]|为|是|は",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\s*(?:(?:thus|therefore|then|hence|indeed|simply|just|exactly|approximately|about|around|roughly|now|also|equal|to"
    r"|given|by|either|both|only|the|that|there|a|an|of|total)\b,?\s*)*",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\s?(?:°[CF]?|([A-Za-z]{1,11})(?:(?:\^|\*\*)?[23²³])?)(?![^\W_])")
_SCALE = re.compile(r"\s(?:percent|thousand|million|billion|trillion|dozen|hundred|[ap]\.?m\b\.?)", re.IGNORECASE)
_IN_BASE = re.compile(r"\s+\(?(?:in )?base[ -](?:[0-9]{1,2}|[a-z]{3,8})\b\)?")  # 432 in base five
_GLUED = re.compile(r"(?:st|nd|rd|th)\b|-[A-Za-z]{2}|[A-Za-z]")  # 20th, 5-card
_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}|[^\W\d_A-Za-zα-ωΑ-Ω]{2,}")
_COMMAND = re.compile(
    r"\\(?:begin|end)\{\w+\*?\}|\\(?:text|mbox|textrm|textbf|mathrm|operatorname)\s*\{[^{}]*\}|\\[A-Za-z]+"
)
_NO_WORDS = frozenset(
    ["and", "sin", "cos", "tan", "cot", "sec", "csc", "log", "exp", "sqrt", "max", "min", "gcd", "lcm"]
)
_CHANGED = re.compile(
    r"(?:\b(?:not|than|at least|at most|twice|half|double|triple|but|except|pas|nicht|no es)|n't)\s+(?:the )?[$(\\]*\Z"
)
"""`at least` before 42 makes it another answer than 42."""
_CONCLUDES = re.compile(
    r"(?:[.,;:]|\$|\band)\s+(?:so(?! that)|hence|thus|therefore|which (?:gives|means|makes|leaves))\b", re.IGNORECASE
)
"""`29 = 4 * 6 + 5, so the remainder is 5`"""
_ASIDE = re.compile(
    r"(?:,?\s+(?:where \$?[A-Za-z]\b[^.]{0,40}|with )(?:arbitrary|constants?|integers?|real)"
    r"|,\s*which is (?:about|roughly|approximately))\b.*\Z|\s\((?:\w+ )?(?:about\b|≈).*\Z"
)
""", where K is a constant"""
_SOME_WORD = re.compile(r"[^\W\d_]{3}|\([A-J]\)")  # even, none, (B)
_AROUND = re.compile(r"\A[\s*_`\"“]+|[\s*_`\"”.。,;:]+\Z")
_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
MAX_WORDS = 8
"""An answer in words has no more of them."""


class Value(NamedTuple):
    """A value with its span."""

    text: str
    start: int
    end: int


def is_bare(text: str) -> bool:
    """True where no word stands beside the mathematics: names of functions and capitals are none."""
    words = _WORD.findall(_COMMAND.sub(" ", text))
    return all(word.lower() in _NO_WORDS or word.isupper() for word in words)


def unwrapped(said: str) -> str:
    """The answer without what a sentence puts around it: a full stop, markdown, the delimiters of mathematics."""
    bare = _AROUND.sub("", _AROUND.sub("", said))
    for opening, closing in _DELIMITERS:
        inside = bare[len(opening) : -len(closing)]
        if bare.startswith(opening) and bare.endswith(closing) and opening not in inside:
            return inside.strip()
    return bare


def stated(line: str, marked: bool = False) -> Value | None:
    """What the line states; None where it names no value and ends in no few words behind an *is*.

    In a line that stands behind *the answer is* (`marked`) a value in front counts.
    """
    if len(line) > MAX_LINE:
        return None
    line = _ASIDE.sub("", line)
    for conclusion in reversed(list(_CONCLUDES.finditer(line))):
        concluded = stated(line[conclusion.end() :]) if _values(line[conclusion.end() :]) else None
        if concluded is not None:
            at = conclusion.end()
            return Value(concluded.text, concluded.start + at, concluded.end + at)
    values = _values(line)
    if not values:
        return _words(line, marked)
    value = _chosen(line, values, marked)
    return _words(line, marked) if _CHANGED.search(line, 0, value.start) else value


def _chosen(line: str, values: list[Value], marked: bool) -> Value:
    if marked and values[0].start <= _FILLER.match(line).end():  # type: ignore[union-attr]
        return _joined(line, values)
    bold = [value for value in values if line.startswith(("**", "__"), value.start)]
    if bold:
        return bold[-1]
    for verb in reversed(list(_IS.finditer(line))):
        begin = _FILLER.match(line, verb.end()).end()  # type: ignore[union-attr]
        behind = [at for at, value in enumerate(values) if begin <= value.start <= begin + 2]
        if behind:
            return _joined(line, values[behind[0] :])
        if any(value.start < verb.end() <= value.end for value in values):
            continue
    return _joined(line, values[_first_of_last_list(line, values) :])


def _joined(line: str, values: list[Value]) -> Value:
    """The first value and those that are listed with it."""
    last = 0
    while last + 1 < len(values) and _JOIN.fullmatch(line, values[last].end, values[last + 1].start):
        last += 1
    if not last:
        return values[0]
    start, end = values[0].start, values[last].end
    return Value(line[start:end], start, end)


def _first_of_last_list(line: str, values: list[Value]) -> int:
    first = len(values) - 1
    while first and _JOIN.fullmatch(line, values[first - 1].end, values[first].start):
        first -= 1
    return first


def _values(line: str) -> list[Value]:
    found: list[Value] = []
    for token in _TOKEN.finditer(line):
        if found and token.start() < found[-1].end:
            continue
        if token["bold"] and token["bold"].endswith(":"):
            continue  # a label
        inside = next((token[name] for name in ("bold", "under", "d", "e", "f", "g", "code") if token[name]), None)
        if token["env"]:
            value: Value | None = Value(token[0], *token.span())
        elif inside is None:
            value = _run(line, token)
        else:
            value = Value(unwrapped(inside), *token.span())
        if value is not None and value.text:
            found.append(value)
    return found


def _run(line: str, token: re.Match[str]) -> Value | None:
    """A run of mathematics without delimiters, with its unit."""
    text, end = token[0].strip(), token.end()
    if not _SOMETHING.search(text) or text in "=" or (text[-1].isdigit() and _GLUED.match(line, end)):
        return None
    for pattern in (_IN_BASE, _SCALE):
        behind = pattern.match(line, end)
        if behind is not None:
            return Value(line[token.start() : behind.end()].strip(), token.start(), behind.end())
    for _ in range(3):
        word = _UNIT.match(line, end)
        if word is None or (word[1] and word[1].lower() not in UNIT_WORDS) or word[1] in ("a", "A", "I", "in"):
            break
        end = word.end()
    return Value(line[token.start() : end].strip(), token.start(), end)


def _words(line: str, marked: bool) -> Value | None:
    """The few words behind the last *is*, or all of a line of few words; fewer in a line that nothing marks."""
    begin = 0
    for verb in _IS.finditer(line):
        begin = verb.end()
    text = unwrapped(line[begin:])
    if not (marked or ("," not in text and _SOME_WORD.search(text) and begin)):
        return None
    if not text or len(text.split()) > (MAX_WORDS if marked else MAX_WORDS // 2):
        return None
    start = line.index(text, begin)
    return Value(text, start, start + len(text))
