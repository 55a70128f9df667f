"""The trivial environment of the trainer tests: name the digit after this one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from rlenv import Definition, FunctionVerifier, ListTasks
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import SftConfig, TrainConfig, Trainer
from rlenv.trainers.branches.sft import demonstrations, supervised
from rlenv.trainers.rollouts.collect import SFT, derived_seed

ROWS = [{"prompt": f"{n}+1=?", "answer": str(n + 1)} for n in range(8)]
WARM = SftConfig(steps=25, batch_size=16, learning_rate=5e-3, warmup_steps=5)


def right(completion: str, answer: str) -> bool:
    return completion == answer


def digits(verifier: object = right, **settings: object) -> Definition:
    """The environment, judged by another function if one is given."""
    checked = FunctionVerifier(verifier, cheap=True)  # type: ignore[arg-type]
    return Definition(tasks=ListTasks.from_rows(ROWS), verifier=checked, id="test/digits-v0", **settings)  # type: ignore[arg-type]


def config(**settings: object) -> TrainConfig:
    """A run of a second or two."""
    values: dict[str, object] = {"steps": 4, "groups": 4, "group_size": 4, "max_new_tokens": 3, "learning_rate": 1e-3}
    return TrainConfig(**{**values, **settings})  # type: ignore[arg-type]


def policy(seed: int = 0) -> TransformersPolicy:
    return tiny_policy(seed)


@cache
def _warm_weights() -> dict[str, Any]:
    started = policy()
    as_in_a_run = replace(WARM, seed=derived_seed(WARM.seed, 0, SFT))
    supervised(started, demonstrations(digits(), started, WARM.max_demonstrations), as_in_a_run)
    return started.model.state_dict()


def warm() -> TransformersPolicy:
    """A policy that sometimes knows the answer: `policy()` after WARM, which is gone through once in a process."""
    started = policy()
    started.model.load_state_dict(_warm_weights())
    return started


def rewards(folder: Path) -> list[float]:
    from rlenv.trainers.records.logs import read_metrics

    return [metrics["reward"] for metrics in read_metrics(folder / "metrics.jsonl")]


def stopped_after(trainer: Trainer, saves: int) -> None:
    """Run until the trainer has saved so often, and end there as Ctrl-C does."""
    original, done = trainer.save, 0

    def save(*, compares: bool = True) -> None:
        nonlocal done
        original()
        done += 1
        if done == saves:
            raise KeyboardInterrupt

    trainer.save = save  # type: ignore[method-assign]
    with suppress(KeyboardInterrupt):
        trainer.run()
        raise AssertionError(f"expected {saves} checkpoints, got {done}")
    trainer.close()
