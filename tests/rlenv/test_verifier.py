"""Verifiers: what a function may ask for, what it may answer, and what its failures become."""

import math
import os
import pickle
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from rlenv.core.completion import Completion, as_completion
from rlenv.core.errors import ConfigError, VerifierContractError
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


def test_column_that_is_missing_takes_the_default() -> None:
    assert asked(lambda completion, weight=0.25: weight).reward == 0.25
    assert asked(lambda completion, level=9: float(level)).reward == 3.0


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


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(VerifierContractError, match="expected a verifier function, got str"):
        FunctionVerifier("exact")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcome", "reward"),
    [(True, 1.0), (False, 0.0), (0.5, 0.5), (-2, -2.0), (np.True_, 1.0), (np.float32(2), 2.0), (Fraction(1, 4), 0.25)],
)
def test_bools_and_numbers_become_rewards(outcome: float, reward: float) -> None:
    verdict = asked(lambda completion: outcome)
    assert (verdict.reward, type(verdict.reward), verdict.graded) == (reward, float, True)


def test_verdict_is_passed_on() -> None:
    verdict = Verdict.of(("correct", 1.0), flags=[Flag("odd", 0, 1)], reason="near")
    assert asked(lambda completion: verdict) == verdict


@pytest.mark.parametrize("outcome", [math.nan, math.inf, -math.inf, np.float64("nan"), 10**400, None, "4", [1.0], 1j])
def test_answer_that_is_no_reward_is_a_failure_of_the_checker(outcome: float) -> None:
    verdict = asked(lambda completion: outcome)
    assert (verdict.reward, verdict.status) == (None, "verifier_error")
    assert verdict.reason


@pytest.mark.parametrize("error", [ValueError("odd"), KeyError("k"), AssertionError(), SystemExit(1), OSError(5, "io")])
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


def test_version_is_the_same_in_every_process() -> None:
    program = (
        "from rlenv import FunctionVerifier as F; print(F(lambda completion: completion in {'a', 'b', 'c'}).version)"
    )
    versions = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(versions) == 1


def test_function_verifier_survives_pickling() -> None:
    verifier = FunctionVerifier(check_level, cheap=True, name="level", version="7")
    copied = pickle.loads(pickle.dumps(verifier))
    assert (copied.cheap, copied.name, copied.version) == (True, "level", "7")
    assert copied.verify(TASK, Completion("3")) == verifier.verify(TASK, Completion("3")) == Verdict.of(("level", 0.5))


def check_level(completion: str, level: int, weight: float = 0.5) -> float:
    return weight * (int(completion) == level)


def test_completion_is_taken_as_text_or_whole() -> None:
    whole = Completion("4", token_ids=(7,), logprobs=(-0.5,), finished=False)
    assert as_completion(whole) is whole
    assert as_completion("4") == Completion("4")
    with pytest.raises(ConfigError, match="a string or a Completion, got int"):
        as_completion(4)  # type: ignore[arg-type]


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


def test_the_policys_word_on_reading_counts_before_the_environments() -> None:
    assert as_completion("a</think>b", "tags").content.text == "a</think>b"
    assert as_completion(Completion("a</think>b"), "tags").content.text == "a</think>b"
    assert as_completion(Completion("a", read_as="opened"), "tags").content.text == ""
