"""Runs Python code in its locked-down process and writes what its functions answer, one line each.

    ! WORD              where it stands: broken, missing, run, syntax, memory, file
    = NUMBER S VALUE    call NUMBER returned VALUE after S seconds
    - NUMBER S VALUE    call NUMBER raised; VALUE is [name, message]
    ? VALUE             a judge asks for a call: [function, args, kwargs]
    + VALUE             a judge reports

Nothing here is protected from the code that it runs: what comes out is taken as what the program says.
"""

from __future__ import annotations

import _thread
import atexit
import builtins
import errno
import io
import os
import site
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn, cast

from rlenv.sandbox import codec
from rlenv.sandbox.inside.lockdown import ANSWERS_FD, QUESTIONS_FD
from rlenv.sandbox.inside.wire import write_all

EXIT_MISSING = 127
MAX_SHOWN = 1000
"""Characters of a line that does not compile."""


class CandidateFailed(Exception):
    """The program that a judge asks has ended, or broke its channel."""


class CandidateRaised(Exception):
    """The function that a judge asked for raised; `error` is the name of its exception."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__("%s: %s" % (error, message))  # noqa: UP031
        self.error = error


def say(kind: str, *words: object) -> None:
    """Write one line to the host."""
    line = " ".join([kind, *map(str, words)])
    write_all(ANSWERS_FD, line.encode("utf-8") + b"\n")


def execute(argv: list[str]) -> NoReturn:
    """Become another program, which does not inherit the channel: what stands on it is ours."""
    os.set_inheritable(ANSWERS_FD, False)
    try:
        os.execvpe(argv[0], argv, dict(os.environ))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EACCES, errno.ENOEXEC):
            say("!", "missing")
        os._exit(EXIT_MISSING)


def run_code(source: bytes, role: str, calls: Iterable[bytes], stop_after_error: bool) -> NoReturn:
    """Run the code as a program, as a module whose functions are called, or as a judge; then end."""
    own_pid = os.getpid()
    code = _compile(source)
    say("!", "run")
    module = types.ModuleType("solution" if role in ("calls", "serve") else "__main__")
    sys.modules[module.__name__] = module
    module.__dict__.update(__file__="main.py", __builtins__=builtins)
    if role == "judge":
        module.__dict__.update(_JUDGE_NAMES)
    exit_code = _guarded(lambda: exec(code, module.__dict__))
    if os.getpid() != own_pid:  # a child that the code forked, and that ran on past its end
        _leave(exit_code or 0)
    if exit_code is None and role in ("calls", "serve"):
        exit_code = _guarded(lambda: _answer(module, _asked() if role == "serve" else calls, stop_after_error))
    _leave(exit_code or 0)


def open_streams() -> None:
    """As the interpreter opens them, but that no byte is refused. Once, in the fork server: programs inherit them.

    What stands on the descriptors meanwhile are pipes, as it will be then, so that nobody takes them for files.
    """
    ours = [os.dup(fd) for fd in range(3)]
    ends = os.pipe()
    for fd in range(3):
        os.dup2(ends[fd > 0], fd)
    _open_them()
    for fd, own in enumerate(ours):
        os.dup2(own, fd)
    for fd in (*ours, *ends):
        os.close(fd)


def _open_them() -> None:
    for name, fd, mode, errors in (
        ("stdin", 0, "rb", "surrogateescape"),
        ("stdout", 1, "wb", "surrogateescape"),
        ("stderr", 2, "wb", "backslashreplace"),
    ):
        raw = cast("io.BufferedRandom", open(fd, mode, closefd=False))  # noqa: SIM115
        stream = io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=name == "stderr")
        setattr(sys, name, stream)
        setattr(sys, "__%s__" % name, stream)  # noqa: UP031
    sys.argv = ["main.py"]
    sys.path.insert(0, "")
    site.setquit()


def _compile(source: bytes) -> types.CodeType:
    try:
        text = source.decode("utf-8", "surrogatepass")
        return compile(text, "main.py", "exec", dont_inherit=True)
    except MemoryError:
        say("!", "memory")
    except BaseException as error:  # the parser also raises ValueError, RecursionError, OverflowError
        if isinstance(error, SyntaxError) and len(error.text or "") > MAX_SHOWN:
            error.text = None
        sys.excepthook(type(error), error.with_traceback(None), None)
        say("!", "syntax")
    _leave(1)


def _guarded(action: Callable[[], object]) -> int | None:
    """The exit code that the interpreter would give to what the action raises; None when it returns."""
    try:
        action()
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return (stop.code or 0) & 255
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException as error:
        _tell(error)
        return 1
    return None


def _tell(error: BaseException) -> None:
    if isinstance(error, MemoryError):
        say("!", "memory")
    elif isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC, errno.EDQUOT):
        say("!", "file")
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != "main.py":
        trace = trace.tb_next
    try:
        sys.excepthook(type(error), error.with_traceback(trace), trace)
    except BaseException as second:
        print("error in the excepthook: %s" % type(second).__name__, file=sys.__stderr__)  # noqa: UP031


def _answer(module: types.ModuleType, calls: Iterable[bytes], stop_after_error: bool) -> None:
    for number, line in enumerate(calls):
        function, args, kwargs = cast("tuple[str, tuple[object, ...], dict[str, object]]", codec.loads(line))
        start = time.perf_counter()
        try:
            kind, value = "=", codec.dumps(_find(module, function)(*args, **kwargs))
        except BaseException as error:
            kind, value = "-", _described(error)
        say(kind, number, "%.6f" % (time.perf_counter() - start), value.decode("utf-8"))
        if kind == "-" and stop_after_error:
            return


def _described(error: BaseException) -> bytes:
    try:
        message = str(error)[:500]
    except BaseException as second:
        message = "its text raised %s" % type(second).__name__  # noqa: UP031
    return codec.dumps([str(type(error).__name__)[:100], message])


def _find(module: types.ModuleType, function: str) -> Callable[..., object]:
    """`solve`, `Tools.solve` or `Solution().solve`."""
    found: object = module
    for part in function.split("."):
        name = part[:-2] if part.endswith("()") else part
        found = getattr(found, name)
        if part.endswith("()"):
            found = cast("Callable[[], object]", found)()
    return cast("Callable[..., object]", found)


def _asked() -> Iterator[bytes]:
    """Lines from the host until it closes the channel."""
    with open(QUESTIONS_FD, "rb", closefd=False) as questions:
        yield from questions


_asking = _thread.allocate_lock()
_replies: list[io.BufferedReader] = []


def ask(function: str, *args: object, **kwargs: object) -> object:
    """What the candidate's function returns, as plain data. Raises CandidateRaised and CandidateFailed."""
    with _asking:
        if not _replies:
            _replies.append(open(QUESTIONS_FD, "rb", closefd=False))  # noqa: SIM115
        say("?", codec.dumps([function, args, kwargs]).decode("utf-8"))
        kind, _, body = _replies[0].readline().partition(b" ")
    try:
        value = codec.loads(body) if body else ""
    except codec.CodecError as error:
        raise CandidateFailed("its answer is no value: %s" % error) from None  # noqa: UP031
    if kind == b"=":
        return value
    if kind == b"-" and isinstance(value, list) and list(map(type, value)) == [str, str]:
        raise CandidateRaised(*value)
    raise CandidateFailed(value)


def report(value: object) -> None:
    """Tell the host; what is reported stands in `Result.reports`."""
    say("+", codec.dumps(value).decode("utf-8"))


_JUDGE_NAMES = {
    "call": ask,
    "report": report,
    "CandidateFailed": CandidateFailed,
    "CandidateRaised": CandidateRaised,
}


def _leave(exit_code: int) -> NoReturn:
    """As the interpreter leaves, but without tearing itself down: threads, exit functions, buffers."""
    for last in (_wait_for_threads, atexit._run_exitfuncs, _flush):
        try:
            last()
        except BaseException as error:
            exit_code = exit_code or 120
            if isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC):
                say("!", "file")
    os._exit(exit_code & 255)


def _wait_for_threads() -> None:
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()


def _flush() -> None:
    """Whatever the streams are by now."""
    sys.stdout.flush()
    sys.stderr.flush()
