"""Monitors in a run: alarms on disk and in the report, the same ones after a resume, an end where one says stop."""

from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from digits import config, digits, policy, warm
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Verdict
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.text.escaping import shown_cell
from rlenv.trainers import Trainer, train
from rlenv.trainers.monitors import GoldMonitor, Monitor, Rules, default_monitors, read_alarms
from rlenv.trainers.monitors.levels import VerifierFailures
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.records.report import write_report


def hacked(completion: str, answer: str) -> Verdict:
    """Pays for length, and fails on whatever says 3."""
    if "3" in completion:
        raise RuntimeError("cannot read a 3")
    return Verdict.of(("correct", float(completion == answer)), ("length", 0.5 * len(completion)))


def monitors(out: Path) -> list[Monitor]:
    gold = GoldMonitor(env=digits(), every=2, tasks=8, max_new_tokens=3, fall=0.0, deviations=0.1, best=out / "best")
    return [*default_monitors(window=2), gold]


class _Interrupting:
    """Stands for a kill after a number of rollouts."""

    name = "interrupting"

    def __init__(self, after: int) -> None:
        self.after = after

    def after_step(
        self,
        step: int,
        episodes: Sequence[Episode],
        rollout: object,
        metrics: MutableMapping[str, float],
        policy: TransformersPolicy,
    ) -> list[Any]:
        if step == self.after:
            raise KeyboardInterrupt
        return []

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: object) -> None:
        pass


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "run"
    settings = config(steps=10, save_every=3, learning_rate=5e-3, max_error_share=1.0)
    train(settings, digits(hacked), warm(), out, monitors=monitors(out), quiet=True, report=True)
    return out


def test_a_run_writes_its_alarms_and_measurements_and_reports_them(whole: Path) -> None:
    alarms = read_alarms(whole)
    assert "verifier_failures" in {alarm.name for alarm in alarms}
    assert all(alarm.step < 10 for alarm in alarms)
    metrics = read_metrics(whole / "metrics.jsonl")
    assert [m["step"] for m in metrics if "gold/reward" in m] == [0, 2, 4, 6, 8]
    report = (whole / "report.md").read_text()
    gold = [m["gold/reward"] for m in metrics if "gold/reward" in m]
    assert f"| gold/reward | 5 | {gold[0]:.4g} | {gold[-1]:.4g} |" in report
    assert "## Alarms" in report
    assert f"| {alarms[0].step} | {alarms[0].name} |" in report
    last = SavedEpisodes(whole).last(1)[0]
    assert "| task | reward | judged | reason |" in report
    assert f"| {last.task.id} | {last.verdict.reward:g} | {shown_cell(last.completion.text)} |" in report
    assert (whole / "report.html").exists()
    assert (whole / "watched.png").stat().st_size > 0
    assert (whole / "best" / "config.json").exists()


@pytest.mark.parametrize("stop", [pytest.param(1, marks=pytest.mark.slow), 4, pytest.param(7, marks=pytest.mark.slow)])
def test_a_run_killed_and_resumed_raises_the_same_alarms(stop: int, whole: Path, tmp_path: Path) -> None:
    settings = config(steps=10, save_every=3, learning_rate=5e-3, max_error_share=1.0)
    watching: list[Any] = [*monitors(tmp_path / "run"), _Interrupting(stop)]
    trainer = Trainer(settings, digits(hacked), warm(), tmp_path / "run", monitors=watching, quiet=True)
    with pytest.raises(KeyboardInterrupt):
        trainer.run()
    trainer.close()
    again = monitors(tmp_path / "run")
    train(settings, digits(hacked), warm(), tmp_path / "run", monitors=again, resume=True, quiet=True)
    assert read_alarms(tmp_path / "run") == read_alarms(whole)
    assert _gold(tmp_path / "run") == _gold(whole)


def _gold(out: Path) -> list[float | None]:
    return [metrics.get("gold/reward") for metrics in read_metrics(out / "metrics.jsonl")]


def test_an_alarm_that_stops_ends_the_run_with_its_model_saved(tmp_path: Path) -> None:
    stopping = Rules([VerifierFailures()], window=1, stop_on=["verifier_failures"])
    settings = config(steps=10, max_error_share=1.0)
    train(settings, digits(hacked), warm(), tmp_path, monitors=[stopping], quiet=True)
    alarms = read_alarms(tmp_path)
    assert [alarm.stop for alarm in alarms] == [True]
    assert len(read_metrics(tmp_path / "metrics.jsonl")) == alarms[0].step + 1 < 10
    assert (tmp_path / "model" / "config.json").exists()
    assert "**The run ended here.**" in write_report(tmp_path).read_text()


def test_monitors_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="different names"):
        Trainer(config(), digits(), policy(), tmp_path, monitors=[*default_monitors(), *default_monitors()], quiet=True)


def test_the_command_line_measures_the_gold_and_keeps_the_best(tmp_path: Path) -> None:
    fast = ["--steps", "3", "--groups", "2", "--group-size", "2", "--max-new-tokens", "4", "-q"]
    gold = ["--gold", "math/arithmetic-v0", "--gold-set", "split=test", "--gold-every", "2", "--gold-tasks", "4"]
    out = ["--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, ["train", "math/arithmetic-v0", *fast, *gold, "--stop-on-gold", *out])
    assert result.exit_code == 0, result.output
    assert [value is not None for value in _gold(tmp_path / "run")] == [True, False, True]
    assert (tmp_path / "run" / "best").is_dir()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--stop-on-gold"], "need --gold"),
        (["--gold-set", "split=test"], "need --gold"),
        (["--monitor", "lenght"], "no rule 'lenght'; there are: length_drift"),
    ],
)
def test_options_that_cannot_work_are_told_in_one_line(options: list[str], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["train", "math/arithmetic-v0", *options, "--out", str(tmp_path / "run")])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert message in result.output
