r"""The comparison of an answer with the reference, from the cheap tiers to the dear one.

>>> [compare("1/2", text).equal for text in (r"\frac{2}{4}", "0.5", "50\\%", "0.51")]
[True, True, True, False]

`compare` is pure, bounded and total: it never raises for any text, and it answers None only where algebra is needed
to tell, or where the caller left it no stack; `compare_symbolically` then decides, and is called only in a process that
can be killed.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rlenv.envs.math.comparing.comparison import Comparison
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.comparing.structure import Judge
from rlenv.envs.math.reading.answer import reading
from rlenv.envs.math.reading.naming import told_apart
from rlenv.envs.math.reading.nodes import Words
from rlenv.envs.math.reading.phrases import phrase
from rlenv.envs.math.reading.written import FONT

_PLAIN = re.compile(r"-?(?:[0-9]{1,30}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})")
_DECIMAL_COMMA = re.compile(r"-?[0-9]+,[0-9]+")
_A_WORD = re.compile(r"(?<![A-Za-z\\])[A-Z]?[a-z]{2,}")  # Box
_STRICT = MathPolicy()


def compare(gold: str, answer: str, policy: MathPolicy = _STRICT, question: str = "") -> Comparison:
    """Cheap, bounded and pure; `equal` is None where only algebra could tell."""
    quick = _quickly(gold.strip(), answer.strip(), policy)
    if quick is not None:
        return quick
    try:
        return _with_reasons(gold, answer, Judge(policy, question))
    except RecursionError:
        return Comparison(None, "guard", "the caller's stack is nearly full")


def compare_symbolically(gold: str, answer: str, policy: MathPolicy = _STRICT, question: str = "") -> Comparison:
    """The last tier, algebra: may take long, so only a process that can be killed may call it. Never None."""
    from rlenv.envs.math.comparing.symbolic import same_by_algebra

    try:
        found = _with_reasons(gold, answer, Judge(policy, question, same_by_algebra))
    except RecursionError:
        return Comparison(False, "guard", "nested too deep", ("cost_guard",))
    return found if found.equal is not None else Comparison(False, "symbolic", "algebra could not show them equal")


def readable(gold: str) -> bool:
    """Whether a reference can be compared with: it says something, and hits no limit."""
    found = reading(gold)
    return bool(found.text.strip()) and found.flag != "cost_guard"


def _quickly(gold: str, answer: str, policy: MathPolicy) -> Comparison | None:
    """Empty answers, the same text, and plain numbers under exact rounding."""
    if not gold or not answer:
        return Comparison(False, "identity", "an empty answer")
    if gold == answer:
        return Comparison(True, "identity")
    if policy.rounding == "exact" and _PLAIN.fullmatch(gold) and _PLAIN.fullmatch(answer):
        expected, said = Fraction(gold), Fraction(answer)
        if expected == said:
            return Comparison(True, "exact")
        if "." not in gold:
            return Comparison(False, "exact", f"got {said}, expected {expected}")
    return None


def _with_reasons(gold: str, answer: str, judge: Judge) -> Comparison:
    if "(" in answer or "(" in gold:
        gold, answer = told_apart(gold, judge.question), told_apart(answer, judge.question)
    expected, said = reading(gold), reading(answer)
    if not expected.text or not said.text:
        return Comparison(False, "identity", "an empty answer")
    if expected.text == said.text or _squeezed(expected.text) == _squeezed(said.text):
        return Comparison(True, "identity")
    if Words in (type(expected.node), type(said.node)) and _in_one_font(expected.text, said.text):
        return Comparison(True, "identity")
    if _decimal_comma(expected.text, said.text):
        return Comparison(True, "identity")
    if said.flag:
        return Comparison(False, "guard" if said.flag == "cost_guard" else "structure", said.reason, (said.flag,))
    if _is_word(expected.text) and _is_word(said.text):
        return _same_letters(expected.text, said.text)
    return judge.same(expected.node, said.node)


def _in_one_font(gold: str, answer: str) -> bool:
    r"""Whether two texts with a word are the same but for its font: `Box 2` and `\text{Box }2`."""
    if "\\" not in gold + answer:
        return False
    plain = [" ".join(FONT.sub(r" \1 ", text).split()) for text in (gold, answer)]
    return plain[0] == plain[1] and _A_WORD.search(plain[0]) is not None


def _is_word(text: str) -> bool:
    """Letters in a row that people read as a word rather than as a product."""
    return len(text) > 2 and text.isalpha() and not text.isdecimal() and bool(set(text.lower()) & set("aeiou"))


def _same_letters(gold: str, answer: str) -> Comparison:
    if phrase(gold) == phrase(answer):
        return Comparison(True, "text")
    return Comparison(False, "text", f"got {answer[:80]!r}, expected {gold[:80]!r}")


def _squeezed(text: str) -> str:
    """The text without spaces, but for those that keep numbers and words apart."""
    return re.sub(r"(?<![0-9A-Za-z]) +| +(?![0-9A-Za-z])", "", text)


def _decimal_comma(gold: str, answer: str) -> bool:
    """One side writes 1,22 for what the other writes 1.22; three digits behind a comma are thousands."""
    for left, right in ((gold, answer), (answer, gold)):
        if _DECIMAL_COMMA.fullmatch(left) and left.replace(",", ".") == right:
            return len(left.partition(",")[2]) != 3 or left.lstrip("-").startswith("0,")
    return False
