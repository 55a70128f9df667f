"""A Task of Inspect as an environment of ours (inspect-ai 0.3.285): its samples, judged by its own scorers.

    rlenv audit inspect:evals/sums.py@sums --solution 'ANSWER: {answer}'

    env = rlenv.make(from_inspect("evals/sums.py@sums"))

The scorers see what a solver that asks once leaves behind, in a process that can be ended. The first of them pays,
the others stand in `scores`. What raises, is unscored or no number is a `verifier_error`. What needs more than a text
(a sandbox, choices that a solver marks, images) is refused in one line.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, MachineryError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Message, Task
from rlenv.core.verdict import Verdict
from rlenv.env.registry import register
from rlenv.env.tasksets import ListTasks
from rlenv.integrations.foreign import within
from rlenv.integrations.versions import check_version

INDEX = "sample"
PLACE = "{answer}"
START_S = 60.0
"""The first verification of a process imports inspect-ai and loads the Task, which no completion is to blame for."""
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's values CORRECT, PARTIAL, INCORRECT and NOANSWER, as its `value_to_float` reads them."""


def from_inspect(name: str, *, id: str = "", **settings: Any) -> str:
    """Register `FILE.py@TASK` or `MODULE@TASK` as an environment; its id, `inspect/sums-sums-v0` unless one is given.

    The settings are those of `inspect_environment`, and may be changed in `rlenv.make`.
    """
    file, _, task = name.rpartition("@")
    if file.endswith(".py"):
        name = f"{Path(file).resolve()}@{task}"
    told = re.sub(r"[^\w.-]+", "-", f"{Path(file).stem}-{task}")  # the dots and slashes of a module
    id = id or f"inspect/{told}-v0"
    register(id, entry_point="rlenv.integrations.inspect_in:inspect_environment", kwargs={"name": name, **settings})
    return id


def inspect_environment(
    name: str,
    arguments: dict[str, Json] | None = None,
    solution: str = PLACE,
    size: int = 1000,
    answer_limit_s: float = 60.0,
) -> Definition:
    """The definition behind `from_inspect`: the first `size` samples of the Task that `arguments` make.

    `solution` is how a right completion is written, with the target at `{answer}`. The scorers have `answer_limit_s`
    seconds for a completion; beyond, the episode is a `verifier_error`.

    Raises ConfigError for a Task that needs more than a text, and where inspect-ai is missing or of an unknown version.
    """
    check_version("inspect-ai", known="0.3.285", below="0.4")
    if PLACE not in solution:
        raise ConfigError(f"expected solution with {PLACE} where the right answer stands, got {solution!r}")
    verifier = ScorerVerifier(name, canonical(arguments or {}), answer_limit_s)
    made = verifier.made()
    samples = list(made.dataset)[:size]
    _check(name, made, samples)
    return Definition(
        tasks=ListTasks([_task(sample, place) for place, sample in enumerate(samples)]),
        verifier=verifier,
        solution=lambda task: solution.replace(PLACE, _targets(task.reference)[0]),
        description=f"the Task {name.rpartition('@')[2]} of Inspect, by its own scorers",
        time_limit_s=START_S + answer_limit_s,
    )


@dataclass(frozen=True)
class ScorerVerifier:
    """Asks the scorers of a Task; loads it again in the process that it is sent to."""

    name: str
    arguments: str
    answer_limit_s: float
    cheap = False

    @property
    def version(self) -> str:
        return f"inspect {self.name} {self.arguments}"

    def made(self) -> Any:
        """The Task. Raises ConfigError where it cannot be loaded."""
        return _made(self.name, self.arguments)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """Raises MachineryError where the Task has other samples than before, and what its scorers raise."""
        made, place = self.made(), cast("int", task.metadata[INDEX])
        if place >= len(made.dataset) or _id(made.dataset[place], place) != task.id:
            raise MachineryError(
                f"sample {place} of {self.name} is another one than before; make the environment again"
            )
        asked = partial(asyncio.run, _scored(made, place, task, completion))
        first, *others = within(self.answer_limit_s, f"the scorers of {self.name}", asked)
        scores = {name: value for name, value, _ in others}
        return Verdict.of((first[0], first[1]), scores=scores, reason=first[2])


@lru_cache(maxsize=8)
def _made(name: str, arguments: str) -> Any:
    from inspect_ai import Task as InspectTask

    made = _function(name)(**json.loads(arguments))
    if not isinstance(made, InspectTask):
        raise ConfigError(f"expected {name} to give a Task of Inspect, got {type(made).__name__}")
    return made


