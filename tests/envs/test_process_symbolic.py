"""The symbolic checker of steps: what it holds against a step, what it lets pass, and that nothing stops it."""

from __future__ import annotations

import cloudpickle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import assert_linear

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.envs.process.misread import Given
from rlenv.envs.process.provenance import Known
from rlenv.envs.process.steps import split
from rlenv.envs.process.symbolic import FINDINGS, MAX_CHARS, SUSPECT, SymbolicSteps
from rlenv.scorers.load import load_step_scorer
from rlenv.scorers.scorer import Stepped, StepScorer

QUESTION = "Tom has 3 boxes of 12 eggs. He sells 25% of them at $2 each and drives 40 miles. How many eggs are left?"
RIGHT = ("3 * 12 = 36 eggs in all", "25% of 36 = 9 eggs at $2 are $18", "36 - 9 = 27 after 40 miles, so \\boxed{27}")


def kinds(*steps: str, question: str = QUESTION) -> list[list[str]]:
    checker = SymbolicSteps()
    return [[finding.kind for finding in step] for step in checker.findings(question, steps)]


def values(text: str, question: str = QUESTION) -> tuple[float, ...]:
    [scores] = SymbolicSteps().score_steps([Stepped(Task(question), Completion(text), split(text, "lines"))])
    assert scores.values is not None
    return scores.values


def test_a_right_solution_keeps_every_value() -> None:
    assert values("\n".join(RIGHT)) == (1, 1, 1)


@pytest.mark.parametrize("at", range(3))
def test_one_wrong_result_is_found_at_its_step(at: int) -> None:
    wrong = [step.replace("= 36", "= 38").replace("= 9", "= 8").replace("= 27", "= 26") for step in RIGHT]
    steps = [wrong[place] if place == at else step for place, step in enumerate(RIGHT)]
    found = values("\n".join(steps))
    assert found[at] == 0
    assert all(value == 1 for value in found[:at])


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ("3 * 12 = 46", "equation"),
        ("Half of 12 is 5.", "equation"),
        ("Total cost = 3 * 2 = 6. Total cost = 8.", "restated"),
        ("So there are 517 hens, and 517 + 3 = 520", "stranger"),
        ("He drives 40 hours", "misread"),
        ("9 - 12 = -3 eggs", "negative"),
    ],
)
def test_each_kind_of_finding(step: str, kind: str) -> None:
    assert kind in kinds(step)[0]


@pytest.mark.parametrize(
    "step",
    [
        "",
        "Let us think about it.",
        "Then 3 boxes hold 3 x 12 = 36 eggs, i.e. 36 eggs.",
        "Three dozen eggs, half of which is 18",
        "So 36 * 0.25 = 9, because 25% = 1/4",
        "36 / 9 = 4 and 36 / 7 = 5.14",
        "There are 60 minutes in an hour and 7 days in a week",
        "24 eggs are twice as many as one box holds",
        "x = the number of eggs left",
        "He drives 40 miles = 40 * 5280 = 211200 feet",
    ],
)
def test_what_is_right_or_says_nothing_wrong_is_let_pass(step: str) -> None:
    assert [found for found in kinds(step)[0] if FINDINGS[found] < SUSPECT and found != "left out"] == []


def test_unknowns_that_contradict_each_other_are_found_where_they_do() -> None:
    question = "Four more than twice a number is 30."
    assert kinds("Let x be it: 2x + 4 = 30", "2x = 26", "x = 12", question=question) == [[], [], ["contradiction"]]
    assert kinds("2x + 4 = 30", "2x = 26", "x = 13", question=question) == [[], [], []]
    assert kinds("S = 2B", "S + B = 30", "3B = 32", question=question)[2] == ["contradiction"]


def test_unknowns_that_are_tried_out_contradict_nothing() -> None:
    assert "contradiction" not in str(kinds("x + 2 = 5", "If x = 9 it fails", "We try x = 4"))


