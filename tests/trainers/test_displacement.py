"""Likelihood displacement: the margin grows while what is chosen becomes unlikely; the alarm, and the guard."""

from pathlib import Path

import pytest
from digits import ROWS, config, digits, warm

from rlenv.trainers import train
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.monitors import default_monitors
from rlenv.trainers.records.logs import ALARMS_FILE, read_metrics

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
