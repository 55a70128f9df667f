"""Reward functions in the forms that others write them, as verifiers.

>>> def correct(completions, answer, **kwargs):          # as TRL calls it: lists in, a list of rewards out
...     return [float(text == wanted) for text, wanted in zip(completions, answer)]
>>> TrlVerifier(correct).verify(Task("2+2=?", "4"), Completion("4")).reward
1.0
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.fingerprint import code_version
from rlenv.core.jsontypes import Json
from rlenv.core.task import ANSWER, PROMPT, REFERENCE, Task, prompt_messages
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier, Verifier, as_verdict, over_limit

T = TypeVar("T")
Style: TypeAlias = Literal["auto", "plain", "named", "trl"]
STYLES: tuple[Style, ...] = get_args(Style)
RewardFunction: TypeAlias = "Callable[..., object]"
UNDER_WAY = 64
"""How many calls of an `async def` verifier wait side by side."""
_PARTS = frozenset({"completion", "text", "reasoning", "finished", "task", "id", "metadata", PROMPT, ANSWER, REFERENCE})
"""What a function may ask for by name beside the columns of its row."""


def verifier_of(
    function: RewardFunction,
    columns: Sequence[str] = (),
    *,
    style: Style = "auto",
    cheap: bool = False,
    reference: str = ANSWER,
    skipped: float | None = None,
    time_limit_s: float = 5.0,
) -> Verifier:
    """The verifier that a reward function stands for.

    The styles: `trl` is `f(prompts, completions, **columns) -> list`, `named` asks by parameter names for completion,
    prompt, answer and `columns`, and `plain` is `f(prompt, completion, reference) -> float`. `auto` reads the names of
    the parameters. Any of them may be `async def`. `reference` is the name under which `trl` gets the right answer,
    `skipped` what its None is worth.

    Raises ConfigError for a function of none of these forms.
    """
    if style not in STYLES:
        raise ConfigError(f"expected a style out of {', '.join(STYLES)}, got {style!r}")
    chosen = style_of(function, columns) if style == "auto" else style
    if chosen == "trl":
        return TrlVerifier(function, reference, cheap, skipped)
    if chosen == "plain":
        return PlainVerifier(function, cheap=cheap)
    named = FunctionVerifier(cast("Callable[..., float]", function), cheap=cheap)
    return AsyncVerifier(named, time_limit_s) if is_async(function) else named


def style_of(function: RewardFunction, columns: Sequence[str]) -> Style:
    """The style that the names of the parameters tell. Raises ConfigError where they tell none."""
    names = _parameters(function)
    if {"prompts", "completions"} & set(names):
        return "trl"
    known = {*_PARTS, *columns}
    if set(names) & _PARTS and set(names) <= known:
        return "named"
    if len(names) == 3:
        return "plain"
    raise ConfigError(
        f"expected f(prompt, completion, reference), f(prompts, completions, **columns) or parameters out of "
        f"{', '.join(sorted(known))}, got ({', '.join(names)})"
    )


def is_async(function: RewardFunction) -> bool:
    """Whether calling it gives something to wait for."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


@dataclass(frozen=True)
class PlainVerifier:
    """`f(prompt, completion, reference) -> float`; the completion is the text as it came."""

    function: RewardFunction
    cheap: bool = False
    version: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "version", code_version(self.function))

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return as_verdict(_awaited(self.function(task.prompt, completion.text, task.reference)))


