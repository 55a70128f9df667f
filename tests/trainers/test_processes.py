"""Two processes train as one: the same rollouts, gradients and weights, and one set of files."""

import sys
from pathlib import Path

import pytest
import torch
from launching import launch
from scripted_training import run, settings

from rlenv import read_episodes
from rlenv.trainers.networks.processes import ALONE
from rlenv.trainers.records.logs import read_metrics

SCRIPT = Path(__file__).parent.parent / "support" / "scripted_training.py"
WORST = {True: 2e-6, False: 2e-4}
"""How far a weight may be off with plain SGD, and else: sums are rounded in another order, AdamW divides a gradient
that is nothing but rounding by itself (its steps are 1e-3), and a natural step divides by the curvature."""
MEAN = 2e-6


@pytest.mark.slow
def test_two_processes_end_with_the_weights_of_one(tmp_path: Path) -> None:
    launch([sys.executable, str(SCRIPT), str(tmp_path / "two")], 2)
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
