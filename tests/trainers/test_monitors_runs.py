"""Monitors in a run: alarms on disk and in the report, the same ones after a resume, an end where one says stop.

The gold: reward up and gold down is an alarm, and the policy with the best gold is kept.
"""

import json
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from digits import ROWS, config, digits, policy, warm
from typer.testing import CliRunner

from rlenv import Definition, FunctionVerifier, ListTasks
from rlenv.cli import app
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.policies.transformers import TransformersPolicy
from rlenv.store.saved_episodes import SavedEpisodes
from rlenv.text.escaping import shown_cell
from rlenv.trainers import Trainer, train
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.monitors import Alarm, GoldMonitor, Monitor, Rules, default_monitors, read_alarms
from rlenv.trainers.monitors.kinds import VerifierFailures
from rlenv.trainers.records.logs import ALARMS_FILE, read_metrics
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


def test_a_run_killed_and_resumed_raises_the_same_alarms(whole: Path, tmp_path: Path) -> None:
    settings = config(steps=10, save_every=3, learning_rate=5e-3, max_error_share=1.0)
    watching: list[Any] = [*monitors(tmp_path / "run"), _Interrupting(4)]
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
    gold = [
        "--gold",
        "math/arithmetic-v0",
        "--set",
        "gold_kwargs.split=test",
        "--set",
        "gold_every=2",
        "--set",
        "gold_tasks=4",
    ]
    out = ["--out", str(tmp_path / "run")]
    result = CliRunner().invoke(app, ["train", "math/arithmetic-v0", *fast, *gold, "--set", "stop_on_gold=true", *out])
    assert result.exit_code == 0, result.output
    assert [value is not None for value in _gold(tmp_path / "run")] == [True, False, True]
    assert (tmp_path / "run" / "best").is_dir()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "stop_on_gold=true"], "need a gold"),
        (["--set", "gold_kwargs.split=test"], "need a gold"),
        (["--set", "monitor=lenght"], "no rule 'lenght'; there are: length_drift"),
    ],
)
def test_options_that_cannot_work_are_told_in_one_line(options: list[str], message: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["train", "math/arithmetic-v0", *options, "--out", str(tmp_path / "run")])
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert message in result.output


TASKS = ListTasks.from_rows([{"prompt": f"{i}", "answer": "yes"} for i in range(40)])
GOLD = Definition(tasks=TASKS, verifier=FunctionVerifier(lambda completion, answer: completion == answer, cheap=True))


@dataclass
class Partly:
    """Answers the first `share` of the tasks rightly."""

    share: float
    asked: list[tuple[Any, Sampling]] = field(default_factory=list)

    def generate(self, prompts: Sequence[Any], n: int, sampling: Sampling) -> list[Completion]:
        self.asked.append((tuple(prompts), sampling))
        return [Completion("yes" if i < self.share * len(prompts) else "no") for i in range(len(prompts))]

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "share").write_text(str(self.share))


def monitor(**settings: Any) -> GoldMonitor:
    return GoldMonitor(**{"env": GOLD, "every": 1, "tasks": 40, **settings})


def watched(gold: GoldMonitor, run: Sequence[tuple[float, float]], start: int = 0) -> list[Alarm]:
    """The alarms of a run, given the reward and the share of right answers after each rollout."""
    found: list[Alarm] = []
    for step, (reward, share) in enumerate(run, start):
        episodes = [Episode(Task("?"), Completion("x"), Verdict.of(("proxy", reward)))]
        found += gold.after_step(step, episodes, cast("Any", None), {}, cast("Any", Partly(share)))
    return found


def test_reward_up_while_gold_falls_is_an_alarm_and_only_once() -> None:
    run = [(0.2, 0.5), (0.3, 0.8), (0.5, 0.75), (0.9, 0.3), (1.0, 0.1)]
    alarms = watched(monitor(), run)
    assert [(alarm.name, alarm.step, alarm.stop) for alarm in alarms] == [("gold_gap", 3, False)]
    assert alarms[0].value == pytest.approx(0.5)
    assert "from 0.3 to 0.9 since rollout 1, while the gold fell from 0.8 to 0.3" in alarms[0].message


def test_reward_and_gold_that_fall_together_are_a_fall_and_no_gap() -> None:
    alarms = watched(monitor(), [(0.5, 0.5), (0.8, 0.8), (0.3, 0.3), (0.2, 0.2), (0.9, 0.2)])
    assert [(alarm.name, alarm.step) for alarm in alarms] == [("gold_fall", 2), ("gold_gap", 4)]


