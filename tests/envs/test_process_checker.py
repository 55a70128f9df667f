"""The symbolic checker: equations as people write them, when two sides are equal, and what is wrong with a step."""

from __future__ import annotations

from fractions import Fraction

import cloudpickle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import tables
from work import assert_linear

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.envs.process.equations import chains
from rlenv.envs.process.holding import compare
from rlenv.envs.process.linear import System, constant, scaled, sum_of, unknown
from rlenv.envs.process.plain import plain
from rlenv.envs.process.quantities import quantities
from rlenv.envs.process.sides import side
from rlenv.envs.process.steps import split
from rlenv.envs.process.symbolic import FINDINGS, MAX_CHARS, SymbolicSteps
from rlenv.scorers.load import load_step_scorer
from rlenv.scorers.scorer import Stepped, StepScorer

CASES = tables(__file__)


def values(text: str) -> list[list[Fraction | None]]:
    return [[part.number() for part in chain.sides] for chain in chains(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 + 4 = 7", [3 + 4, 7]),
        ("So 3 eggs * $2/egg = $6.", [6, 6]),
        (r"\[ \frac{111 \text{ feet}}{1.5 \text{ feet/pace}} = 74 \text{ paces} \]", [74, 74]),
        (r"\(5 \times 2 = 10\) minutes", [10, 10]),
        (r"\$1{,}200 \div 4 = \$300", [300, 300]),
        ("5 blouses x $5.00/blouse = $25.00", [25, 25]),
        ("2 1/2 hours * 4 = 10", [10, 10]),
        (r"3\frac{1}{2} + 1 = 4.5", [Fraction(9, 2), Fraction(9, 2)]),
        ("25% of $80 = $20", [20, 20]),
        ("1/4 of 12 = 3", [3, 3]),
        ("100 (first day) + 150 (second day) = 250", [250, 250]),
        ("2^3 * 5 = 40", [40, 40]),
        ("2(3 + 4) = 14", [14, 14]),
        ("- 5 + 3 = -2", [5 + 3, -2]),
        ("7.5 / (1/2) = 7.5 * 2 = 15", [15, 15, 15]),
        ("3 plus 4 equals 7", [7, 7]),
        ("12 more than 3 times... 3 * 4 + 12 = 24 apples in total", [24, 24]),
    ],
)
def test_equations_are_read_as_people_write_them(text: str, expected: list[Fraction | int]) -> None:
    assert values(text) == [[Fraction(value) for value in expected]]


@pytest.mark.parametrize(
    "text",
    ["Total oranges in 8 boxes = 8 * 20 = 160", "Total earnings = $8.00", r"\text{Jim's points} = 21 - 3 = 18"],
)
def test_a_number_within_a_name_is_no_side(text: str) -> None:
    [chain] = chains(text)
    assert len({part.number() for part in chain.sides}) == 1


@pytest.mark.parametrize("text", CASES["no_arithmetic"])
def test_what_is_no_arithmetic_is_not_read_as_two_equal_numbers(text: str) -> None:
    assert not any(len([value for value in chain if value is not None]) > 1 for chain in values(text))


@pytest.mark.parametrize(
    "text", ["10^9^9", "2^(10^9)", "9" * 31, "(" * 40 + "1" + ")" * 40, "1/0", "1/(2-2)", "2^0.5", "3 +", "x*y", "1/x"]
)
def test_a_side_that_costs_too_much_or_has_no_value_has_none(text: str) -> None:
    assert side(text).value() is None


@given(st.text(alphabet="0123456789+-*/^()=.,%$x \\{}≈abcdfr\n;:", max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for chain in chains(text):
        assert len(chain.sides) == len(chain.relations)
        assert all(part.tokens for part in chain.sides)
    assert all(quantity.at < quantity.end for quantity in quantities(text))
    plain(text)


@given(st.recursive(st.integers(0, 99).map(str), lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
    lambda three: f"({three[0]} {three[1]} {three[2]})"), max_leaves=8))  # fmt: skip
def test_values_are_those_of_python(expression: str) -> None:
    form = side(expression).number()
    if expression.count("(") <= 12:
        assert form is None or form == eval(expression)
    if expression.count("(") <= 3:
        assert form == eval(expression)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("seventy loaves", [70]),
        ("three dozen eggs", [36]),
        ("a third of 9 and two-thirds", [Fraction(1, 3), 9, Fraction(2, 3)]),
        ("half as many", [Fraction(1, 2)]),
        ("2.5 million", [2500000]),
        ("twice, 20%, $1,250.50", [2, Fraction(1, 5), Fraction("1250.5")]),
        ("the third day, someone, often, attend", []),
    ],
)
def test_numbers_in_words_and_digits(text: str, expected: list[Fraction | int]) -> None:
    assert [quantity.value for quantity in quantities(text)] == expected


def verdict(left: str, right: str, relation: str = "=", rounded: tuple[Fraction, ...] = ()) -> str:
    return compare(side(left), side(right), relation, rounded).verdict


@pytest.mark.parametrize("name", ["equal", "rounded", "wrong", "unknown"])
def test_two_sides_are_compared(name: str) -> None:
    assert [(left, right) for left, right in CASES[name] if verdict(left, right) != name] == []


def test_about_is_wider_than_equal_but_not_any_number() -> None:
    assert verdict("8 / 3", "3", "≈") == "rounded"
    assert verdict("26.67", "27", "≈") == "rounded"
    assert verdict("8 / 3", "5", "≈") == "wrong"


