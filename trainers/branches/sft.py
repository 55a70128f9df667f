"""Learning from what nobody generates: a supervised warm start, the environment's own solutions, the pairs of a file.

Such rollouts have no reward that an environment gave, so metrics hold none and no episodes are saved.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition, reference_text
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import canonical
from rlenv.core.task import Task
from rlenv.core.verdict import FAIL, PASS, Verdict
from rlenv.env.sampler import UniformSampler
from rlenv.env.tasksets import ListTasks
from rlenv.policies.generation import left_padded
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.models import decaying, refuse_coarse, step_if_finite
from rlenv.trainers.rollouts.collect import Collected, tensors
from rlenv.trainers.settings.config import TrainConfig, fall, rise
from rlenv.turns.transcript import demonstrated

TOGETHER = 64
"""Tasks whose demonstrations are played side by side."""
SMALL = 10_000_000
"""Weights below which a model is one that starts from nothing."""
MOST_SKIPPED = 10
"""Steps in a row without a finite loss and gradient: one bad batch passes, ten in a row do not."""


@dataclass(frozen=True, kw_only=True)
class SftConfig:
    """Settings of a supervised phase."""

    steps: int = 200
    batch_size: int = 64
    """Demonstrations an optimiser step, drawn with replacement."""
    learning_rate: float | None = None
    """Of AdamW; rises over `warmup_steps`, then goes on as `schedule` says; `usual_rate` when not given."""
    warmup_steps: int = 20
    schedule: str = "linear"
    """constant, or from its rise on down to a tenth: linear or cosine."""
    weight_decay: float = 0.01
    """Of matrices alone."""
    micro_batch_tokens: int = 32_768
    """Tokens, padding included, in one forward and backward pass; changes memory, not results."""
    max_grad_norm: float = 1.0
    max_demonstrations: int = 100_000
    """How many of a large procedural set are used."""
    seed: int = 0


def warm_start(config: TrainConfig) -> SftConfig:
    """The supervised phase that a run asks for."""
    return SftConfig(
        steps=config.sft_steps,
        learning_rate=config.sft_learning_rate,
        micro_batch_tokens=config.micro_batch_tokens,
        seed=config.seed,
    )


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
    rate = config.learning_rate or usual_rate(model)
    rng = np.random.default_rng(config.seed)
    trained = [p for p in model.parameters() if p.requires_grad]
    refuse_coarse(trained)
    optimizer = torch.optim.AdamW(decaying(trained, config.weight_decay), rate, (0.9, 0.95))
    losses: list[float] = []
    skipped = 0
    model.train()
    for step in range(config.steps):
        for group in optimizer.param_groups:
            left = 1 - step / config.steps
            group["lr"] = rate * rise(step, config.warmup_steps) * fall(config.schedule, left)
        picked = [data[i] for i in rng.integers(len(data), size=config.batch_size)]
        losses.append(_backward(policy, picked, config.micro_batch_tokens))
        _, taken = step_if_finite(optimizer, trained, config.max_grad_norm, losses[-1])
        skipped = 0 if taken else skipped + 1
        if skipped == MOST_SKIPPED:
            raise RunError(
                f"{skipped} supervised steps in a row, up to step {step}, had a loss or gradient that is not finite "
                f"and changed nothing; lower the learning rate of the supervised phase ({rate:g})"
            )
        if on_step is not None:
            on_step(step, losses[-1])
    model.eval()
    return losses


def usual_rate(model: nn.Module) -> float:
    """2e-5, which leaves a pretrained model what it knows, or for one too small to be pretrained 3e-3.

    At 3e-3 the loss of SmolLM2-135M on what it is shown rises from 2.6 to 7.8 nats a token.
    """
    return 3e-3 if sum(p.numel() for p in model.parameters()) < SMALL else 2e-5


def _backward(policy: TransformersPolicy, picked: Sequence[Demonstration], max_tokens: int) -> float:
    """Mean negative log-probability of the demonstrated tokens, whose gradient is added to the weights'."""
    learned = sum(sum(_mask(one)) for one in picked)
    total = 0.0
    for part in _parts(picked, max_tokens):
        loss = _loss(policy, part, learned)
        loss.backward()
        total += loss.item()
    return total


def _parts(picked: Sequence[Demonstration], max_tokens: int) -> list[list[Demonstration]]:
    """All as they are where they fit into `max_tokens`, padding included; else cut, longest first."""
    parts: list[list[Demonstration]] = [[]]
    whole = len(picked) * _padded(picked) <= max_tokens
    order = picked if whole else sorted(picked, key=lambda one: len(one.prompt_ids) + len(one.completion_ids))[::-1]
    for one in order:
        if parts[-1] and not whole and (len(parts[-1]) + 1) * _padded([*parts[-1], one]) > max_tokens:
            parts.append([])
        parts[-1].append(one)
    return parts


def _padded(rows: Sequence[Demonstration]) -> int:
    """The length that these rows are padded to."""
    return max(len(one.prompt_ids) + len(one.completion_ids) for one in rows)


def _mask(one: Demonstration) -> tuple[int, ...]:
    return one.mask or (1,) * len(one.completion_ids)


