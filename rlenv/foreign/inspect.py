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
from rlenv.env.tasksets import ListTasks
from rlenv.foreign.sessions import refuse_problems, register_foreign, within
from rlenv.foreign.versions import check_version

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
    kwargs = {"name": name, **settings}
    return register_foreign("inspect", f"{Path(file).stem}-{task}", id, f"{__name__}:inspect_environment", kwargs)


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
    theirs = verifier.load()
    samples = list(theirs.dataset)[:size]
    _check(name, theirs, samples)
    return Definition(
        tasks=ListTasks([_task(sample, index) for index, sample in enumerate(samples)]),
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

    def load(self) -> Any:
        """The Task. Raises ConfigError where it cannot be loaded."""
        return _loaded(self.name, self.arguments)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """Raises MachineryError where the Task has other samples than before, and what its scorers raise."""
        theirs, index = self.load(), cast("int", task.metadata[INDEX])
        if index >= len(theirs.dataset) or _id(theirs.dataset[index], index) != task.id:
            raise MachineryError(
                f"sample {index} of {self.name} is another one than before; make the environment again"
            )
        score = partial(asyncio.run, _scores(theirs, index, task, completion))
        first, *others = within(self.answer_limit_s, f"the scorers of {self.name}", score)
        return Verdict.of(first[:2], scores={name: value for name, value, _ in others}, reason=first[2])


@lru_cache(maxsize=8)
def _loaded(name: str, arguments: str) -> Any:
    from inspect_ai import Task as InspectTask

    made = _function(name)(**json.loads(arguments))
    if not isinstance(made, InspectTask):
        raise ConfigError(f"expected {name} to give a Task of Inspect, got {type(made).__name__}")
    return made


def _function(name: str) -> Callable[..., Any]:
    """The function behind `@`; loading it runs the module's code in this process."""
    place, _, wanted = name.rpartition("@")
    if not place or not wanted:
        raise ConfigError(f"expected FILE.py@TASK or MODULE@TASK, got {name!r}")
    try:
        module = _module_of(Path(place)) if place.endswith(".py") else importlib.import_module(place)
    except Exception as error:  # code of others may raise anything
        raise ConfigError(f"cannot load {place}: {type(error).__name__}: {error}") from error
    function = getattr(module, wanted, None)
    if not callable(function):
        raise ConfigError(f"expected FILE.py@TASK, and {place} has no function {wanted!r}")
    return cast("Callable[..., Any]", function)


def _module_of(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"inspect_task_of_{file.stem}", file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise FileNotFoundError("no such file")
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # what stands beside it, shadowing nothing
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(name: str, theirs: Any, samples: Sequence[Any]) -> None:
    """Raise ConfigError for what a text alone does not score."""
    boxed = any(one.sandbox or one.files or one.setup for one in samples)
    problems = {
        "it has no samples": not samples,
        "it has no scorer": not theirs.scorer,
        "it needs a sandbox": bool(theirs.sandbox) or boxed,
        "its samples have choices, which a solver marks": any(one.choices for one in samples),
        "a sample has no target": any(not _targets(_target(one))[0] for one in samples),
    }
    refuse_problems(name, problems)


async def _scores(theirs: Any, index: int, task: Task, completion: Completion) -> list[tuple[str, float, str]]:
    """Name, value and explanation of each scorer. Raises MachineryError for a value that is no number."""
    from inspect_ai.scorer import Target
    from inspect_ai.util import registry_info

    scores = []
    for number, scorer in enumerate(theirs.scorer):
        score = await scorer(_state(theirs.dataset[index], index, completion), Target(_targets(task.reference)))
        name = str(registry_info(scorer).name.rpartition("/")[2]) or f"scorer_{number}"
        value = None if score is None else _value(score.value)
        if value is None:
            raise MachineryError(f"the scorer {name} gave {score!r:.200}, which is no reward")
        scores.append((name, value, str(score.explanation or "")))
    return scores


def _value(value: object) -> float | None:
    """A score as a number; None for texts, lists and dicts that are none, and for NaN, which is unscored."""
    number = LETTERS.get(value) if isinstance(value, str) else value
    return float(number) if isinstance(number, int | float) and math.isfinite(number) else None


def _state(sample: Any, index: int, completion: Completion) -> Any:
    """What a solver that asks once leaves behind."""
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ChatMessageUser, ModelName, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    said = ChatMessageAssistant(content=completion.content.text)
    choice = ChatCompletionChoice(message=said, stop_reason="stop" if completion.finished else "max_tokens")
    prompt = [ChatMessageUser(content=sample.input)] if isinstance(sample.input, str) else list(sample.input)
    return TaskState(
        model=ModelName("rlenv/text"),
        sample_id=sample.id or index + 1,
        epoch=1,
        input=sample.input,
        messages=[*prompt, said],
        target=Target(sample.target),
        output=ModelOutput(model="rlenv/text", choices=[choice]),
        completed=True,
        metadata=dict(sample.metadata or {}),
    )


def _task(sample: Any, index: int) -> Task:
    return Task(_prompt(sample.input), _target(sample), id=_id(sample, index), metadata={INDEX: index})


def _id(sample: Any, index: int) -> str:
    return str(index + 1 if sample.id is None else sample.id)


def _target(sample: Any) -> Json:
    return sample.target if isinstance(sample.target, str) else list(sample.target)


def _targets(reference: Json) -> list[str]:
    """The texts that are right; one at least."""
    texts = [str(one) for one in reference] if isinstance(reference, list | tuple) else [str(reference)]
    return texts or [""]


def _prompt(input: Any) -> str | tuple[Message, ...]:
    """Raises ConfigError for a prompt that is not made of text."""
    if isinstance(input, str):
        return input
    if not all(isinstance(message.content, str) for message in input):
        raise ConfigError("expected an input of text, got one with images or files; such a Task cannot be judged here")
    return tuple({"role": str(message.role), "content": str(message.content)} for message in input)
