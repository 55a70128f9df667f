"""One of two processes that draw episodes of several turns from one engine of vLLM's (a stand-in); see launching.py.

python drawn_together.py FOLDER
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

import torch.distributed as dist
import vllm_stand_in
from chat_models import chat_policy
from number_game import guessing

from rlenv.core.completion import Completion
from rlenv.core.policy import Sampling
from rlenv.policies.vllm import VllmPolicy
from rlenv.policies.vllm_settings import VllmSettings
from rlenv.turns.play import play

SAMPLING = Sampling(max_new_tokens=9, max_episode_tokens=70, seed=2)
TURNS = (3, 1)
"""Of the episodes of each process: one has all it needs long before the other."""


def drawn(folder: Path, rank: int, devices: int) -> list[Completion]:
    """What the process of this rank draws, from an engine over so many devices."""
    policy = VllmPolicy(chat_policy("qwen2"), folder / f"model-{rank}", VllmSettings(tensor_parallel=devices))
    policy.engine.llm.policy = chat_policy("qwen2", seed=1)  # type: ignore[attr-defined]
    definition = guessing(TURNS[rank])
    found = play(definition, policy, [definition.tasks[rank]], 2, SAMPLING)
    policy.draw_along()
    return found


if __name__ == "__main__":
    sys.modules["vllm"] = vllm_stand_in.MODULE  # type: ignore[assignment]
    out, place = Path(sys.argv[1]), int(os.environ["RANK"])
    dist.init_process_group("gloo")
    (out / f"{place}.pickle").write_bytes(pickle.dumps(drawn(out, place, 2)))
    dist.destroy_process_group()
