"""Runs one call of a tool: in this process, or as a job of the worker pool, where it can be killed.

>>> def half(n: int) -> float:
...     return n / 2
>>> call_here(half, {"n": 3}, None).text, call_here(half, {"n": "3"}, None).text
('1.5', "TypeError: unsupported operand type(s) for /: 'str' and 'int'")

What a tool raises is what the call came to. MachineryError and the errors of rlenv.sandbox are raised on instead.
"""

from __future__ import annotations

import inspect
import json
import marshal
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias, cast

from rlenv.core.completion import Completion
from rlenv.core.errors import MachineryError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.workers.pool import PickledVerifier, Pool

ToolFunction: TypeAlias = "Callable[..., object]"
STATE = "state"
"""A parameter of this name gets the state of the episode, which the function may change in place."""
MAX_CHARS = 100_000
"""Longer results are cut before they leave the process of the tool."""


class Outcome(NamedTuple):
    """What a call came to."""

    text: str
    state: Json
    """That of the episode from here on; as it was, where the tool raised."""
    chars: int = 0
    """How long the text was before it was cut."""


def call_here(function: ToolFunction, arguments: Mapping[str, Json], state: Json) -> Outcome:
    """Call it in this process. Raises MachineryError, and what rlenv.sandbox raises."""
    try:
        return _call(function, arguments, state)
    except MemoryError as error:
        return _outcome(f"MemoryError: {error}", state)


def call_apart(
    runner: PickledVerifier, name: str, arguments: Mapping[str, Json], state: Json, time_limit_s: float, pool: Pool
) -> Outcome:
    """Call it in a process that is killed past the limit; one that dies or hangs is what the call came to.

    The pool tries a second time on a new process before it believes that. Raises MachineryError.
    """
    job = Task("", id="call", metadata={"name": name, "arguments": arguments, "state": state})
    verdict = pool.judge_all(runner, [(job, Completion(""))], time_limit_s)[0]
    if verdict.reward is None:
        return _outcome(f"the tool {name} has died: its process was lost", state)
    if verdict.flags:
        return _outcome(f"the tool {name} was stopped: it ran past its limit ({verdict.flags[0].detail})", state)
    answer = json.loads(verdict.reason)
    if "failed" in answer:
        raise MachineryError(answer["failed"])
    return Outcome(**answer)


class Runner:
    """The functions of an interaction as what a worker process runs: a call is a job, its outcome the reason."""

    cheap = False
    version = "tools"

    def __init__(self, functions: Mapping[str, ToolFunction]) -> None:
        self.functions = dict(functions)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """Make the call that stands in the metadata of the task. Raises MemoryError: the process is not used again."""
        call = cast("dict[str, Any]", task.metadata)
        try:
            answer = _call(self.functions[call["name"]], call["arguments"], call["state"])._asdict()
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        return Verdict.of(("called", 1.0), reason=json.dumps(answer))


def takes_state(function: ToolFunction) -> bool:
    """Whether the function works on the state of the episode."""
    return STATE in inspect.signature(function).parameters


def copied(state: Json) -> Json:
    """A copy that shares nothing. Raises TypeError or ValueError for what JSON cannot hold."""
    return None if state is None else cast("Json", json.loads(json.dumps(state)))


def _call(function: ToolFunction, arguments: Mapping[str, Json], state: Json) -> Outcome:
    """What the call came to. Raises MemoryError, and what the machinery raises."""
    try:
        if not takes_state(function):
            return _outcome(_text(function(**arguments)), state)
        plain: Any = state
        changed: Json = marshal.loads(marshal.dumps(plain))  # a fourth of the time that copied() takes
        return _outcome(_text(function(**arguments, state=changed)), changed)
    except (Exception, SystemExit) as error:  # it is the user's, called by a policy: it may raise anything
        if isinstance(error, (MemoryError, MachineryError)) or _of_sandbox(error):
            raise
        return _outcome(f"{type(error).__name__}: {error}", state)


def _of_sandbox(error: BaseException) -> bool:
    """Whether the sandbox has failed, which knows nothing of ours and has errors of its own."""
    return any(kind.__module__.startswith("rlenv.sandbox.") for kind in type(error).__mro__)


def _outcome(text: str, state: Json) -> Outcome:
    """Without halves of surrogate pairs, which arguments may hold and no tokenizer takes."""
    shown = text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
    return Outcome(shown, state, len(text))


def _text(returned: object) -> str:
    if isinstance(returned, str):
        return returned
    try:
        return json.dumps(returned, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(returned)
