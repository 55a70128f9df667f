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
from rlenv.core.verifier import Verifier, as_verdict


class Traced(NamedTuple):
    """One call of a verifier."""

    verdict: Verdict
    printed: str
    """What it wrote to standard output and standard error."""
    traceback: str
    """Of what it raised, from the verifier on; empty where it raised nothing."""


def traced(verifier: Verifier, task: Task, completion: Completion) -> Traced:
    """The verdict of a verifier without its environment's wrappers, and all that is to be seen of the call."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        try:
            outcome: object = verifier.verify(task, completion)
            verdict, told = (outcome if isinstance(outcome, Verdict) else as_verdict(outcome)), ""
        except (Exception, SystemExit) as error:  # what rlenv.core.verifier.judge makes a verifier_error of
            verdict = Verdict.error(f"{type(error).__name__}: {error}")
            own = error.__traceback__.tb_next if error.__traceback__ is not None else None
            told = "".join(traceback.format_exception(type(error), error, own))
    return Traced(verdict, printed.getvalue(), told)
