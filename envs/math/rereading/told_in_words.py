r"""Answers told in the words of a box: `negative infinity`, `12-gon`, `Vertex: (2,-5)`, `8:36 in the morning`.

>>> list(told(r"-\infty", r"\text{negative infinity}", "Find the limit.")), list(told("True", r"\text{T}", ""))
(['-∞'], ['True'])
>>> list(told("12", r"12\text{-gon}", "How many sides does the polygon have?"))
['12']
>>> list(told("(2,-5)", r"\text{Vertex: }(2,-5)", "Find the vertex.")), list(told("2", "Trace: 2", "Find the rank."))
(['(2,-5)'], [])
>>> list(told("65", r"C=180^\circ-50^\circ-65^\circ=65^\circ", "Find the angle."))
['C=180-50-65=65']
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from rlenv.envs.math.reading.units import UNIT_WORDS
from rlenv.envs.math.reading.written import FONT
from rlenv.envs.math.rereading.options import stem, words

MAX_CHARS = 200
MAX_SIGNS = 4
"""An answer has at most so many signs that are free of each other."""
_INFINITY = re.compile(r"(?P<sign>negative|minus|-|positive|plus|\+)?\s*infinity", re.IGNORECASE)  # negative infinity
_POLYGON = re.compile(r"(?:an?\s+)?(?:regular\s+)?\$?(?P<sides>[0-9]{1,4})\$?\s*-?\s*(?:gon|sided polygon)")  # 12-gon
_LABEL = re.compile(
    r"(?P<label>[A-Za-z]+(?: [A-Za-z]+){0,3})\s*(?::|\bat\b)\s*(?P<value>[^:A-Za-z\s][^:]*|-?\\?[a-z]+[^:]*)"
)
"""Vertex: (2, -5)"""
_EVERY_SIGN = re.compile(
    r"(?:\\text\s*\{\s*)?[,(]?\s*\(?(?:with )?(?:all|any|every|independent|each|the four|the signs)\b[^()]*"
    r"\b(?:signs?|combinations?|choices?|independently|independent)\b[^()]*\)?\s*\}?\s*\Z"
    r"|(?:\\text\s*\{\s*)?[,(]?\s*\(?(?:where |with )?(?:the )?signs (?:are )?(?:chosen )?"
    r"(?:independent(?:ly)?|free)\)?\s*\}?\s*\Z",
    re.IGNORECASE,
)
"""(all four sign combinations)"""
_PLUS_MINUS = re.compile(r"\\pm|±")  # \pm 4
_DEGREES = re.compile(r"\^\s*\{?\s*\\circ\s*\}?|°")  # ^\circ
_SET = re.compile(r"(?:[A-Z][^={}]{0,12}=\s*)?\{(?P<items>[^{}]+)\}")  # P^c = { 1, 2 }
_TIME = re.compile(
    r"(?<![0-9:])(?P<time>1?[0-9]:[0-9]{2})(?: o'clock)?,? "
    r"(?P<half>(?:in the )?(?:morning|afternoon|evening)|at night)\W*\Z",
    re.IGNORECASE,
)
"""8:36 in the morning"""
_DENIED = re.compile(r"\b(?:not|never|no|until|late|if|unless|or)\b|n['’]t\b", re.IGNORECASE)  # not at 8:36
_HALF = re.compile(r"[ap]\.?\s?m\b", re.IGNORECASE)  # 8:36 a.m.
_LENGTHS = r"(?:k|c|m|d)?m|ft|in|yd|mi"
_SPACE_UNIT = re.compile(rf"(?<=[0-9π}})])\s*(?P<unit>{_LENGTHS})(?:\^\{{?(?P<digit>[23])\}}?|(?P<sign>[²³]))\s*\Z")
"""125 m³"""
_LAST_WORDS = re.compile(r"(?<=[0-9π})])\s+(?P<unit>[A-Za-z]{2,}(?: [A-Za-z]+)?)\Z")  # 2\pi\times10^4 liters
_INVERSE = re.compile(r"[a-z]\^\{?-1\}?\(x\)\s*=")  # f^{-1}(x) =
_AS_Y = re.compile(r"y\s*=\s*(?P<value>[^=y]+)")
"""y = (x - 3)/2, an inverse as a function of x"""
_CENTS = re.compile(r"(?P<cents>[0-9]{1,7})\s*(?:cents|¢)")  # 695 cents
_POINTED = re.compile(r"\\?\$?[0-9]+\.[0-9]{2}")  # 6.95
_ABOUT_MONEY = re.compile(r"\\?\$[0-9]+(?:\.[0-9]{2})?(?![^$]*[=^])|\bdollars?\b")  # $2.75
# How many cents
_IN_CENTS = re.compile(r"\bhow many (?:dollars|cents)\b|\bin (?:dollars|cents)\b", re.IGNORECASE)
_GLOSS = re.compile(r"\s\((?:an?|the|which is|giving|this is)\s[A-Za-z -]{3,40}\)")  # x = 2 (a local minimum)
_IS_POLYGON = re.compile(r"\b(?:is|have|has) an? (?:regular )?\$?(?P<sides>[0-9]{1,4})\$?-gon\W*\Z")  # it is a 15-gon
_RELATIVE = re.compile(r"\s(?:who|that|which) (?P<said>[a-z' -]{3,60})\Z")  # who study neither language


def told(gold: str, answer: str, question: str) -> Iterator[str]:
    """The answer without the words of its own, none where these may change it."""
    if len(answer) > MAX_CHARS:
        return
    text = _bare(answer)
    infinite = _INFINITY.fullmatch(text)
    if infinite is not None:
        yield "-∞" if (infinite["sign"] or "+").lower() in ("negative", "minus", "-") else "∞"
    if text in ("T", "F") and _bare(gold).lower().strip(".") == {"T": "true", "F": "false"}[text]:
        yield gold
    polygon = _POLYGON.fullmatch(text) if "sides" in question or "polygon" in question else None
    if polygon is not None:
        yield polygon["sides"]
    label = _LABEL.fullmatch(text)
    if label is not None and {*map(stem, words(label["label"]))} <= {*map(stem, words(question))}:
        text = label["value"].strip()
        yield text
    inverse = (
        _AS_Y.fullmatch(answer.strip(" $")) if "inverse" in question and _INVERSE.match(gold.strip(" $")) else None
    )
    if inverse is not None:
        yield inverse["value"]
    yield from _measured(gold, text)
    yield from _in_dollars(gold, text, question)
    yield from _signs(answer)
    degrees = _DEGREES.sub("", answer)
    if degrees != answer and "=" in answer and not re.search(r"sin|cos|tan|pi|π", answer):
        yield degrees
    braces = _SET.fullmatch(text) if "{" in gold else None
    if braces is not None:
        yield f"\\{{{braces['items']}\\}}"


def _bare(text: str) -> str:
    """A text without fonts, bold marks and dollar signs that enclose mathematics."""
    plain = FONT.sub(r" \1 ", text).replace("**", " ").replace("\\$", "¤").replace("$", " ").replace("¤", "\\$")
    return " ".join(plain.split()).strip(" .")


def _measured(gold: str, text: str) -> Iterator[str]:
    """A number with its unit in plain letters, where the reference is a number."""
    if not re.search(r"[0-9]", gold):
        return
    power = _SPACE_UNIT.search(text)
    if power is not None:
        digit = power["digit"] or {"²": "2", "³": "3"}[power["sign"]]
        yield f"{text[: power.start()]}\\text{{ {power['unit']}}}^{digit}"
    unit = _LAST_WORDS.search(text)
    if unit is not None and all(word.lower() in UNIT_WORDS for word in unit["unit"].split()):
        yield f"{text[: unit.start()]}\\text{{ {unit['unit']}}}"


def _in_dollars(gold: str, text: str, question: str) -> Iterator[str]:
    """Cents in dollars, where the reference has dollars and cents and the question asks for neither by name."""
    cents = _CENTS.fullmatch(text) if _POINTED.fullmatch(gold.strip(" $")) else None
    if cents is not None and _ABOUT_MONEY.search(question) and not _IN_CENTS.search(question):
        yield f"{int(cents['cents']) // 100}.{int(cents['cents']) % 100:02d}"


def _signs(answer: str) -> Iterator[str]:
    r"""A point with signs that are free of each other, as it is said, point by point.

    >>> list(_signs(r"(\pm4,\pm3)\text{ (all four sign combinations)}")), list(_signs(r"(\pm4,\pm3)"))
    (['(+4,+3), (+4,-3), (-4,+3), (-4,-3)'], [])
    """
    answer = answer.replace("$", "").rpartition("=")[2].strip(" .")
    said = _EVERY_SIGN.search(answer)
    pieces = _PLUS_MINUS.split(answer[: said.start()].strip()) if said is not None else []
    if not 2 < len(pieces) <= MAX_SIGNS + 1:
        return
    signed = product("+-", repeat=len(pieces) - 1)
    yield ", ".join(
        pieces[0] + "".join(f"{sign}{piece}" for sign, piece in zip(signs, pieces[1:], strict=True)) for signs in signed
    )


def told_by(gold: str, clause: str, question: str) -> Iterator[str]:
    """The time of day or the polygon that a clause ends with.

    >>> list(told_by("8:36 AM", "the first departure after 8:00 is at 8:36 in the morning", ""))
    ['8:36 AM']
    """
    if len(clause) > MAX_CHARS:
        return
    yield from _signs(clause)
    polygon = _IS_POLYGON.search(clause) if gold.isdigit() and "sides" in question else None
    if polygon is not None:
        yield polygon["sides"]
    time = _TIME.search(clause) if _HALF.search(gold) else None
    if time is not None and not _DENIED.search(clause, 0, time.start()):
        yield f"{time['time']} {'AM' if 'morning' in time['half'].lower() else 'PM'}"


def without_gloss(clause: str, question: str) -> str:
    """The clause without what it says of its values in words: `x = 2 (a local minimum)`, `five who are left`.

    >>> without_gloss("that leaves five students who study neither", "How many study neither?")
    'that leaves five students'
    """
    clause = _GLOSS.sub("", clause)
    behind = _RELATIVE.search(clause) if question else None
    known = {*map(stem, words(question))} | {"are", "is", "language", "both"}
    if behind is not None and {*map(stem, words(behind["said"]))} <= known | {stem(word) for word in known}:
        return clause[: behind.start()]
    return clause
