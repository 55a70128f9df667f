"""One case of the hostile suite: a program that attacks the sandbox or its verdict, and the right verdict as data."""

from __future__ import annotations

from dataclasses import dataclass

from rlenv.sandbox.program import Call, Limits, Program, Status

ANSWER = b"42\n"
"""What a program must print to be right. Most attacks print it as well, and must still fail."""

ASK = (Call("double", (21,)),)
"""What a case with calls is asked by default; 42 is right."""

QUICK = Limits(wall_s=3.0, memory_mb=256)
"""Enough for a program that ends by itself, on a machine with other work to do."""

FAIR = frozenset(Status) - {Status.SANDBOX_FAILURE, Status.SYNTAX_ERROR}
"""Every status but two: a program that could cause a sandbox failure would escape its zero, and an attack that does
not compile attacks nothing."""

BREACH = b"BREACH"
"""What an attack prints when it got something that the sandbox must keep from it."""

HELD = b"HELD"
"""What an attack prints when it was refused: the proof that it really tried."""

HOST_FILE = "@HOST_FILE@"
"""Stands in a program for the path of a file on the host that holds the secret; the runner puts the path in."""

INTERPRETER = ("/proc/self/exe", "-I")
"""The interpreter of the cell, wherever it lies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An attack and its right verdict. `passes` None: either is right, as long as what was printed decides.

    With a `judge`, the program is the candidate of a pair, and passes when the judge ends well. `shared`: the fork
    server decides it, the same behind the walls of every backend.
    """

    name: str
    family: str
    attack: str
    program: Program
    limits: Limits = QUICK
    answer: bytes | tuple[object, ...] = ANSWER
    passes: bool | None = False
    statuses: frozenset[Status] = FAIR
    shows: bytes = b""
    hides: tuple[bytes, ...] = (BREACH,)
    judge: str = ""
    shared: bool = False
