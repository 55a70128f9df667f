r"""When the output of a program is the one that a test expects.

>>> same_output(b"1 2\n3\n", b"1 2 3", OutputRule("tokens")), same_output(b"1 2\n", b"1 2 3", OutputRule("tokens"))
(True, False)
>>> same_output(b"0.3333333\n", b"0.333333333", OutputRule("floats", abs=1e-6))
True

Outputs are bytes, and are judged as bytes: `exact` (but for white space at the very end), `lines` (but for white
space at the end of lines and blank lines at the end), `tokens` (the words between white space), `floats` (as
tokens, where a number that is expected with a point or an exponent may differ by `rel` or `abs`). All are
linear in the length of the output.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from rlenv.core.errors import TaskError

Compare: TypeAlias = Literal["exact", "lines", "tokens", "floats", "checker"]
DEFAULT_TOLERANCE = 1e-6
_DECIMAL = re.compile(rb"[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?")
_INTEGER = re.compile(rb"[+-]?\d+")


@dataclass(frozen=True, slots=True)
class OutputRule:
    """How outputs are compared. With `checker` a program of the task decides (rlenv.envs.code.stdio)."""

    compare: Compare = "tokens"
    rel: float = DEFAULT_TOLERANCE
    abs: float = DEFAULT_TOLERANCE

    def __post_init__(self) -> None:
        if self.compare not in get_args(Compare):
            raise TaskError(f"expected compare in {', '.join(get_args(Compare))}, got {self.compare!r}")


def same_output(given: bytes, expected: bytes, rule: OutputRule) -> bool:
    """True when the output is as good as the expected one."""
    if rule.compare == "exact":
        return given.rstrip() == expected.rstrip()
    if rule.compare == "lines":
        return _lines(given) == _lines(expected)
    ours, theirs = given.split(), expected.split()
    if rule.compare == "tokens" or ours == theirs:
        return ours == theirs
    return len(ours) == len(theirs) and all(_close(a, b, rule) for a, b in zip(ours, theirs, strict=True))


def compare_kind(name: object) -> Compare:
    """The name as a way to compare; OutputRule refuses one that does not exist."""
    return cast("Compare", str(name))


def _lines(output: bytes) -> list[bytes]:
    return [line.rstrip() for line in output.rstrip().split(b"\n")]


def _close(given: bytes, expected: bytes, rule: OutputRule) -> bool:
    if given == expected:
        return True
    if not _DECIMAL.fullmatch(given) or not _DECIMAL.fullmatch(expected) or _INTEGER.fullmatch(expected):
        return False  # a large integer is close to its neighbours, and wrong
    return math.isclose(float(given), float(expected), rel_tol=rule.rel, abs_tol=rule.abs)
