"""Reads what a cell says about a program, and believes none of it that could be forged.

The header comes from the supervisor (it carries the nonce). The streams come from the program: whatever is
not exactly what the runner writes, in order and once, makes the result TAMPERED.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from rlenv.sandbox.bounds import containers
from rlenv.sandbox.codec import CodecError, loads
from rlenv.sandbox.program import UNANSWERED, CallResult, Program, Result, Sealed, Status

Header: TypeAlias = "dict[str, object]"
_MARKS = {b"memory": Status.MEMORY_LIMIT, b"file": Status.FILE_LIMIT}
_WORDS = (b"broken", b"missing", b"run", b"syntax", *_MARKS)


UNSEALED = 1 << 14
"""Bytes of answers that are decoded as they come; if there are more, all stay Sealed."""
MAX_ERROR = 1 << 12
"""Bytes of an exception's name and text: 600 characters, as the runner cuts them."""
MAX_SECONDS = 32
MAX_MARKS = 1000
"""A runner gives a handful; children that the program forked give theirs as well."""


class Tampered(Exception):
    """The program's answers are not what its runner would have written."""


@dataclass(slots=True)
class Answers:
    """What the lines of the answer channel say, of a program that is asked so many calls, or of a judge."""

    expected: int
    judge: bool
    sealed: bool
    calls: list[CallResult] = field(default_factory=list)
    reports: list[object] = field(default_factory=list)
    marks: list[bytes] = field(default_factory=list)

    def read(self, line: bytes) -> None:
        """Take one line in. Raises Tampered."""
        kind, _, rest = line.partition(b" ")
        if kind == b"!" and rest in _WORDS and len(self.marks) < MAX_MARKS:
            self.marks.append(rest)
        elif kind in (b"=", b"-"):
            if len(self.calls) == self.expected:
                raise Tampered("more answers than calls")
            self.calls.append(read_answer(kind, rest, len(self.calls), self.sealed))
        elif kind == b"+" and self.judge:
            self.reports.append(Sealed(rest) if self.sealed else value_of(rest))
        else:
            raise Tampered(f"a stray line on the answer channel: {line[:60]!r}")


def read_answer(kind: bytes, rest: bytes, expected: int, sealed: bool = False) -> CallResult:
    """The answer to call number `expected`, not decoded where it is to stay sealed. Raises Tampered."""
    wall_s, body = answer_body(rest, expected)
    if kind == b"=":
        return CallResult(ok=True, value=Sealed(body) if sealed else value_of(body), wall_s=wall_s)
    if len(body) > MAX_ERROR or containers(body) > 3:
        raise Tampered("an exception that no runner tells of")
    value = value_of(body)
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(part, str) for part in value)):
        raise Tampered("an exception without a name")
    return CallResult(error=value[0], message=value[1], wall_s=wall_s)


def answer_body(rest: bytes, expected: int) -> tuple[float, bytes]:
    """Seconds and encoded value of the answer to call number `expected`. Raises Tampered."""
    number, _, rest = rest.partition(b" ")
    seconds, _, body = rest.partition(b" ")
    if number != b"%d" % expected:
        raise Tampered(f"expected the answer to call {expected}, got one to call {number[:20]!r}")
    try:
        return float(seconds[:MAX_SECONDS]), body
    except ValueError:
        raise Tampered("an answer without a time") from None


def value_of(text: bytes) -> object:
    """Raises Tampered."""
    try:
        return loads(text)
    except CodecError as error:
        raise Tampered(str(error)) from None


def read_report(
    program: Program, header: Header, body: bytes, said: Sequence[bytes] = (b"",), judge: bool = False
) -> Result:
    """The result of one job; `said` are the lines of an interactive one, with what stands after the last of them."""
    stdout, stderr, channel = _split(body, cast("list[int]", header["sizes"]))
    result = Result(
        status=Status(cast("str", header["status"])),
        stdout=stdout,
        stderr=stderr,
        exit_code=cast("int | None", header["exit_code"]),
        signal=cast("int | None", header["signal"]),
        calls=(UNANSWERED,) * len(program.calls),
        wall_s=round(cast("float", header["wall_s"]), 6),
        cpu_s=round(cast("float", header["cpu_s"]), 6),
        peak_memory_mb=round(cast("float", header["peak_kb"]) / 1024, 1),
        truncated=bool(header["truncated"]),
        detail=str(header["detail"]),
    )
    if header.get("stage") == "compile":
        return _compile_ended(program, result, channel)
    sealed = len(channel) + sum(map(len, said)) > UNSEALED
    answers = Answers(len(program.calls), judge, sealed)
    try:
        _read_all(answers, channel, said, whole=result.status is Status.EXITED)
    except Tampered as problem:
        return _changed(result, status=Status.TAMPERED, detail=str(problem), exit_code=None, signal=None)
    calls = (*answers.calls, *(UNANSWERED,) * (len(program.calls) - len(answers.calls)))
    return _explained(program, _changed(result, calls=calls, said=tuple(answers.reports)), answers.marks)


def _split(body: bytes, sizes: list[int]) -> tuple[bytes, bytes, bytes]:
    first, second = sizes[0], sizes[0] + sizes[1]
    return body[:first], body[first:second], body[second:]


def _read_all(answers: Answers, channel: bytes, said: Sequence[bytes], whole: bool) -> None:
    for line in said[:-1]:
        answers.read(line)
    rest, start = said[-1] + channel, 0
    while (end := rest.find(b"\n", start)) >= 0:
        answers.read(rest[start:end])
        start = end + 1
    if start < len(rest) and whole:
        raise Tampered("the answer channel ends within a line")


def _explained(program: Program, result: Result, marks: list[bytes]) -> Result:
    """With the status that the program's last words give, where the kernel gave none."""
    if result.status is not Status.EXITED or result.exit_code == 0:
        return result
    if marks == [b"syntax"]:
        return _changed(result, status=Status.SYNTAX_ERROR)
    if marks == [b"missing"] and program.argv and "/" not in program.argv[0]:
        return _changed(result, status=Status.SANDBOX_FAILURE, detail=_not_there(program.argv[0]))
    for mark in reversed(marks):
        if mark in _MARKS:
            return _changed(result, status=_MARKS[mark])
    if marks == [b"broken"] and not program.compile:  # said before anything of the program ran
        return _changed(result, status=Status.SANDBOX_FAILURE, detail=_text(result.stderr))
    return result


def _compile_ended(program: Program, result: Result, channel: bytes) -> Result:
    if result.status is not Status.EXITED:
        return _changed(result, detail=f"compile step: {result.detail or result.status}")
    if channel == b"! missing\n":
        return _changed(result, status=Status.SANDBOX_FAILURE, detail=_not_there(program.compile[0]))
    if channel == b"! broken\n":
        return _changed(result, status=Status.SANDBOX_FAILURE, detail=_text(result.stderr))
    return _changed(result, status=Status.SYNTAX_ERROR, detail="compile step")


def _not_there(command: str) -> str:
    return f"{command} is not in the cell; use an image that has it"


def _text(data: bytes) -> str:
    return data[-4096:].decode("utf-8", "replace").strip()[-500:]


def _changed(result: Result, **changes: object) -> Result:
    return replace(result, **changes)  # type: ignore[arg-type]


def failed(program: Program, detail: str) -> Result:
    """The machinery failed this program."""
    return Result(Status.SANDBOX_FAILURE, calls=(UNANSWERED,) * len(program.calls), detail=detail)


def killed(program: Program, status: Status, detail: str) -> Result:
    """A program that took its cell with it."""
    return Result(status, calls=(UNANSWERED,) * len(program.calls), detail=detail)
