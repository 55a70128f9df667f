"""Programs whose text is made, because it is too long or too odd for a file: the rest of the family `sources`."""

from __future__ import annotations

from rlenv.sandbox.hostile.case import FAIR, Case
from rlenv.sandbox.program import Limits, Program, Status

_LIMITS = Limits(wall_s=3.0, memory_mb=256)
_ANY = FAIR | {Status.SYNTAX_ERROR}
_BROKEN = frozenset({Status.SYNTAX_ERROR, Status.EXITED, Status.SIGNALLED, Status.MEMORY_LIMIT})


def _case(
    name: str, attack: str, code: str, *, passes: bool | None = False, statuses: frozenset[Status] = _BROKEN
) -> Case:
    return Case(
        name=name,
        family="sources",
        attack=attack,
        program=Program(code),
        limits=_LIMITS,
        passes=passes,
        statuses=statuses,
        shared=True,
    )


CASES = (
    _case("nul-bytes", "Holds NUL bytes.", "print(42)\n\0print(41)"),
    _case("lone-surrogates-in-the-source", "Holds half a character.", "print(42)  # \ud800", passes=None),
    _case("nested-parentheses", "A hundred thousand parentheses.", "print(42)\n" + "(" * 100_000 + ")" * 100_000),
    _case("nested-minus", "A hundred thousand minus signs.", "print(42)\nprint(" + "-" * 100_000 + "1)"),
    _case("nested-attributes", "A chain of two hundred thousand attributes.", "print(42)\nx" + ".x" * 200_000),
    _case(
        "nested-blocks",
        "A thousand blocks, each in the one before.",
        "\n".join(" " * n + "if 1:" for n in range(1000)),
    ),
    _case("nested-calls", "Fifty thousand nested lambdas.", "print(42)\n" + "lambda:" * 50_000 + "0"),
    _case(
        "long-integer-literal",
        "A literal of a million digits.",
        "print(42)\nx = " + "9" * 1_000_000,
        statuses=_BROKEN | {Status.TIMEOUT},
    ),
    _case(
        "compile-bomb",
        "A short text that compiles to a program of gigabytes.",
        f"print(42, flush=True)\nx = [{'[' * 60}0{']' * 60}] * 2\n({'lambda: 0, ' * 200_000})",
        passes=None,
        statuses=_ANY,
    ),
    _case(
        "megabytes-of-source",
        "A program of eight megabytes, with the answer at its end: slow or refused, but never lost.",
        "#" + "x" * (8 << 20) + "\nprint(42)",
        passes=None,
        statuses=_ANY,
    ),
    _case(
        "form-feeds-and-returns",
        "Line ends and blanks of every kind: what counts as the end of a line is Python's to say.",
        "print(42)\r#\f\rif 1:\r\n\tpass\x0c\n",
        passes=True,
        statuses=frozenset({Status.EXITED}),
    ),
)
