r"""Values told in words, with the regular expression of a notation and the value written in it.

>>> draw_notation(np.random.default_rng(7))
Notation(told='the place 56 degrees south, 123 degrees west', pattern='[NS]\\d{2} [EW]\\d{3}', written='S56 W123')
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_NAMES = ("Adler", "Berg", "Costa", "Dupont", "Fischer", "Grant", "Horvat", "Ibsen")


class Notation(NamedTuple):
    """What to write, the form, and the only text that is both."""

    told: str
    pattern: str
    written: str


def draw_notation(rng: np.random.Generator) -> Notation:
    """One value of a kind drawn uniformly."""
    return _KINDS[rng.integers(len(_KINDS))](rng)


def _day(rng: np.random.Generator) -> tuple[int, int, int]:
    return int(rng.integers(1, 29)), int(rng.integers(1, 13)), int(rng.integers(1900, 2100))


def _iso_date(rng: np.random.Generator) -> Notation:
    day, month, year = _day(rng)
    told = f"the date {day} {_MONTHS[month - 1]} {year} (year, month, day)"
    return Notation(told, r"\d{4}-\d{2}-\d{2}", f"{year}-{month:02d}-{day:02d}")


def _us_date(rng: np.random.Generator) -> Notation:
    day, month, year = _day(rng)
    told = f"the date {day} {_MONTHS[month - 1]} {year} (month, day, year)"
    return Notation(told, r"[01]\d/[0-3]\d/\d{4}", f"{month:02d}/{day:02d}/{year}")


def _clock(rng: np.random.Generator) -> Notation:
    hour, minute = int(rng.integers(1, 12)), int(rng.integers(60))
    evening = bool(rng.integers(2))
    told = f"the time {hour}:{minute:02d} in the {'evening' if evening else 'morning'}"
    return Notation(told, r"(?:[01]\d|2[0-3]):[0-5]\d", f"{hour + 12 * evening:02d}:{minute:02d}")


def _money(rng: np.random.Generator) -> Notation:
    euros, cents = int(rng.integers(1000, 10_000_000)), int(rng.integers(100))
    told = f"the amount of {euros} euros and {cents} cents"
    return Notation(told, r"EUR \d{1,3}(?:,\d{3})*\.\d{2}", f"EUR {euros:,}.{cents:02d}")


def _phone(rng: np.random.Generator) -> Notation:
    digits = "".join(str(digit) for digit in rng.integers(1, 10, size=10))
    told = f"the telephone number {digits}"
    return Notation(told, r"\(\d{3}\) \d{3}-\d{4}", f"({digits[:3]}) {digits[3:6]}-{digits[6:]}")


def _colour(rng: np.random.Generator) -> Notation:
    red, green, blue = (int(value) for value in rng.integers(256, size=3))
    told = f"the colour with red {red}, green {green} and blue {blue} (of 255), two hexadecimal digits each"
    return Notation(told, r"#[0-9a-f]{6}", f"#{red:02x}{green:02x}{blue:02x}")


def _version(rng: np.random.Generator) -> Notation:
    major, minor, patch, candidate = (int(value) for value in rng.integers(1, 30, size=4))
    told = f"version {major}, minor {minor}, patch {patch}, release candidate {candidate}"
    return Notation(told, r"v\d+\.\d+\.\d+-rc\.\d+", f"v{major}.{minor}.{patch}-rc.{candidate}")


def _name(rng: np.random.Generator) -> Notation:
    name = _NAMES[rng.integers(len(_NAMES))]
    first, second = (chr(ord("A") + int(value)) for value in rng.integers(26, size=2))
    told = f"the name {first}. {second}. {name}, the surname first"
    return Notation(told, r"[A-Z]+, [A-Z]\.[A-Z]\.", f"{name.upper()}, {first}.{second}.")


def _padded(rng: np.random.Generator) -> Notation:
    number = int(rng.integers(1, 100_000))
    return Notation(f"the number {number}, filled up with zeros", r"N\d{8}", f"N{number:08d}")


def _scientific(rng: np.random.Generator) -> Notation:
    digits, power = int(rng.integers(101, 1000)), int(rng.integers(3, 12))
    told = f"the number {digits * 10 ** (power - 2)} in scientific notation"
    return Notation(told, r"[1-9]\.\d{2}e\+\d{2}", f"{digits // 100}.{digits % 100:02d}e+{power:02d}")


def _coordinates(rng: np.random.Generator) -> Notation:
    latitude, longitude = int(rng.integers(1, 90)), int(rng.integers(1, 180))
    across, along = ("north", "south")[rng.integers(2)], ("east", "west")[rng.integers(2)]
    told = f"the place {latitude} degrees {across}, {longitude} degrees {along}"
    written = f"{across[0].upper()}{latitude:02d} {along[0].upper()}{longitude:03d}"
    return Notation(told, r"[NS]\d{2} [EW]\d{3}", written)


_KINDS = (_iso_date, _us_date, _clock, _money, _phone, _colour, _version, _name, _padded, _scientific, _coordinates)
PATTERNS = frozenset(kind(np.random.default_rng(0)).pattern for kind in _KINDS)
"""One a kind. None of them backtracks."""
