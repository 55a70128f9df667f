"""What became of a program: how it ended, what it wrote, what its functions answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from rlenv.sandbox.codec import CodecError, Opaque, loads


class Status(StrEnum):
    """How a program ended. Only SANDBOX_FAILURE is not the program's own doing."""

    EXITED = "exited"
    """It ended by itself; `exit_code` says with what."""
    TIMEOUT = "timeout"
    """It ran past its wall clock or CPU limit."""
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    """It wrote more than the limit to stdout, to stderr or as answers."""
    FILE_LIMIT = "file_limit"
    """It wrote a file beyond the limit, or filled the disk it was given."""
    SIGNALLED = "signalled"
    """A signal ended it; `signal` says which."""
    SYNTAX_ERROR = "syntax_error"
    """It does not compile: nothing of it ran."""
    TAMPERED = "tampered"
    """It broke the channel that carries its answers. Nothing it said is kept."""
    SANDBOX_FAILURE = "sandbox_failure"
    """The machinery failed, also on a fresh cell. Says nothing about the program."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A value as the program wrote it: one of a program that said more than is decoded unasked."""

    text: bytes

    def open(self) -> object:
        """The value, in time linear in its length; what is no encoding of one is Opaque."""
        try:
            return loads(self.text)
        except CodecError as error:
            return Opaque(f"no value: {error}")


@dataclass(frozen=True, slots=True, init=False)
class CallResult:
    """The answer to one call.

    `ok` means that the function returned; `value` is then plain data (or Opaque). A call that was never
    answered is not ok and not answered.
    """

    ok: bool
    said: object = field(repr=False)
    """The value, or Sealed where the program said much: reading that is better left to `rlenv.sandbox.read`."""
    error: str
    """Name of the exception that the call raised."""
    message: str
    wall_s: float
    """As the program's own process measured it; a hostile program can say what it likes here."""
    answered: bool

    def __init__(
        self,
        ok: bool = False,
        value: object = None,
        error: str = "",
        message: str = "",
        wall_s: float = 0.0,
        answered: bool = True,
        said: object = None,
    ) -> None:
        said = said if value is None else value  # said is for dataclasses.replace
        for name, given in zip(self.__slots__, (ok, said, error, message, wall_s, answered), strict=True):
            object.__setattr__(self, name, given)

    @property
    def value(self) -> object:
        """What the function returned; decoded anew each time where the program said much."""
        return self.said.open() if isinstance(self.said, Sealed) else self.said


UNANSWERED = CallResult(answered=False)


@dataclass(frozen=True, slots=True)
class Result:
    """What one program did. `calls` has one entry for each call of the program, in order."""

    status: Status
    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int | None = None
    signal: int | None = None
    calls: tuple[CallResult, ...] = ()
    said: tuple[object, ...] = field(default=(), repr=False)
    """What the judge of a pair said with `report(value)`, each a value or Sealed, as in a CallResult."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    """CPU seconds of the program and of those children that it waited for."""
    peak_memory_mb: float = 0.0
    """Largest resident size of one of its processes, the interpreter's own part included."""
    truncated: bool = False
    """More output was there than was kept."""
    detail: str = ""
    """A line for people: why it was stopped, or what the machinery ran into."""

    @property
    def reports(self) -> tuple[object, ...]:
        """What the judge of a pair said with `report(value)`."""
        return tuple(value.open() if isinstance(value, Sealed) else value for value in self.said)

    @property
    def sealed_bytes(self) -> int:
        """Length of what it said and was not decoded."""
        values = (*(call.said for call in self.calls), *self.said)
        return sum(len(value.text) for value in values if isinstance(value, Sealed))

    @property
    def ok(self) -> bool:
        """It ended by itself with exit code 0. Says nothing about whether its answers are right."""
        return self.status is Status.EXITED and self.exit_code == 0
