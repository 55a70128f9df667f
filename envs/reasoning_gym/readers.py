r"""Answers as values: each reader takes one written form, strictly, and raises Malformed for all else.

Only ASCII digits and ASCII white space count, so that no look-alike character passes for another.

>>> lines(" 1  2 \n\n 3 4")
('1 2', '3 4')
>>> number("-1,250.50") == Fraction("-1250.5")
True
>>> roots('""'), roots("2.5, -1.0") == roots("-1, 2.5")
((), True)
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import NoReturn, TypeAlias

from rlenv.jsontypes import Json

MAX_DIGITS = 400
"""Longer numbers are no answer to any question here, and converting them would cost more than reading."""
_BLANK = re.compile(r"[ \t\r\f\v]+")
_NUMBER = r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?"
_PLAIN_NUMBER = r"[+-]?[0-9]+(?:\.[0-9]+)?"
_UPPER_TO_LOWER = {ord(upper): upper.lower() for upper in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}

Table: TypeAlias = tuple[tuple[Fraction, ...], ...]


class Malformed(Exception):
    """The answer is not written in the form that the question asks for; it is wrong, not an error."""


def lines(text: str) -> tuple[str, ...]:
    """The lines that hold something, each with single spaces."""
    return tuple(line for line in (_BLANK.sub(" ", raw).strip(" ") for raw in text.split("\n")) if line)


def caseless(text: str) -> tuple[str, ...]:
    """Lines whose ASCII letters may be upper or lower case."""
    return lines(text.translate(_UPPER_TO_LOWER))


def comma_list(text: str) -> tuple[str, ...]:
    """Items between commas, with or without a space after each comma."""
    return tuple(item.strip(" ") for item in _one_line(text).split(","))


def number(text: str) -> Fraction:
    """A number in decimal notation, exactly; commas may stand between thousands."""
    found = _match(_NUMBER, text)
    return Fraction(found[0].replace(",", ""))


def scientific(text: str) -> Fraction:
    """A number with or without an exponent of up to three digits."""
    return Fraction(_match(rf"{_PLAIN_NUMBER}(?:[eE][+-]?[0-9]{{1,3}})?", text)[0])


def hexadecimal(text: str) -> int:
    """A signed hexadecimal number like -0x1f."""
    return int(_match(r"-?0[xX][0-9a-fA-F]+", text)[0], 16)


def fraction(text: str) -> tuple[int, int]:
    r"""Numerator and denominator as they are written: 3/4, \frac{3}{4} or \dfrac{3}{4}, between $ or not."""
    body = r"([0-9]+)/([0-9]+)|\\d?frac\{([0-9]+)\}\{([0-9]+)\}"
    found = re.fullmatch(rf"(?:\$(?:{body})\$)|(?:{body})", _short(text))
    if found is None:
        _refuse("a fraction", text)
    numerator, denominator = (int(group) for group in found.groups() if group is not None)
    return numerator, denominator


def complex_number(text: str) -> tuple[Fraction, Fraction]:
    """Real and imaginary part: 3, -2i, 3.0 - 2.0i, in brackets or not."""
    packed = _tight(_short(text))
    if packed.startswith("(") and packed.endswith(")"):
        packed = packed[1:-1]
    found = re.fullmatch(rf"({_PLAIN_NUMBER})?(?:([+-]?)([0-9]+(?:\.[0-9]+)?)?i)?", packed)
    if found is None or not packed:
        _refuse("a complex number", text)
    real, sign, size = found.groups()
    if not packed.endswith("i"):
        return Fraction(real), Fraction(0)
    if real and not sign:  # 12i is read as real 1 and size 2
        return Fraction(0), Fraction(packed[:-1])
    imaginary = Fraction(size or 1)
    return Fraction(real or 0), -imaginary if sign == "-" else imaginary


def point(text: str) -> tuple[Fraction, ...]:
    """A point (x, y), or one number with or without a degree sign."""
    packed = _short(text)
    if packed.startswith("(") and packed.endswith(")"):
        x, _, y = packed[1:-1].partition(",")
        return number(x.strip(" ")), number(y.strip(" "))
    return (number(packed.removesuffix("°").rstrip(" ")),)


def roots(text: str) -> tuple[Fraction, ...]:
    """Numbers between commas in any order; nothing, or an empty pair of quotes, for none."""
    if text in ("", '""'):
        return ()
    return tuple(sorted(number(item) for item in comma_list(text)))


def factors(text: str) -> tuple[int, ...]:
    """Whole numbers with × (or x, or *) between them, in any order."""
    parts = re.split(r" ?[×x*] ?", _one_line(text))
    return tuple(sorted(int(_match(r"[0-9]+", part)[0]) for part in parts))


def number_list(text: str) -> tuple[Fraction, ...]:
    """A list in brackets of numbers, each in quotes or not."""
    inside = re.fullmatch(r"\[(.*)\]", _one_line(text))
    if inside is None:
        _refuse("a list in brackets", text)
    if not inside[1].strip(" "):
        return ()
    return tuple(number(re.sub(r"""^(['"])(.*)\1$""", r"\2", item)) for item in comma_list(inside[1]))


def table(text: str) -> Table:
    """Rows of numbers with spaces between them."""
    return tuple(tuple(number(cell) for cell in line.split(" ")) for line in lines(text))


def digits(text: str) -> list[list[int]]:
    """Rows of whole numbers of at most four digits."""
    return [[int(_match(r"[0-9]{1,4}", cell)[0]) for cell in line.split(" ")] for line in lines(text)]


def json_value(text: str) -> Json:
    """Strict JSON: no key twice, no NaN."""
    try:
        value: Json = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON: {type(error).__name__}") from error
    return value


def json_text(text: str) -> str:
    """JSON in one way of writing it, so that true is not 1 and 1.0 is not 1."""
    return json.dumps(json_value(text))


def string_lists(text: str) -> list[list[str]]:
    """A JSON list of lists of strings."""
    value = json_value(text)
    if not isinstance(value, list):
        _refuse("a list of lists of strings", text)
    return [strings(item) for item in value]


def strings(value: Json) -> list[str]:
    """A list of strings out of JSON."""
    if not isinstance(value, list):
        _refuse("a list of strings", str(type(value).__name__))
    texts = [item for item in value if isinstance(item, str)]
    if len(texts) != len(value):
        _refuse("a list of strings", "other items")
    return texts


def groups(text: str) -> list[list[str]]:
    """A JSON list of lists of strings, the order of both without meaning."""
    return sorted(sorted(group) for group in string_lists(text))


def partitions(text: str) -> list[list[str]]:
    """A JSON list of lists of strings, the order of the outer one without meaning."""
    return sorted(string_lists(text))


def assignments(text: str) -> dict[str, str]:
    """`Ann is a knight, and Bob is a knave.` as who is what; nobody twice."""
    clauses = re.split(r"(?:, and | and |, )", _one_line(text).removesuffix("."))
    found = [_match(r"([A-Za-z]+) is an? ([A-Za-z]+)", clause) for clause in clauses]
    roles = {clause[1]: clause[2].lower() for clause in found}
    if len(roles) != len(found):
        _refuse("every name once", text)
    return roles


def monomials(text: str) -> dict[tuple[tuple[str, int], ...], int]:
    """An expanded polynomial as coefficients by monomial: no brackets, no monomial twice."""
    packed = _tight(_short(text, 5 * MAX_DIGITS))
    if packed == "0":
        return {}
    terms = re.findall(r"([+-]?)([^+-]+)", packed)
    if not terms or "".join(sign + term for sign, term in terms) != packed:
        _refuse("a sum of terms", text)
    result: dict[tuple[tuple[str, int], ...], int] = {}
    for place, (sign, term) in enumerate(terms):
        coefficient, powers = _term(term)
        if powers in result or coefficient == 0 or (place and not sign):
            _refuse("every monomial once", text)
        result[powers] = -coefficient if sign == "-" else coefficient
    return result


def _term(text: str) -> tuple[int, tuple[tuple[str, int], ...]]:
    found = _match(r"(?:([0-9]+)|([A-Za-z])(?:\*\*([0-9]{1,3}))?)((?:\*[A-Za-z](?:\*\*[0-9]{1,3})?)*)", text)
    coefficient = int(found[1]) if found[1] else 1
    rest = text if found[2] else found[4].removeprefix("*")
    powers = {}
    for name, exponent in re.findall(r"([A-Za-z])(?:\*\*([0-9]+))?", rest):
        if name in powers:
            _refuse("every variable once in a term", text)
        powers[name] = int(exponent or 1)
    return coefficient, tuple(sorted((name, power) for name, power in powers.items() if power))


def _unique_keys(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _match(pattern: str, text: str) -> re.Match[str]:
    found = re.fullmatch(pattern, _short(text))
    if found is None:
        _refuse("a value of the form asked for", text)
    return found


def _tight(text: str) -> str:
    """The text without the spaces beside + - *; others stay, so that 1 2 is not 12."""
    if re.search(r"\* +\*", text):
        _refuse("** in one piece", text)
    return re.sub(r" *([-+*]) *", r"\1", text)


def _one_line(text: str) -> str:
    """The text, if it is one line."""
    single = lines(text)
    if len(single) != 1:
        _refuse("one line", text)
    return single[0]


def _short(text: str, limit: int = MAX_DIGITS) -> str:
    if len(text) > limit:
        _refuse(f"at most {limit} characters", text)
    return text


def _refuse(expected: str, text: str) -> NoReturn:
    raise Malformed(f"expected {expected}, got {text[:40]!r}")
