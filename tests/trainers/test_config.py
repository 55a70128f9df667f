"""Settings that cannot work are refused with what to do."""

from dataclasses import replace

import pytest

from rlenv.errors import ConfigError
from rlenv.trainers import ALGORITHMS, TrainConfig


@pytest.mark.parametrize(("place", "estimator"), [("loss", "k1"), ("reward", "k2"), ("reward", "k3")])
def test_a_kl_estimator_in_the_wrong_place_is_refused_unless_asked_for(place: str, estimator: str) -> None:
    changes = {"kl_place": place, "kl_estimator": estimator}
    with pytest.raises(ConfigError, match="allow_biased_kl"):
        replace(ALGORITHMS["grpo"], **changes)  # type: ignore[arg-type]
    assert replace(ALGORITHMS["grpo"], allow_biased_kl=True, **changes).kl_place == place  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["grpo", "rloo"])
def test_a_group_baseline_needs_a_group(name: str) -> None:
    with pytest.raises(ConfigError, match="group_size of at least 2"):
        TrainConfig(algorithm=name, group_size=1)


@pytest.mark.parametrize("name", ["ppo", "reinforce++"])
def test_the_others_train_without_one(name: str) -> None:
    assert TrainConfig(algorithm=name, group_size=1).row.name == name


def test_an_unknown_algorithm_is_answered_with_the_names() -> None:
    with pytest.raises(ConfigError, match=r"reinforce\+\+, rloo, grpo, ppo"):
        TrainConfig(algorithm="gpro")


@pytest.mark.parametrize(
    "setting",
    [{"steps": -1}, {"groups": 0}, {"learning_rate": 0.0}, {"minibatches": 64}, {"max_error_share": 1.5}],
)
def test_settings_out_of_range_are_refused(setting: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="expected"):
        TrainConfig(**setting)  # type: ignore[arg-type]
