r"""The comparison of an answer with the reference, by tiers from cheap to dear.

>>> [compare("1/2", text).equal for text in (r"\frac{2}{4}", "0.5", "50\\%", "0.51")]
[True, True, True, False]

`compare` is pure and bounded. It raises RecursionError where the caller left it no stack, and nothing else whatever the
text. Its answer is None where two expressions agree as far as it can look and no tier proves them equal.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rlenv.envs.math.equality.letters import same_family
from rlenv.envs.math.equality.policy import Comparison, MathPolicy
from rlenv.envs.math.equality.structure import TreeComparison
from rlenv.envs.math.grammar.answer import ParsedAnswer, reading
from rlenv.envs.math.grammar.nodes import Apply, Number, Power, Product, Quantity, Sum

_PLAIN = re.compile(r"-?(?:[0-9]{1,30}(?:\.[0-9]{1,30})?|\.[0-9]{1,30})")
_DECIMAL_COMMA = re.compile(r"(?<![0-9,.])([0-9]+),([0-9]{1,2}|[0-9]{4,}|(?<=(?<![0-9])0,)[0-9]{3})(?![0-9,])")
"""1,5 and 0,125: other commas before three digits part thousands."""
_VALUES = (Number, Quantity, Product, Sum, Power, Apply)
_STRICT = MathPolicy()
SHORT = 24
"""Characters that reach none of the limits of the grammar, but for a power of ten such as 1e999."""


def compare(gold: str, answer: str, policy: MathPolicy = _STRICT, question: str = "") -> Comparison:
    """Cheap, bounded and pure; `equal` is None where no tier can tell. Raises RecursionError on a full stack."""
    quick = _quickly(gold.strip(), answer.strip(), policy)
    return _with_reasons(gold, answer, TreeComparison(policy, question)) if quick is None else quick


def readable(gold: str) -> bool:
    """Whether a reference can be compared with: it says something and hits no limit, as no short one without e can."""
    if len(gold) <= SHORT and "e" not in gold.lower() and (gold.isalpha() or any(map(str.isdecimal, gold))):
        return True
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


def _with_reasons(gold: str, answer: str, judge: TreeComparison) -> Comparison:
    expected, said = reading(gold), reading(answer)
    if not expected.text or not said.text:
        return Comparison(False, "identity", "an empty answer")
    if expected.text == said.text:
        return Comparison(True, "identity")
    if isinstance(expected.node, _VALUES):
        said = _with_point(said)
    elif isinstance(said.node, _VALUES):
        expected = _with_point(expected)
    if said.flag:
        return Comparison(False, "guard" if said.flag == "cost_guard" else "structure", said.reason, (said.flag,))
    if _is_word(expected.text) and _is_word(said.text):
        return Comparison(expected.text.lower() == said.text.lower(), "text", f"expected {expected.text[:80]!r}")
    found = judge.same(expected.node, said.node)
    if found.equal or not judge.question:
        return found
    return same_family(expected.node, said.node, judge.question, judge.same) or found


def _is_word(text: str) -> bool:
    """Letters in a row that people read as a word rather than as a product: tea is not eat."""
    return len(text) > 2 and text.isalpha() and not text.isdecimal() and bool(set(text.lower()) & set("aeiou"))


def _with_point(found: ParsedAnswer) -> ParsedAnswer:
    """The reading with its decimal comma as a point, where the other side is one value: 9,25 cm."""
    point = _DECIMAL_COMMA.sub(r"\1.\2", found.text, count=1) if "," in found.text else found.text
    return found if point == found.text or set(point) & set("()[],") or "\\{" in point else reading(point)
