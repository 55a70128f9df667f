"""Verifiers: what a function may ask for, what it may answer, and what its failures become."""

import math
from fractions import Fraction

import numpy as np
import pytest

from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import FunctionVerifier, Verifier, VerifierFunction, judge

TASK = Task.from_row({"prompt": "2+2=?", "answer": "4", "id": "q1", "level": 3})


def asked(function: VerifierFunction, text: str = "4") -> Verdict:
    return judge(FunctionVerifier(function), TASK, Completion(text, finished=False))


def test_function_gets_what_its_parameters_name() -> None:
    seen: dict[str, object] = {}

    def check(completion, finished, prompt, answer, reference, id, task, metadata, level):  # type: ignore[no-untyped-def]
        seen.update(locals())
        return True

    assert asked(check).reward == 1.0
    assert (seen["completion"], seen["finished"], seen["prompt"], seen["answer"]) == ("4", False, "2+2=?", "4")
    assert (seen["reference"], seen["id"], seen["task"]) == ("4", "q1", TASK)
    assert (seen["metadata"], seen["level"]) == ({"level": 3}, 3)


def test_column_that_is_missing_without_default_is_named() -> None:
    verifier = FunctionVerifier(lambda completion, tests: True)
    with pytest.raises(VerifierContractError, match=r"asks for 'tests', the row has \['level'\].*give it a default"):
        verifier.check_columns(TASK)
    assert "asks for 'tests'" in judge(verifier, TASK, Completion("4")).reason


@pytest.mark.parametrize(
    "function",
    [lambda *args: True, lambda completion, **kwargs: True, lambda completion, *, level: True, max],
    ids=["args", "kwargs", "keyword-only", "unreadable"],
)
def test_parameters_without_plain_names_are_refused(function: VerifierFunction) -> None:
    with pytest.raises(VerifierContractError, match=r"plain named parameters|cannot read the parameters"):
        FunctionVerifier(function)


@pytest.mark.parametrize(
    ("outcome", "reward"),
    [(False, 0.0), (-2, -2.0), (np.True_, 1.0), (Fraction(1, 4), 0.25)],
)
def test_bools_and_numbers_become_rewards(outcome: float, reward: float) -> None:
    verdict = asked(lambda completion: outcome)
    assert (verdict.reward, type(verdict.reward), verdict.graded) == (reward, float, True)


@pytest.mark.parametrize("outcome", [math.nan, -math.inf, 10**400, None, "4", 1j])
def test_answer_that_is_no_reward_is_a_failure_of_the_checker(outcome: float) -> None:
    verdict = asked(lambda completion: outcome)
    assert (verdict.reward, verdict.status) == (None, "verifier_error")
    assert verdict.reason


@pytest.mark.parametrize("error", [KeyError("k"), AssertionError(), SystemExit(1)])
def test_exception_is_a_failure_of_the_checker(error: BaseException) -> None:
    def check(completion: str) -> bool:
        raise error

    verdict = asked(check)
    assert (verdict.status, verdict.reason.partition(":")[0]) == ("verifier_error", type(error).__name__)


def test_interrupt_of_the_user_is_not_swallowed() -> None:
    def check(completion: str) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked(check)


def test_running_out_of_stack_or_memory_is_graded_zero_and_flagged() -> None:
    def deep(completion: str) -> bool:
        return deep(completion)

    def large(completion: str) -> bool:
        raise MemoryError

    for check, limit in ((deep, "RecursionError"), (large, "MemoryError")):
        verdict = asked(check)
        assert (verdict.reward, verdict.graded, verdict.flags) == (0.0, True, (Flag("over_limit", detail=limit),))


class Sloppy:
    """A verifier object that answers with what the protocol does not allow."""

    cheap = True
    version = "1"

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return self.answer  # type: ignore[return-value]


def test_object_that_answers_no_verdict_never_stops_a_run() -> None:
    assert isinstance(Sloppy(None), Verifier)
    assert judge(Sloppy(None), TASK, Completion("4")).status == "verifier_error"
    assert judge(Sloppy(True), TASK, Completion("4")).reward == 1.0


def test_a_function_is_given_what_was_said_what_was_thought_and_the_whole() -> None:
    seen: list[tuple[str, str, str]] = []

    def check(completion: str, reasoning: str, text: str) -> bool:
        seen.append((completion, reasoning, text))
        return True

    text = "<think>41?</think>42"
    assert FunctionVerifier(check).verify(Task("?"), Completion(text)).reward == 1.0
    assert seen == [("42", "41?", text)]


def test_the_spans_of_a_functions_verdict_are_those_of_the_text_that_it_looked_at() -> None:
    def on_content(completion: str) -> Verdict:
        return Verdict.of(("reward", 1.0), answer=(0, len(completion)))

    def on_text(text: str) -> Verdict:
        return Verdict.of(("reward", 1.0), answer=(text.index("42"), len(text)))

    completion = Completion("<think>41?</think>42")
    for function in (on_content, on_text):
        assert FunctionVerifier(function).verify(Task("?"), completion).answer == (18, 20)


@pytest.mark.parametrize("name", ["text", "reasoning", "finished"])
def test_a_column_that_is_named_like_a_part_of_the_completion_is_refused(name: str) -> None:
    verifier = FunctionVerifier(eval(f"lambda {name}: True"))
    verifier.check_columns(Task("?"))
    with pytest.raises(VerifierContractError, match=f"a column of that name; rename '{name}'|rename the column"):
        verifier.check_columns(Task("?", metadata={name: "x"}))