def _loss(policy: TransformersPolicy, picked: Sequence[Demonstration], learned: int) -> torch.Tensor:
    """The share of these rows in the mean negative log-probability of all `learned` tokens."""
    rows = [[*d.prompt_ids, *d.completion_ids] for d in picked]
    device: Any = policy.model.device
    ids, attention_mask = left_padded(rows, policy.eos_ids[0], device)
    width = max(len(d.completion_ids) for d in picked)
    mask = torch.zeros(len(rows), width, device=device)
    for i, demonstration in enumerate(picked):
        chosen = _mask(demonstration)
        mask[i, width - len(chosen) :] = torch.tensor(chosen, dtype=mask.dtype)
    logprobs, _ = completion_logprobs(policy.model, ids, attention_mask, mask)
    return -logprobs.sum() / learned


def check_given(
    config: TrainConfig, policy: TransformersPolicy, teacher: TransformersPolicy | None, pairs: Sequence[Pair] | None
) -> None:
    """Raise ConfigError where the row lacks what it learns from, or is given what it has no use for."""
    row = config.row
    if (row.advantage.kind == "teacher") != (teacher is not None):
        raise ConfigError(
            f"expected a teacher exactly where advantage.kind is 'teacher' (the rows distill and gkd), got "
            f"{'none' if teacher is None else 'one'} for {row.name}"
        )
    if teacher is not None:
        check_same_tokens(policy, teacher)
    if pairs is None:
        return
    if row.preference is None:
        raise ConfigError(f"expected a row of the preference branch for a pair file, got {row.name}; use dpo")
    if config.group_size != 2:
        raise ConfigError(f"a pair is a group of two: expected group_size=2 with a pair file, got {config.group_size}")


def check_same_tokens(student: TransformersPolicy, teacher: TransformersPolicy) -> None:
    """Raise ConfigError unless both number their tokens alike: the teacher reads what the student wrote, as tokens."""
    ours, theirs = student.tokenizer.get_vocab(), teacher.tokenizer.get_vocab()
    different = sorted(token for token in ours if theirs.get(token) != ours[token])
    if different or len(ours) != len(theirs):
        what = f"{len(different)} of the student's {len(ours)} tokens, such as {different[:3]}, " if different else ""
        raise ConfigError(
            f"expected a teacher with the student's tokenizer: {what}the teacher has {len(theirs)} tokens and the "
            f"student {len(ours)}; choose a teacher of the same family"
        )
    if student.eos_ids[0] not in teacher.eos_ids:
        raise ConfigError(
            f"expected a teacher that ends a sequence as the student does, with the token {student.eos_ids[0]}, got "
            f"{teacher.eos_ids}; choose a teacher of the same family"
        )


def fingerprint_of(pairs: Sequence[Pair]) -> str:
    """The same text for the same pairs, by which a resumed run knows its file."""
    return hashlib.blake2b(canonical([pair.to_row() for pair in pairs]).encode(), digest_size=8).hexdigest()


def demonstrated_rollout(
    definition: Definition, policy: TransformersPolicy, config: TrainConfig, step: int
) -> Collected:
    """`groups * group_size` solutions of the tasks that may be shown, drawn by (seed, step)."""
    tasks = definition.demonstrations or definition.tasks
    drawn = UniformSampler(len(tasks), config.seed).draw(step, config.groups * config.group_size)
    chosen = [tasks[i] for i in drawn]
    shown = demonstrated(definition, policy, chosen)
    return _given(policy, [(task, said, PASS) for task, said in zip(chosen, shown, strict=True)], 1, definition)


def paired(pairs: Sequence[Pair], policy: TransformersPolicy, config: TrainConfig, step: int) -> Collected:
    """`groups` pairs of a file, drawn by (seed, step): groups of two, the chosen one ranked above the other."""
    drawn = UniformSampler(len(pairs), config.seed).draw(step, config.groups)
    rows = []
    for pair in (pairs[i] for i in drawn):
        task = Task(pair.prompt)
        rows.append((task, _said(policy, pair.chosen, pair.chosen_finished), PASS))
        rows.append((task, _said(policy, pair.rejected, pair.rejected_finished), FAIL))
    return _given(policy, rows, 2)


def _said(policy: TransformersPolicy, text: str, finished: bool) -> Completion:
    ids = policy.encode_completion(text)
    ids = ids if finished else ids[:-1]
    return Completion(text, tuple(ids), (0.0,) * len(ids), (), finished)


def _given(
    policy: TransformersPolicy,
    rows: Sequence[tuple[Task, Completion, Verdict]],
    size: int,
    definition: Definition | None = None,
) -> Collected:
    started = time.perf_counter()
    episodes = [
        Episode(task, completion, verdict, group=index // size, index=index)
        for index, (task, completion, verdict) in enumerate(rows)
    ]
    lengths = [e.completion.said_tokens for e in episodes]
    metrics = {
        "completions/mean_length": sum(lengths) / len(lengths),
        "completions/min_length": float(min(lengths)),
        "completions/max_length": float(max(lengths)),
    }
    rollout = tensors(policy, episodes, definition)
    return Collected([], rollout, {**metrics, "time/prepare": time.perf_counter() - started})
