"""`rlenv train` under torchrun and accelerate launch: two processes on a CPU share a run out, and leave one folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.records.logs import read_metrics

TORCHRUN = (
    "torch.distributed.run",
    "--nproc_per_node",
    "2",
    "--rdzv_backend",
    "c10d",
    "--rdzv_endpoint",
    "127.0.0.1:0",
)
ACCELERATE = ("accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--main_process_port", "0")
"""Without `--multi_gpu` it starts one process where there is no GPU."""
ONE = ("math/arithmetic-v0",)
MIXED = ("--env", "math/arithmetic-v0:1", "--env", "games/guess-v0:1")
SHORT = ("--steps", "2", "--groups", "4", "--group-size", "2", "--max-new-tokens", "4")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launcher", "env", "more"),
    [
        (TORCHRUN, ONE, ()),
        (ACCELERATE, ONE, ()),
        (TORCHRUN, MIXED, ()),
        (TORCHRUN, ONE, ("--set", "engine.cpu_offload=true")),
    ],
    ids=["torchrun", "accelerate", "mixture", "offload"],
)
def test_two_processes_train_with_weights_shared_out(
    launcher: tuple[str, ...], env: tuple[str, ...], more: tuple[str, ...], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    rlenv = ("-m", "rlenv", "train", *env, *SHORT, "--set", "engine.sharding=full", *more, "--out", str(out), "-q")
    own = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", *launcher, *rlenv]
    done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    metrics = read_metrics(out / "metrics.jsonl")
    assert len(metrics) == 2
    names = [given.partition(":")[0] for given in env if "/" in given]
    assert len(names) == 1 or all(f"env/{name}/reward" in metrics[-1] for name in names)
    assert json.loads((out / "config.json").read_text())["engine"]["sharding"] == "full"
    (shards,) = out.glob("shards-*")
    assert sorted(part.name for part in shards.glob("*.distcp")) == ["__0_0.distcp", "__1_0.distcp"]  # one a process
    assert TransformersPolicy.load(str(out / "model")).model.num_parameters() > 0
