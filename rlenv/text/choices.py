"""Values left side by side at the end of a text: lists, rows, ranges and alternatives with nothing singled out.

No word of doubt is needed: a text that ends on `11, 8 and 6`, `(i) 11; (ii) 8`, or `Guess 1: 11. Guess 2: 8.` has not
said which. It is up to the caller that one value was asked for.

>>> found = row("3 * 4 = 12.\\nPossible answers: (i) 11; (ii) 12; (iii) 13.")
>>> found.values
('11', '12', '13')
>>> row("It is either 1 and 12 or 3 and 4, so the numbers are 3 and 4, and the larger one is 4.") is None
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from rlenv.text.alternatives import number, same_value

LOOKED_AT = 300
"""The last characters that are searched."""
_MARK = r"[*_$`\"'()\[\]{}\\]"
_VALUE = re.compile(
    r"(?<![\w.\\^/_])(?<!\d:)-?[$€£]?\d[\d,]{0,15}(?<!,)(?:\.\d{1,12})?(?:/\d{1,9})?(?:\s?\\?%)?(?![\w^]|[.,]\d)"
    r"|\\[dt]?frac\{\d{1,9}\}\{\d{1,9}\}"
)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:/\d+)?")
_LABEL = (
    r"(?:[A-Za-z]+ (?:\d{1,2}|[a-d]|[ivx]{1,4}|one|two|three)\b|\(?(?:\d{1,2}|[a-h]|[ivx]{1,4})[.):]|[-*•+]|"
    r"\d{1,2}(?:st|nd|rd|th)\b|"
    r"(?:first|second|third|next|other|another|last)\b)"
)
_UNIT = r"(?:\s?[^\W\d_]{1,15}(?:\s[^\W\d_]{1,15})?)?"
_OR = (
    r"(?:or|and/or|oder|ou|или|或|alternatively|else|perhaps|maybe|possibly|even|also|then|"
    r"either|as well as|plus|nor|vs|versus)"
)
_BETWEEN = re.compile(
    rf"{_MARK}{{0,4}}(?P<unit>{_UNIT})[ \t]*{_MARK}{{0,4}}"
    rf"(?:(?P<or>(?:[\s,;(]+(?:\\text\{{ ?)?{_OR}(?: ?\}})?\b[\s,:?]*){{1,4}}|\s?[|]\s?|\s?\?\s+)"
    r"|(?P<slash>\s?/\s?)"
    r"|(?P<within>\s?(?:≤|<|\\leq?)\s?[a-zA-Z]\s?(?:≤|<|\\leq?)\s?)"
    r"|(?P<to>\s?(?:-|–|—|~|\.\.+|\s(?:to|through|up to|until)\s)\s?)"
    rf"|(?P<lines>[;,.]?\s*\n\s*|[;,.]\s+(?={_LABEL})|\s+(?=\([a-h]\)\s))"
    r"|(?P<list>\s?[,;&]\s?(?:and\s|&\s)?|\sand\s))"
    rf"(?P<label>{_LABEL}\s{{0,3}}(?:{_UNIT}\s?[:=]?)\s{{0,2}})?{_MARK}{{0,6}}",
    re.IGNORECASE,
)
_ENDS = re.compile(rf"{_MARK}{{0,6}}{_UNIT}[\s.!?;,:)\]}}$*_`\"'\\>-]*(?:</\w{{1,20}}>\s*)?", re.IGNORECASE)
_WORKED = re.compile(r"[\w)}%>]\s*[=+×÷<>≤≥]|\d\s?[*/]\s?\d+\s*=|\\(?:times|cdot|equiv)|\^")
_OFFERS = re.compile(
    r"\b(?:answers?|results?|values?|solutions?|candidates?|possib\w+|options?|guess\w*|choices?|alternatives?|"
    r"estimates?|"
    r"totals?|numbers?|is|are|be|it's|lies?|take|pick|one of|any of|either|among|amongst|outcomes?|picks?|bets?|"
    r"versions?|say)\b"
    r"|[:=∈]|\\in\b|^\W*$",
    re.IGNORECASE,
)
_ONLY_A_LABEL = re.compile(
    rf"\s*(?:[^\n]{{0,60}}:\s*)?(?:{_LABEL})?\W{{0,8}}(?:{_UNIT}\s?[:=]?)?\W{{0,6}}", re.IGNORECASE
)
_OTHER_RANGE = re.compile(
    r"\b(?:ratio|odds|score|from|pages?|years?|between|proportion|scale|range|interval|digits?|"
    r"bounds?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Row:
    """Values that stand side by side, and where."""

    start: int
    end: int
    values: tuple[str, ...]


def row(text: str, prompt: str = "") -> Row | None:
    """The row of different values that a text ends on, if it offers it as its answer; the prompt's own do not count."""
    low = max(0, len(text) - LOOKED_AT)
    given = set(_NUMBER.findall(prompt))
    found = list(_VALUE.finditer(text, low))
    if len(found) < 2 or not _ENDS.fullmatch(text, found[-1].end()):
        return None
    members = [found[-1]]
    kinds: set[str] = set()
    for match in reversed(found[:-1]):
        between = _BETWEEN.fullmatch(text, match.end(), members[-1].start())
        if between is not None and not _is_label(text, match):
            kinds.add(_kind(between))
            members.append(match)
        elif members[-1].start() - match.end() > 40:
            break
    end = found[-1].end()
    while len(members) > 1 and not converted(text, members):
        start, values = (
            members[-1].start(),
            _different([m[0] for m in reversed(members) if m[0].strip("$-") not in given]),
        )
        if _offered(text, low, start, end, values, kinds):
            return Row(start, end, tuple(values))
        members.pop()
    return None


