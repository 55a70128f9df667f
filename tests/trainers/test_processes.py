"""Several processes train as one: the same rollouts, gradients and weights, and one set of files.

Under torchrun and accelerate launch, with weights held whole or shared out; what was killed on 2 goes on with 1 and 4.
"""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from launching import launch
from scripted_training import run, settings

from rlenv import read_episodes
from rlenv.core.errors import ConfigError, RunError
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import TrainConfig
from rlenv.trainers.networks import sharded_checkpoint
from rlenv.trainers.networks.processes import ALONE
from rlenv.trainers.networks.sharding import shard
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.settings.config import EngineConfig

SCRIPTED = Path(__file__).parent.parent / "support" / "scripted_training.py"
WORST = {True: 2e-6, False: 2e-4}
"""How far a weight may be off with plain SGD, and else: sums are rounded in another order, AdamW divides a gradient
that is nothing but rounding by itself (its steps are 1e-3), and a natural step divides by the curvature."""
MEAN = 2e-6


@pytest.mark.slow
def test_two_processes_end_with_the_weights_of_one(tmp_path: Path) -> None:
    launch([sys.executable, str(SCRIPTED), str(tmp_path / "two")], 2)
    for name, given in settings().items():
        alone = run(tmp_path / "one" / name, given, ALONE)
        ranks = [torch.load(tmp_path / "two" / f"{name}-{rank}.pt") for rank in (0, 1)]
        assert torch.equal(ranks[0], ranks[1]), name
        off = (ranks[0] - alone).abs()
        assert float(off.max()) < WORST[name.endswith("-sgd")], name
        assert float(off.mean()) < MEAN, name
        one, two = tmp_path / "one" / name, tmp_path / "two" / name
        assert _said(one) == _said(two)
        losses = [[m["loss"] for m in read_metrics(folder / "metrics.jsonl")] for folder in (one, two)]
        assert losses[0] == pytest.approx(losses[1], abs=1e-3)
        assert sorted(path.name for path in two.iterdir()) == sorted(path.name for path in one.iterdir())


def _said(folder: Path) -> list[tuple[int, int, str, float | None]]:
    """Every episode of a run, in its place."""
    return [(e.step, e.index, e.completion.text, e.verdict.reward) for e in read_episodes(folder)]


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
        (ACCELERATE, ONE, ()),
        (TORCHRUN, MIXED, ("--set", "engine.cpu_offload=true")),
    ],
    ids=["accelerate", "torchrun"],
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


SCRIPT = Path(__file__).parent.parent / "support" / "sharded_training.py"
KINDS = ["grpo", "ppo", "kto", "gkd", "lora", "recomputed", "warm"]
"""One of each way through an update; test_processes.py has more, with weights held whole."""


def trained(folder: Path, count: int, names: list[str], dtype: str = "float64", *more: str, code: int = 0) -> None:
    launch([sys.executable, str(SCRIPT), str(folder), dtype, ",".join(names), *more], count, code)


def end(folder: Path, name: str, rank: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = torch.load(folder / f"{name}-{rank}.pt")
    return found


def off(first: Path, second: Path, name: str) -> torch.Tensor:
    found: torch.Tensor = (end(first, name)["weights"] - end(second, name)["weights"]).abs()
    return found


@pytest.mark.slow
def test_rows_end_with_the_weights_of_one_process(tmp_path: Path) -> None:
    trained(tmp_path / "one", 1, KINDS)
    trained(tmp_path / "two", 2, [*KINDS, "offloaded"])
    for name in KINDS:
        assert float(off(tmp_path / "one", tmp_path / "two", name).max()) < 1e-9, name
        whole = end(tmp_path / "two", name)["weights"]
        assert torch.equal(whole, end(tmp_path / "two", name, 1)["weights"])
        held = [end(tmp_path / "two", name, rank)["held"] for rank in range(2)]
        assert max(held) < 1.1 * end(tmp_path / "one", name)["held"] / 2, name
    offloaded = end(tmp_path / "one", "ppo")["weights"] - end(tmp_path / "two", "offloaded")["weights"]
    assert float(offloaded.abs().max()) < 1e-9
    loaded = TransformersPolicy.load(str(tmp_path / "two" / "lora" / "model"))
    assert not any("lora" in name for name, _ in loaded.model.named_parameters())
    assert (tmp_path / "two" / "lora" / "best" / "chosen.json").exists()


@pytest.mark.slow
def test_a_run_killed_on_two_goes_on_with_one_and_with_four(tmp_path: Path) -> None:
    trained(tmp_path / "one", 1, ["ppo"])
    trained(tmp_path / "killed", 2, ["ppo"], "float64", "--killed-after", "2", code=-signal.SIGKILL)
    for count in (1, 4):
        then = tmp_path / f"then-{count}"
        shutil.copytree(tmp_path / "killed", then)
        trained(then, count, ["ppo"], "float64", "--resume")
        assert float(off(tmp_path / "one", then, "ppo").max()) < 1e-9, count
        assert len(list((then / "ppo").glob("shards-*"))) == 1


def test_a_natural_step_refuses_weights_that_are_shared_out() -> None:
    with pytest.raises(ConfigError, match="no second derivative"):
        TrainConfig(algorithm="trpo", engine=EngineConfig(sharding="full"))


def test_offloading_takes_weights_that_are_shared_out() -> None:
    with pytest.raises(ConfigError, match=r"set engine\.sharding='full'"):
        EngineConfig(cpu_offload=True)
    with pytest.raises(ConfigError, match=r"expected several processes \(torchrun\)"):
        shard(torch.nn.Linear(1, 1), EngineConfig(sharding="full", cpu_offload=True))


class Runs:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('code of the checkpoint ran')",)


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
def test_the_list_of_tensors_of_a_checkpoint_runs_no_code_and_names_its_own_files(tmp_path: Path) -> None:
    parts = {"model": torch.nn.Linear(3, 2)}
    folder = tmp_path / sharded_checkpoint.write(tmp_path, 1, parts, ALONE)
    sharded_checkpoint.read(folder, parts, ALONE)
    listed = folder / ".metadata"
    whole = listed.read_bytes()
    elsewhere = whole.replace(b"__0_0.distcp", b"../../../../")
    assert elsewhere != whole
    for content, said in ((pickle.dumps(Runs()), "it names builtins.exec"), (elsewhere, "files elsewhere")):
        listed.write_bytes(content)
        with pytest.raises(RunError, match=said):
            sharded_checkpoint.read(folder, parts, ALONE)
