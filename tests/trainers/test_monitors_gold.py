"""The gold monitor: it measures the same thing every time, keeps the best policy, and sees when the reward lies."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from rlenv import Definition, FunctionVerifier, ListTasks
from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.policy import Sampling
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.trainers.monitors import Alarm, GoldMonitor, Monitor

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


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match="every >= 1"):
        monitor(every=0)
