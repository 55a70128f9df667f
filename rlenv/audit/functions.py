"""Plain reward functions as definitions, so that the same audit can be played on them.

>>> rows = [{"prompt": "2+2=?", "answer": "4"}, {"prompt": "3+5=?", "answer": "8"}]
>>> made = reward_definition(lambda prompt, completion, reference: float(reference in completion), rows)
>>> made.verifier.verify(made.tasks[0], Completion("1 2 3 4")).reward
1.0
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from rlenv.completion import Completion
from rlenv.definition import Definition, reference_text
from rlenv.errors import ConfigError
from rlenv.jsontypes import Json
from rlenv.task import ANSWER, PROMPT, REFERENCE, Task, prompt_messages
from rlenv.tasksets import ListTasks, Row
from rlenv.verdict import Verdict
from rlenv.verifier import FunctionVerifier, Verifier, as_verdict

Style: TypeAlias = Literal["auto", "plain", "named", "trl"]
RewardFunction: TypeAlias = "Callable[..., object]"
REFERENCE_COLUMNS = (ANSWER, REFERENCE, "solution", "ground_truth", "target", "label", "gold")


def reward_definition(
    function: RewardFunction,
    rows: Sequence[Row],
    *,
    style: Style = "auto",
    reference: str | None = None,
    solution: Callable[[Task], str] = reference_text,
    time_limit_s: float = 5.0,
) -> Definition:
    """A reward function with rows (`prompt`, a column with the right answer, any others) as a definition.

    The styles: `trl` is `f(prompts, completions, **columns) -> list`, `named` asks by parameter names for
    completion, prompt, answer and columns, as rlenv.register does, and `plain` is
    `f(prompt, completion, reference) -> float`. `auto` reads the names of the parameters. `reference` names the
    column with the right answer, `solution` makes a right completion of a task.

    Raises ConfigError for a function of none of these forms or rows without an answer.
    """
    if not rows:
        raise ConfigError("expected at least one row with a prompt and its answer, got none")
    column = reference or next((name for name in REFERENCE_COLUMNS if name in rows[0]), None)
    if column is None or column not in rows[0]:
        raise ConfigError(f"expected a column {reference or 'answer'!r}, got {sorted(rows[0])}; name it: reference=...")
    tasks = ListTasks([_task(row, column) for row in rows])
    chosen = _style(function, rows[0]) if style == "auto" else style
    verifiers: dict[str, Callable[[], Verifier]] = {
        "trl": lambda: TrlVerifier(function, column),
        "named": lambda: FunctionVerifier(cast("Callable[..., float]", function)),
        "plain": lambda: PlainVerifier(function),
    }
    if chosen not in verifiers:
        raise ConfigError(f"expected a style out of auto, plain, named, trl, got {style!r}")
    return Definition(
        tasks=tasks,
        verifier=verifiers[chosen](),
        solution=solution,
        time_limit_s=time_limit_s,
        description=(inspect.getdoc(function) or "").partition("\n")[0],
        id=getattr(function, "__name__", "").replace("<lambda>", ""),
    )


@dataclass(frozen=True)
class PlainVerifier:
    """`f(prompt, completion, reference) -> float`."""

    function: RewardFunction
    cheap: bool = False
    version: str = "plain"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return as_verdict(_awaited(self.function(task.prompt, completion.text, task.reference)))


@dataclass(frozen=True)
class TrlVerifier:
    """`f(prompts, completions, **columns) -> list of float or None`, as TRL 1.16 calls it."""

    function: RewardFunction
    reference_column: str
    cheap: bool = False
    version: str = "trl"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        reward = self.rewards_together([task], [completion])[0]
        return (
            Verdict.of(("reward", 0.0), reason="skipped: the function returned None")
            if reward is None
            else as_verdict(reward)
        )

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
        columns["completion_ids"] = [[] for _ in tasks]
        columns["prompts"] = prompts
        rewards = _awaited(self.function(completions=said, **_accepted(self.function, columns)))
        if not isinstance(rewards, Sequence) or len(rewards) != len(tasks):
            raise ConfigError(f"expected a list of {len(tasks)} rewards, got {rewards!r:.80}")
        return [None if reward is None else float(reward) for reward in rewards]


def _task(row: Row, column: str) -> Task:
    rest: Mapping[str, Json] = {name: value for name, value in row.items() if name != column}
    return Task.from_row({**rest, ANSWER: row[column]})


def _style(function: RewardFunction, row: Row) -> str:
    names = _parameters(function)
    if {"prompts", "completions"} & set(names):
        return "trl"
    known = {"completion", "finished", "task", "id", "metadata", PROMPT, ANSWER, REFERENCE, *row}
    if "completion" in names and set(names) <= known:
        return "named"
    if len(names) == 3:
        return "plain"
    raise ConfigError(
        f"expected f(prompt, completion, reference), f(prompts, completions, **columns) or parameters out of "
        f"{', '.join(sorted(known))}, got ({', '.join(names)})"
    )


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

    return asyncio.run(wait())
