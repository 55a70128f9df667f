"""Supervised warm start on the environment's own demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from rlenv.definition import Definition, reference_text
from rlenv.errors import ConfigError, RunError
from rlenv.policies.generation import left_padded
from rlenv.policies.transformers import TransformersPolicy
from rlenv.tasksets import ListTasks
from rlenv.trainers.finite import step_if_finite
from rlenv.trainers.logprobs import completion_logprobs
from rlenv.trainers.schedule import fall, rise
from rlenv.turns.demonstration import demonstrated

TOGETHER = 64
"""Tasks whose demonstrations are played side by side."""
MOST_SKIPPED = 10
"""Steps in a row without a finite loss and gradient: one bad batch passes, ten in a row do not."""


@dataclass(frozen=True, kw_only=True)
class SftConfig:
    """Settings of a supervised phase."""

    steps: int = 200
    batch_size: int = 64
    """Demonstrations an optimiser step, drawn with replacement."""
    learning_rate: float = 3e-3
    """Of AdamW; rises over `warmup_steps`, then goes on as `schedule` says."""
    warmup_steps: int = 20
    schedule: str = "linear"
    """constant, or from its rise on down to a tenth: linear or cosine."""
    weight_decay: float = 0.01
    max_grad_norm: float = 1.0
    max_demonstrations: int = 100_000
    """How many of a large procedural set are used."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Demonstration:
    """A prompt and its solution as token ids."""

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    mask: tuple[int, ...] = ()
    """0 where the environment speaks; empty means that all of it is learned."""


def demonstrations(definition: Definition, policy: TransformersPolicy, limit: int) -> list[Demonstration]:
    """The solutions of the tasks that a warm start may see, at most `limit` of them."""
    tasks = definition.demonstrations or definition.tasks
    count = min(len(tasks), limit)
    refuse_answerless(definition, count)
    found: list[Demonstration] = []
    for start in range(0, count, TOGETHER):
        shown = [tasks[i] for i in range(start, min(count, start + TOGETHER))]
        for task, said in zip(shown, demonstrated(definition, policy, shown), strict=True):
            prompt = policy.encode(task.prompt, definition.tools)
            found.append(Demonstration(tuple(prompt), said.token_ids, said.mask))
    if not found:
        raise ConfigError("expected at least one demonstration for the supervised phase, got none")
    return found


def refuse_answerless(definition: Definition, limit: int | None = None) -> None:
    """Raise ConfigError, with the count, where rows that are to be learned from have no answer.

    A set made by code answers its own tasks.
    """
    tasks = definition.demonstrations or definition.tasks
    if definition.script is not None or definition.solution is not reference_text or not isinstance(tasks, ListTasks):
        return
    count = min(len(tasks), len(tasks) if limit is None else limit)
    missing = [task for task in (tasks[i] for i in range(count)) if task.reference is None]
    if missing:
        raise ConfigError(
            f"{len(missing)} of {count} rows have no answer to learn from, the first is task {missing[0].id}; give "
            "them one (the column answer), leave them out, or train without supervised steps"
        )


def supervised(
    policy: TransformersPolicy,
    data: Sequence[Demonstration],
    config: SftConfig,
    on_step: Callable[[int, float], None] | None = None,
) -> list[float]:
    """Train the policy to say the demonstrations; returns the loss of each step, in nats a token.

    `on_step(step, loss)` hears of each step. A step whose loss or gradient is not finite changes nothing; raises
    RunError when so many in a row are not that no end is to be seen.
    """
    model = policy.model
    rng = np.random.default_rng(config.seed)
    optimizer = torch.optim.AdamW(
        model.parameters(), config.learning_rate, (0.9, 0.95), weight_decay=config.weight_decay
    )
    losses: list[float] = []
    skipped = 0
    model.train()
    for step in range(config.steps):
        for group in optimizer.param_groups:
            left = 1 - step / config.steps
            group["lr"] = config.learning_rate * rise(step, config.warmup_steps) * fall(config.schedule, left)
        picked = [data[i] for i in rng.integers(len(data), size=config.batch_size)]
        loss = _loss(policy, picked)
        loss.backward()
        losses.append(loss.item())
        _, taken = step_if_finite(optimizer, model.parameters(), config.max_grad_norm, losses[-1])
        skipped = 0 if taken else skipped + 1
        if skipped == MOST_SKIPPED:
            raise RunError(
                f"{skipped} supervised steps in a row, up to step {step}, had a loss or gradient that is not finite "
                f"and changed nothing; lower the learning rate of the supervised phase ({config.learning_rate:g})"
            )
        if on_step is not None:
            on_step(step, losses[-1])
    model.eval()
    return losses


def _loss(policy: TransformersPolicy, picked: Sequence[Demonstration]) -> torch.Tensor:
    """Mean negative log-probability of the demonstrated tokens."""
    rows = [[*d.prompt_ids, *d.completion_ids] for d in picked]
    device: Any = policy.model.device
    ids, attention_mask = left_padded(rows, policy.eos_ids[0], device)
    width = max(len(d.completion_ids) for d in picked)
    mask = torch.zeros(len(rows), width, device=device)
    for i, demonstration in enumerate(picked):
        chosen = demonstration.mask or (1,) * len(demonstration.completion_ids)
        mask[i, width - len(chosen) :] = torch.tensor(chosen, dtype=mask.dtype)
    logprobs, _ = completion_logprobs(policy.model, ids, attention_mask, mask)
    return -logprobs.sum() / mask.sum()