def test_a_fall_within_the_noise_of_the_measurement_is_no_gap() -> None:
    assert watched(monitor(), [(0.5, 0.5), (0.6, 0.35)]) == []  # 6 of 40 tasks: 2.6 standard errors
    assert len(watched(monitor(), [(0.5, 0.5), (0.6, 0.25)])) == 1
    assert watched(monitor(fall=0.6), [(0.5, 0.5), (0.6, 0.25)]) == []


def test_the_reward_is_the_mean_since_the_last_measurement() -> None:
    run = [(0.5, 0.8), (0.9, 0.0), (0.9, 0.0), (0.0, 0.1), (0.0, 0.1), (0.3, 0.1), (0.9, 0.1)]
    alarms = watched(monitor(every=3), run)
    assert [(alarm.name, alarm.step) for alarm in alarms] == [("gold_gap", 3), ("gold_fall", 6)]


def test_measurements_come_every_n_rollouts_and_differ_by_the_policy_alone() -> None:
    gold, policy, metrics = monitor(every=2, tasks=7, max_new_tokens=5, seed=3), Partly(1.0), {}
    for step in range(4):
        metrics[step] = dict[str, float]()
        gold.after_step(step, [], cast("Any", None), metrics[step], cast("Any", policy))
    assert len(policy.asked) == 2
    assert policy.asked[0] == policy.asked[1]
    assert policy.asked[0][1] == Sampling(max_new_tokens=5, seed=3)
    assert [found.get("gold/reward") for found in metrics.values()] == [1.0, None, 1.0, None]


def test_the_policy_with_the_best_gold_is_kept(tmp_path: Path) -> None:
    gold = monitor(best=tmp_path / "best", stop=True)
    alarms = watched(gold, [(0.2, 0.5), (0.3, 0.9), (0.9, 0.2)])
    assert [alarm.stop for alarm in alarms] == [True]
    assert (tmp_path / "best" / "share").read_text() == "0.9"
    assert "the policy of rollout 1 is in" in alarms[0].message


def test_tasks_on_which_the_gold_verifier_fails_are_left_out() -> None:
    def broken_on_odd(completion: str, prompt: str) -> bool:
        if int(prompt) % 2:
            raise RuntimeError("lost")
        return completion == "yes"

    gold = monitor(env=Definition(tasks=TASKS, verifier=FunctionVerifier(broken_on_odd, cheap=True)))
    metrics: dict[str, float] = {}
    gold.after_step(0, [], cast("Any", None), metrics, cast("Any", Partly(0.5)))
    assert metrics["gold/reward"] == 0.5
    assert [alarm.step for alarm in watched(gold, [(0.5, 0.9), (0.6, 0.1)], start=1)] == [2]


def test_a_gold_monitor_saved_and_loaded_raises_the_same_alarms() -> None:
    run = [(0.2, 0.5), (0.3, 0.8), (0.5, 0.75), (0.9, 0.3), (0.2, 0.7), (1.0, 0.1)]
    whole = monitor(every=2)
    expected = watched(whole, run)
    for stop in range(1, len(run)):
        first, second = monitor(every=2), monitor(every=2)
        found = watched(first, run[:stop])
        second.load_state_dict(json.loads(json.dumps(first.state_dict())))
        assert found + watched(second, run[stop:], start=stop) == expected
    assert isinstance(whole, Monitor)


PAIRS = [Pair(str(r["prompt"]), f"{r['answer']} or {r['answer']}", f"{r['answer']} or {n}") for n, r in enumerate(ROWS)]
"""Two completions that begin alike: what makes the one unlikely takes the other along."""


@pytest.mark.parametrize(("name", "falls"), [("dpo", True), ("dpo-shift", False)])
def test_dpo_leaves_what_it_prefers_with_an_alarm_and_dpo_shift_does_not(
    name: str, falls: bool, tmp_path: Path
) -> None:
    settings = config(algorithm=name, steps=30, groups=8, group_size=2, learning_rate=4e-3, max_new_tokens=12)
    monitors = default_monitors("likelihood_displacement", window=3)
    train(settings, digits(), warm(), tmp_path, pairs=PAIRS, monitors=monitors, quiet=True)
    found = read_metrics(tmp_path / "metrics.jsonl")
    first, last = found[0]["logps/chosen"], found[-1]["logps/chosen"]
    assert found[-1]["rewards/margins"] > 1.0
    assert (last < first) == falls
    assert (tmp_path / ALARMS_FILE).exists() == falls
