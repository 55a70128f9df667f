"""Weights shared out over 2 and 4 processes end as those of one; what was killed on 2 goes on with 1 and with 4."""

import pickle
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from launching import launch
from sharded_training import sharded_settings

from rlenv.core.errors import ConfigError, RunError
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import TrainConfig
from rlenv.trainers.networks import sharded_checkpoint
from rlenv.trainers.networks.processes import ALONE
from rlenv.trainers.networks.sharding import shard
from rlenv.trainers.settings.engine import EngineConfig

SCRIPT = Path(__file__).parent.parent / "support" / "sharded_training.py"
EXACT = [name for name in sharded_settings() if not name.endswith("-sgd") and name != "offloaded"]
KINDS = ["grpo", "ppo", "a2c", "dapo", "kto", "distill", "rest", "lora", "recomputed", "warm"]
"""One of each way through an update."""
ROUNDED = ["grpo", "ppo", "grpo-sgd", "ppo-sgd", "lora"]
WORST = {True: 2e-6, False: 2e-4}
"""How far a float32 weight may be off with plain SGD, and with AdamW, as in test_processes.py."""


def trained(folder: Path, count: int, names: list[str], dtype: str = "float64", *more: str, code: int = 0) -> None:
    launch([sys.executable, str(SCRIPT), str(folder), dtype, ",".join(names), *more], count, code)


def end(folder: Path, name: str, rank: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = torch.load(folder / f"{name}-{rank}.pt")
    return found


def off(first: Path, second: Path, name: str) -> torch.Tensor:
    found: torch.Tensor = (end(first, name)["weights"] - end(second, name)["weights"]).abs()
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("count", "names"), [(2, EXACT), (4, KINDS)])
def test_rows_end_with_the_weights_of_one_process(tmp_path: Path, count: int, names: list[str]) -> None:
    trained(tmp_path / "one", 1, names)
    trained(tmp_path / "more", count, names)
    for name in names:
        assert float(off(tmp_path / "one", tmp_path / "more", name).max()) < 1e-9, name
        whole = end(tmp_path / "more", name)["weights"]
        assert all(torch.equal(whole, end(tmp_path / "more", name, rank)["weights"]) for rank in range(1, count))
        of_one = end(tmp_path / "one", name)["held"]
        held = [end(tmp_path / "more", name, rank)["held"] for rank in range(count)]
        assert max(held) < 1.1 * of_one / count, name
    loaded = TransformersPolicy.load(str(tmp_path / "more" / "lora" / "model"))
    assert not any("lora" in name for name, _ in loaded.model.named_parameters())
    assert (tmp_path / "more" / "lora" / "best" / "chosen.json").exists()


@pytest.mark.slow
def test_parts_that_are_offloaded_end_with_the_weights_of_one_process(tmp_path: Path) -> None:
    trained(tmp_path / "one", 1, ["ppo"])
    trained(tmp_path / "two", 2, ["offloaded"])
    found = end(tmp_path / "one", "ppo")["weights"] - end(tmp_path / "two", "offloaded")["weights"]
    assert float(found.abs().max()) < 1e-9


@pytest.mark.slow
def test_in_float32_sums_are_rounded_in_another_order(tmp_path: Path) -> None:
    trained(tmp_path / "one", 1, ROUNDED, "float32")
    trained(tmp_path / "two", 2, ROUNDED, "float32")
    for name in ROUNDED:
        found = off(tmp_path / "one", tmp_path / "two", name)
        assert float(found.max()) < WORST[name.endswith("-sgd")], name
        assert float(found.mean()) < 2e-6, name


@pytest.mark.slow
def test_a_run_killed_on_two_goes_on_with_one_and_with_four(tmp_path: Path) -> None:
    names = ["ppo", "lora"]
    trained(tmp_path / "one", 1, names)
    for name in names:
        trained(tmp_path / "killed", 2, [name], "float64", "--killed-after", "3", code=-signal.SIGKILL)
    for count in (1, 4):
        then = tmp_path / f"then-{count}"
        shutil.copytree(tmp_path / "killed", then)
        trained(then, count, names, "float64", "--resume")
        for name in names:
            assert float(off(tmp_path / "one", then, name).max()) < 1e-9, (name, count)
            assert len(list((then / name).glob("shards-*"))) == 1


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