def _function(name: str) -> Callable[..., Any]:
    """The function before `@`; loading it runs the module's code in this process."""
    place, _, wanted = name.rpartition("@")
    if not place or not wanted:
        raise ConfigError(f"expected FILE.py@TASK or MODULE@TASK, got {name!r}")
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except Exception as error:  # code of others may raise anything
        raise ConfigError(f"cannot load {place}: {type(error).__name__}: {error}") from error
    found = getattr(module, wanted, None)
    if not callable(found):
        raise ConfigError(f"expected FILE.py@TASK, and {place} has no function {wanted!r}")
    return cast("Callable[..., Any]", found)


def _from_file(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"inspect_task_of_{file.stem}", file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise FileNotFoundError("no such file")
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # what stands beside it, shadowing nothing
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(name: str, made: Any, samples: Sequence[Any]) -> None:
    """Raise ConfigError for what a text alone does not score."""
    problems = {
        "it has no samples": not samples,
        "it has no scorer": not made.scorer,
        "it needs a sandbox": bool(made.sandbox) or any(one.sandbox or one.files or one.setup for one in samples),
        "its samples have choices, which a solver marks": any(one.choices for one in samples),
        "a sample has no target": any(not _targets(_target(one))[0] for one in samples),
    }
    if found := [problem for problem, there in problems.items() if there]:
        raise ConfigError(f"{name} cannot be judged from what was said alone: {'; '.join(found)}")


async def _scored(made: Any, place: int, task: Task, completion: Completion) -> list[tuple[str, float, str]]:
    """Name, value and explanation of each scorer. Raises MachineryError for a value that is no number."""
    from inspect_ai.scorer import Target

    found = []
    for number, scorer in enumerate(made.scorer):
        score = await scorer(_state(made.dataset[place], place, completion), Target(_targets(task.reference)))
        name = _scorer_name(scorer, number)
        value = None if score is None else _value(score.value)
        if value is None:
            raise MachineryError(f"the scorer {name} gave {score!r:.200}, which is no reward")
        found.append((name, value, str(score.explanation or "")))
    return found


def _value(value: object) -> float | None:
    """A score as a number; None for texts, lists and dicts that are none, and for NaN, which is unscored."""
    found = LETTERS.get(value) if isinstance(value, str) else value
    return float(found) if isinstance(found, int | float) and math.isfinite(found) else None


def _scorer_name(scorer: Any, number: int) -> str:
    from inspect_ai.util import registry_info

    return str(registry_info(scorer).name.rpartition("/")[2]) or f"scorer_{number}"


def _state(sample: Any, place: int, completion: Completion) -> Any:
    """What a solver that asks once leaves behind."""
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ChatMessageUser, ModelName, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    said = ChatMessageAssistant(content=completion.content.text)
    choice = ChatCompletionChoice(message=said, stop_reason="stop" if completion.finished else "max_tokens")
    asked = [ChatMessageUser(content=sample.input)] if isinstance(sample.input, str) else list(sample.input)
    return TaskState(
        model=ModelName("rlenv/text"),
        sample_id=sample.id or place + 1,
        epoch=1,
        input=sample.input,
        messages=[*asked, said],
        target=Target(sample.target),
        output=ModelOutput(model="rlenv/text", choices=[choice]),
        completed=True,
        metadata=dict(sample.metadata or {}),
    )


def _task(sample: Any, place: int) -> Task:
    return Task(_prompt(sample.input), _target(sample), id=_id(sample, place), metadata={INDEX: place})


def _id(sample: Any, place: int) -> str:
    return str(place + 1 if sample.id is None else sample.id)


def _target(sample: Any) -> Json:
    return sample.target if isinstance(sample.target, str) else list(sample.target)


def _targets(reference: Json) -> list[str]:
    """The texts that are right; one at least."""
    found = [str(one) for one in reference] if isinstance(reference, list | tuple) else [str(reference)]
    return found or [""]


def _prompt(asked: Any) -> str | tuple[Message, ...]:
    """Raises ConfigError for a prompt that is not made of text."""
    if isinstance(asked, str):
        return asked
    if not all(isinstance(message.content, str) for message in asked):
        raise ConfigError("expected an input of text, got one with images or files; such a Task cannot be judged here")
    return tuple({"role": str(message.role), "content": str(message.content)} for message in asked)
