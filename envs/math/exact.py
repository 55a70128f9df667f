r"""Numbers read exactly, without algebra: integers, decimals, simple fractions, percents, bases, units.

>>> parse_number(r"\$1{,}250.50").value, parse_number(r"\frac{3}{4}").value, parse_number("101_2").value
(Fraction(2501, 2), Fraction(3, 4), Fraction(5, 1))
>>> parse_number("x+1") is None
True

Comparison is by exact value: `0.333` is not one third. A percent sign and a unit are read with the number,
and whether they may stand there is decided against the gold answer and the question (`disagreement`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from rlenv.envs.math.units import read_unit, unit_fits

MAX_CHARS = 200
_SPACES = re.compile(r"(\\\\)|(?:\\[,;: ]|\\q?quad(?![a-z])|~|\s)+")
_THOUSANDS = re.compile(r"(?:,\\!|\{,\}|\\!)\s*")
_UNSIGNED = r"(?:[0-9]{1,3}(?:[, ][0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+"
_NUMBER = re.compile(
    rf"""(?P<sign>[+-]?)\ ?(?:\\?\$|€|£)?\ ?
    (?:
        (?P<digits>[0-9]+)_\{{?(?P<base>[0-9]{{1,2}})\}}?
      | (?:(?P<whole>[0-9]+)\ ?)?\\frac(?:\{{(?P<a>-?[0-9]+)\}}\{{(?P<b>[0-9]+)\}}|(?P<c>[0-9])(?P<d>[0-9]))
      | (?:(?P<whole2>[0-9]+)\ )?(?P<e>[0-9]+)\ ?/\ ?(?P<f>[0-9]+)
      | (?P<plain>{_UNSIGNED})
    )
    \ ?(?P<percent>\\?%|percent\b)?\ ?(?P<unit>\D.*)?""",
    re.VERBOSE,
)
_WRAPPED = re.compile(r"\$(?P<a>[^$]*)\$|\\\((?P<b>.*)\\\)|\\(?:text|mathrm|mathbf|textbf|mbox)\{(?P<c>[^{}\\]*)\}")


@dataclass(frozen=True)
class Number:
    """A number as written. `value` is what stands before the percent sign, and in the base named."""

    value: Fraction
    percent: bool = False
    unit: str = ""


def parse_number(text: str) -> Number | None:
    """The number that the whole text states, or None where it is anything else."""
    text = plain_latex(text)
    match = _NUMBER.fullmatch(text) if len(text) <= MAX_CHARS else None
    if match is None:
        return None
    unit = read_unit(match["unit"])
    magnitude = _magnitude(match)
    if unit is None or magnitude is None:
        return None
    return Number(-magnitude if match["sign"] == "-" else magnitude, match["percent"] is not None, unit)


def plain_latex(text: str) -> str:
    """The text without what only serves its looks: dollar signs around it, thin spaces, size commands."""
    if len(text) > 4 * MAX_CHARS:
        return text
    text = text.strip().rstrip(".").strip()
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        text = next(group for group in wrapped.groups() if group is not None)
    for written, plain in (("−", "-"), ("\\dfrac", "\\frac"), ("\\tfrac", "\\frac"), ("\\text {", "\\text{")):
        text = text.replace(written, plain)
    text = _THOUSANDS.sub(lambda match: "," if "," in match[0] else "", text)
    return _SPACES.sub(lambda match: match[1] or " ", text).strip()


def disagreement(gold: Number, answer: Number, question: str = "") -> tuple[str, str] | None:
    """None when the answer states the gold's value, else (flag, reason); the flag is empty for a wrong number.

    A percent sign is fine where the gold or the question has one, or where the value it makes is the gold's.
    A unit is fine where it is the gold's, occurs in the question, or is a common one and the gold has none.
    """
    if answer.unit and not unit_fits(gold.unit, answer.unit, question):
        return "unit", f"the unit {answer.unit!r} is neither the reference's nor in the question"
    if answer.value == gold.value and answer.percent == gold.percent:
        return None
    if _share(answer) == _share(gold) and (answer.percent or gold.percent):
        return None
    if answer.value == gold.value:
        if gold.percent or "%" in question or "percent" in question.lower():
            return None
        return "percent", "a percent sign that neither the reference nor the question has"
    return "", f"got {_written(answer)}, expected {_written(gold)}"


def _magnitude(match: re.Match[str]) -> Fraction | None:
    if match["base"] is not None:
        base = int(match["base"])
        if not 2 <= base <= 10 or any(int(digit) >= base for digit in match["digits"]):
            return None
        return Fraction(int(match["digits"], base))
    if match["plain"] is not None:
        return Fraction(match["plain"].replace(",", "").replace(" ", ""))
    above = match["a"] or match["c"] or match["e"]
    below = match["b"] or match["d"] or match["f"]
    whole = match["whole"] or match["whole2"]
    if int(below) == 0 or (whole and above.startswith("-")):
        return None
    return int(whole or 0) + Fraction(int(above), int(below))


def _share(number: Number) -> Fraction:
    return number.value / 100 if number.percent else number.value


def _written(number: Number) -> str:
    return f"{number.value}{'%' if number.percent else ''}"