@dataclass(frozen=True)
class TrlVerifier:
    """`f(prompts, completions, **columns) -> list of float or None`, as TRL 1.16 calls it.

    Completions are texts as they came, or one assistant's message each where prompts are messages. What the function
    leaves out with None is a `verifier_error`, no reward, as TRL itself takes it; or earns `skipped`.
    """

    function: RewardFunction
    reference_column: str = ANSWER
    cheap: bool = False
    skipped: float | None = None
    version: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "version", code_version(self.function))

    def verify(self, task: Task, completion: Completion) -> Verdict:
        reward = self.rewards_together([task], [completion])[0]
        if reward is not None:
            return as_verdict(reward)
        reason = "the function returned None: it does not judge this completion"
        return Verdict.error(reason) if self.skipped is None else Verdict.of(("reward", self.skipped), reason=reason)

    def rewards_together(self, tasks: Sequence[Task], completions: Sequence[Completion]) -> list[float | None]:
        """The rewards of one call."""
        chat = not isinstance(tasks[0].prompt, str)
        prompts: list[Json] = [prompt_messages(task.prompt) if chat else str(task.prompt) for task in tasks]
        said: list[object] = [
            [{"role": "assistant", "content": completion.text}] if chat else completion.text
            for completion in completions
        ]
        columns: dict[str, list[Json]] = {self.reference_column: [task.reference for task in tasks]}
        columns |= {name: [task.metadata.get(name) for task in tasks] for name in tasks[0].metadata}
        columns["completion_ids"] = [list(completion.token_ids) for completion in completions]
        columns["prompts"] = prompts
        rewards = _awaited(self.function(completions=said, **_accepted(self.function, columns)))
        if not isinstance(rewards, Sequence) or len(rewards) != len(tasks):
            raise ConfigError(f"expected a list of {len(tasks)} rewards, got {rewards!r:.80}")
        return [None if reward is None else float(reward) for reward in rewards]


class AsyncVerifier:
    """An `async def` verifier of named parameters: many calls wait side by side, each up to the time limit.

    It runs in the caller's process, as what waits for a server may. A call that takes longer than the limit is graded
    0 and flagged, as any other completion that costs too much; what it raises is a failure of the checker.
    """

    cheap = False

    def __init__(self, named: FunctionVerifier, time_limit_s: float = 5.0, under_way: int = UNDER_WAY) -> None:
        self.named, self.time_limit_s, self.under_way = named, time_limit_s, under_way
        self.version = named.version

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return next(verdict for _, verdict in self.verify_all([(task, completion)]))

    def verify_all(self, jobs: Sequence[tuple[Task, Completion]]) -> Iterator[tuple[int, Verdict]]:
        """The index and verdict of every job."""
        yield from enumerate(_run(self._all(jobs)))

    def check_columns(self, task: Task) -> None:
        """As of FunctionVerifier."""
        self.named.check_columns(task)

    async def _all(self, jobs: Sequence[tuple[Task, Completion]]) -> list[Verdict]:
        room = asyncio.Semaphore(self.under_way)

        async def one(task: Task, completion: Completion) -> Verdict:
            async with room:
                try:
                    outcome = await asyncio.wait_for(self.named.outcome(task, completion), self.time_limit_s)
                    return self.named.verdict_of(outcome, completion)
                except TimeoutError:
                    return over_limit(f"{self.time_limit_s:g} s")
                except Exception as error:  # as for any verifier
                    return Verdict.error(f"{type(error).__name__}: {error}")

        return list(await asyncio.gather(*(one(*job) for job in jobs)))


def _parameters(function: RewardFunction) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise ConfigError(f"cannot read the parameters of {function!r}; say style='plain' or 'trl'") from error
    return [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.default is p.empty] + [
        p.name for p in parameters if p.default is not p.empty and p.name in ("completions", "prompts", "completion")
    ]


def _accepted(function: RewardFunction, columns: Mapping[str, list[Json]]) -> dict[str, list[Json]]:
    """The columns that the function takes: all of them where it has **kwargs."""
    parameters = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return dict(columns)
    return {name: values for name, values in columns.items() if name in parameters}


def _awaited(outcome: object) -> Any:
    """What an async function comes to; the outcome itself of any other."""
    if not isinstance(outcome, Awaitable):
        return outcome

    async def wait() -> object:
        return await outcome

    return _run(wait())


def _run(waited: Coroutine[Any, Any, T]) -> T:
    """What a coroutine comes to; in a thread of its own where this one runs a loop already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(waited)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, waited).result()
