"""Whether a working carries the answer: right ones by any route do, tricks that work nothing out do not."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from tables import tables

import rlenv
from rlenv import Completion, Verdict
from rlenv.envs.process.carried import Problem, carries, last_number
from rlenv.envs.process.trace import given

CASES = tables(__file__)

QUESTION = "A shop has 40 boxes of 36 pens at $3 a box. It sells 25% of the boxes and then 14 more. How many are left?"
WORKING = "It sells 40*25/100=10 boxes.\nThen 40-10=30 are left.\nIn the end 30-14=16 boxes are left."
ASKED = Problem(QUESTION, Fraction(16), WORKING)

RIGHT = [
    WORKING,
    "25% of 40 is 0.25 * 40 = 10. So 40 - 10 - 14 = 16.",
    "75% of 40 boxes are 0.75 * 40 = 30 boxes, 30 boxes - 14 boxes = 16 boxes",
    "40 / 4 = 10 are sold, then 14: 10 + 14 = 24 in all, so 40 - 24 = 16",
    "Sold: \\frac{25}{100} \\times 40 = 10. Left: $40 - 10 - 14 = 16$",
    "Let x be what is left. x + 14 = 40 * 0.75, so x + 14 = 30 and x = 30 - 14 = 16",
    "40 times .25 equals 10, 40 minus 10 equals 30, and 30 minus 14 equals 16",
    "There are 40 boxes in the shop - 10 boxes that it sells at first = 30 boxes; then 30 - 14 = 16",
    "A quarter of forty boxes is ten. Forty without ten is thirty. Thirty without fourteen leaves sixteen.",
    "40 boxes → 25% → 10 sold; 40 − 10 → 30; 30 − 14 → 16",
]


@pytest.mark.parametrize("working", RIGHT)
def test_a_right_working_by_any_route_carries_the_answer(working: str) -> None:
    assert carries(ASKED, working)


@pytest.mark.parametrize("working", CASES["tricks"])
def test_a_working_that_works_nothing_out_does_not(working: str) -> None:
    assert not carries(ASKED, working)


def test_a_step_comes_before_what_uses_it() -> None:
    asked = Problem("A farm has 31 rows of 17 trees and loses 45 trees. Each bears 29 kg.", Fraction(13978), OWN)
    assert carries(asked, OWN)
    assert not carries(asked, "\n".join(reversed(OWN.splitlines())))


OWN = "31 * 17 = 527\n527 - 45 = 482\n482 * 29 = 13978"


def test_without_a_working_that_can_be_read_its_results_are_asked_for() -> None:
    asked = Problem("Bo drinks at breakfast, lunch and dinner, all week.", Fraction(21), "3 * 7 = 21")
    assert carries(asked, "7 days of 3 cups are 7 * 3 = 21")
    assert not carries(Problem(asked.question, Fraction(20), "3 * 5 = 15, 15 + 5 = 20"), "20 * 1 = 20")


def test_numbers_of_the_question_have_the_forms_in_which_they_are_used() -> None:
    found = given("3 dozen eggs, 20% of them and 1/4 of 25 cents")
    assert {Fraction(3), Fraction(36), Fraction(1, 5), Fraction(4, 5), Fraction(4), Fraction(1, 4)} <= set(found)


def test_the_answer_is_what_stands_in_the_last_box() -> None:
    assert last_number("\\boxed{3} no, \\boxed{1,200}") == 1200
    assert last_number("#### -5") == -5
    assert last_number("none") is None


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("rows") / "gsm8k.jsonl"
    path.write_text(json.dumps({"question": QUESTION, "answer": f"{WORKING}\n#### 16"}) + "\n")
    return str(path)


def judged(rows: str, text: str) -> Verdict:
    made = rlenv.load("process/gsm8k-v0", data=rows)
    return made.verifier.verify(made.tasks[0], Completion(text))


@pytest.mark.parametrize("trick", CASES["tricks"])
def test_no_trick_is_paid(rows: str, trick: str) -> None:
    assert judged(rows, f"{trick}\n\\boxed{{16}}").reward == pytest.approx(0.5)


def test_the_working_behind_the_box_earns_nothing(rows: str) -> None:
    assert judged(rows, f"\\boxed{{16}}\n{WORKING}").reward == pytest.approx(0.5)


def test_a_wrong_answer_with_true_steps_from_the_question_loses_no_more_than_the_outcome(rows: str) -> None:
    assert judged(rows, "40 - 14 = 26 boxes are left.\n\\boxed{26}").reward == 0


def test_steps_that_the_answer_does_not_need_cost_nothing(rows: str) -> None:
    assert judged(rows, f"All boxes hold 40 * 36 = 1440 pens.\n{WORKING}\n\\boxed{{16}}").reward == 1


@pytest.mark.parametrize("padding", ["40 - 24 = 16", "14 * 10 = 140", "40 + 14 = 54\n54 + 10 = 64"])
def test_what_is_added_to_a_filled_gap_buys_no_sum_in_the_head(padding: str) -> None:
    asked = Problem("Tom has 40 eggs, sells 10 and eats 14.", Fraction(16), "40 - 10 = 30\n30 - 14 = 16")
    assert not carries(asked, "40 - 24 = 16")
    assert not carries(asked, f"{padding}\n40 - 24 = 16")
