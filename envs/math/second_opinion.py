r"""math-verify as the judge of a problem set, so that figures compare with those that others publish.

>>> from rlenv import Completion, Task
>>> check = MathVerifyVerifier()
>>> for text in (r"So \boxed{0.5}.", r"\boxed{2}", "I do not know."):
...     print(check.verify(Task("Solve 2x = 1.", "1/2"), Completion(text)).reward)
1.0
0.0
0.0

`rlenv.make("math/math500-v0", verifier="math-verify")` judges with it. The reference is parsed in a box, the content of
the completion as it stands, boxes before other mathematics: what lighteval and verl do. What it cannot parse, and what
it raises on, is worth 0, as it is there. Its own time limits use signals and are off: the verifier runs in a worker,
which is killed at its deadline.
"""

from __future__ import annotations

import importlib.util
import logging
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from rlenv.core.completion import Completion
from rlenv.core.errors import MissingExtra
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict

NAME = "math-verify"
TIME_LIMIT_S = 10.0
"""Its users give it 5 s to parse and 5 s to compare."""


@dataclass(frozen=True)
class MathVerifyVerifier:
    """1 where math-verify says that the answer is the reference, else 0. Raises MissingExtra where it is not there."""

    cheap: bool = False
    version: str = field(init=False)

    def __post_init__(self) -> None:
        if importlib.util.find_spec("math_verify") is None:
            raise MissingExtra(NAME, NAME)
        object.__setattr__(self, "version", f"{NAME}-{version(NAME)}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """In a worker: what it imports and builds is no part of the first completion's time."""
        vars(self).update(state)
        _same(r"\boxed{1}", r"\boxed{x}")

    def verify(self, task: Task, completion: Completion) -> Verdict:
        try:
            equal, reason = _same(f"\\boxed{{{task.reference}}}", completion.content.text)
        except (Exception, BaseExceptionGroup) as error:  # as in lighteval and verl: what it raises on is wrong
            equal, reason = False, f"raised {type(error).__name__}"
        return Verdict.of(("correct", float(equal)), reason=f"{NAME}: {reason}")


def _same(gold: str, said: str) -> tuple[bool, str]:
    verify, parse, targets = _library()
    parsed = [parse(text, targets, parsing_timeout=None) for text in (gold, said)]
    if not parsed[0]:
        return False, "the reference cannot be parsed"
    if not parsed[1]:
        return False, "no answer was found"
    equal = bool(verify(*parsed, timeout_seconds=None))
    return equal, "equal" if equal else "not equal"


@lru_cache(maxsize=1)
def _library() -> tuple[Any, Any, Any]:
    """`verify`, `parse` and what is looked for; silent, as it warns of each text that it cannot read."""
    from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

    logging.getLogger("math_verify").setLevel(logging.CRITICAL)
    logging.getLogger("latex2sympy2_extended").setLevel(logging.CRITICAL)
    return verify, parse, [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]