def value_matches(text: str, start: int) -> list[re.Match[str]]:
    """The values from `start` on that are no labels of lines or choices."""
    found = _VALUE.finditer(text, start)
    return [match for match in found if not _is_label(text, match) or _closes(text, match)]


def _closes(text: str, match: re.Match[str]) -> bool:
    """The bracket behind the number was opened before it."""
    before = text[max(0, match.start() - 60) : match.start()]
    return text.startswith(")", match.end()) and before.rfind("(") > max(before.rfind(")"), before.rfind("\n"))


def converted(text: str, found: list[re.Match[str]]) -> bool:
    """The same amount in several measures, as far as one can tell."""
    measures = {m[1].lower() for match in found if (m := _MEASURE.match(text, match.end()))}
    return len(measures) > 1


def _singled_out(window: str) -> bool:
    """The last line or sentence holds one value and nothing that brings in another."""
    end = window.rstrip(" .!\n∎□■")
    last = end[max(end.rfind("\n"), end.rfind(". "), end.rfind(".) "), end.rfind("####")) + 1 :]
    return len(last) < len(end) and len(_VALUE.findall(last)) == 1 and not _FREE.search(last.lower())


def _different(said: list[str]) -> list[str]:
    values: list[str] = []
    for value in said:
        bare = value.rstrip("%\\ ")
        if not any(same_value(bare, other) for other in values):
            values.append(bare)
    return values


_MEASURE = re.compile(
    r"\s?(h|min|hours?|minutes?|seconds?|days?|weeks?|months?|years?|cents?|dollars?|k?m|[cm]m|k?g|(?:kilo|centi|"
    r"milli)?met(?:er|re)s?|"
    r"feet|foot|inch(?:es)?|miles?|(?:kilo)?grams?|pounds?|ounces?|lit(?:er|re)s?|ml|percent|degrees?|radians?)\b",
    re.IGNORECASE,
)
_FREE = re.compile(
    r"\b(?:or|either|else|otherwise|unless|if|whether|maybe|perhaps|possibly|also|another|other|others|"
    r"second(?:ary)?|alternat\w+|"
    r"backup|back-up|fallback|accept\w*|some|both|depend\w*|interpret\w+|readings?|reader|sure|certain|confiden\w+|"
    r"probab\w+|"
    r"chance|odds|percent|decide|undecided|likely|likelier|strict\w*|generous\w*|loose\w*|literal\w*|counting|"
    r"counted|including|"
    r"excluding|exclud\w+|with(?:out)?|could|might|may|can|methods?|ways?|approach\w*|versions?|options?|argue|"
    r"argued|doubts?|case|wrong|"
    r"though|although|pick|picks|guess\w*|bet|bets|choice|choices|candidates?|lean\w*|equally|same|any|between|"
    r"one of|each|prefer\w*|"
    r"favou?r\w*|valid|plausible|possible|tempted|torn|toss|split|view|views|understood|taken|rounding|round|"
    r"rounded|at least|at most|"
    r"primary|main|respectively|plan|hedge|assum\w+|suppos\w+|provided|when)\b|\?|%"
)
"""Words with which a second value is brought in: weak by themselves, honest text has them too."""
_DOUBTS = re.compile(
    r"(?:can't|cannot|can not|not|n't|never)(?: \w+)? (?:decide|choose|tell|say|sure|certain|know|counting|"
    r"including|clear|rule|count|exclude)\w*|"
    r"less (?:probabl|likely|certain|sure|confident)\w*|(?:more|most) (?:probabl|likely)\w*|"
    r"(?:\bif\b|\bunless\b|\bshould\b|\bin case\b)[^.;,\n\d]{0,40}(?:wrong|\bnot\b|miscount\w*|mistak\w*|incorrect|"
    r"different\w*)"
)
"""Negations that leave open what is the answer."""
_SETTLED = re.compile(
    r"\b(?:if you (?:got|get|have|had|wrote|came|count\w*)|"
    r"not|no|never|wait|wrong|instead|rather|mistake\w*|incorrect|correction|cannot|neither|miscount\w*|minus|"
    r"plus|times|sum|"
    r"difference|product|altogether|together|total|more|less|fewer|left|remain\w*|each|per|because|since|than|so|"
    r"thus|hence|"
    r"therefore|ratio|check\w*|verif\w*|out of|i\.e|half|twice|double)\b|n't\b"
)
"""What says how the values belong together, or takes one of them back."""


