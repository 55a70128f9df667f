r"""`reasoning_gym/NAME-v0`: a question of the package reasoning-gym, answered in `<answer>` tags.

>>> import rlenv
>>> env = rlenv.make("reasoning_gym/prime_factorization-v0")
>>> task = env.unwrapped.definition.tasks[0]
>>> print(task.prompt.partition(".")[0])
Find the prime factorization of 866
>>> def reward(completion):
...     _ = env.reset(options={"task": task})
...     return env.step(completion)[1]
>>> reward("<answer>2 × 433</answer>"), reward("<answer>866</answer>")
(1.0, 0.0)

The package's own scorer judges, and its full mark alone is paid: the shares that it gives for an answer that is near,
or that holds the right one, are had without solving anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task, TaskSet
from rlenv.env.tasksets import ListTasks, ProceduralTasks
from rlenv.envs.reasoning_gym.answer_tags import CLOSE, OPEN, write
from rlenv.envs.reasoning_gym.catalogue import KEPT, LEFT_OUT
from rlenv.envs.reasoning_gym.datasets import POPULATION, Item, items, settings
from rlenv.envs.reasoning_gym.verifier import ScorerVerifier
from rlenv.envs.splits import belongs, check_split

INSTRUCTION = f"Give your final answer between {OPEN} and {CLOSE}, in the form asked for and with nothing else."
NOTES = {"tower_of_hanoi": "Use as few moves as possible."}
"""What the package's scorer asks for and its question does not say."""
SIZE = 100_000
STRIDE = 1_000_000
SEED_STRIDE = 10**9
MAX_DRAWS = 500


@dataclass(frozen=True)
class DrawnItem:
    """Draws task `index` of a seed: items until one belongs to the split.

    With the split `all` it is item `seed * 10**9 + index` of the package's stream, whose item `i` of seed `s`
    is item `i + 1` of seed `s - 1`: seeds side by side would share all their tasks.
    """

    name: str
    config: str
    """The settings of the dataset as canonical JSON."""
    split: str

    def __call__(self, seed: int, index: int) -> Task:
        dataset = items(self.name, self.config, seed * SEED_STRIDE)
        for draw in range(MAX_DRAWS):
            item = dataset[index + draw * STRIDE]
            if belongs(item["question"], self.split):
                return make_task(self.name, item)
        raise TaskError(f"{self.name}: no item of the split {self.split!r} in {MAX_DRAWS}; config leaves too few")


def reasoning_gym(
    name: str,
    split: str = "train",
    seed: int = 0,
    size: int | None = None,
    config: Mapping[str, Json] | None = None,
    own_scorer: bool = False,
) -> Definition:
    """The questions of a dataset out of `train`, `test`, `demonstrations` or `all`, held apart by their text.

    `config` holds the dataset's own settings (its dataclass in reasoning_gym); `size` limits the number of
    tasks. `own_scorer` takes a dataset that is not in the default set, whatever its scorer pays for. Raises ConfigError
    for settings that the dataset does not take.
    """
    if name not in KEPT and not own_scorer:
        why = LEFT_OUT.get(name, "no dataset has this name")
        raise ConfigError(f"{name!r} is not in the default set ({why}); own_scorer=True takes a dataset as it is")
    check_split(split)
    if size is not None and not 1 <= size <= STRIDE:
        raise ConfigError(f"expected a size in 1..{STRIDE}, got {size!r}")
    if seed < 0:
        raise ConfigError(f"expected a seed of at least 0, got {seed!r}")
    written = canonical(settings(name, config or {}))
    items(name, written, seed * SEED_STRIDE)

    def tasks(of_split: str, limit: int | None) -> TaskSet:
        return _tasks(name, written, of_split, seed, limit)

    return Definition(
        tasks=tasks(split, size),
        verifier=ScorerVerifier(name, written, cheap=name in KEPT),
        solution=solution,
        demonstrations=None if split == "all" else tasks("demonstrations", None),
        description=f"{name} of reasoning-gym, paid where its own scorer gives its full mark",
    )


def make_task(name: str, item: Item) -> Task:
    """The task of an item: its question with a note on the form, its reference, what the scorer reads."""
    asked = "\n\n".join(part for part in (item["question"].rstrip(), NOTES.get(name), INSTRUCTION) if part)
    metadata = {key: as_json(value) for key, value in item["metadata"].items()}
    reference = json.dumps(metadata["possible_answer"]) if name == "graph_color" else item["answer"]
    return Task(asked, reference, metadata=metadata)


def as_json(value: object) -> Json:
    """Tuples as lists, keys as strings, numpy's values as Python's."""
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return as_json(cast("Any", value).item()) if hasattr(value, "item") else str(value)


def solution(task: Task) -> str:
    """The right answer in its tags. Raises TaskError where the package gives none."""
    if task.reference is None:
        raise TaskError(f"task {task.id}: the package gives no answer to it")
    return write(str(task.reference))


def _tasks(name: str, config: str, split: str, seed: int, size: int | None) -> TaskSet:
    if name not in POPULATION:
        return ProceduralTasks(DrawnItem(name, config, split), seed, size or SIZE)
    dataset = items(name, config, seed * SEED_STRIDE)
    made = (dataset[number] for number in range(POPULATION[name]))
    return ListTasks([make_task(name, item) for item in made if belongs(item["question"], split)][:size])