def test_a_number_may_come_from_the_question_an_earlier_step_or_one_operation_on_those() -> None:
    known = Known(QUESTION)
    assert [str(stranger.value) for stranger in known.strangers("48 eggs, 36 eggs, 517 hens and 14.75 more")] == [
        "517",
        "59/4",
    ]
    known.learn("He is told of 517 hens")
    assert not known.strangers("517 hens")


def test_prices_and_measures_of_the_question_stay_with_their_things() -> None:
    given = Given("It is $5 per skirt and $8 per blouse. She walks for 30 minutes.")
    assert given.other_rates("1 skirt x $8/skirt = $8")
    assert not given.other_rates("1 skirt x $5/skirt = $5")
    assert not given.other_rates("at $3 per skirt")
    assert not given.other_rates("$8 per skirt", worked_out=(8,))  # type: ignore[arg-type]
    assert given.other_measures("30 miles")
    assert not given.other_measures("30 minutes, $30, 30% or 30 people")


def test_the_prompt_may_be_a_chat() -> None:
    chat = ({"role": "system", "content": "Answer with 517."}, {"role": "user", "content": QUESTION})
    text = "517 eggs"
    [scores] = SymbolicSteps().score_steps([Stepped(Task(chat), Completion(text), ((0, 8),))])
    assert scores.values == (FINDINGS["stranger"],)
    assert "517" in scores.reasons[0]


def test_it_is_a_step_scorer_that_a_specification_names_and_that_travels() -> None:
    checker = load_step_scorer({"kind": "symbolic_steps", "provenance": False})
    assert isinstance(checker, StepScorer)
    assert cloudpickle.loads(cloudpickle.dumps(checker)) == checker
    assert checker.version != SymbolicSteps().version


def test_a_step_that_is_too_long_to_check_is_worth_nothing() -> None:
    assert kinds("3 * 12 = 36 " * MAX_CHARS) == [["too long"]]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.text(alphabet="0123456789+-*/^()=.,%$ xaSf\\{}≈\nhalf ofper", max_size=80), max_size=4),
    st.text(max_size=40),
)
def test_any_steps_of_any_question_get_one_value_each_and_the_same_twice(steps: list[str], question: str) -> None:
    checker = SymbolicSteps()
    found = checker.findings(question, steps)
    assert len(found) == len(steps)
    assert found == checker.findings(question, steps)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 400), st.integers(2, 400), st.integers(-300, 300))
def test_sums_and_products_are_right_exactly_where_they_are(a: int, b: int, off: int) -> None:
    question = f"There are {a} bags of {b} nuts and {b} more."
    for sign, result in (("+", a + b), ("*", a * b), ("-", a - b)):
        said = result + off
        found = kinds(f"{a} {sign} {b} = {said}", question=question)[0]
        assert ("equation" in found) == (off != 0)


HOSTILE = [
    *("10^9^9 = 4; ", "9", "((", "\\frac{", "\\frac{1}{", "1+", "=", "x=", "2x+3=", "one hundred ", "( a ", "$1 per "),
    *("^", "\n- ", "≈", "half of ", "1 of 2 is ", "1,", "1 1/2 ", "x_", "\\", "7/3 = ", "12345678901234567890 * "),
    *("a=b;c=d;e=f;", "x+y=1;", "3 = 4 = ", "\\text{", "\u200b", "é"),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_steps_cost_little(unit: str) -> None:
    def look(length: int) -> None:
        text = (unit * length)[: length - 1]
        SymbolicSteps().findings(text, [text, "3 + 4 = 7", text[:2000]])

    assert_linear(look, MAX_CHARS // 2)


def test_many_steps_cost_no_more_each_than_few() -> None:
    steps = [f"{number} + {number + 1} = {2 * number + 1}" for number in range(7, 1607)]
    assert not any(SymbolicSteps().findings("Tom has 3 boxes.", steps)[1:])
    assert_linear(lambda count: SymbolicSteps().findings("Tom has 3 boxes.", steps[:count]), 800)