def rivals(text: str, start: int, prompt: str) -> Row | None:
    """Two values in the last sentences that begin at `start`, new ones that no working leads to, freely brought in."""
    window = text[start:]
    if len(_NUMBER.findall(window)) < 2:
        return None
    given = set(_NUMBER.findall(prompt))
    found = [m for m in _VALUE.finditer(window) if m[0].strip("$-") not in given and not _is_label(window, m)]
    found = [m for m in found if not m[0].endswith("%")]
    values = _different([match[0] for match in found])
    if not 2 <= len(values) <= 6 or converted(window, found) or _singled_out(window):
        return None
    said = _DOUBTS.sub(" ", window.lower())
    if not _FREE.search(said) or _SETTLED.search(said):
        return None
    before = set(_NUMBER.findall(text[max(0, start - 4000) : start]))
    if all(value.strip("$-") in before for value in values):
        return None
    return Row(start + found[0].start(), start + found[-1].end(), tuple(values))


def _offered(text: str, low: int, start: int, end: int, values: list[str], kinds: set[str]) -> bool:
    lead = text[max(low, text.rfind("\n", low, start), text.rfind(". ", low, start)) : start]
    if lead.strip(" \n-*•(1ai.)") == "":
        lead = text[max(low, text.rfind("\n", low, max(low, start - len(lead) - 1))) : start]
    if len(values) < 2 or _WORKED.search(lead) or _progression(values) or "step" in (lead + text[start:end]).lower():
        return False
    if kinds & {"or", "within"} or (kinds == {"lines"} and _ONLY_A_LABEL.fullmatch(lead)):
        return True
    if not _OFFERS.search(lead):
        return False
    if kinds == {"to"}:
        return len(values) == 2 and _OTHER_RANGE.search(lead) is None
    bracketed = lead.rstrip(" \"'\\").endswith(("[", "{", "(")) and text[end:].lstrip(" \"'\\").startswith(
        ("]", "}", ")")
    )
    return len(values) > 2 or bracketed


def _progression(values: list[str]) -> bool:
    """Counted up in steps, as one does on the way to an answer."""
    numbers = [number(value) for value in values]
    steps = {b - a for a, b in pairwise(numbers) if a is not None and b is not None}
    return len(values) > 3 and len(steps) == 1 and not {1, -1} & steps


def _is_label(text: str, match: re.Match[str]) -> bool:
    """The number counts lines or choices and is no value."""
    before = text[max(0, match.start() - 24) : match.start()]
    if re.match(r"[.):]\s+[^\s\w]{0,3}\d|(?:st|nd|rd|th)\b", text[match.end() : match.end() + 8]) and re.search(
        r"(?:^|\n|[;:,.]\s|\()\s*$", before
    ):
        return True
    named = re.search(r"([A-Za-z]+) $", before)
    return bool(named and re.match(r"\s?(?:[:=)]|is\b|gives\b)", text[match.end() : match.end() + 8]))


def _kind(between: re.Match[str]) -> str:
    return next(name for name in ("or", "slash", "within", "to", "lines", "list") if between[name])
