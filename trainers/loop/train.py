"""`train`: a whole run, from its first rollout to the finished model and its report.

from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import TrainConfig, train

config = TrainConfig(algorithm="grpo", steps=100, max_new_tokens=24, learning_rate=4e-4, sft_steps=200)
train(config, "math/arithmetic-v0", tiny_policy(), "runs/first")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from rlenv.core.jsontypes import Json
from rlenv.env.batch import EnvLike
from rlenv.policies.ledger import NO_LIMITS, Limits, spending
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.files import told_when_full
from rlenv.trainers.branches.sft import SftConfig
from rlenv.trainers.loop.trainer import Trainer
from rlenv.trainers.records.report import write_pages
from rlenv.trainers.settings.config import Mixture, TrainConfig

if TYPE_CHECKING:
    from rlenv.trainers.branches.preference import Pair
    from rlenv.trainers.monitors.rules import Monitor

GO_ON = "continue with --resume"
"""What a run that was stopped by the machine is to be told."""


def train(
    config: TrainConfig,
    env: EnvLike | Mixture,
    policy: TransformersPolicy,
    out: str | Path,
    *,
    sft: SftConfig | None = None,
    teacher: TransformersPolicy | None = None,
    pairs: Sequence[Pair] | None = None,
    monitors: Sequence[Monitor] = (),
    resume: bool = False,
    changed_verifier: bool = False,
    limits: Limits = NO_LIMITS,
    quiet: bool = False,
    report: bool | None = None,
    command: Mapping[str, Json] | None = None,
) -> TransformersPolicy:
    """Train the policy in place and leave the run in the folder `out`; returns the policy.

    `teacher` is what distillation learns from, `pairs` what a preference row learns from in place of its own rollouts,
    `monitors` look at every finished rollout and may stop the run. `report` leaves report.md, its plots and report.html
    there too, by default unless the run is `quiet`. `changed_verifier` lets a run go on with another verifier or other
    wrappers. `limits` says what may be spent: the run ends, saved, before the first step that begins beyond. `command`
    is kept in config.json for `rlenv train --resume DIR`.

    The first SIGINT (Ctrl-C) or SIGTERM lets the step that runs finish and be saved, and then raises `Stopped`, a
    KeyboardInterrupt; the second ends at once. Raises ConfigError for settings that cannot work, RunError for a folder
    that cannot be used or is full and for steps without a finite loss, TooManyVerifierErrors, and LimitReached.
    """
    with told_when_full(Path(out), GO_ON), spending(limits) as ledger:
        trainer = Trainer(
            config,
            env,
            policy,
            Path(out),
            sft=sft,
            teacher=teacher,
            pairs=pairs,
            monitors=monitors,
            resume=resume,
            changed_verifier=changed_verifier,
            quiet=quiet,
            command=command,
            ledger=ledger,
        )
        with closing(trainer):
            trainer.run()
        if (not quiet if report is None else report) and trainer.processes.is_main:
            write_pages(Path(out))
    return policy
