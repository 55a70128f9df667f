r"""The expressions that a text writes: between mathematics signs, and in plain text.

>>> formulas(r"Simplify $\sqrt{8}$ and solve \(x + 1 = 3\).")
('\\sqrt{8}', 'x + 1 = 3', 'x + 1', '3')
>>> formulas("What is 3 * (4 + 5)?")
('3 * (4 + 5)',)
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

MAX_CHARS = 20_000
MAX_FORMULAS = 60
MAX_FORMULA = 600
_MARKED = re.compile(
    r"\$\$(?P<display>[^$]{1,600})\$\$"  # $$x + 1$$
    r"|(?<!\\)\$(?P<inline>(?:\\\$|[^$]){1,600}?)(?<!\\)\$"  # $x + 1$, $\$5$
    r"|\\\[(?P<block>.{1,600}?)\\\]"  # \[x + 1\]
    r"|\\\((?P<round>.{1,600}?)\\\)"  # \(x + 1\)
    r"|\\begin\{(?:align|equation|gather)\*?\}(?P<lines>.{1,600}?)\\end\{",  # \begin{align*}x + 1\end{align*}
    re.DOTALL,
)
_RELATION = re.compile(
    r"(?<![<>!:])=|[<>≤≥≈]|\\(?:leq?|geq?|lt|gt|neq?|approx|equiv)(?![a-zA-Z])"  # x = 1, x \le 1; not x := 1
)
_PART = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[A-Za-z]+|[-+*/^()!%×÷·−√]|[^\S\n]+|.", re.DOTALL)  # 1,000.5, ln, x, +
_OPERATION = re.compile(r"[-+*/^×÷·−](?!\s*$)|[!√]|[a-z]{2}")  # 3 + 4, 5!, sqrt 2; not the end of 3 -
_NAMES = frozenset({"sqrt", "log", "ln", "sin", "cos", "tan", "exp", "pi", "mod", "gcd", "lcm"})
_ARTICLES = frozenset("aAI")


@lru_cache(maxsize=512)
def formulas(text: str) -> tuple[str, ...]:
    """Each expression once, with the sides of relations behind them; plain text only where no sign marks any."""
    text = text[:MAX_CHARS]
    marked = [_trimmed(next(filter(None, match.groups()), "")) for match in _MARKED.finditer(text)]
    rest = _MARKED.sub("\n", text)
    found: dict[str, None] = {}
    for formula in (*marked, *_plain(rest)):
        if formula:
            found.update(dict.fromkeys([formula, *sides(formula)]))
    return tuple(islice(found, MAX_FORMULAS))


def sides(formula: str) -> list[str]:
    """What stands on the sides of the relations of an expression, where there are any."""
    parts = [_trimmed(part) for part in _RELATION.split(formula)]
    return [part for part in parts if part] if len(parts) > 1 else []


def _trimmed(formula: str) -> str:
    return formula.strip().rstrip(".,;:?").strip()


def _plain(text: str) -> list[str]:
    """Runs of numbers, letters alone, names of functions, signs and brackets that hold an operation."""
    runs, run = [], ""
    for part in _PART.findall(text + "\n"):
        word = part.isalpha() and part.isascii()
        if part in _ARTICLES or (word and len(part) > 1 and part not in _NAMES) or _breaks(part):
            runs.append(run)
            run = ""
        else:
            run += part
    trimmed = (_balanced(run.strip().lstrip("*/^)%!").strip().rstrip("(-+*/^·×÷ ")) for run in runs)
    return [run for run in trimmed if len(run) <= MAX_FORMULA and _OPERATION.search(run[1:]) and _holds_two(run)]


def _breaks(part: str) -> bool:
    return len(part) == 1 and not part.isalnum() and part not in "-+*/^()!%×÷·−√ \t"


def _holds_two(run: str) -> bool:
    """Whether there is something to work out: two operands, or one with a root or a factorial."""
    operands = len(re.findall(r"[0-9.,]+|[A-Za-z]+", run))
    return operands > 1 or (operands == 1 and any(sign in run for sign in "!√"))


def _balanced(run: str) -> str:
    """Without the brackets around the whole of it that one end lacks."""
    if run.count("(") > run.count(")") and run.startswith("("):
        return run[1:].strip()
    if run.count(")") > run.count("(") and run.endswith(")"):
        return run[:-1].strip()
    return run
