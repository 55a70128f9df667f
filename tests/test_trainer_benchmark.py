"""The parts of `make gpu` run at a size that a CPU takes, and its page says what was not measured."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("matplotlib")

from digits import config, digits, policy

from rlenv.trainers.networks.engine import EngineConfig

ROOT = Path(__file__).parents[1]
OURS = ("gpu_part", "gpu_training", "gpu_passes", "run", "trainer_arms", "trainer_models", "trainer_curves")


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "gpu"))
    yield
    for name in OURS:
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of TRL and what it imports
@pytest.mark.parametrize("part", ["generation", "update", "precision", "head", "vllm", "gsm8k", "attention", "profile"])
def test_every_part_runs_without_a_gpu(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trl")
    monkeypatch.setattr("gpu_part.RANDOM", tmp_path / "random")
    from gpu_part import Result, Setting
    from run import PARTS, alone, page

    alone(part, Setting(True, tmp_path, tmp_path / "no model", tmp_path / "no rows"))
    assert part in PARTS
    result = Result.saved(tmp_path)[part]
    assert result.tiny
    assert result.rows
    assert f"`{part}`: no GPU; its code ran on a CPU" in page(tmp_path, [])


def test_the_page_shows_what_a_gpu_measured_and_lists_the_rest(tmp_path: Path) -> None:
    from gpu_part import Result
    from run import page

    assert "No GPU was at hand" in page(tmp_path, [])
    head = Result("Head", ("by", "s"), [["rlenv", 0.25], ["TRL", 1234.5]], skipped=["plain: no room"], device="H200")
    head.save(tmp_path, "head")
    Result("Tried", (), [], tiny=True, date="2026-11-23").save(tmp_path, "vllm")
    shown = page(tmp_path, ["update: took more than 480 s"])
    assert "No GPU was at hand" not in shown
    assert "| rlenv | 0.25 |\n| TRL | 1,234 |" in shown
    tail = shown[shown.index("## What is not here") :].splitlines()
    assert "- `head`: skipped plain: no room" in tail
    assert "- `vllm`: no GPU; its code ran on a CPU in tiny, 2026-11-23" in tail
    assert "- update: took more than 480 s" in tail


def test_a_curve_is_written_as_json_and_as_a_plot(tmp_path: Path) -> None:
    from trainer_curves import curve

    settings = config(algorithm="dr-grpo", steps=3, engine=EngineConfig(precision="bf16"))
    found = curve(digits(), policy(), tmp_path, settings)
    written = json.loads((tmp_path / "curve.json").read_text())
    assert len(found.rewards) == 3
    assert written["rewards"] == [step["reward"] for step in written["steps"]] == list(found.rewards)
    assert (tmp_path / "curve.png").stat().st_size > 1000
