"""Reward functions in the forms of others: TRL's lists, plain ones, and those that wait."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.reward_functions import AsyncVerifier, PlainVerifier, TrlVerifier, verifier_of
from rlenv.judge.judge import Judge

TASK = Task("2+2=?", "4", metadata={"level": 2})
CHAT = Task(({"role": "user", "content": "2+2=?"},), "4")


def trl(completions, answer, **kwargs):  # type: ignore[no-untyped-def]
    texts = [said if isinstance(said, str) else said[0]["content"] for said in completions]
    return [None if "pass" in text else float(right in text) for text, right in zip(texts, answer, strict=True)]


@pytest.mark.parametrize("task", [TASK, CHAT], ids=["text", "chat"])
def test_it_gets_texts_or_messages_as_the_prompt_is(task: Task) -> None:
    assert TrlVerifier(trl).verify(task, Completion("4")).reward == 1.0
    assert TrlVerifier(trl).verify(task, Completion("5")).reward == 0.0


def test_what_it_leaves_out_is_not_graded() -> None:
    verdict = TrlVerifier(trl).verify(TASK, Completion("pass"))
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
    return Judge(rlenv.Definition(tasks=rlenv.ListTasks([TASK]), verifier=verifier))


def test_calls_that_wait_wait_side_by_side() -> None:
    waiting = most = 0

    async def counts(completion: str, answer: str) -> bool:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await asyncio.sleep(0.05)
        waiting -= 1
        return completion == answer

    verdicts = grader(counts).verdicts([(TASK, Completion(text)) for text in ("4", "5") * 64])
    assert [verdict.reward for verdict in verdicts] == [1.0, 0.0] * 64
    assert most > 2


def test_one_that_breaks_or_hangs_costs_nobody_else_the_verdict() -> None:
    said = [Completion(text) for text in ("break", "4", "hang")]
    broken, right, hung = grader(limit=0.5).verdicts([(TASK, text) for text in said])
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
        return [verifier.verify(TASK, Completion(said)).reward for verifier in verifiers for said in ("4", "5")]

    assert asyncio.run(cell()) == [1.0, 0.0, 1.0, 0.0]
