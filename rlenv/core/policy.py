"""What a policy is: something that answers prompts. `ask` is how everything in rlenv asks one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from traceback import extract_tb
from typing import Protocol, runtime_checkable

from rlenv.core.completion import Completion, as_completion
from rlenv.core.errors import ConfigError, PolicyError, RlenvError
from rlenv.core.task import Prompt, Task

MAX_NEW_TOKENS = 1 << 20
"""More than the context of any model; room for the completions is taken before the first token is drawn."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How completions are drawn."""

    max_new_tokens: int = 256
    """The most tokens of a completion, or of each turn where there are several."""
    max_episode_tokens: int | None = None
    """The most tokens of an episode of several turns, what the environment says included; one without room ends as
    cut."""
    temperature: float = 1.0
    """The sampling temperature; 0 takes the likeliest token."""
    top_p: float = 1.0
    """Nucleus sampling: the likeliest tokens that hold this share of the probability. Below 1 the log-probs are not
    those of the distribution that was sampled: not for training."""
    seed: int = 0
    """The same seed, prompts and model give the same completions on the same hardware."""
    stop: tuple[str, ...] = ()
    """A completion ends before the first of these texts, and counts as finished; for evaluation, not for training. On
    the command line a backslash and n are a new line."""

    def __post_init__(self) -> None:
        if not 1 <= self.max_new_tokens <= MAX_NEW_TOKENS:
            raise ConfigError(f"expected max_new_tokens of 1 to {MAX_NEW_TOKENS:,}, got {self.max_new_tokens}")
        if self.max_episode_tokens is not None and self.max_episode_tokens < 1:
            raise ConfigError(f"expected max_episode_tokens of at least 1, or None, got {self.max_episode_tokens}")
        if not 0 <= self.temperature < math.inf:
            raise ConfigError(f"expected a finite temperature of 0 (greedy) or more, got {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ConfigError(f"expected 0 < top_p <= 1, got {self.top_p}")
        if isinstance(self.stop, str) or not all(self.stop):
            raise ConfigError(f"expected stop to be texts that are not empty, got {self.stop!r}")


DEFAULT_SAMPLING = Sampling()
"""Temperature 1, nothing cut from the distribution."""


@runtime_checkable
class Policy(Protocol):
    """Answers prompts: a transformers model, an endpoint, anything with this method."""

    @property
    def name(self) -> str:
        """What reports call it."""

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        """`n` completions of each prompt, prompt by prompt: `len(prompts) * n` of them.

        Raises PolicyError when the model cannot be reached.
        """


@runtime_checkable
class SharedPolicy(Policy, Protocol):
    """A policy that several processes ask together, each for its own."""

    def draw_along(self) -> None:
        """Take part in what the other processes still ask, until none asks any more."""


@dataclass(frozen=True)
class ScriptedPolicy:
    """A function of the task: `reference` says the solution, `empty` says nothing.

    In an episode of several turns a tuple is said turn by turn, and anything else in every turn.
    """

    name: str
    function: Callable[[Task], str | Completion | tuple[str, ...]]

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        return self.answer([Task(prompt) for prompt in prompts], n)

    def answer(self, tasks: Sequence[Task], n: int) -> list[Completion]:
        """`n` completions of each task, task by task."""
        scripts = [self.script(task) for task in tasks for _ in range(n)]
        return [as_completion("\n".join(script) if isinstance(script, tuple) else script) for script in scripts]

    def script(self, task: Task) -> str | Completion | tuple[str, ...]:
        """What it has to say to this task."""
        try:
            return self.function(task)
        except RlenvError:
            raise
        except Exception as error:  # it is the user's, and may raise anything
            *_, place = extract_tb(error.__traceback__)
            where = f"{place.filename} line {place.lineno}"
            raise PolicyError(f"policy {self.name}: {where}: {type(error).__name__}: {error}") from error


def ask(policy: Policy, tasks: Sequence[Task], n: int, sampling: Sampling) -> list[Completion]:
    """`n` completions of each task, task by task. Scripted policies see the whole task, others its prompt."""
    if isinstance(policy, ScriptedPolicy):
        completions = policy.answer(tasks, n)
    else:
        completions = policy.generate([task.prompt for task in tasks], n, sampling)
    if len(completions) != len(tasks) * n:
        raise PolicyError(
            f"expected {len(tasks)} x {n} completions from {policy.name}, got {len(completions)}; "
            "generate() returns n for each prompt, prompt by prompt"
        )
    return completions
