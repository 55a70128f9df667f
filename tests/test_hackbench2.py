"""The cases of HackBench 2: their rewards still pay what the files say, and the halves share no construction."""

import pytest

from rlenv.hackbench import HALVES, Case, cases
from rlenv.hackbench.rewards import environment


def inline(case: Case) -> bool:
    return not case.reward.startswith("{") or environment(case.reward).inline


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_each_reward_pays_what_the_file_says(half: str) -> None:
    found = [case for case in cases(half) if inline(case)]
    assert len(found) > 900
    assert [fault for case in found for fault in case.faults()] == []


def test_the_halves_share_no_construction() -> None:
    """The reporting half would measure what rules were made with."""
    tuning, reporting = ({case.construction for case in cases(half)} for half in HALVES)
    assert tuning
    assert not tuning & reporting


def test_a_case_that_no_longer_holds_is_named() -> None:
    hack = next(case for case in cases("tuning") if case.label == "hack")
    changed = Case({**hack.data, "completion": hack.data["right"], "label": "honest", "correct": False})
    assert any("expected less than half" in fault for fault in changed.faults())
