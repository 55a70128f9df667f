"""process/arithmetic-v0: how scores become shares, what a completion earns, where, and that no trick earns more."""

import math
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlenv
from rlenv import Completion, Task, Verdict
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.envs.process.credit import CREDITS, Credit, aggregate, shares

TASK = Task("3+8+5+9=?", "25", metadata={"expression": "3+8+5+9", "level": 4})
RIGHT = r"3+8=11;11+5=16;16+9=25;\boxed{25}"


@lru_cache
def environment(**kwargs: Json) -> Definition:
    return rlenv.load("process/arithmetic-v0", level=4, **kwargs)


def judged(text: str, **kwargs: Json) -> Verdict:
    return environment(**kwargs).verifier.verify(TASK, Completion(text))


def earned(text: str, credit: Credit = "min") -> float:
    reward = judged(text, credit=credit).reward
    assert reward is not None
    return reward


@pytest.mark.parametrize(
    ("text", "reward"),
    [
        (RIGHT, 1.0),
        (r"9+5=14;14+3=17;17+8=25;\boxed{25}", 1.0),
        (r"3+8=11;11+5=17;17+9=26;\boxed{26}", -0.5),
        (r"3+8=11;11+5=17;17+9=26;\boxed{25}", 0.5),
        (r"3+8=11;11+5=16;16+9=25;\boxed{26}", -0.5),
        (r"\boxed{25}", 0.5),
        (r"25+0=25;\boxed{25}", 0.5),
        (r"3+8=11;11+5=16;16+9=25", 0.0),
        ("", -0.5),
        ("25", -0.5),
    ],
)
def test_reward_is_the_outcome_minus_what_the_worst_step_lacks(text: str, reward: float) -> None:
    assert earned(text) == reward


def test_the_penalty_lies_on_the_worst_step_and_the_outcome_on_the_end() -> None:
    text = r"3+8=11;11+5=17;17+9=25;\boxed{25}"
    verdict = judged(text)
    assert [(text[s.start : s.end], s.value) for s in verdict.step_rewards] == [
        ("3+8=11;", 0.0),
        ("11+5=17;", -0.5),
        ("17+9=25;", 0.0),
        (r"\boxed{25}", 0.0),
        ("", 1.0),
    ]
    assert [tuple(part) for part in verdict.parts] == [("correct", 1.0), ("process", -0.5)]
    assert verdict.scores["process"] == 0.0
    assert "step 2 of 4" in verdict.reason


def test_what_comes_after_a_mistake_does_not_take_the_blame_off_it() -> None:
    text = "3+8=12;5;0+0=0"
    assert [(s.value, text[s.start : s.end]) for s in judged(text).step_rewards] == [
        (-0.5, "3+8=12;"),
        (0.0, "5;"),
        (0.0, ""),
    ]


def test_a_step_that_ends_too_early_is_blamed_at_its_end() -> None:
    text = r"3+8=11;16;16+9=25;\boxed{25}"
    paid = [(s.value, text[s.start : s.end]) for s in judged(text).step_rewards if s.value]
    assert paid == [(-0.5, "16;"), (1.0, "")]


@pytest.mark.parametrize("level", range(1, 8))
def test_solutions_earn_everything_under_every_form(level: int) -> None:
    for credit in CREDITS:
        made = rlenv.load("process/arithmetic-v0", level=level, size=25, credit=credit)
        for index in range(len(made.tasks)):
            task = made.tasks[index]
            assert made.verifier.verify(task, Completion(made.solution(task))).reward == 1.0


STEPS = st.sampled_from(
    ["3+8=11", "3+8=12", "11+5=16", "12+5=17", "16+9=25", "5+9=14", "0+0=0", "3+0=3", "so", "3+8", "25+0=25"]
)
PADDING = st.sampled_from(["0+0=0", "3+0=3", "25+0=25", "1+1=2", "so", "3", "=", "0*8=0"])
"""No step of this expression: it has neither 0 nor 1 nor a product."""
ANSWERS = st.sampled_from(["", r"\boxed{25}", r"\boxed{26}"])


