r"""Answers that math-verify 0.9 is known to accept though they do not state the gold answer.

>>> suspicion("42", "1 2 3 42")
('number_spray', 'several numbers in a row')
>>> words("listen"), words(r"\text{(C)}"), words("2x+1"), equation("x=41=42")
('listen', 'c', None, ('x', ['41', '42']))
"""

from __future__ import annotations

import re

MAX_CHARS = 800
MAX_DEPTH = 20
_TEXT = re.compile(r"\\(?:text|textbf|textrm|textit|mathrm|mbox)\{([^{}]*)\}")
_CLOCK = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?( ?[ap]\.?m\.?)?", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z](?:_\{?\w\}?)?|\\[a-z]+|[A-Za-z]\([A-Za-z]\)|\([A-Za-z](?:, ?[A-Za-z])*\)")
_NOT_EQUAL = re.compile(r"[<>!]=|==")
_SPRAY = re.compile(r"[0-9]\s+[0-9]")
_MIXED = re.compile(r"[0-9]+\s+[0-9]+\s*/\s*[0-9]+")
_SLOPPY = re.compile(r"\\sqrt\s*\(|\\frac\s*\(")
_STANDING = ("\\int", "\\sum", "\\prod", "\\lim", "\\frac{d", "!", "\\approx", "\\equiv", "\\sim", "_")
"""What an answer may hold only where the gold holds it too: operations left undone, relations that are not =."""


def words(text: str) -> str | None:
    """The text in one spelling when it states words or a time of day, None when it is mathematics."""
    bare = _TEXT.sub(r"\1", text)
    letters = re.sub(r"[\s().,'’-]", "", bare)
    if _CLOCK.fullmatch(bare.strip()) is None:
        if not letters.isalpha() or "\\" in bare:
            return None
        if bare == text and max(map(len, re.findall(r"[^\W\d_]+", bare))) < 3:
            return None
    return " ".join(re.sub(r"[().,]", " ", bare).lower().split())


def equation(text: str) -> tuple[str, list[str]]:
    """The symbol that a text names in front (or ""), and the sides of what remains around its equal signs."""
    if _NOT_EQUAL.search(text):
        return "", [text]
    sides = [side.strip() for side in text.split("=")]
    if len(sides) > 1 and _NAME.fullmatch(sides[0]):
        return sides[0], sides[1:]
    return "", sides


def suspicion(gold: str, answer: str, question: str = "") -> tuple[str, str] | None:
    """The flag and the reason why this answer is not even compared, or None."""
    if len(answer) > MAX_CHARS or _depth(answer) > MAX_DEPTH:
        return "too_complex", f"an answer longer than {MAX_CHARS} characters or nested deeper than {MAX_DEPTH}"
    if answer.count("=") != gold.count("="):
        return "equation_chain", "another number of equations than the reference has"
    if _SPRAY.search(answer) and not _MIXED.fullmatch(answer) and not _SPRAY.search(gold):
        return "number_spray", "several numbers in a row"
    if "%" in answer and "%" not in gold and "%" not in question and "percent" not in question.lower():
        return "percent", "a percent sign that neither the reference nor the question has"
    for symbol in _STANDING:
        if symbol in answer and symbol not in gold:
            return "left_standing", f"{symbol} is in the answer and not in the reference"
    if _SLOPPY.search(answer):
        return "unreadable", "a root or fraction without braces"
    return _words_beside_mathematics(gold, answer, question)


def _words_beside_mathematics(gold: str, answer: str, question: str) -> tuple[str, str] | None:
    known = set(re.findall(r"[a-z]+", f"{' '.join(_TEXT.findall(gold))} {question}".lower()))
    for text in _TEXT.findall(answer):
        strange = [word for word in re.findall(r"[a-z]+", text.lower()) if word not in known | {"or", "and"}]
        if strange and len(strange[0]) > 1:
            return "words", f"the word {strange[0]!r} is in neither the reference nor the question"
    return None


def _depth(text: str) -> int:
    """How deep brackets of any kind are nested; unbalanced ones count as open."""
    depth = deepest = 0
    for character in text:
        if character in "({[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")}]":
            depth -= 1
    return deepest
