"""The code of the trainer benchmark's GPU mode runs, at a size that a CPU takes."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl")
pytest.importorskip("matplotlib")

from digits import config, digits, policy

from rlenv.trainers.engine import EngineConfig

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of TRL and what it imports
def test_the_gpu_mode_runs_both_trainers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from trainer_gpu import on_gpu

    rows = on_gpu("cpu", tmp_path, small=True)
    assert [row.trainer for row in rows] == ["rlenv", "TRL, dynamic cache"]
    assert all(row.update_tokens_s > 0 and row.generation_tokens_s > 0 for row in rows)
    assert "rlenv" in (tmp_path / "table.md").read_text()
    for name in ("trainer_gpu", "trainer_arms", "trainer_models"):
        sys.modules.pop(name, None)


def test_a_curve_is_written_as_json_and_as_a_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from trainer_curves import curve

    settings = config(algorithm="dr-grpo", steps=3, engine=EngineConfig(precision="bf16"))
    found = curve(digits(), policy(), tmp_path, settings)
    written = json.loads((tmp_path / "curve.json").read_text())
    assert len(found.rewards) == 3
    assert written["rewards"] == [step["reward"] for step in written["steps"]] == list(found.rewards)
    assert (tmp_path / "curve.png").stat().st_size > 1000
    sys.modules.pop("trainer_curves", None)
