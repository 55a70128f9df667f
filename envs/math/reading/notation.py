r"""Notations that differ from place to place, in the one that the grammar reads.

>>> [plain(text) for text in (r"\color{red}{12}", "1.234.567", "86'400", r"{}^8C_2", "USD 5", "0.1666...")]
['{12}', '1234567', '86400', '\\binom{8}{2}', '5 \\text{ USD}', '0.1\\overline{6}']
"""

from __future__ import annotations

import re
from fractions import Fraction

_COLOUR = re.compile(r"\\(?:text|math|page)?color(?:box)?(?![A-Za-z])\s*(?:\[[^\[\]]{0,20}\])?\s*\{[^{}]{0,40}\}")
r"""`\color{red}`, `\textcolor[rgb]{1,0,0}`, `\colorbox{yellow}`."""
# \large
_SIZE = re.compile(
    r"\\(?:large|Large|LARGE|huge|Huge|small|normalsize|bfseries|scriptstyle|strut|mathstrut)(?![A-Za-z])"
)
_ROW_GAP = re.compile(r"\\\\ ?\[ ?[0-9.]+ ?(?:pt|em|ex|cm|mm|in) ?\]")
r"""\\[6pt] between rows"""
_POINTS = re.compile(
    r"(?<![0-9.,])([0-9]{1,3}(?:\.[0-9]{3}){2,}|[0-9]{1,3}(?:\.[0-9]{3})+(?=,[0-9]))(?:,([0-9]+))?(?![0-9.,])"
)
"""1.234.567 and 1.234,56: points that can only part thousands."""
_APOSTROPHES = re.compile(r"(?<![0-9.,'])[0-9]{1,3}(?:'[0-9]{3})+(?![0-9'])")
"""86'400."""
_UNDERSCORES = re.compile(r"(?<![0-9A-Za-z_])[0-9]{1,3}(?:_[0-9]{3})+(?![0-9A-Za-z_])")
"""1_000_000."""
_TIMES = re.compile(r"(?<=[0-9])(?: ?[xX] ?(?=10 ?(?:\^|\*\*))| [xX] (?=[0-9]))")
"""The letter in 1.5 x 10^8 and in 2 x 3 x 5."""
_UPRIGHT = r"(?:\\(?:mathrm|text|operatorname|rm|mathbf) ?\{? ?)?"
_CHOSEN = re.compile(
    rf"(?:\{{ ?\}} ?)?[\^_] ?\{{? ?(?P<n>[0-9]+|[a-z]) ?\}}? ?{_UPRIGHT}"
    r"(?P<kind>[CP]) ?\}? ?_ ?\{? ?(?P<k>[0-9]+|[a-z]) ?\}?"
    r"|(?<![0-9A-Za-z._])(?P<n2>[0-9]+) ?(?P<kind2>[CP]) ?(?P<k2>[0-9]+)(?![0-9A-Za-z_.])"
)
r"""{}^8C_2, _8P_2, 8C2."""
_FRENCH = re.compile(
    rf"{_UPRIGHT}(?<![A-Za-z])C ?\}}? ?(?P<first>[\^_]) ?\{{? ?([0-9]+) ?\}}? ?[\^_] ?\{{? ?([0-9]+) ?\}}?"
)
"""C_8^2 and C^2_8."""
_MINUTES = re.compile(
    r"([0-9]+) ?\^ ?\{? ?\\circ ?\}? ?([0-9]{1,2})(?:'|\^ ?\{? ?\\prime ?\}?)(?!') ?(?:([0-9]{1,2}(?:\.[0-9]+)?) ?'')?"
)
"""22^\\circ 30'"""
_CODE_IN_FRONT = re.compile(
    r"(?<![0-9A-Za-z])(?<![0-9] )(?:\\text ?\{ ?)?(USD|EUR|GBP|INR|JPY|CHF|CAD|AUD|CNY|RMB|Rs)"
    r"\b\.? ?\}? ?(-?[0-9]+(?:[.,][0-9]+)*)"
)
"""USD 18.50"""
_DOLLARS = re.compile(r"(?<![A-Za-z])(?:US|CA|AU|HK|NZ|A|C) ?\\?\$ ?(?=[0-9])")
"""US$5"""
_SAME_SAID = re.compile(
    r"(?P<group>\\(?:text|mbox|textrm) ?\{)? ?,? ?(?:\b(?:or|and)\b,? )?\b"
    r"(?:equivalently|in other words|that is|which is the same as|which equals|i\.e\.)(?: as)?,? ?(?(group)\})",
    re.IGNORECASE,
)
"""0.5 or, equivalently, 1/2"""
# 0.1666\ldots
_GOING_ON = re.compile(r"(?<![0-9.])([0-9]*\.[0-9]{2,40}?)(?:\.{2,}|\\(?:ldots|dots|cdots|dotsc) ?)(?![0-9])")
_CYCLE = re.compile(r"([0-9]*\.[0-9]*?)(?:([0-9])\2\2+|([0-9]{2,8})\3+|([0-9])\4)\Z")
"""0.1666 goes on with 6, and 0.1818 with 18."""


def plain(text: str) -> str:
    """The text with each of these notations in the usual one."""
    if "\\" in text:
        if "color" in text:
            text = _COLOUR.sub("", text)
        text = _ROW_GAP.sub(r"\\\\", _SIZE.sub(" ", text))
    if "'" in text or "prime" in text:
        text = _APOSTROPHES.sub(lambda found: found[0].replace("'", ""), text)
        text = _MINUTES.sub(_degrees, text)
    if "." in text:
        text = _GOING_ON.sub(_repeated, _POINTS.sub(_grouped, text))
    if "_" in text or "C" in text or "P" in text:
        text = _UNDERSCORES.sub(lambda found: found[0].replace("_", ""), text)
        text = _FRENCH.sub(_binomial, _CHOSEN.sub(_chosen, text))
    if "x" in text or "X" in text:
        text = _TIMES.sub(r" \\times ", text)
    if "$" in text:
        text = _DOLLARS.sub(r"\\$", text)
    text = _CODE_IN_FRONT.sub(r"\2 \\text{ \1}", text)
    return _SAME_SAID.sub(" = ", text)


def _grouped(found: re.Match[str]) -> str:
    whole = found[1].replace(".", "")
    return f"{whole}.{found[2]}" if found[2] else whole


def _chosen(found: re.Match[str]) -> str:
    n, kind, k = (found[name] or found[f"{name}2"] for name in ("n", "kind", "k"))
    return rf"\binom{{{n}}}{{{k}}}" if kind == "C" else rf"\frac{{{n}!}}{{({n}-{k})!}}"


def _binomial(found: re.Match[str]) -> str:
    n, k = sorted((found[2], found[3]), key=int, reverse=True)
    return rf"\binom{{{n}}}{{{k}}}"


def _degrees(found: re.Match[str]) -> str:
    angle = Fraction(found[1]) + Fraction(found[2]) / 60 + Fraction(found[3] or 0) / 3600
    return rf"\frac{{{angle.numerator}}}{{{angle.denominator}}}^\circ "


def _repeated(found: re.Match[str]) -> str:
    cycle = _CYCLE.match(found[1])
    return found[0] if cycle is None else rf"{cycle[1]}\overline{{{cycle[2] or cycle[3] or cycle[4]}}}"
