"""Runs trainings that are killed (SIGKILL) at a chosen moment and resumed; prints what came of each as JSON.

    python kill_drill.py FOLDER PHASE,PHASE... SEED [SETTINGS]

SETTINGS is JSON: what the run is beside the default, as {"staleness": 1}.

A process of its own, so that it can fork after importing torch: each drill is two forked children, one that is
killed and one that resumes.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from digits import config, digits, policy

import rlenv.policies.generation
import rlenv.store.saved_episodes
import rlenv.trainers.updates.update
from rlenv.store.members import append_member
from rlenv.trainers import ALGORITHMS, SftConfig, changed, train
from rlenv.trainers.loop import async_rollouts, checkpoint
from rlenv.trainers.records.runfolder import holds_run
from rlenv.trainers.rollouts.collect import Journal

WARM = SftConfig(steps=5, batch_size=16, learning_rate=5e-3, warmup_steps=2)
PHASES = ("rollout", "scoring", "update", "member", "checkpoint")
SETTINGS = replace(
    config(algorithm=changed(ALGORITHMS["ppo"], "kl.beta", 0.01), steps=2, epochs=2, minibatches=2, save_every=3),
    **json.loads(sys.argv[4] if __name__ == "__main__" and len(sys.argv) > 4 else "{}"),
)


def run(folder: Path) -> None:
    """The run that is killed or not; its verifier writes down every question it is asked."""
    asked = os.open(folder.with_suffix(".asked"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def verifier(completion: str, answer: str) -> bool:
        os.write(asked, b".")
        return completion == answer

    trained = train(SETTINGS, digits(verifier), policy(), folder, sft=WARM, resume=holds_run(folder), quiet=True)
    weights = checkpoint.fingerprint(trained.model.state_dict())
    folder.with_suffix(".weights").write_text(weights)


def kill_at(phase: str, moment: int) -> None:
    """Arrange for this process to die at the given occurrence of the phase."""
    calls = 0

    def dying(function: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            result = function(*args, **kwargs) if after or calls != moment else None
            if calls == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    if phase == "rollout" and SETTINGS.staleness:  # others draw; this process waits for them
        async_rollouts._said = dying(async_rollouts._said, after=False)
    elif phase == "rollout":
        rlenv.policies.generation.draw = dying(rlenv.policies.generation.draw, after=False)
    elif phase == "scoring":
        Journal.record = dying(Journal.record, after=True)  # type: ignore[method-assign]
    elif phase == "update":
        rlenv.trainers.updates.update._terms = dying(rlenv.trainers.updates.update._terms, after=False)
    elif phase == "member":  # of saved episodes or of tasks, written by half

        def torn_member(path: Path, lines: Sequence[str]) -> None:
            nonlocal calls
            calls += 1
            before = path.stat().st_size if path.exists() else 0
            append_member(path, lines)
            if calls == moment:
                os.truncate(path, (before + path.stat().st_size) // 2)
                os.kill(os.getpid(), signal.SIGKILL)

        rlenv.store.saved_episodes.append_member = torn_member  # type: ignore[attr-defined]
    elif moment % 3 == 0:  # the new checkpoint is in place, the journal not yet cleared
        Journal.clear = dying(Journal.clear, after=False)  # type: ignore[method-assign]
    elif moment % 3 == 1:  # written, not yet in place
        in_place, dies = os.replace, dying(os.replace, after=False)

        def replace_or_die(source: Any, target: Any) -> None:
            (dies if str(target).endswith(".pt") else in_place)(source, target)

        os.replace = replace_or_die  # type: ignore[assignment]
    else:  # in the middle of writing
        write = torch.save

        def torn(state: Any, file: Any, **more: Any) -> None:
            nonlocal calls
            write(state, file, **more)
            if isinstance(file, io.BytesIO):  # weights for a generator
                return
            calls += 1
            if calls == moment:
                file.truncate(file.tell() // 2)
                os.kill(os.getpid(), signal.SIGKILL)

        torch.save = torn  # type: ignore[assignment]


def saved(folder: Path) -> str:
    """The same for the same saved episodes and tasks, to the byte."""
    names = rlenv.store.saved_episodes.EPISODES, rlenv.store.saved_episodes.TASKS
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in names)).hexdigest()


def forked(work: Callable[[], None]) -> int:
    """Exit status of a child that does the work."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def drill(folder: Path, phase: str, moment: int) -> dict[str, object]:
    """One kill and its resume."""

    def doomed() -> None:
        kill_at(phase, moment)
        run(folder)

    killed = forked(doomed)
    resumed = forked(lambda: run(folder))
    weights = folder.with_suffix(".weights")
    return {
        "phase": phase,
        "moment": moment,
        "killed": killed == -signal.SIGKILL,
        "resumed": resumed == 0,
        "weights": weights.read_text() if weights.exists() else None,
        "asked": folder.with_suffix(".asked").stat().st_size,
        "episodes": saved(folder),
    }


def main(folder: Path, phases: Sequence[str], seed: int) -> None:
    torch.set_num_threads(1)
    forked(lambda: run(folder / "alone"))
    rng = np.random.default_rng(seed)
    last = {"rollout": 6, "scoring": 32, "update": 8, "member": 4, "checkpoint": 3}
    drills = []
    for number, phase in enumerate(phases):
        moment = int(rng.integers(1, last[phase] + 1))
        drills.append(drill(folder / str(number), phase, moment))
    print(
        json.dumps(
            {
                "weights": (folder / "alone.weights").read_text(),
                "asked": (folder / "alone.asked").stat().st_size,
                "episodes": saved(folder / "alone"),
                "drills": drills,
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2].split(","), int(sys.argv[3]))
