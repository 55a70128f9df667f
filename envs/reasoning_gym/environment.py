r"""`reasoning_gym/NAME-v0`: a question of the package reasoning-gym, answered in `<answer>` tags.

>>> import rlenv
>>> env = rlenv.make("reasoning_gym/countdown-v0")
>>> task = env.unwrapped.definition.tasks[0]
>>> print(task.prompt.partition("\n")[0])
Using all the numbers 12, 37, 51, 94, create an expression that equals 481.
>>> def reward(completion):
...     _ = env.reset(options={"task": task})
...     return env.step(completion)[1]
>>> reward("<answer>12*51 - 37 - 94</answer>"), reward("<answer>481</answer>")
(1.0, 0.0)

Right answers earn 1 and all others 0: the shares that the package pays for an answer that is near, or that
holds the right one, are had without solving anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from rlenv.definition import Definition
from rlenv.envs.reasoning_gym.answer_tags import CLOSE, OPEN, write
from rlenv.envs.reasoning_gym.catalogue import KEPT
from rlenv.envs.reasoning_gym.datasets import POPULATION, Item, items, settings
from rlenv.envs.reasoning_gym.references import metadata, reference
from rlenv.envs.reasoning_gym.rules import RULES
from rlenv.envs.reasoning_gym.solvers import solve
from rlenv.envs.reasoning_gym.verifier import AnswerVerifier
from rlenv.envs.splits import belongs, check_split
from rlenv.errors import ConfigError, TaskError
from rlenv.jsontypes import Json, canonical
from rlenv.task import Task
from rlenv.tasksets import ListTasks, ProceduralTasks, TaskSet

INSTRUCTION = f"Give your final answer between {OPEN} and {CLOSE}, in the form asked for and with nothing else."
NOTES = {
    "knight_swap": "Use as few moves as possible.",
    "quantum_lock": "A button works only in the colour that stands beside it; do not press it in the other one.",
    "tower_of_hanoi": "Use as few moves as possible.",
}
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
) -> Definition:
    """The questions of a dataset out of `train`, `test`, `demonstrations` or `all`, held apart by their text.

    `config` holds the dataset's own settings (its dataclass in reasoning_gym); `size` limits the number of
    tasks. Raises ConfigError for settings that the dataset does not take.
    """
    if name not in KEPT:
        raise ConfigError(f"expected a dataset out of {', '.join(KEPT)}, got {name!r}")
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
        verifier=AnswerVerifier(name),
        solution=partial(solution, name),
        demonstrations=None if split == "all" else tasks("demonstrations", None),
        description=f"{name} of reasoning-gym, checked by {RULES[name].form}",
    )


def make_task(name: str, item: Item) -> Task:
    """The task of an item: its question with a note on the form, its reference, what the rule reads."""
    asked = "\n\n".join(part for part in (item["question"].rstrip(), NOTES.get(name), INSTRUCTION) if part)
    return Task(asked, reference(name, item), metadata=metadata(name, item, RULES[name].keeps))


def solution(name: str, task: Task) -> str:
    """The right answer in its tags."""
    return write(solve(name, task))


def _tasks(name: str, config: str, split: str, seed: int, size: int | None) -> TaskSet:
    if name not in POPULATION:
        return ProceduralTasks(DrawnItem(name, config, split), seed, size or SIZE)
    dataset = items(name, config, seed * SEED_STRIDE)
    made = (dataset[number] for number in range(POPULATION[name]))
    return ListTasks([make_task(name, item) for item in made if belongs(item["question"], split)][:size])
