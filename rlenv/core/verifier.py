"""How a task is checked: the Verifier protocol, and plain functions as verifiers.

>>> check = FunctionVerifier(lambda completion, answer: completion.strip() == answer)
>>> check.verify(Task("Reverse: abc", "cba"), Completion(" cba ")).reward
1.0
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.fingerprint import code_version
from rlenv.core.task import ANSWER, ID, PROMPT, REFERENCE, Task
from rlenv.core.verdict import FAIL, OVER_LIMIT, PASS, Flag, Verdict


@runtime_checkable
class Verifier(Protocol):
    """Pure: the same task and completion always give the same verdict.

    It is sent to worker processes with cloudpickle, so it holds data and functions, not open handles.
    """

    @property
    def cheap(self) -> bool:
        """True for string work whose cost is bounded by the length of the text: it may run inline.

        False for everything that a completion can make expensive: it runs in a process that can be killed.
        """

    @property
    def version(self) -> str:
        """Changes when the verdicts may change; stored in every episode."""

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """Judge one completion. An exception means that the checker failed, not that the answer is wrong."""


@runtime_checkable
class TieredVerifier(Verifier, Protocol):
    """A verifier that may cost, but decides most completions by work that is as bounded as a cheap one's.

    Where a process of its own is asked for only by the rest, `cheap` is False and this method decides first.
    """

    def verify_cheaply(self, task: Task, completion: Completion) -> Verdict | None:
        """The verdict that `verify` would give, or None where only `verify` can tell.

        It runs in the caller's process, so its cost is bounded by the length of the text, as that of a cheap
        verifier is. An exception means that the checker failed.
        """


@runtime_checkable
class BatchVerifier(Verifier, Protocol):
    """A verifier that isolates by itself what a completion can make expensive, and keeps all cores busy.

    Programs, for one, run in a sandbox whose cells are killed at their limits: such a verifier runs in the
    caller's process, for which it bounds its own time and memory, and the limit of the definition is its affair.
    """

    def verify_all(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterable[tuple[int, Verdict]]:
        """The index and verdict of every job, each once, in the order in which they are known.

        What it raises is a failure of the checker for every job that has no verdict yet.
        """


VerifierFunction: TypeAlias = "Callable[..., bool | float | Verdict]"
"""A function that asks, by the names of its parameters, for what it needs."""
AsyncVerifierFunction: TypeAlias = "Callable[..., Awaitable[bool | float | Verdict]]"
"""The same as an `async def`, of which many wait side by side."""

_COLUMN = inspect.Parameter.empty
_KNOWN = {
    "completion": "completion.content.text",
    "text": "completion.text",
    "reasoning": "completion.reasoning.text",
    "finished": "completion.finished",
    "task": "task",
    PROMPT: "task.prompt",
    ANSWER: "task.reference",
    REFERENCE: "task.reference",
    ID: "task.id",
    "metadata": "task.metadata",
}
"""What a parameter gets, as an expression of `task` and `completion`; any other name is a column."""


class FunctionVerifier:
    """A function of `completion`, `finished`, `prompt`, `answer`, `task` or any column of the row.

    `completion` is what was said (the content), `reasoning` what was thought, `text` all of it as it came.
    It may return a bool (1 or 0), a finite float, or a Verdict, whose spans are those of `text` where it asks for
    that, and else of `completion`. NaN and infinity become a verifier_error.
    """

    def __init__(
        self,
        function: VerifierFunction,
        *,
        cheap: bool = False,
        name: str = "reward",
        version: str | None = None,
    ) -> None:
        if not callable(function):
            raise VerifierContractError(f"expected a verifier function, got {type(function).__name__}")
        self.function = function
        self.cheap = cheap
        self.name = name
        self.version = version or code_version(function)
        self._arguments = _arguments(function)
        self._sees_text = "text" in dict(self._arguments)
        self._call = _written_out(self._arguments)

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in vars(self).items() if key != "_call"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._call = _written_out(self._arguments)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return self.verdict_of(self.outcome(task, completion), completion)

    def outcome(self, task: Task, completion: Completion) -> Any:
        """What the function returns."""
        return self._call(self.function, task, completion)

    def verdict_of(self, outcome: object, completion: Completion) -> Verdict:
        """The verdict that stands for what the function returned."""
        if isinstance(outcome, Verdict) and not self._sees_text:
            return outcome.placed(completion.content)
        return as_verdict(outcome, self.name)

    def check_columns(self, task: Task) -> None:
        """Raise VerifierContractError if the function asks for a column that this task lacks or cannot give."""
        for name, default in self._arguments:
            if name not in _KNOWN:
                _column(task, name, default)
            elif _KNOWN[name].startswith("completion.") and name in task.metadata:
                raise VerifierContractError(
                    f"the verifier asks for '{name}', which is a part of the completion, and the row has a column of "
                    "that name; rename the column"
                )


def as_verdict(outcome: object, name: str = "reward") -> Verdict:
    """The verdict that a bool, a number or a Verdict stands for."""
    if outcome is True:
        return PASS
    if outcome is False:
        return FAIL
    if isinstance(outcome, Verdict):
        return outcome
    if outcome is not None and hasattr(outcome, "__float__"):
        reward = float(outcome)
        if math.isfinite(reward):
            return Verdict.of((name, reward))
        return Verdict.error(f"the verifier returned {reward!r}")
    raise VerifierContractError(
        f"expected a verifier to return a bool, a number or a Verdict, got {type(outcome).__name__}"
    )


def judge(
    verifier: Verifier,
    task: Task,
    completion: Completion,
    on_error: Callable[[BaseException], None] = lambda error: None,
) -> Verdict:
    """Verify in this very process; whatever the verifier raises becomes a verdict.

    Running out of memory or of stack is what the completion costs: graded 0 and flagged. Any other
    exception is a failure of the checker. `on_error` sees what was raised.
    """
    try:
        verdict: object = verifier.verify(task, completion)
        return verdict if isinstance(verdict, Verdict) else as_verdict(verdict)
    except (MemoryError, RecursionError) as error:
        on_error(error)
        return over_limit(type(error).__name__)
    except (Exception, SystemExit) as error:  # the verifier is the user's code: nothing it raises may stop a run
        on_error(error)
        return Verdict.error(f"{type(error).__name__}: {error}")


def judge_cheaply(verifier: Verifier, task: Task, completion: Completion) -> Verdict | None:
    """What can be said in this very process at bounded cost; None where a process of its own must tell.

    Out of memory or of stack counts as undecided: here it may be the caller's doing, in a fresh process it
    is the completion's. Any other exception is a failure of the checker.
    """
    try:
        return decided_cheaply(verifier, task, completion)
    except (MemoryError, RecursionError):
        return None
    except (Exception, SystemExit) as error:  # as in judge
        return Verdict.error(f"{type(error).__name__}: {error}")


def decided_cheaply(verifier: Verifier, task: Task, completion: Completion) -> Verdict | None:
    """The verdict of a cheap verifier, or of the cheap tiers of another; raises what the verifier raises."""
    # isinstance(verifier, TieredVerifier) would take longer than most answers
    tiers = getattr(verifier, "verify_cheaply", None)
    decide: Callable[[Task, Completion], object] | None = verifier.verify if verifier.cheap else tiers
    verdict = None if decide is None else decide(task, completion)
    return verdict if verdict is None or isinstance(verdict, Verdict) else as_verdict(verdict)


def has_cheap_tiers(verifier: Verifier) -> bool:
    """True where `decided_cheaply` may decide."""
    return verifier.cheap or isinstance(verifier, TieredVerifier)


def over_limit(limit: str) -> Verdict:
    """The verdict of a completion that cost more than the verifier may spend."""
    return Verdict.of(
        ("reward", 0.0),
        flags=(Flag(OVER_LIMIT, detail=limit),),
        reason=f"checking this completion hit the limit: {limit}",
    )


def _arguments(function: VerifierFunction) -> tuple[tuple[str, object], ...]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise VerifierContractError(f"cannot read the parameters of {function!r}: {error}") from error
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            raise VerifierContractError(
                f"expected a verifier with plain named parameters, got '{parameter}'; "
                "name what it needs: completion, prompt, answer, task or a column of the row; a reward function of TRL "
                "(completions, **kwargs) is registered with style='trl'"
            )
    return tuple((parameter.name, parameter.default) for parameter in parameters)


def _written_out(arguments: tuple[tuple[str, object], ...]) -> Callable[[VerifierFunction, Task, Completion], object]:
    """The call as one expression: collecting the arguments in a loop would take longer than most checks."""
    values = [_KNOWN.get(name, f"column(task, {name!r}, defaults[{name!r}])") for name, _ in arguments]
    source = f"lambda function, task, completion: function({', '.join(values)})"
    written: Callable[[VerifierFunction, Task, Completion], object] = eval(
        source, {"column": _column, "defaults": dict(arguments)}
    )
    return written


def _column(task: Task, name: str, default: object) -> object:
    if name in task.metadata:
        return task.metadata[name]
    if default is not _COLUMN:
        return default
    raise VerifierContractError(
        f"the verifier asks for '{name}', the row has {sorted(task.metadata)} beside "
        f"{sorted(_KNOWN)}; rename the parameter or give it a default"
    )
