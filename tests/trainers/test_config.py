"""Settings that cannot work are refused with what to do."""

import pytest

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.trainers import ALGORITHMS, TrainConfig, with_changes


@pytest.mark.parametrize(("place", "estimator"), [("loss", "k1"), ("reward", "k2"), ("reward", "k3")])
def test_a_kl_estimator_in_the_wrong_place_is_refused_unless_asked_for(place: str, estimator: str) -> None:
    changes: dict[str, Json] = {"kl.place": place, "kl.estimator": estimator}
    with pytest.raises(ConfigError, match="allow_biased"):
        with_changes(ALGORITHMS["grpo"], changes)
    assert with_changes(ALGORITHMS["grpo"], {**changes, "kl.allow_biased": True}).kl.place == place


@pytest.mark.parametrize("name", ["grpo", "rloo"])
def test_a_group_baseline_needs_a_group(name: str) -> None:
    with pytest.raises(ConfigError, match="group_size of at least 2"):
        TrainConfig(algorithm=name, group_size=1)


@pytest.mark.parametrize("name", ["ppo", "reinforce++"])
def test_the_others_train_without_one(name: str) -> None:
    assert TrainConfig(algorithm=name, group_size=1).row.name == name


def test_an_unknown_algorithm_is_answered_with_those_of_a_like_name_or_all() -> None:
    with pytest.raises(ConfigError, match=r"no algorithm 'gpro'; did you mean .*grpo"):
        TrainConfig(algorithm="gpro")
    with pytest.raises(ConfigError, match=r"reinforce\+\+, reinforce\+\+-baseline, rloo, grpo"):
        TrainConfig(algorithm="?")


@pytest.mark.parametrize(
    "setting",
    [{"steps": -1}, {"groups": 0}, {"learning_rate": 0.0}, {"minibatches": 64}, {"max_error_share": 1.5}],
)
def test_settings_out_of_range_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="expected"):
        TrainConfig(**setting)  # type: ignore[arg-type]
