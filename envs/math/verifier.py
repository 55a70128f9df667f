r"""Judges the last `\boxed{}` of a completion as mathematics: exactly where it can, else with math-verify.

>>> from rlenv import Completion, Task
>>> check = BoxedMathVerifier()
>>> task = Task("Solve 2x = 1.", r"\frac{1}{2}")
>>> [check.verify(task, Completion(text)).reward for text in (r"\boxed{0.5}", r"\boxed{x = 1/2}", r"\boxed{2}")]
[1.0, 1.0, 0.0]

Numbers are compared as exact fractions (rlenv.envs.math.exact), words as words, and only what is neither
goes to math-verify 0.9 (extra `math`). It runs without math-verify's own time limits, which are signals
and work in a main thread only: `cheap` is False, so a process that can be killed runs it.

An answer is refused before math-verify sees it where math-verify is known to accept too much: chains of
equations (`41=42`), several numbers in a row, words for a number, integrals left standing. A reference
that cannot be read is a failure of the checker, never a wrong answer.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import Any, TypeAlias

from rlenv.completion import Completion
from rlenv.envs.math.boxed import final_box, refuse
from rlenv.envs.math.exact import disagreement, parse_number, plain_latex
from rlenv.envs.math.suspect import equation, suspicion, words
from rlenv.errors import MissingExtra, TaskError
from rlenv.task import Task, prompt_text
from rlenv.verdict import Verdict

Parsed: TypeAlias = Any
"""An object of sympy, which carries no types, or a string."""
RIGHT = Verdict.of(("correct", 1.0))
TOLERANCE = 1e-6
"""Relative; what math-verify calls equal after rounding must also be this close (e^-60 is not e^-50)."""
MAX_CHAIN = 3
"""An answer such as 28/4 = 7 may have this many sides, if they are all equal."""


def _version() -> str:
    try:
        return f"boxed-math-1+math-verify-{version('math-verify')}"
    except PackageNotFoundError as error:
        raise MissingExtra("math-verify", "math") from error


@dataclass(frozen=True)
class BoxedMathVerifier:
    """Raises MissingExtra when it is made without math-verify."""

    cheap: bool = False
    version: str = field(default_factory=_version)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        gold, question = _gold(task), prompt_text(task.prompt)
        box = final_box(completion.text, lambda left, right: _difference(left, right, "") is None)
        if isinstance(box, Verdict):
            return box
        difference = _difference(gold, box.text, question)
        return RIGHT if difference is None else refuse(*difference, box.start, box.end)


def _gold(task: Task) -> str:
    """The reference as text. Raises TaskError when there is no reading it."""
    if isinstance(task.reference, bool) or not isinstance(task.reference, (str, int, float)):
        raise TaskError(f"task {task.id}: expected a text or a number as the reference, got {task.reference!r}")
    gold = plain_latex(str(task.reference))
    if not gold or (parse_number(gold) is None and words(gold) is None and _parsed(gold) is None):
        raise TaskError(f"task {task.id}: the reference {task.reference!r} cannot be read as mathematics")
    return gold


def _difference(gold: str, answer: str, question: str) -> tuple[str, str] | None:
    """None when the answer states the gold's value, else the flag and the reason of its refusal."""
    answer = plain_latex(answer)
    if not answer:
        return "", "the box is empty"
    if answer == gold:
        return None
    name, expected_sides = equation(gold)
    answer_name, sides = equation(answer)
    if len(expected_sides) > 1 or (name and answer_name and name != answer_name):
        return _unequal(gold, answer, question)  # an equation is the answer
    chained = len(sides) <= MAX_CHAIN and all(_unequal(a, b, question) is None for a, b in pairwise(sides))
    if not chained:
        return "equation_chain", f"the sides of {answer[:80]!r} are not equal"
    return _unequal(expected_sides[0], sides[-1], question)


def _unequal(gold: str, answer: str, question: str) -> tuple[str, str] | None:
    """The same for two sides: as exact numbers, else as words, else by math-verify."""
    exact_gold, exact_answer = parse_number(gold), parse_number(answer)
    if exact_gold is not None and exact_answer is not None:
        return disagreement(exact_gold, exact_answer, question)
    said, expected = words(answer), words(gold)
    if said is not None or expected is not None:
        return None if said == expected else ("", f"got {answer[:80]!r}, expected {gold[:80]!r}")
    suspect = suspicion(gold, answer, question)
    if suspect is not None:
        return suspect
    return None if _equal(gold, answer) else ("", f"{answer[:80]!r} does not equal {gold[:80]!r}")


def _equal(gold: str, answer: str) -> bool:
    from math_verify import verify

    expected, said = _parsed(gold), _parsed(answer)
    if expected is None or said is None:
        return False
    return bool(verify(expected, said, timeout_seconds=None)) and _close(expected, said)


@lru_cache(maxsize=256)
def _parsed(latex: str) -> Parsed | None:
    """What math-verify reads the whole text as, None where it cannot."""
    from math_verify import LatexExtractionConfig, parse

    logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that its time limits are off: ours is on
    found = parse(
        f"\\boxed{{{latex}}}",
        [LatexExtractionConfig(boxed_match_priority=0, try_extract_without_anchor=False)],
        fallback_mode="no_fallback",
        extraction_mode="first_match",
        parsing_timeout=None,
    )
    return found[0] if found else None


def _close(expected: Parsed, said: Parsed) -> bool:
    """False where two numbers are equal only by an absolute tolerance."""
    if isinstance(expected, str) or isinstance(said, str):
        return True
    if not (getattr(expected, "is_number", False) and getattr(said, "is_number", False)):
        return True
    difference, size = abs((expected - said).evalf(30)), abs(expected.evalf(30))
    return bool(difference <= TOLERANCE * size)
