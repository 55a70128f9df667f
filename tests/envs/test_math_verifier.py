"""The verifier assembled: what is paid, what is refused and flagged, and that it works from anywhere."""

import asyncio
import json
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from work import assert_linear

from rlenv import Completion, Definition, ListTasks, Task, Verdict, WorkerPool
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.math import verify
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.verifier import TIERS, MathVerifier
from rlenv.judge.judge import Judge

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def rows_of(name: str) -> list[dict[str, str]]:
    file = DATA / name
    if not file.exists():
        pytest.skip(f"{name} is not beside the repository")
    return [json.loads(line) for line in file.read_text().splitlines()]


def names(verdict: Verdict) -> list[str]:
    return [flag.name for flag in verdict.flags]


@pytest.mark.parametrize(
    ("gold", "completion"),
    [
        ("42", r"It is \boxed{42}."),
        (42, r"\boxed{42.0}"),
        (0.5, r"\boxed{\frac12}"),
        ("1250", "so\n#### 1,250"),
        ("96", "54 + 18 + 24 = 96 lines.\nA: 96"),
        ("20", r"Therefore, the length of the red rope is 20 centimeters."),
        ("12", r"Therefore, \(x^3 = 12\)."),
        ("C", "It can't be A or B, so the answer is C."),
        ("1,-2", r"so $n$ is \boxed{-2} \quad \text{and} \quad \boxed{1}."),
        ("42", r"First \boxed{41}. One more pear makes $41 + 1 = 42$: \boxed{42}"),
    ],
)
def test_a_right_answer_is_paid_wherever_it_stands(gold: Json, completion: str) -> None:
    verdict = verify(gold, completion)
    assert verdict.reward == 1.0
    assert 0 < verdict.scores["tier"] < len(TIERS)


@pytest.mark.parametrize(
    ("gold", "completion", "flag"),
    [
        ("42", r"\boxed{41}", None),
        ("42", r"\boxed{41} or \boxed{42}", "joined_boxes"),
        ("42", r"\boxed{41}. The final answer is 42.", "conflicting_answers"),
        ("42", r"\boxed{42}. The final answer is 41.", "conflicting_answers"),
        ("42", r"<think>\boxed{42}</think> That is it, I am sure.", "thinking_only"),
        ("42", r"\boxed{42", "unclosed_box"),
        ("42", "1 2 3 42", "spray"),
        ("C", "A B C D", "spray"),
        ("C", "A or C", None),
        ("42", "The answer is 41 or 42.", None),
        ("42", "The answer is not 42.", None),
        ("42", r"\boxed{}", None),
        ("42", "", None),
    ],
)
def test_anything_else_is_worth_nothing_and_flagged(gold: str, completion: str, flag: str | None) -> None:
    verdict = verify(gold, completion)
    assert verdict.reward == 0.0
    assert verdict.reason
    assert flag is None or flag in names(verdict)


def test_a_flag_carries_the_span_that_is_the_evidence() -> None:
    completion = r"Say \boxed{41} or \boxed{42}."
    flag = verify("42", completion).flags[0]
    assert completion[flag.start : flag.end] == r"\boxed{41} or \boxed{42}"


def test_a_solution_with_two_boxes_that_is_paid_stays_flagged() -> None:
    verdict = verify("42", r"First \boxed{41} pears. One more makes \boxed{42}.")
    assert (verdict.reward, names(verdict)) == (1.0, ["conflicting_boxes"])


def test_parts_that_are_boxed_apart_answer_a_reference_with_as_many_parts() -> None:
    completion = r"The smaller root is \boxed{1}. The larger root of the equation is \boxed{4}."
    assert verify("1, 4", completion).reward == 1.0
    assert verify("4", completion).reward == 1.0
    assert verify("1", completion).reward == 0.0
    assert verify("1, 4, 5", completion).reward == 0.0


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


def test_a_percent_sign_is_fine_where_the_question_or_the_solution_speaks_of_percent() -> None:
    assert verify("20", r"\boxed{20\%}").reward == 0.0
    assert verify("20", r"\boxed{20\%}", question="What percentage of the cars is red?").reward == 1.0
    assert verify("20", r"So the percentage of red cars is \boxed{20\%}.").reward == 1.0
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


