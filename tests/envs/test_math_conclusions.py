"""What short completions in plain words state, and what beside it states nothing of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlenv.envs.math import verify
from rlenv.envs.math.numbers_told import in_digits

PAIRS = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("right", [True, False])
def test_a_completion_in_plain_words_is_judged_by_what_it_concludes(right: bool) -> None:
    pairs = [pair for pair in map(json.loads, PAIRS) if pair["right"] is right]
    assert len(pairs) > 300
    judged = [verify(pair["gold"], pair["said"], question=pair["question"]).reward == 1.0 for pair in pairs]
    assert [pair for pair, paid in zip(pairs, judged, strict=True) if paid is not right] == []


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("one thousand and twenty-four", "1024"),
        ("two million three hundred thousand", "2300000"),
        ("less than two or greater than five", "less than 2 or greater than 5"),
        ("three point", "3 point"),
        ("everyone gets some", "everyone gets some"),
    ],
)
def test_numbers_in_words_become_digits(text: str, digits: str) -> None:
    assert in_digits(text) == digits
