"""What is to be run and within which limits; what became of it: how it ended, what it wrote, what its calls answered.

>>> Program("def double(x): return 2 * x", calls=[Call("double", (21,))]).calls[0].function
'double'
>>> Limits(wall_s=0)
Traceback (most recent call last):
...
rlenv.sandbox.errors.SandboxUsageError: expected wall_s above 0, got 0
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from rlenv.sandbox.codec import OPAQUE_MARK, CodecError, Opaque, dumps, loads
from rlenv.sandbox.errors import SandboxUsageError

_FUNCTION = re.compile(r"[^\W\d]\w*(\(\))?(\.[^\W\d]\w*(\(\))?)*")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use. A limit that is reached is named by the status of the result."""

    wall_s: float = 5.0
    """Seconds from start to end, of the program as a whole (a compile step has its own)."""
    cpu_s: float | None = None
    """CPU seconds of the program and what it started; reaching it is a timeout. None: bounded by wall_s alone."""
    memory_mb: int = 512
    """Memory of each process beyond what the bare interpreter has; the cell bounds all of them together."""
    processes: int = 32
    """Processes and threads that may exist at once."""
    output_bytes: int = 1 << 16
    """Bytes of stdout, and of stderr; more ends the program."""
    file_bytes: int = 8 << 20
    """Size of one file."""
    open_files: int = 64
    """File descriptors of one process."""
    result_bytes: int = 4 << 20
    """Bytes of all encoded answers to calls together."""
    compile_s: float = 20.0
    """Seconds of the compile step."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if value is None:
                continue
            if not value > 0 or value == float("inf"):
                raise SandboxUsageError(f"expected {name} above 0, got {value}")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function that the program defines, with plain data for arguments.

    `function` is a name (`solve`), an attribute (`Tools.solve`) or a method of a fresh object
    (`Solution().solve`).
    """

    function: str
    args: tuple[object, ...] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)
    line: bytes = field(default=b"", init=False, repr=False, compare=False)
    """As it goes to a cell: encoded once, however many programs are asked."""

    def __post_init__(self) -> None:
        if not _FUNCTION.fullmatch(self.function):
            raise SandboxUsageError(f"expected the name of a function, got {self.function[:80]!r}")
        object.__setattr__(self, "args", tuple(self.args))
        try:
            line = dumps([self.function, self.args, dict(self.kwargs)])
        except CodecError as error:
            raise SandboxUsageError(f"expected arguments that are plain data, got {error}") from error
        if OPAQUE_MARK in line:
            got = f"{self.args!r:.200} {self.kwargs!r:.200}"
            raise SandboxUsageError(f"expected arguments that are plain data, got {got}")
        object.__setattr__(self, "line", line)


@dataclass(frozen=True, slots=True)
class Program:
    """Python source, or any command, with what it reads.

    With `calls`, the code is loaded as a module named `solution` and the calls are made one after the other;
    otherwise it runs as `__main__`. With `argv` no Python code is run: the command starts in the work
    directory, which holds `files`; `compile` runs before it, in the same directory.
    """

    code: str = ""
    stdin: bytes = field(default=b"", kw_only=True)
    """What the program reads; a string is encoded as UTF-8."""
    calls: tuple[Call, ...] = field(default=(), kw_only=True)
    files: Mapping[str, bytes] = field(default_factory=dict, kw_only=True)
    """Files of the work directory by relative name; strings are encoded as UTF-8."""
    argv: tuple[str, ...] = field(default=(), kw_only=True)
    compile: tuple[str, ...] = field(default=(), kw_only=True)
    stop_after_error: bool = field(default=False, kw_only=True)
    """Make no further call after one that raised."""

    def __init__(
        self,
        code: str = "",
        *,
        stdin: bytes | str = b"",
        calls: Sequence[Call] = (),
        files: Mapping[str, bytes | str] = MappingProxyType({}),
        argv: Sequence[str] = (),
        compile: Sequence[str] = (),
        stop_after_error: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "code", code)
        put(self, "stdin", _bytes(stdin))
        put(self, "calls", tuple(calls))
        put(self, "files", {_relative(name): _bytes(body) for name, body in files.items()})
        put(self, "argv", _command("argv", argv))
        put(self, "compile", _command("compile", compile))
        put(self, "stop_after_error", stop_after_error)
        if self.argv and (code or calls):
            raise SandboxUsageError("expected either code (with calls) or argv, got both; put the source into files")
        if self.compile and not self.argv:
            raise SandboxUsageError("expected argv beside compile: the command that runs what was compiled")


def _bytes(text: bytes | str) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)


def _relative(name: str) -> str:
    parts = name.split("/")
    if not name or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise SandboxUsageError(f"expected a relative file name without '..', got {name!r}")
    return name


def _command(what: str, words: Sequence[str]) -> tuple[str, ...]:
    if isinstance(words, str) or any("\0" in word for word in words) or (words and not words[0]):
        raise SandboxUsageError(f"expected {what} as a list of words, got {words!r}")
    return tuple(words)


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
