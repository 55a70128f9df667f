"""What short completions conclude, list or tell in words, and what beside it concludes nothing of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlenv.envs.math import verify
from rlenv.envs.math.comparing import compare
from rlenv.envs.math.numbers_told import in_digits

PAIRS = Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
LINE = "Find the line of intersection of two planes."


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
        ("x is less than two or greater than five", "x < 2 or x > 5"),
        ("three point", "3 point"),
        ("everyone gets some", "everyone gets some"),
    ],
)
def test_numbers_in_words_become_digits(text: str, digits: str) -> None:
    assert in_digits(text) == digits


@pytest.mark.parametrize(
    ("gold", "answer", "equal"),
    [
        ("(x,y,z) = (0,0,6)+t(1,1,-2)", "r = (3,3,0) + u(-2,-2,4)", True),
        ("(x,y,z) = (0,0,6)+t(1,1,-2)", "x = y = \\frac{6-z}{2}", True),
        ("(x,y,z) = (0,0,6)+t(1,1,-2)", "(1,1,5) + t(1,1,-2)", False),
        ("(x,y,z) = (0,0,6)+t(1,1,-2)", "(0,0,6) + t(1,1,2)", False),
        ("(x,y,z) = (0,0,6)+t(1,1,-2)", "(0,0,6)", False),
        ("(x,y,z) = (0,0,6)+t(1,1,-2)", "(t^2, t^2, 6 - 2t^2)", False),
    ],
)
def test_a_line_is_the_points_on_it(gold: str, answer: str, equal: bool) -> None:
    assert compare(gold, answer, question=LINE).equal is equal


def test_a_motion_is_told_from_its_path() -> None:
    question = "A particle moves along a line. Find its position at time $t$."
    assert compare("(1,2,3)+t(1,0,0)", "(1,2,3)+t(2,0,0)", question=question).equal is not True


def test_a_chain_of_congruences_must_hold() -> None:
    assert compare("x \\equiv 5 \\pmod{11}", "x \\equiv 27 \\equiv 5 \\pmod{11}").equal
    assert not compare("x \\equiv 5 \\pmod{11}", "x \\equiv 26 \\equiv 5 \\pmod{11}").equal