def test_a_number_that_was_rounded_before_carries_its_error() -> None:
    assert verdict("14.29 * 7", "100") == "rounded"
    assert verdict("14.31 * 7", "100") == "wrong"
    assert verdict("14.31 * 7", "100.2", rounded=(Fraction("14.31"),)) == "rounded"


@given(st.integers(-999, 999), st.integers(-999, 999), st.integers(1, 50))
def test_a_sum_that_is_off_by_a_whole_number_is_wrong(a: int, b: int, off: int) -> None:
    assert verdict(f"{a} + ({b})", str(a + b)) == "equal"
    assert verdict(f"{a} + ({b})", str(a + b + off)) == "wrong"
    assert verdict(f"{a} + ({b})", str(a + b - off)) == "wrong"


@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 4))
def test_a_quotient_to_any_places_holds_and_one_place_off_does_not(a: int, b: int, places: int) -> None:
    digits = f"{a / b:.{places}f}"
    assert verdict(f"{a} / {b}", digits) in ("equal", "rounded")
    off = f"{a / b + 20 / 10**places:.{places}f}"
    if Fraction(off) not in (Fraction(a, b) * 100, Fraction(a, b) / 100):
        assert verdict(f"{a} / {b}", off) == "wrong"


NUMBERS = st.integers(-20, 20).map(Fraction)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6), NUMBERS, NUMBERS)
def test_equations_that_a_point_solves_never_contradict_each_other(
    coefficients: list[tuple[Fraction, Fraction]], x: Fraction, y: Fraction
) -> None:
    system = System()
    for a, b in coefficients:
        form = sum_of(scaled(unknown("x"), a), scaled(unknown("y"), b))
        assert system.add(sum_of(form, constant(-a * x - b * y)))
    assert system.value("x") in (None, x)


def test_a_third_equation_that_does_not_fit_is_seen() -> None:
    system = System()
    x, y = unknown("x"), unknown("y")
    assert system.add(sum_of(sum_of(x, y), constant(Fraction(-10))))
    assert system.add(sum_of(sum_of(x, scaled(y, Fraction(-1))), constant(Fraction(-2))))
    assert (system.value("x"), system.value("y")) == (Fraction(6), Fraction(4))
    assert not system.add(sum_of(x, constant(Fraction(-5))))
    assert system.add(sum_of(x, constant(Fraction(-6))))


QUESTION = "Tom has 3 boxes of 12 eggs. He sells 25% of them at $2 each and drives 40 miles. How many eggs are left?"
RIGHT = ("3 * 12 = 36 eggs in all", "25% of 36 = 9 eggs at $2 are $18", "36 - 9 = 27 after 40 miles, so \\boxed{27}")


def kinds(*steps: str, question: str = QUESTION) -> list[list[str]]:
    checker = SymbolicSteps()
    return [[finding.kind for finding in step] for step in checker.findings(question, steps)]


def scored(text: str, question: str = QUESTION) -> tuple[float, ...]:
    [scores] = SymbolicSteps().score_steps([Stepped(Task(question), Completion(text), split(text, "lines"))])
    assert scores.values is not None
    return scores.values


def test_a_right_solution_keeps_every_value() -> None:
    assert scored("\n".join(RIGHT)) == (1, 1, 1)


@pytest.mark.parametrize("at", range(3))
def test_one_wrong_result_is_found_at_its_step(at: int) -> None:
    wrong = [step.replace("= 36", "= 38").replace("= 9", "= 8").replace("= 27", "= 26") for step in RIGHT]
    steps = [wrong[place] if place == at else step for place, step in enumerate(RIGHT)]
    found = scored("\n".join(steps))
    assert found[at] == 0
    assert all(value == 1 for value in found[:at])


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ("3 * 12 = 46", "equation"),
        ("So there are 517 hens, and 517 + 3 = 520", "stranger"),
    ],
)
def test_each_kind_of_finding(step: str, kind: str) -> None:
    assert kind in kinds(step)[0]


@pytest.mark.parametrize("step", CASES["passed"])
def test_what_is_right_or_says_nothing_wrong_is_let_pass(step: str) -> None:
    assert kinds(step) == [[]]


def test_a_number_may_come_from_the_question_an_earlier_step_or_one_operation_on_those() -> None:
    steps = ("There are 48 eggs, 36 eggs, 517 hens and 14.75 more", "Of the 517 hens")
    assert kinds(*steps) == [["stranger", "stranger"], []]


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
@given(st.integers(2, 400), st.integers(2, 400), st.integers(-300, 300))
def test_sums_and_products_are_right_exactly_where_they_are(a: int, b: int, off: int) -> None:
    question = f"There are {a} bags of {b} nuts and {b} more."
    for sign, result in (("+", a + b), ("*", a * b), ("-", a - b)):
        said = result + off
        found = kinds(f"{a} {sign} {b} = {said}", question=question)[0]
        assert ("equation" in found) == (off != 0)


@pytest.mark.parametrize("unit", CASES["hostile"])
def test_hostile_steps_cost_little(unit: str) -> None:
    def look(length: int) -> None:
        text = (unit * length)[: length - 1]
        SymbolicSteps().findings(text, [text, "3 + 4 = 7", text[:2000]])

    assert_linear(look, MAX_CHARS // 2)
