r"""What a question asks to do with its expressions, and in what form it wants the answer, by its words.

>>> asked("Factor $x^2 - 9$ completely.").factored, asked("Express your answer as a common fraction.").kind
(True, True)
>>> any(asked("How many apples are left?"))
False

Words only open a question that the trees of answer and reference then settle (see `finished`): a form that the
reference does not have is not asked for, whatever the question says.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_CHARS = 20_000


class AskedForm(NamedTuple):
    """Each is a word of the question; all False where it names neither a form nor an operation."""

    carried_out: bool
    """Compute, evaluate, simplify, find the value: nothing is to be left standing."""
    reduced: bool
    """Fractions in lowest terms, roots drawn."""
    rational: bool
    """No root in a denominator."""
    factored: bool
    expanded: bool
    single: bool
    """One fraction, one logarithm."""
    solved: bool
    """For an unknown, which then stands alone."""
    kind: bool
    """A way to write numbers: fraction, mixed number, decimal, percent, ratio, in a base, as a power."""
    named: bool
    """A form that the question writes or names: vertex form, partial fractions, a + bi."""
    region: bool
    """A set of numbers in interval notation, or as an inequality."""
    radians: bool
    degrees: bool


_CARRIED_OUT = (
    r"\b(?:simplif|comput|evaluat|calculat|expand|multipl(?:y|ied) out|work(?:ed)? out|reduce|rationali[sz]e|combin)"
    r"|\b(?:find|determine|give|state|what(?:'s| is)) (?:the )?(?:exact |numerical |simplified |absolute )?"
    r"(?:value|sum|product|difference|quotient|result|total|determinant|remainder|greatest common|least common|gcd|lcm)"
    r"|\b(?:add|subtract|multiply|divide) \S+ (?:by|to|from|and)\b|\bas an integer\b|\bhow much is\b|\bin terms of\b"
)
_REDUCED = (
    r"\b(?:simplif|simplest|lowest terms|reduc(?:e|ing|ed)\b|irreducible"
    r"|(?:common|improper|proper|mixed) (?:fraction|number))"
)
_SOLVED = (
    r"\bsolve|\bslope[- ]intercept|\bmake \S+ the subject|\bfind all\b|\bin terms of\b|\bisolate\b"
    r"|\bfor (?:which|what)\b"
)
_KIND = (
    r"\b(?:as|to|into|in) (?:an? |the |its )?(?:[\w-]+ ){0,3}(?:fraction|decimal|percent(?:age)?|mixed number|ratio)\b"
    r"|\b(?:decimal|fraction) (?:form|equivalent|expansion|representation)|\bfractional form|\bratio of (?:int|whole)"
    r"|\b(?:scientific|standard|ordinary|decimal) notation|\bpowers? of|\bexponential form|\bprime factori[sz]ation"
    r"|\bproduct of (?:its )?primes?|\bto the nearest|\brounded|\blowest terms"
)
_NAMED = (
    r"\b(?:in|into|to) (?:the |its )?(?:\S+ ){0,2}(?<!closed )form\b|(?<!closed )(?<!closed-)\bform\b"
    r"|\bcomplet\w+ the square|\bpartial fractions?"
    r"|\bas a power\b|\bas (?:a|the) sum\b"
)
_WORDS = {
    "carried_out": _CARRIED_OUT,  # Compute 2 + 3; find the exact value of; what is the sum
    "reduced": _REDUCED,  # in simplest form, in lowest terms, as a common fraction
    "rational": r"\brationali[sz]|\brational denominator|\bsimplest radical|\bsimplified radical",
    "factored": r"\bfactor(?:i[sz](?:e|ed|ation))?(?:ed|ing)?\b(?! of)|\bas a product\b",  # Factor x^2; no factor of 12
    "expanded": r"\bexpand|\bmultipl(?:y|ied) out|\bwithout (?:brackets|parentheses)|\bsum of logarithms",
    "single": r"\bas (?:a |one )?single\b|\bas one (?:fraction|logarithm|power|term)|\bsingle (?:fraction|logarithm)",
    "solved": _SOLVED,  # Solve for y; in slope-intercept form; for what values of x
    "kind": _KIND,  # as a common fraction, in decimal form, in scientific notation, to the nearest tenth
    "named": _NAMED,  # in the form a + bi, in vertex form, complete the square
    "region": r"\binterval notation|\bset[- ]builder|\bas an? (?:\w+ )?inequality",
    "radians": r"\bradians?\b(?! (?:in)?to\b)",  # in radians; not from radians to degrees
    "degrees": r"\b(?:in|to|of) degrees\b|\bdegree measure",
}
_PATTERNS = tuple(re.compile(_WORDS[name]) for name in AskedForm._fields)


@lru_cache(maxsize=2048)
def asked(question: str) -> AskedForm:
    """By the words of the question, up to MAX_CHARS of them."""
    text = " ".join(question[:MAX_CHARS].lower().split())
    return AskedForm(*(pattern.search(text) is not None for pattern in _PATTERNS))
