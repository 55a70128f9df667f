"""The boxed-answer verifier on math-verify: exact where it can be, honest where math-verify is not."""

import json
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv import Completion, Definition, ListTasks, Task, Verdict, WorkerPool
from rlenv.envs.math.verifier import BoxedMathVerifier
from rlenv.errors import MissingExtra
from rlenv.grading import Grader
from rlenv.verifier import judge

pytest.importorskip("math_verify", reason="needs the extra: math")
GAMING = Path(__file__).resolve().parents[3] / "shared" / "data" / "math_verifier_gaming_cases.jsonl"
MATH500 = GAMING.parent / "math500" / "test.jsonl"


def verdict(gold: object, answer: str, question: str = "?") -> Verdict:
    return judge(BoxedMathVerifier(), Task(question, gold), Completion(f"\\boxed{{{answer}}}"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gold", "answer"),
    [
        ("42", "42"),
        (42, "42.0"),
        (0.5, r"\frac12"),
        (r"\frac{1}{2}", "0.5"),
        (r"\sqrt{2}", r"2^{1/2}"),
        ("x^2+1", "1+x^2"),
        ("2(x+1)", "2x+2"),
        (r"\{1,2\}", "2, 1"),
        ("x=5", "5"),
        ("5", "x = 5"),
        ("7", r"\frac{28}{4} = 7"),
        ("(6,5)", "(b,c)=(6,5)"),
        ("y=2x+1", "y = 1+2x"),
        ("x>2", r"(2,\infty)"),
        (r"\text{Monday}", "monday"),
        (r"\text{(C)}", "C"),
        (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"),
        (r"8\sqrt{3} \text{ square inches}", r"8\sqrt{3} \text{ square inches}"),
        (r"\pi", r"\pi"),
        ("12:30", "12:30"),
    ],
)
def test_equal_answers_are_accepted(gold: object, answer: str) -> None:
    assert verdict(gold, answer).reward == 1.0


@pytest.mark.parametrize(
    ("gold", "answer", "flag"),
    [
        ("42", "41=42", "equation_chain"),
        ("42", "x=41=42", "equation_chain"),
        ("42", "41 = 41.5 = 41.9 = 42", "equation_chain"),
        ("42", r"42\%", "percent"),
        ("x+42", r"x+42\%", "percent"),
        ("48", "1 2 3 42", "number_spray"),
        ("42", "41, 42", None),
        ("listen", "silent", None),
        ("e^{-50}", "e^{-60}", None),
        ("2^{-99}", "2^{-98}", None),
        ("42", r"\int_0^{42} 1 dx", "left_standing"),
        (r"2\sqrt{3}", r"2\sqrt{3} \text{ bananas}", "words"),
        ("12:30", "24:60", None),
        ("4", r"4\sqrt(2)", "unreadable"),
        ("x", "(" * 40 + "x" + ")" * 40, "too_complex"),
        ("x", "+".join(["x"] * 900), "too_complex"),
        ("y=2x+1", "0=0", None),
        ("y=2x+1", "z=2x+1", None),
        ("x", "y", None),
        ("x", r"\frac{1}{", None),
    ],
)
def test_answers_that_do_not_state_the_value_are_refused(gold: str, answer: str, flag: str | None) -> None:
    refused = verdict(gold, answer)
    assert refused.reward == 0.0
    assert refused.reason
    assert flag is None or [f.name for f in refused.flags] == [flag]


def test_several_boxes_with_one_value_are_one_answer_and_with_two_are_none() -> None:
    check, task = BoxedMathVerifier(), Task("?", r"\frac{1}{2}")
    assert check.verify(task, Completion(r"\boxed{1/2} = \boxed{0.5}")).reward == 1.0
    refused = check.verify(task, Completion(r"\boxed{1/3} or \boxed{0.5}"))
    assert (refused.reward, refused.flags[0].name) == (0.0, "conflicting_boxes")


@pytest.mark.parametrize("said", ["42", "The answer is $42$.", r"<think>\boxed{42}</think> 42", "", "####42"])
def test_nothing_is_picked_out_of_running_text(said: str) -> None:
    assert judge(BoxedMathVerifier(), Task("?", "42"), Completion(said)).reward == 0.0


@pytest.mark.parametrize("gold", ["", r"\frac{1}{", r"1, 2, \ldots, n", None, True, ["42"]])
@pytest.mark.parametrize("answer", ["42", ""])
def test_a_reference_that_cannot_be_read_is_a_failure_of_the_checker(gold: object, answer: str) -> None:
    assert verdict(gold, answer).status == "verifier_error"


def test_plain_numbers_never_reach_math_verify(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "math_verify", None)  # importing it would raise
    assert verdict("1,234.50", r"\$1234.5").reward == 1.0
    assert verdict("1/3", "0.333").reward == 0.0


def test_it_judges_in_any_thread() -> None:
    verdicts: list[Verdict] = []
    thread = threading.Thread(target=lambda: verdicts.append(verdict(r"\sqrt{2}", r"2^{1/2}")))
    thread.start()
    thread.join()
    assert verdicts[0].reward == 1.0


def test_an_answer_that_costs_too_much_is_killed_and_graded_0() -> None:
    definition = Definition(tasks=ListTasks([Task("?", "7")]), verifier=BoxedMathVerifier(), time_limit_s=1.0)
    assert not definition.inline
    with WorkerPool(1) as pool:
        grader = Grader(definition, pool)
        assert grader.judge(Task("?", "x"), Completion(r"\boxed{x}")).reward == 1.0
        refused = grader.judge(Task("?", "7"), Completion(r"\boxed{9^{9^{9}}}"))
        assert (refused.reward, refused.flags[0].name) == (0.0, "over_limit")
        assert pool.restarts == 2


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("rlenv.envs.math.verifier.version", missing)
    with pytest.raises(MissingExtra, match=r"rlenv-llm\[math\]"):
        BoxedMathVerifier()


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_hostile_text_is_worth_nothing_and_judged_twice_alike(said: str) -> None:
    first = verdict("x^2+1", said)
    assert first == verdict("x^2+1", said)
    assert first.reward == 0.0


@pytest.mark.skipif(not GAMING.exists(), reason=f"{GAMING.name} is not beside the repository")
def test_no_gaming_case_is_paid() -> None:
    rows = [json.loads(line) for line in GAMING.read_text().splitlines()]
    for row in rows:
        said = row["prediction"] if "boxed" in row["prediction"] else f"\\boxed{{{row['prediction']}}}"
        reward = judge(BoxedMathVerifier(), Task("?", row["gold"]), Completion(said)).reward
        assert row["expected"] or reward != 1.0, row["id"]


@pytest.mark.skipif(not MATH500.exists(), reason="MATH-500 is not beside the repository")
def test_every_reference_of_math_500_is_accepted_as_its_own_answer() -> None:
    rows = [json.loads(line) for line in MATH500.read_text().splitlines()]
    refused = [row["answer"] for row in rows if verdict(row["answer"], row["answer"]).reward != 1.0]
    assert refused == []
