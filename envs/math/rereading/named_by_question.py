r"""A value behind the very expression that the question asks for: `n + 3 = 12` where it asks `What is $n + 3$?`.

>>> list(by_question("12", "n+3 = 12", "Let $n(n-1) = 72$. What is $n + 3$?"))
['12']
>>> list(by_question("12", "n = 12", "Let $n(n-1) = 72$. What is $n + 3$?"))
[]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from rlenv.envs.math.comparing import compare
from rlenv.envs.math.opposed import ASKS
from rlenv.envs.math.reading.answer import reading
from rlenv.envs.math.reading.written import MATHEMATICS, inside

MAX_CHARS = 4000
_IMPLIED = re.compile(r"\\(?:Rightarrow|implies|Longrightarrow|to)(?![A-Za-z])|⇒|⟹|=>")  # x = 3 \Rightarrow 2x + 1 = 7
_LEADS = re.compile(r"^(?:\s|\\[,;:! ])*(?:\\text\{[^{}]{0,30}\})?")  # \, \text{Thus }x
_EQUALS = re.compile(r"(?<![<>!:])=(?!>)")  # n + 3 = 12
_COMPOSED = re.compile(r"\(\s*([a-z])\s*\\circ\s*([a-z])\s*\)\s*\(([a-z])\)")
r"""(f\circ g)(x)"""
_SIMPLE = re.compile(r"\\[dt]?frac\s*(\{[^{}+-]*\}|[0-9a-z])\s*(\{[^{}+-]*\}|[0-9a-z])")
r"""\frac{1}{x^2}, which is 1/x^2"""
_BOUND = re.compile(r"_\{[^{}]*\}")  # \\sum_{k=1}
_VARIANCE = frozenset({"\\sigma^2", "s^2"})
_DOTS = re.compile(r"\s*[-+]\s*(?:\\[cl]?dots|\.\.\.|…)\Z")  # 1 - x + \\cdots
_MARKS = re.compile(r"\A[\s*$]+|[\s*$.]+\Z")  # ** n + 3 = 12 **


def by_question(gold: str, answer: str, question: str) -> Iterator[str]:
    """The last side of an equation whose first side the question asks for, where the sides between are equal to it."""
    if "=" not in answer or (
        re.search(r"[<>=]|\\(?:le|ge|in|equiv)(?![a-z])", gold.replace("\\left", "")) and ("\\begin" not in gold)
    ):
        return
    stated = _MARKS.sub("", _LEADS.sub("", _IMPLIED.split(answer)[-1]))
    asked = _asked(question) | (_VARIANCE if "variance" in question else frozenset())
    first = next((sign for sign in _EQUALS.finditer(stated) if _plain(stated[: sign.start()]) in asked), None)
    if first is None:
        return
    rest = stated[first.end() :]
    sides = [
        _DOTS.sub("", side.strip()) if "dots" not in gold and "terms" in question else side.strip()
        for side in _EQUALS.split(rest)
    ]
    if len(sides) < 5 and all(compare(left, right).equal for left, right in pairwise(sides)):
        yield sides[-1]


@lru_cache(maxsize=256)
def _asked(question: str) -> frozenset[str]:
    """The expressions that the question asks for, in one spelling; a letter alone or a number is none."""
    question = question[:MAX_CHARS]
    found = (span for span in MATHEMATICS.finditer(question) if ASKS.search(question, 0, span.start()))
    said = (inside(span) for span in found)
    named = (_plain(text) for text in said if "=" not in _BOUND.sub("", text))
    return frozenset(text for text in named if len(text) > 1 and re.search(r"[A-Za-z|]", text))


def _plain(text: str) -> str:
    r"""One spelling: `\dfrac{1}{x}` and `\frac1x`, `x⁴` and `x^4`, (f\circ g)(x) and f(g(x))."""
    text = _COMPOSED.sub(r"\1(\2(\3))", text.replace("∩", "\\cap ").replace("∪", "\\cup "))
    text = _SIMPLE.sub(lambda found: f"{found[1]}/{found[2]}", reading(text).text.replace("$", ""))
    return re.sub(r"\\(?:left|right)(?![a-z])|\\[,;:! ]|[\s{}.]", "", text).replace("\\cdot", "")
