"""A training on episodes of several turns, killed (SIGKILL) in the middle of a second turn and resumed; prints JSON.

python turn_kill_drill.py FOLDER
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from chat_models import chat_policy
from kill_drill import forked
from number_game import guessing

import rlenv.policies.generation
from rlenv.core.policy import Sampling
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.loop import checkpoint
from rlenv.trainers.records.runfolder import holds_run
from rlenv.turns.live import Live

SETTINGS = TrainConfig(
    algorithm="ppo", steps=2, groups=3, group_size=4, max_new_tokens=8, learning_rate=1e-3, warmup_steps=0, save_every=1
)


def run(folder: Path) -> None:
    """The run that is killed or not."""
    trained = train(SETTINGS, guessing(), chat_policy("qwen2"), folder, resume=holds_run(folder), quiet=True)
    folder.with_suffix(".weights").write_text(checkpoint.fingerprint(trained.model.state_dict()))


def killed_in_second_turn(folder: Path, rollout: int) -> None:
    """The same, dead at the second token of the second turn of this rollout."""
    continued, draw = TransformersPolicy.continued, rlenv.policies.generation.draw
    seconds, drawn = 0, 0

    def counted(self: TransformersPolicy, lives: Sequence[Live], sampling: Sampling) -> Any:
        nonlocal seconds, drawn
        seconds, drawn = seconds + any(live.said == 1 for live in lives), 0
        return continued(self, lives, sampling)

    def dying(*given: Any) -> Any:
        nonlocal drawn
        drawn += 1
        if (seconds, drawn) == (rollout + 1, 2):
            os.kill(os.getpid(), signal.SIGKILL)
        return draw(*given)

    TransformersPolicy.continued = counted  # type: ignore[method-assign]
    rlenv.policies.generation.draw = dying  # type: ignore[assignment]
    run(folder)


def left(folder: Path) -> dict[str, str]:
    """The end of a run."""
    episodes = hashlib.sha256((folder / "episodes.jsonl.gz").read_bytes()).hexdigest()
    return {"weights": folder.with_suffix(".weights").read_text(), "episodes": episodes}


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    forked(lambda: run(folder / "alone"))
    drills = []
    for rollout in (0, 1):
        own = folder / str(rollout)
        killed = forked(lambda own=own, rollout=rollout: killed_in_second_turn(own, rollout))  # type: ignore[misc]
        finished = own.with_suffix(".weights").exists()
        resumed = forked(lambda own=own: run(own))  # type: ignore[misc]
        drills.append({"killed": killed == -signal.SIGKILL and not finished, "resumed": resumed == 0, **left(own)})
    print(json.dumps({"alone": left(folder / "alone"), "drills": drills}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
