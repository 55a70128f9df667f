"""What is for evaluation only trains nothing: not here, not through TRL; evaluating it works."""

from dataclasses import replace
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import ConfigError
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import TrainConfig, train

DEFINITION = replace(
    rlenv.load("math/arithmetic-v0"), evaluation_only="its tests share a process with the program", id="mine/open-v0"
)
REFUSAL = "mine/open-v0 is for evaluation only: its tests share a process"


def test_the_trainer_refuses_it_before_it_writes_anything(tmp_path: Path) -> None:
    config = TrainConfig(steps=1, group_size=2, groups=1, minibatches=1, max_new_tokens=2)
    with pytest.raises(ConfigError, match=REFUSAL):
        train(config, DEFINITION, tiny_policy(), tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()


def test_trl_is_not_given_it() -> None:
    pytest.importorskip("datasets", reason="needs the extra: trl")
    from rlenv.integrations.trl import to_trl

    with pytest.raises(ConfigError, match=REFUSAL):
        to_trl(DEFINITION, size=2)


def test_it_is_evaluated_like_any_other() -> None:
    assert rlenv.evaluate(DEFINITION, "reference", limit=3, quiet=True).mean_reward == 1.0