def test_what_is_decided_cheaply_is_what_is_decided_at_any_price() -> None:
    check = MathVerifier()
    for gold, said in (
        ("42", r"\boxed{42}"),
        ("42", r"\boxed{41}"),
        ("x+1", r"\boxed{1+x}"),
        ("1/2", "The answer is 0.5."),
    ):
        task, completion = Task("?", gold), Completion(said)
        cheap = check.verify_cheaply(task, completion)
        assert cheap is None or cheap.reward == check.verify(task, completion).reward


def test_it_judges_in_any_thread_and_under_a_running_event_loop() -> None:
    verdicts: list[Verdict] = []
    threads = [threading.Thread(target=lambda: verdicts.append(verify("1/2", r"\boxed{0.5}"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def in_loop() -> list[Verdict]:
        aside = await asyncio.gather(*(asyncio.to_thread(verify, "1/2", r"\boxed{0.5}") for _ in range(4)))
        return [*aside, verify("1/2", r"\boxed{0.5}")]

    assert [v.reward for v in (*verdicts, *asyncio.run(in_loop()))] == [1.0] * 9


@pytest.mark.slow
def test_what_only_algebra_can_tell_is_decided_in_a_worker_from_any_thread_or_loop() -> None:
    gold, said = r"\int_0^1 x^2\,dx", r"It is \boxed{\frac{1}{3}}."
    assert MathVerifier().verify_cheaply(Task("", gold), Completion(said)) is None

    async def in_loop() -> list[Verdict]:
        aside = asyncio.to_thread(verify, gold, said)
        return [verify(gold, said), await aside, verify(gold, r"\boxed{\frac{1}{4}}")]

    verdicts = asyncio.run(in_loop())
    assert [v.reward for v in verdicts] == [1.0, 1.0, 0.0]
    assert TIERS[int(verdicts[0].scores["tier"])] == "symbolic"


def test_a_grader_needs_no_worker_for_what_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = Definition(tasks=ListTasks([Task("?", "7")]), verifier=MathVerifier())
    with WorkerPool(1) as pool:
        monkeypatch.setattr(pool, "judge_all", None)  # asking it would raise
        judge = Judge(definition, pool)
        jobs = [(Task("?", "7"), Completion(said)) for said in (r"\boxed{7}", r"\boxed{8}", "#### 7")]
        assert [v.reward for v in judge.verdicts(jobs)] == [1.0, 0.0, 1.0]


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_hostile_text_is_worth_nothing_and_judged_twice_alike(said: str) -> None:
    for completion in (said, f"\\boxed{{{said}}}", f"The answer is {said}"):
        first = verify("x^{17}+91827364", completion)
        assert first.reward == 0.0
        assert first == verify("x^{17}+91827364", completion)


@pytest.mark.parametrize(
    "piece", ["{", "$", "\\boxed{", "\\boxed{1}", "(", "\\", "1 ", "\\(", "9^", "answer is ", "<think>", "A or "]
)
@pytest.mark.parametrize("tail", ["", "\\boxed{7}"])
def test_a_megabyte_of_anything_is_answered_at_once(piece: str, tail: str) -> None:
    assert_linear(lambda length: verify("7", piece * (length // len(piece)) + tail), 1_000_000)


def test_every_reference_of_math_500_is_accepted_as_its_own_answer() -> None:
    rows = rows_of("math500/test.jsonl")
    refused = [r["answer"] for r in rows if verify(r["answer"], f"So \\boxed{{{r['answer']}}}.").reward != 1.0]
    assert refused == []


def test_real_completions_of_four_models_on_gsm8k_are_judged_as_their_authors_did() -> None:
    rows = rows_of("gsm8k/model_solution_cases.jsonl")
    assert len(rows) == 5276
    assert [r for r in rows if (verify(r["gold"], r["prediction"]).reward == 1.0) is not bool(r["expected"])] == []
