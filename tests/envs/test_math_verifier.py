"""The verifier assembled: what is paid, refused and flagged; what a task may set; which option a sentence picks."""

import json

import pytest

from rlenv import Completion, Definition, ListTasks, Task, Verdict, WorkerPool
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.math import verify
from rlenv.envs.math.answer_place.choice import chosen_letter, is_choice
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.verifier import MathVerifier
from rlenv.judge.judge import Judge


def names(verdict: Verdict) -> list[str]:
    return [flag.name for flag in verdict.flags]


@pytest.mark.parametrize(
    ("gold", "completion", "flag"),
    [
        ("42", r"\boxed{41} or \boxed{42}", "joined_boxes"),
        ("42", r"<think>\boxed{42}</think> That is it, I am sure.", "thinking_only"),
        ("42", r"First \boxed{42}. No: \boxed{4", "unclosed_box"),
    ],
)
def test_anything_else_is_worth_nothing_and_flagged(gold: str, completion: str, flag: str) -> None:
    verdict = verify(gold, completion)
    assert verdict.reward == 0.0
    assert verdict.reason
    assert flag in names(verdict)


def test_a_flag_carries_the_span_that_is_the_evidence() -> None:
    completion = r"Say \boxed{41} or \boxed{42}."
    flag = verify("42", completion).flags[0]
    assert completion[flag.start : flag.end] == r"\boxed{41} or \boxed{42}"


def test_a_solution_with_two_boxes_that_is_paid_stays_flagged() -> None:
    verdict = verify("42", r"First \boxed{41} pears. One more makes \boxed{42}.")
    assert (verdict.reward, names(verdict)) == (1.0, ["conflicting_boxes"])


@pytest.mark.parametrize(
    "reference",
    [r"We get $n = \boxed{5}.$", r"so $x$ is \boxed{5}", "The answer is 5.", "5", 5],
)
def test_a_reference_may_be_a_written_solution(reference: Json) -> None:
    assert verify(reference, r"\boxed{5}").reward == 1.0
    assert verify(reference, r"\boxed{6}").reward == 0.0


@pytest.mark.parametrize("gold", ["", "   ", None, True, ["42"], {"a": 1}])
@pytest.mark.parametrize("completion", [r"\boxed{42}", ""])
def test_a_reference_that_cannot_be_read_is_a_failure_of_the_checker(gold: Json, completion: str) -> None:
    with pytest.raises(TaskError, match="reference"):
        verify(gold, completion)
    definition = Definition(tasks=ListTasks([Task("?", gold)]), verifier=MathVerifier())
    assert Judge(definition).verdict(Task("?", gold), Completion(completion)).status == "verifier_error"


def test_a_percent_sign_is_fine_where_the_question_speaks_of_percent() -> None:
    assert verify("20", r"\boxed{20\%}").reward == 0.0
    assert verify("20", r"\boxed{20\%}", question="What percentage of the cars is red?").reward == 1.0
    assert verify("20", r"So the percentage is \boxed{20\%}.", question="How many cars are red?").reward == 0.0


def test_the_policy_decides_where_an_answer_may_stand() -> None:
    assert verify("42", "The answer is 42.").reward == 1.0
    assert verify("42", "The answer is 42.", answer_in=["box", "hash"]).reward == 0.0
    assert verify("42", r"<think>\boxed{42}</think>", thinking="counts").reward == 1.0
    with pytest.raises(ConfigError, match="expected policy settings"):
        verify("42", "42", tolerance=0.1)


def test_the_version_changes_with_the_policy() -> None:
    assert MathVerifier().version == MathVerifier(MathPolicy()).version
    assert MathVerifier().version != MathVerifier(MathPolicy(percent="either")).version


def test_a_grader_needs_no_worker_for_what_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = Definition(tasks=ListTasks([Task("?", "7")]), verifier=MathVerifier())
    with WorkerPool(1) as pool:
        monkeypatch.setattr(pool, "judge_all", None)  # asking it would raise
        judge = Judge(definition, pool)
        jobs = [(Task("?", "7"), Completion(said)) for said in (r"\boxed{7}", r"\boxed{8}", "#### 7")]
        assert [v.reward for v in judge.verdicts(jobs)] == [1.0, 0.0, 1.0]


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


@pytest.mark.parametrize(
    "sentence", ["", "A B C D", "A or B", "not C", "A, B, C", "ABCD", "It can't be C.", "C" + " no" * 400]
)
def test_none_or_several_are_no_choice(sentence: str) -> None:
    assert chosen_letter(sentence) is None


@pytest.mark.parametrize(
    ("gold", "choice"),
    [("C", True), ("(C)", True), (r"\text{(E)}", True), ("x", False), ("AB", False), ("(A) Cecile", False)],
)
def test_a_reference_that_is_a_letter_is_a_choice(gold: str, choice: bool) -> None:
    assert is_choice(gold) is choice
