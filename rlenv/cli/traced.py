"""A verifier called in this very process, with what it printed and where it failed: for whoever debugs one.

>>> def broken(completion):
...     print("asked about", completion)
...     return 1 / 0
>>> from rlenv.core.verifier import FunctionVerifier
>>> found = traced(FunctionVerifier(broken), Task("2+2=?", "4"), Completion("4"))
>>> found.verdict.reason, found.printed, found.traceback.splitlines()[-1]
('ZeroDivisionError: division by zero', 'asked about 4\\n', 'ZeroDivisionError: division by zero')

There is no worker and no time limit here: what it prints and raises is seen whole.
"""

from __future__ import annotations

import io
import traceback
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import Verifier, judge


class Traced(NamedTuple):
    """One call of a verifier."""

    verdict: Verdict
    printed: str
    """What it wrote to standard output and standard error."""
    traceback: str
    """Of what it raised, from the verifier on; empty where it raised nothing."""


def traced(verifier: Verifier, task: Task, completion: Completion) -> Traced:
    """The verdict of a verifier without its environment's wrappers, and all that is to be seen of the call."""
    printed, raised = io.StringIO(), list[BaseException]()
    with redirect_stdout(printed), redirect_stderr(printed):
        verdict = judge(verifier, task, completion, on_error=raised.append)
    return Traced(verdict, printed.getvalue(), "".join(map(_from_the_verifier, raised)))


def _from_the_verifier(error: BaseException) -> str:
    """The traceback without our own frame, the first."""
    frames = error.__traceback__.tb_next if error.__traceback__ is not None else None
    return "".join(traceback.format_exception(type(error), error, frames))
