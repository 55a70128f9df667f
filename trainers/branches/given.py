"""Rollouts that nobody generates: the environment's own solutions, and the pairs of a file.

They have no reward that an environment gave, so metrics hold none and no episodes are saved.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import canonical
from rlenv.core.task import Task
from rlenv.core.verdict import FAIL, PASS, Verdict
from rlenv.env.sampler import UniformSampler
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.rollouts.collect import Collected, tensors
from rlenv.trainers.settings.config import TrainConfig
from rlenv.turns.transcript import demonstrated as played_scripts


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


def demonstrated(definition: Definition, policy: TransformersPolicy, config: TrainConfig, step: int) -> Collected:
    """`groups * group_size` solutions of the tasks that may be shown, drawn by (seed, step)."""
    tasks = definition.demonstrations or definition.tasks
    drawn = UniformSampler(len(tasks), config.seed).draw(step, config.groups * config.group_size)
    chosen = [tasks[i] for i in drawn]
    shown = played_scripts(definition, policy, chosen)
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
