"""process/arithmetic-v0: what a completion earns, where, and that no trick with its steps earns more."""

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
from rlenv.envs.process.arithmetic import expected_steps, solution
from rlenv.envs.process.credit import SAFE, Credit

TASK = Task("3+8+5+9=?", "25", metadata={"expression": "3+8+5+9", "level": 4})
RIGHT = r"3+8=11;11+5=16;16+9=25;\boxed{25}"
TRUE_ONLY: dict[str, Json] = {"credit": "sum", "scorer": "true_equations", "guards": False, "unsafe": "to see it fail"}


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
    for credit in (*SAFE, "last"):
        made = rlenv.load("process/arithmetic-v0", level=level, size=25, credit=credit)
        for index in range(len(made.tasks)):
            task = made.tasks[index]
            assert made.verifier.verify(task, Completion(made.solution(task))).reward == 1.0


def test_expected_steps_are_those_of_the_solution() -> None:
    made = rlenv.load("process/arithmetic-v0", level="1-7", size=70)
    tasks = [made.tasks[index] for index in range(70)]
    assert [expected_steps(task) for task in tasks] == [solution(task).count(";") + 1 for task in tasks]


STEPS = st.sampled_from(
    ["3+8=11", "3+8=12", "11+5=16", "12+5=17", "16+9=25", "5+9=14", "0+0=0", "3+0=3", "so", "3+8", "25+0=25"]
)
PADDING = st.sampled_from(["0+0=0", "3+0=3", "25+0=25", "1+1=2", "so", "3", "=", "0*8=0"])
"""No step of this expression: it has neither 0 nor 1 nor a product."""
ANSWERS = st.sampled_from(["", r"\boxed{25}", r"\boxed{26}"])
BODIES = st.lists(STEPS, max_size=5)


@pytest.mark.parametrize("credit", [*SAFE, "last"])
@given(body=BODIES, answer=ANSWERS, pad=PADDING, place=st.integers(0, 5), times=st.integers(1, 40))
def test_padding_never_pays(credit: Credit, body: list[str], answer: str, pad: str, place: int, times: int) -> None:
    plain = ";".join(filter(None, [*body, answer]))
    padded = ";".join(filter(None, [*body[:place], *[pad] * times, *body[place:], answer]))
    assert earned(padded, credit) <= earned(plain, credit)


@pytest.mark.parametrize("credit", [*SAFE, "last"])
@given(body=st.lists(STEPS, min_size=1, max_size=5), answer=ANSWERS, place=st.integers(0, 4))
def test_duplicating_a_step_never_pays(credit: Credit, body: list[str], answer: str, place: int) -> None:
    place %= len(body)
    twice = [*body[: place + 1], *body[place:]]
    assert earned(";".join([*twice, answer]), credit) <= earned(";".join([*body, answer]), credit)


@pytest.mark.parametrize("credit", [*SAFE, "last"])
@given(body=st.lists(STEPS, min_size=2, max_size=5), answer=ANSWERS, glue=st.sampled_from(["", " ", "\n", ","]))
def test_merging_steps_never_pays(credit: Credit, body: list[str], answer: str, glue: str) -> None:
    merged = glue.join(body[:2])
    assert earned(";".join([merged, *body[2:], answer]), credit) <= earned(";".join([*body, answer]), credit)


@pytest.mark.parametrize("credit", [*SAFE, "last"])
@given(body=st.lists(STEPS, min_size=1, max_size=4), answer=ANSWERS, cut=st.integers(1, 20))
def test_splitting_a_step_never_pays(credit: Credit, body: list[str], answer: str, cut: int) -> None:
    cut = min(cut, len(body[0]))
    pieces = [body[0][:cut], body[0][cut:]]
    assert earned(";".join([*pieces, *body[1:], answer]), credit) <= earned(";".join([*body, answer]), credit)


@pytest.mark.parametrize("credit", [*SAFE, "last"])
@given(body=BODIES, answer=ANSWERS, more=st.lists(STEPS, min_size=1, max_size=3))
def test_steps_after_the_answer_never_pay(credit: Credit, body: list[str], answer: str, more: list[str]) -> None:
    text = ";".join(filter(None, [*body, answer]))
    if answer:
        assert earned(f"{text};{';'.join(more)}", credit) <= earned(text, credit)


@pytest.mark.parametrize("credit", [*SAFE, "last"])
@given(text=st.one_of(st.text(max_size=80), st.lists(STEPS | ANSWERS, max_size=8).map(";".join)))
def test_step_rewards_sum_exactly_and_nothing_above_zero_comes_without_the_answer(credit: Credit, text: str) -> None:
    verdict = judged(text, credit=credit)
    assert verdict.reward is not None
    assert math.fsum(step.value for step in verdict.step_rewards) == verdict.reward
    assert -0.5 <= verdict.reward <= dict(verdict.parts)["correct"]


def test_the_unsafe_form_pays_for_steps_without_the_answer() -> None:
    """Why it is refused: twelve true equations of nothing earn more than the solution."""
    right, hack = judged(RIGHT, **TRUE_ONLY), judged(";".join(["0+0=0"] * 12), **TRUE_ONLY)
    assert right.reward is not None
    assert hack.reward is not None
    assert hack.reward > right.reward > 1


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"credit": "sum"}, "say why you want it all the same"),
        ({"guards": False}, "without guards"),
        ({"credit": "median"}, "expected a credit out of"),
        ({"process_weight": 1.5}, "process weight in"),
        ({"scorer": {"kind": "no_such_kind"}}, "expected 'kind'"),
    ],
)
def test_what_is_not_safe_or_does_not_exist_is_refused(kwargs: dict[str, Json], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        rlenv.load("process/arithmetic-v0", **kwargs)
