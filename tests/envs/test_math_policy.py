"""What a task may set about its answers, and what it may not."""

import json

import pytest

from rlenv.core.errors import ConfigError
from rlenv.envs.math.equality.policy import MathPolicy


def test_a_policy_goes_through_json_and_back() -> None:
    policy = MathPolicy(answer_in=("line", "box"), rounding=1e-4, percent="either", order="all", units="required")
    assert MathPolicy.of(json.loads(json.dumps(policy.to_json()))) == policy


def test_places_may_come_as_a_list_or_as_text_with_commas() -> None:
    assert MathPolicy.of({"answer_in": ["box", "hash"]}) == MathPolicy.of({"answer_in": "box,hash"})


@pytest.mark.parametrize(
    "settings",
    [
        {"answer_in": []},
        {"answer_in": ["box", "box"]},
        {"answer_in": ["end"]},
        {"answer_in": None},
        {"thinking": "maybe"},
        {"percent": True},
        {"rounding": "loose"},
        {"rounding": 0.0},
        {"rounding": 1},
        {"rounding": float("nan")},
        {"order": "sets"},
        {"units": ""},
        {"tolerance": 1e-3},
    ],
)
def test_a_setting_that_means_nothing_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="expected"):
        MathPolicy.of(settings)  # type: ignore[arg-type]
