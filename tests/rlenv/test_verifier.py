"""Verifiers: functions in our form and in others', what failures become, weighted sums and gates."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from fractions import Fraction

import numpy as np
import pytest

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Part, Verdict
from rlenv.core.verifier import FunctionVerifier, Verifier, VerifierFunction, judge
from rlenv.env.compose import gate, weighted
from rlenv.env.reward_functions import AsyncVerifier, PlainVerifier, TrlVerifier, verifier_of
from rlenv.judge.judge import Judge

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


SUM = Task("2+2=?", "4")
right = FunctionVerifier(lambda completion, answer: answer in completion, cheap=True)
short = FunctionVerifier(lambda completion: 1 - len(completion) / 10, cheap=True)
noted = Verdict.of(("a", 1.0), scores={"steps": 3}, flags=[Flag("odd")], reason="ok")
dear = FunctionVerifier(lambda completion: noted)
broken = FunctionVerifier(lambda completion: math.nan, cheap=True)


def test_weighted_sum_carries_named_parts_and_raw_scores() -> None:
    verdict = weighted(correct=(right, 1.0), short=(short, 0.5), dear=(dear, -0.1)).verify(SUM, Completion("4"))
    assert verdict.parts == (Part("correct", 1.0), Part("short", 0.45), Part("dear", -0.1))
    assert verdict.reward == math.fsum([1.0, 0.45, -0.1])
    assert verdict.scores == {"correct": 1.0, "short": 0.9, "dear": 1.0, "dear/steps": 3.0}
    assert (verdict.flags, verdict.reason) == ((Flag("odd"),), "dear: ok")


def test_term_that_fails_to_judge_fails_the_sum_by_name() -> None:
    verdict = weighted(correct=(right, 1.0), style=(broken, 0.1)).verify(SUM, Completion("4"))
    assert (verdict.reward, verdict.status) == (None, "verifier_error")
    assert verdict.reason == "style: the verifier returned nan"


def test_open_gate_pays_what_the_verifier_gives() -> None:
    verdict = gate(right, dear).verify(SUM, Completion("4"))
    assert (verdict.reward, verdict.parts) == (1.0, (Part("a", 1.0),))
    assert verdict.scores == {"gate": 1.0, "steps": 3.0}


def test_closed_gate_pays_nothing_and_says_why() -> None:
    verdict = gate(right, dear).verify(SUM, Completion("5"))
    assert (verdict.reward, verdict.parts, verdict.scores) == (0.0, (Part("gate", 0.0),), {"gate": 0.0})
    assert "gate closed" in verdict.reason


def test_gate_that_fails_to_judge_is_no_closed_gate() -> None:
    for verifier in (gate(broken, right), gate(right, broken)):
        assert verifier.verify(SUM, Completion("4")).status == "verifier_error"


def test_version_changes_with_weights_terms_and_thresholds() -> None:
    versions = [
        weighted(a=(right, 1.0)).version,
        weighted(a=(right, 0.5)).version,
        weighted(b=(right, 1.0)).version,
        weighted(a=(short, 1.0)).version,
        gate(right, short).version,
        gate(right, short, threshold=0.5).version,
    ]
    assert len(set(versions)) == len(versions)


LEVELLED = Task("2+2=?", "4", metadata={"level": 2})
CHAT = Task(({"role": "user", "content": "2+2=?"},), "4")


def trl(completions, answer, **kwargs):  # type: ignore[no-untyped-def]
    texts = [said if isinstance(said, str) else said[0]["content"] for said in completions]
    return [None if "pass" in text else float(right in text) for text, right in zip(texts, answer, strict=True)]


@pytest.mark.parametrize("task", [LEVELLED, CHAT], ids=["text", "chat"])
def test_it_gets_texts_or_messages_as_the_prompt_is(task: Task) -> None:
    assert TrlVerifier(trl).verify(task, Completion("4")).reward == 1.0
    assert TrlVerifier(trl).verify(task, Completion("5")).reward == 0.0


def test_what_it_leaves_out_is_not_graded() -> None:
    verdict = TrlVerifier(trl).verify(LEVELLED, Completion("pass"))
    assert (verdict.status, verdict.reason) == (
        "verifier_error",
        "the function returned None: it does not judge this completion",
    )


def test_the_parameters_tell_the_style() -> None:
    assert isinstance(verifier_of(trl), TrlVerifier)
    assert isinstance(verifier_of(lambda prompt, said, right: 1.0), PlainVerifier)
    assert isinstance(verifier_of(lambda completion, level: 1.0, ["level"]), FunctionVerifier)
    with pytest.raises(ConfigError, match="expected f"):
        verifier_of(lambda a, b: 1.0)


async def waits(completion: str, answer: str) -> bool:
    await asyncio.sleep(0.05)
    if completion == "break":
        raise OSError("the server is gone")
    if completion == "hang":
        await asyncio.sleep(60)
    return completion == answer


def grader(function: Callable[..., Awaitable[bool]] = waits, limit: float = 5.0) -> Judge:
    verifier = AsyncVerifier(FunctionVerifier(function), time_limit_s=limit)  # type: ignore[arg-type]
    return Judge(rlenv.Definition(tasks=rlenv.ListTasks([LEVELLED]), verifier=verifier))


def test_calls_that_wait_wait_side_by_side() -> None:
    waiting = most = 0

    async def counts(completion: str, answer: str) -> bool:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.05)
        waiting -= 1
        return completion == answer

    verdicts = grader(counts).verdicts([(LEVELLED, Completion(text)) for text in ("4", "5") * 64])
    assert [verdict.reward for verdict in verdicts] == [1.0, 0.0] * 64
    assert most > 2


def test_one_that_breaks_or_hangs_costs_nobody_else_the_verdict() -> None:
    said = [Completion(text) for text in ("break", "4", "hang")]
    broken, right, hung = grader(limit=0.5).verdicts([(LEVELLED, text) for text in said])
    assert (broken.status, right.reward, hung.reward) == ("verifier_error", 1.0, 0.0)
    assert ("the server is gone" in broken.reason, [flag.name for flag in hung.flags]) == (True, ["over_limit"])


def test_async_function_is_registered_as_any_other() -> None:
    rlenv.register("test/async-v0", tasks=[{"prompt": "2+2=?", "answer": "4"}], verifier=waits)
    assert rlenv.evaluate("test/async-v0", "reference", quiet=True).mean_reward == 1.0

    async def lacks(completion: str, answers: str) -> bool:
        return True

    with pytest.raises(VerifierContractError, match="asks for 'answers'"):
        rlenv.register("test/async-lacks-v0", tasks=[{"prompt": "?"}], verifier=lacks)


def test_async_functions_are_waited_for_in_a_notebook_too() -> None:
    """There a loop runs already, and another one must not be started in its thread."""

    async def listed(completions: list[str], answer: list[str], **columns: object) -> list[float]:
        return [float(await waits(*pair)) for pair in zip(completions, answer, strict=True)]

    async def cell() -> list[float | None]:
        verifiers = verifier_of(waits), verifier_of(listed)
        return [verifier.verify(LEVELLED, Completion(said)).reward for verifier in verifiers for said in ("4", "5")]

    assert asyncio.run(cell()) == [1.0, 0.0, 1.0, 0.0]
