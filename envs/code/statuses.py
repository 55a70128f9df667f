"""What the status of a program says in a verdict: whose doing it was, and what is worth a flag."""

from __future__ import annotations

from rlenv.sandbox import Result, Status

Flags = tuple[tuple[str, str], ...]
MAX_LINE = 4096
"""Bytes."""


def what_it_did(result: Result) -> tuple[str, Flags]:
    """What the machinery did wrong ("" if nothing), and the flags of what the program did."""
    if result.status is Status.SANDBOX_FAILURE:
        return f"the sandbox failed: {result.detail}", ()
    if result.status is not Status.EXITED:
        return "", ((str(result.status), result.detail or last_line(result)),)
    if any(not call.answered for call in result.calls):
        if result.exit_code:
            return "", (("crashed", last_line(result)),)
        return "", (("exited_early", "it ended before its tests were answered"),)
    return "", ()


def parsed(result: Result) -> bool:
    """True when the code was at least Python."""
    return result.status not in (Status.SYNTAX_ERROR, Status.TAMPERED)


def last_line(result: Result) -> str:
    """The last that it wrote to stderr: the name and text of an exception, as a rule."""
    lines = result.stderr[-MAX_LINE:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else ""
