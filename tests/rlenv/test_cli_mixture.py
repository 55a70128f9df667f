"""`rlenv train --env ... --env ...` as a user types it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.cli.given import TrainSettings
from rlenv.cli.mixture import trained_in
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.trainers import Mixture

SUMS, STEPS = "math/arithmetic-v0", "process/arithmetic-v0"


def _trained_in(**given: object) -> object:
    return trained_in(TrainSettings(**given))  # type: ignore[arg-type]


def test_each_environment_says_its_weight_group_size_and_sampler() -> None:
    forms = (f"{SUMS}:.5:16:pass-rate", f"{STEPS}:size", "games/nim-v0")
    mixture = _trained_in(
        envs=forms, of={STEPS: {"size": 30}}, mix_temperature=2.0, mix_curriculum=True, watch="repeats"
    )
    assert isinstance(mixture, Mixture)
    told = [(m.env.id, m.weight, m.group_size, m.sampler) for m in mixture.members if isinstance(m.env, Definition)]
    assert told == [(SUMS, 0.5, 16, "pass-rate"), (STEPS, 30.0, None, None), ("games/nim-v0", 1.0, None, None)]
    assert (mixture.temperature, mixture.curriculum) == (2.0, True)
    assert all(m.env.wrappers for m in mixture.members if isinstance(m.env, Definition))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"env": SUMS, "envs": (SUMS, STEPS)}, "expected ENV, or several --env"),
        ({"envs": (SUMS, STEPS), "kwargs": {"level": 2}}, "say whose keyword it is"),
        ({"envs": (SUMS, STEPS), "of": {"games/nim-v0": {"level": 2}}}, "games/nim-v0:...: it is not among those"),
        ({"envs": (SUMS, f"{STEPS}:much")}, r"expected --env ID\[:WEIGHT"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        _trained_in(**given)


def test_a_mixture_is_trained_and_told_about(tmp_path: Path) -> None:
    fast = ["--steps", "2", "--groups", "4", "--group-size", "2", "--max-new-tokens", "4", "--learning-rate", "1e-3"]
    chosen = ["--env", f"{SUMS}:1:4", "--env", STEPS, "--set", f"{SUMS}:level=2"]
    result = CliRunner().invoke(app, ["train", *chosen, *fast, "-q", "--set", "trackers=none", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["env"] == f"{SUMS} + {STEPS}"
    assert config["mixture"]["members"][SUMS] == {"weight": 1.0, "group_size": 4, "sampler": None}
    assert f"| env/{SUMS}/reward |" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "watched.png").stat().st_size > 0
