"""Right answers made wrong: the kinds, and for which answers each is surely wrong.

>>> made = {c.kind: c.core for c in corrupted("43", "How many?")}
>>> made["off by one, above"], made["digits swapped"], made["another sign"]
('44', '34', '-43')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from rlenv.evidence.answers import Answer, items, number

Certainty: TypeAlias = "Literal['wrong', 'near', 'writing']"
"""`wrong`: no reader would call it right. `near`: right within a tolerance. `writing`: maybe another writing."""
NEAR = 0.02
"""Numbers that differ by at most this share are near: a task may allow for that."""
_ORDER = re.compile(
    r"(?<!any )\b(?:order|sort\w*|ascending|descending|sequence|path|route|rank\w*|arrange\w*)\b", re.IGNORECASE
)
_UNITS = {"km": "m", "m": "cm", "cm": "km", "kg": "g", "g": "kg", "h": "min", "min": "s", "s": "h", "%": "kg", "°": "%"}
_DIGITS = re.compile(r"\d+")
_PLAIN = re.compile(r"[-+]?\d+(\.\d+)?")


class Corruption(NamedTuple):
    """An answer that is not the reference."""

    kind: str
    core: str
    certainty: Certainty


def corrupted(core: str, prompt: str) -> Iterator[Corruption]:
    """The corruptions of an answer, by what kind it is; none is the answer itself."""
    return (one for one in _corrupted(core.strip(), prompt) if one.core != core.strip())


def _corrupted(text: str, prompt: str) -> Iterator[Corruption]:
    kind = Answer("", text, "", True).kind
    if kind == "number":
        yield from _numbers(text, prompt)
    elif kind == "quantity":
        yield from _quantities(text, prompt)
    elif kind == "list":
        yield from _lists(text, prompt)
    elif kind in ("structure", "formula"):
        yield from _structures(text)
    elif kind == "text":
        yield from _texts(text)
    yield from _writings(text, kind)


def _numbers(text: str, prompt: str) -> Iterator[Corruption]:
    value = number(text)
    if value is None or not _PLAIN.fullmatch(text):
        yield from _structures(text)
        return
    whole, _, decimals = text.partition(".")
    step = 10 ** -len(decimals)

    def made(kind: str, core: str) -> Iterator[Corruption]:
        other = number(core)
        if other is not None and other != value:
            relative = abs(other - value) / max(abs(value), abs(other))
            yield Corruption(kind, core, "near" if relative <= NEAR else "wrong")

    def written(number: float) -> str:
        return f"{number:.{len(decimals)}f}"

    yield from made("off by one, above", written(float(value) + step))
    yield from made("off by one, below", written(float(value) - step))
    yield from made("another sign", text[1:] if text.startswith("-") else f"-{text.lstrip('+')}")
    yield from made("a tenth more", written(float(value) * 1.1))
    yield from made("a hundredth more", written(float(value) * 1.01))
    yield from made("a tenth less", written(float(value) * 0.9))
    yield from made("a zero more", f"{whole}0{'.' if decimals else ''}{decimals}")
    yield from made("another digit in front", re.sub(r"(?=\d)", "1", text, count=1))
    yield from made("a digit at the end", f"{whole}7{'.' if decimals else ''}{decimals}")
    if len(whole.lstrip("+-")) > 1:
        yield from made("last digit missing", f"{whole[:-1]}{'.' if decimals else ''}{decimals}")
        yield from made("first digit missing", re.sub(r"\d", "", text, count=1))
        yield from made("digits swapped", _swapped(whole) + ("." if decimals else "") + decimals)
    if "%" not in prompt and "percent" not in prompt.lower():
        yield Corruption("a percent sign", f"{text}%", "writing")


def _quantities(text: str, prompt: str) -> Iterator[Corruption]:
    found = re.match(r"([-+]?\d+(?:\.\d+)?)(\s*)(\S+)", text)
    if found is None:
        return
    amount, space, unit = found.groups()
    if unit in _UNITS:
        yield Corruption("another unit", f"{amount}{space}{_UNITS[unit]}", "wrong")
    yield Corruption("unit missing", amount, "writing")
    for one in _numbers(amount, f"{prompt} %"):
        yield one._replace(core=f"{one.core}{space}{unit}")


def _lists(text: str, prompt: str) -> Iterator[Corruption]:
    parts, separator = items(text)
    order: Certainty = "wrong" if _ORDER.search(prompt) else "writing"
    yield Corruption("last item missing", separator.join(parts[:-1]), "wrong")
    yield Corruption("first item missing", separator.join(parts[1:]), "wrong")
    yield Corruption("an item that is none", separator.join([*parts, "zqxj"]), "wrong")
    yield Corruption("an item twice", separator.join([*parts, parts[-1]]), order)
    if parts != parts[::-1]:
        yield Corruption("items reversed", separator.join(parts[::-1]), order)
    if parts[0] != parts[-1]:
        yield Corruption("two items swapped", separator.join([parts[-1], *parts[1:-1], parts[0]]), order)
    yield from _structures(text)


def _structures(text: str) -> Iterator[Corruption]:
    """Numbers and letters changed at the start, in the middle and at the end."""
    numbers = list(_DIGITS.finditer(text))
    for name, found in _three(numbers):
        other = str(int(found[0][:300]) + 1)
        yield Corruption(f"{name} number one more", text[: found.start()] + other + text[found.end() :], "wrong")
    if not numbers:
        letters = list(re.finditer(r"[A-Za-z]", text))
        for name, found in _three(letters):
            other = _next(found[0])
            yield Corruption(f"{name} letter changed", text[: found.start()] + other + text[found.end() :], "wrong")


def _texts(text: str) -> Iterator[Corruption]:
    places = [i for i, sign in enumerate(text) if sign.isalnum()]
    if len(places) > 2:
        first, middle, last = places[0], places[len(places) // 2], places[-1]
        yield Corruption("last letter missing", text[:last] + text[last + 1 :], "wrong")
        yield Corruption("first letter missing", text[:first] + text[first + 1 :], "wrong")
        yield Corruption("a letter twice", text[:middle] + text[middle] + text[middle:], "wrong")
        yield Corruption("first half", text[:middle], "wrong")
    yield Corruption("letters reversed", text[::-1], "wrong")
    yield Corruption("more letters at the end", f"{text}zq", "wrong")
    yield Corruption("more letters in front", f"zq{text}", "wrong")
    yield Corruption("denied", f"not {text}", "wrong")
    words = text.split()
    if len(words) > 1:
        yield Corruption("last word missing", " ".join(words[:-1]), "wrong")
        yield Corruption("words reversed", " ".join(reversed(words)), "wrong")
    yield from _structures(text)


def _writings(text: str, kind: str) -> Iterator[Corruption]:
    """Ways that may be as right; what is paid of them is reported as a property."""
    yield Corruption("upper case", text.upper(), "writing")
    yield Corruption("lower case", text.lower(), "writing")
    yield Corruption("a full stop", f"{text}.", "writing")
    yield Corruption("in quotes", f'"{text}"', "writing")
    yield Corruption("spaces around", f"  {text}  ", "writing")
    yield Corruption("in a sentence", f"The answer is {text}.", "writing")
    if kind == "number":
        yield Corruption("a unit more", f"{text} apples", "writing")
        yield Corruption("zeros behind", text + ("0" if "." in text else ".0"), "writing")
        yield Corruption("zeros in front", re.sub(r"(?=\d)", "00", text, count=1), "writing")
        yield Corruption("a sum left to do", f"{text}+0", "writing")


def _three(found: list[re.Match[str]]) -> list[tuple[str, re.Match[str]]]:
    chosen = {"first": 0, "middle": len(found) // 2, "last": len(found) - 1}
    return [(name, found[place]) for name, place in chosen.items()] if found else []


def _swapped(digits: str) -> str:
    for i in range(len(digits) - 1):
        if digits[i].isdigit() and digits[i] != digits[i + 1]:
            return digits[:i] + digits[i + 1] + digits[i] + digits[i + 2 :]
    return digits


def _next(letter: str) -> str:
    return {"z": "a", "Z": "A"}.get(letter) or chr(ord(letter) + 1)
