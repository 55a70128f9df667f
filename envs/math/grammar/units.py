r"""Units behind a number: what they measure and how many of the first of their kind they are.

>>> same_unit("cm", "centimeters"), factor("cm", "m"), factor("cm", "kg"), factor("square inches", "in^2")
(True, Fraction(100, 1), None, Fraction(1, 1))

`factor(a, b)` is how many a one b is, None where the two measure different things. A word that is no unit is the noun
of what was counted (apples): two nouns agree when one holds the words of the other.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TABLE = """
length m=1 meter=1 metre=1 km=1000 kilometer=1000 kilometre=1000 cm=1/100 centimeter=1/100 centimetre=1/100 mm=1/1000
length millimeter=1/1000 millimetre=1/1000 dm=1/10 decimeter=1/10 nm=1/1000000000 in=254/10000 inch=254/10000
length foot=3048/10000 feet=3048/10000 ft=3048/10000 yard=9144/10000 yd=9144/10000 mile=1609344/1000 mi=1609344/1000
mass g=1 gram=1 kg=1000 kilogram=1000 mg=1/1000 milligram=1/1000 tonne=1000000 lb=45359237/100000 pound=45359237/100000
mass oz=45359237/1600000 ounce=45359237/1600000 ton=90718474/100
time s=1 sec=1 second=1 min=60 minute=60 h=3600 hr=3600 hour=3600 day=86400 week=604800 ms=1/1000 millisecond=1/1000
months month=1 year=12 yr=12 decade=120 century=1200
volume l=1 liter=1 litre=1 ml=1/1000 milliliter=1/1000 millilitre=1/1000 cl=1/100 dl=1/10 cc=1/1000
cups cup=1 pint=2 quart=4 gallon=16
money dollar=1 $=1 usd=1 cent=1/100 buck=1
euro euro=1 €=1 eur=1
sterling £=1 gbp=1
rupee ₹=1 rupee=1 rs=1 inr=1
yen ¥=1 yuan=1 yen=1
angle degree=1 deg=1 °=1
turn radian=1 rad=1
celsius c=1 celsius=1
fahrenheit f=1 fahrenheit=1
percent percent=1 pct=1 percentage=1 %=1
energy j=1 joule=1 kj=1000 cal=4184/1000 kcal=4184
force n=1 newton=1 kn=1000
power w=1 watt=1 kw=1000
pressure pa=1 pascal=1 kpa=1000
frequency hz=1 hertz=1 khz=1000 mhz=1000000
volt v=1 volt=1
any unit=1
"""
_KINDS: dict[str, tuple[str, Fraction]] = {}
for _line in _TABLE.strip().splitlines():
    _kind, *_entries = _line.split()
    for _entry in _entries:
        _name, _, _size = _entry.partition("=")
        _KINDS[_name] = (_kind, Fraction(_size))
_SPEEDS = {"mph": "mi/h", "kmh": "km/h", "kph": "km/h", "fps": "ft/s", "mps": "m/s"}
_PREFIXED = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_SUFFIXED = {"squared": 2, "cubed": 3}
_SPELLED = {"feet": "foot", "inches": "inch", "centuries": "century", "men": "man", "women": "woman",
            "vertices": "vertex", "people": "person", "children": "child", "mice": "mouse"}  # fmt: skip
_SMALL = _listed("""of the a an in all total each old long wide tall high away more left exactly only altogether overall
    remaining deep thick apart together per for from with on he she it they has have get gets""")
_CHANGING = _listed(
    "at or not no than minus plus times over under below above to up most least fewer less if unless but"
)
"""Words that make another value of the number before them, or take it back."""
_OPERATIONS = _listed("negative factorial squared cubed halved doubled tripled inverse reciprocal max min")
_LETTERS = re.compile(r"[^\W\d_]+")  # square, metres
UNIT_WORDS = frozenset(_KINDS) | {f"{name}s" for name in _KINDS if len(name) > 2} | frozenset(_SPEEDS) | {
    "square", "sq", "cubic", "per", "feet", "inches", "lbs", "hrs", "mins", "secs", "kgs", "cms", "kms",
}  # fmt: skip
"""Words that are read as a unit when they follow a number."""


def factor(expected: str, said: str) -> Fraction | None:
    """How many of the expected unit one of the unit said is; None where they are no units of one kind."""
    left, right = _dimension(expected), _dimension(said)
    if left is None or right is None or left[0] != right[0]:
        return None
    return right[1] / left[1]


def same_unit(expected: str, said: str) -> bool:
    """Whether two units or nouns name one thing."""
    if _dimension(expected) is not None and _dimension(said) is not None:
        return factor(expected, said) == 1
    left, right = _nouns(expected), _nouns(said)
    return bool(left and right) and (left <= right or right <= left)


def is_generic(unit: str) -> bool:
    """True for "units", "square units" and the like, which stand for any unit."""
    return unit.rstrip("^23").split()[-1:] in (["unit"], ["units"]) and {*unit.split()[:-1]} <= _PREFIXED.keys()


@lru_cache(maxsize=1024)
def _dimension(unit: str) -> tuple[tuple[tuple[str, int], ...], Fraction] | None:
    """The kinds measured with their powers, and the size; None for a word that is no unit."""
    powers: dict[str, int] = {}
    size, last_size, sign, prefixed = Fraction(1), Fraction(1), 1, 0
    for part in re.findall(r"[^\W\d_]+\.?(?:\^?-?[1-9])?|[$€£₹¥%°/]", unit[:80]):
        name, power = _named(part)
        if name in {"/", "per"}:
            sign = -1
        elif name in _PREFIXED:
            prefixed = _PREFIXED[name]
        elif name in _SUFFIXED and powers:
            last = next(reversed(powers))
            size *= last_size ** (_SUFFIXED[name] - 1)
            powers[last] *= _SUFFIXED[name]
        elif name in _KINDS:
            kind, last_size = _KINDS[name]
            exponent = sign * (prefixed or power)
            if kind == "volume":  # a litre is a thousandth of a cubic metre
                kind, exponent, last_size = "length", 3 * exponent, last_size / 1000
                size *= last_size ** (exponent // 3)
                powers[kind] = powers.get(kind, 0) + exponent
                prefixed = 0
                continue
            powers[kind] = powers.get(kind, 0) + exponent
            size *= last_size**exponent
            prefixed = 0
        else:
            return None
    return (tuple(sorted(powers.items())), size) if powers else None


def _named(part: str) -> tuple[str, int]:
    name = part.rstrip("^-0123456789.").lower()
    digits = part[len(name) :].strip("^.") or "1"
    if name in _SPELLED:
        return _SPELLED[name], int(digits)
    if name not in _KINDS and name.endswith("s"):
        name = name[:-2] if name.endswith("es") and name[:-2] in _KINDS else name[:-1]
    return name, int(digits)


def unit_text(words: str) -> str:
    """A unit in one spelling: lower case, speeds written out, no small words."""
    words = words.strip().lower()
    return _SPEEDS.get(words, words)


def _nouns(unit: str) -> frozenset[str]:
    words = _LETTERS.findall(unit.lower())
    return frozenset(_singular(word) for word in words if word not in _SMALL)


def _singular(word: str) -> str:
    if word in _SPELLED:
        return _SPELLED[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word