@pytest.mark.parametrize("credit", CREDITS)
@given(
    body=st.lists(STEPS, min_size=2, max_size=5),
    answer=ANSWERS,
    pad=PADDING,
    place=st.integers(0, 4),
    times=st.integers(1, 40),
    glue=st.sampled_from(["", " ", "\n", ","]),
)
def test_padding_duplicating_merging_splitting_and_going_on_never_pay(
    credit: Credit, body: list[str], answer: str, pad: str, place: int, times: int, glue: str
) -> None:
    def paid(*steps: str) -> float:
        return earned(";".join(filter(None, steps)), credit)

    plain, place, cut = paid(*body, answer), place % len(body), times % len(body[0])
    assert paid(*body[:place], *[pad] * times, *body[place:], answer) <= plain
    assert paid(*body[: place + 1], *body[place:], answer) <= plain
    assert paid(glue.join(body[:2]), *body[2:], answer) <= plain
    assert paid(body[0][:cut], body[0][cut:], *body[1:], answer) <= plain
    assert not answer or paid(*body, answer, *body[:2]) <= plain


@pytest.mark.parametrize("credit", CREDITS)
@given(text=st.one_of(st.text(max_size=80), st.lists(STEPS | ANSWERS, max_size=8).map(";".join)))
def test_step_rewards_sum_exactly_and_nothing_above_zero_comes_without_the_answer(credit: Credit, text: str) -> None:
    verdict = judged(text, credit=credit)
    assert verdict.reward is not None
    assert math.fsum(step.value for step in verdict.step_rewards) == verdict.reward
    assert -0.5 <= verdict.reward <= dict(verdict.parts)["correct"]


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"credit": "median"}, "expected a credit out of"),
        ({"process_weight": 1.5}, "process weight in"),
        ({"scorer": {"kind": "no_such_kind"}}, "expected 'kind'"),
    ],
)
def test_what_is_not_safe_or_does_not_exist_is_refused(kwargs: dict[str, Json], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        rlenv.load("process/arithmetic-v0", **kwargs)


SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=12).map(tuple)
GRAIN = 2.0**-36
"""More than the rounding of twelve shares."""


@pytest.mark.parametrize(
    ("credit", "scores", "expected"),
    [
        ("min", (0.5, 0.25, 0.25), (0, -0.75, 0)),
        ("min", (1.0, 1.0), (0, 0)),
        ("min", (), ()),
        ("product", (0.5, 1.0, 0.5), (-0.5, 0, -0.25)),
        ("product", (0.0, 0.5), (-1, 0)),
        ("product", (), ()),
    ],
)
def test_shares_by_hand(credit: Credit, scores: tuple[float, ...], expected: tuple[float, ...]) -> None:
    assert shares(credit, scores) == expected
    assert aggregate(credit, scores) == (1 + sum(expected) if scores else 0)


@pytest.mark.parametrize("credit", CREDITS)
@given(scores=SCORES, weight=st.floats(0, 1))
def test_shares_are_penalties_that_sum_to_the_aggregate_in_any_order(
    credit: Credit, scores: tuple[float, ...], weight: float
) -> None:
    found = shares(credit, scores, weight)
    assert math.fsum(found) == sum(found) == sum(reversed(found))
    assert math.fsum(found) == pytest.approx(weight * (aggregate(credit, scores) - 1), abs=GRAIN)
    assert all(share <= 0 for share in found)


@pytest.mark.parametrize("credit", CREDITS)
@given(scores=SCORES, other=st.floats(0, 1), place=st.integers(0, 11))
def test_a_further_step_never_raises_a_form_and_a_better_one_never_lowers_it(
    credit: Credit, scores: tuple[float, ...], other: float, place: int
) -> None:
    place %= len(scores)
    padded = (*scores[:place], other, *scores[place:])
    better = (*scores[:place], max(other, scores[place]), *scores[place + 1 :])
    assert aggregate(credit, padded) - GRAIN <= aggregate(credit, scores) <= aggregate(credit, better) + GRAIN
