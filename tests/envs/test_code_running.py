"""How programs reach the sandbox, and what an outcome pays."""

import os
import pickle
from collections.abc import Generator, Sequence
from typing import Any, cast

import pytest
from code_rows import BACKEND, fenced, sandbox_problem
from tables import tables

from rlenv import BatchVerifier, Completion, Task
from rlenv.envs.code.outcome import Outcome, Pay, TestResult, refused, verdict_of
from rlenv.envs.code.running import Answer, Ask, run
from rlenv.envs.code.verifier import CodeVerifier, code_verifier
from rlenv.sandbox import CallResult, Limits, Program, Result, Sandbox, SandboxSpec, Status

CASES = tables(__file__)

needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
LIMITS = Limits(wall_s=2.0)
CALLS: dict[str, Any] = {"kind": "calls", "function": "f", "tests": [{"call": "f(1)", "expect": "2"}]}
RIGHT = Completion(fenced("def f(x): return x + 1"))


class Box:
    """Answers with the results that the code names, and keeps what it was asked."""

    def __init__(self, **results: Sequence[Result]) -> None:
        self.results = {name: list(given) for name, given in results.items()}
        self.rounds: list[list[str]] = []
        self.limits: list[Limits] = []

    def map(self, programs: Sequence[Program], limits: Limits) -> list[Result]:
        self.limits.append(limits)
        self.rounds.append([program.code for program in programs])
        return [self.results[program.code].pop(0) for program in programs]

    def run_pair(self, judge: Program, candidate: Program, limits: Limits) -> tuple[Result, Result]:
        if candidate.code == "broken":
            raise OSError("no cell")
        return Result(Status.EXITED, said=(judge.code,)), Result(Status.EXITED)


def judging(*asked: str, judge: str = "") -> Generator[list[Ask], list[Answer], Outcome]:
    """Asks for the programs one after the other; passes where all of them exit."""
    statuses = []
    for code in asked:
        [(result, judged)] = yield [Ask(Program(code), LIMITS, Program(judge) if judge else None)]
        statuses += [result.status, *([judged.status] if judged else [])]
        if result.status is Status.SIGNALLED:
            raise RuntimeError("a bug")
    return Outcome((TestResult(set(statuses) == {Status.EXITED}, note=str(statuses)),))


def outcomes(box: Box, *judgings: Generator[list[Ask], list[Answer], Outcome]) -> dict[int, Outcome]:
    return dict(run(cast("Sandbox", box), judgings))


def late(cpu_s: float) -> Result:
    return Result(Status.TIMEOUT, cpu_s=cpu_s)


DONE = Result(Status.EXITED)


def test_every_round_holds_what_all_judgings_ask_for() -> None:
    box = Box(a=[DONE], b=[DONE], c=[DONE])
    found = outcomes(box, judging("a", "b"), judging("c"), judging())
    assert box.rounds == [["a", "c"], ["b"]]
    assert all(outcome.tests for outcome in found.values())
    assert len(found) == 3


@pytest.mark.parametrize(
    ("cpu_s", "load", "cpu_limit", "room"),
    [
        (1.7, 0.0, 2.0, 4),
        (0.8, 0.0, 2.0, 8),
        (0.11, 0.0, 2.0, 16),
        (0.09, 0.0, None, 1),
        (0.0, 1e6, 2.0, 16),
    ],
)
def test_the_second_run_is_bounded_by_the_processor_and_has_room_on_the_clock(
    monkeypatch: pytest.MonkeyPatch, cpu_s: float, load: float, cpu_limit: float | None, room: int
) -> None:
    """A program that used no processor slept, and is not waited for any longer, unless the machine is busy."""
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    box = Box(starved=[late(cpu_s), DONE])
    assert outcomes(box, judging("starved"))[0].tests[0].passed
    assert box.limits == [LIMITS, Limits(cpu_s=cpu_limit, wall_s=LIMITS.wall_s * room)]


def test_a_pair_that_cannot_be_run_fails_alone() -> None:
    found = outcomes(Box(), judging("broken", judge="j"), judging("fine", judge="j"))
    assert "sandbox_failure" in found[0].tests[0].note
    assert found[1].tests[0].passed


def test_the_verifier_travels_and_says_by_its_version_what_it_pays() -> None:
    verifier = code_verifier(pay="share", sandbox=BACKEND, wall_s=2.0)
    assert isinstance(verifier, BatchVerifier)
    assert not verifier.cheap
    assert pickle.loads(pickle.dumps(verifier)) == verifier
    assert verifier.version != code_verifier(pay="all", wall_s=2.0).version


@pytest.mark.parametrize("reference", CASES["unjudged"])
def test_a_task_that_cannot_be_judged_is_a_failure_of_the_checker(reference: Any) -> None:
    verifier = code_verifier(sandbox=BACKEND)
    [(_, verdict)] = verifier.verify_all([(Task("?", reference), RIGHT)])
    assert (verdict.reward, verdict.status) == (None, "verifier_error")


@needs_sandbox
def test_a_task_that_cannot_be_judged_does_not_stop_the_others() -> None:
    verifier = code_verifier(sandbox=BACKEND)
    jobs = [(Task("?", reference), RIGHT) for reference in (CALLS, {"kind": "calls", "tests": []}, CALLS)]
    assert [v.reward for _, v in sorted(verifier.verify_all(jobs), key=lambda x: x[0])] == [1.0, None, 1.0]


def test_a_sandbox_that_is_not_there_is_a_failure_of_the_checker() -> None:
    from rlenv import Definition, ListTasks
    from rlenv.judge.judge import Judge

    verifier = CodeVerifier(sandbox=SandboxSpec("no such backend"))
    definition = Definition(tasks=ListTasks([Task("?", CALLS)]), verifier=verifier)
    verdict = Judge(definition).verdict(definition.tasks[0], RIGHT)
    assert verdict.reward is None
    assert "no such backend" in verdict.reason


@needs_sandbox
def test_a_forked_process_opens_a_sandbox_of_its_own() -> None:
    verifier = code_verifier(sandbox=BACKEND)
    assert verifier.verify(Task("?", CALLS), RIGHT).reward == 1.0
    child = os.fork()
    if child == 0:
        os._exit(17 if verifier.verify(Task("?", CALLS), RIGHT).reward == 1.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
    assert verifier.verify(Task("?", CALLS), RIGHT).reward == 1.0


def test_a_text_that_a_group_holds_several_times_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = Result(Status.EXITED, exit_code=0, calls=(CallResult(ok=True, value=2),))
    box = Sandboxed()
    box.answer = answered
    monkeypatch.setattr("rlenv.envs.code.verifier.shared_sandbox", lambda backend: box)
    task, other = Task("one", CALLS), Task("another", CALLS)
    wrong = Completion(fenced("def f(x): return 3"))
    jobs = [(task, RIGHT), (task, wrong), (task, RIGHT), (other, RIGHT), (task, RIGHT)]
    verdicts = dict(CodeVerifier().verify_all(jobs))
    assert sorted(verdicts) == [0, 1, 2, 3, 4]
    assert box.count == 3


class Sandboxed:
    """Counts the programs, and answers each alike."""

    answer: Result
    count = 0

    def map(self, programs: Sequence[Program], limits: Limits) -> list[Result]:
        self.count += len(programs)
        return [self.answer for _ in programs]


PASS, FAIL, LOST = TestResult(True), TestResult(False, note="gave 2"), TestResult(False, answered=False)
SHOWN, SHOWN_FAIL = TestResult(True, shown=True), TestResult(False, shown=True)


@pytest.mark.parametrize(
    ("tests", "pay", "parts"),
    [
        ((PASS, FAIL), "all", [("tests", 0.0)]),
        ((PASS, FAIL, FAIL, FAIL), "share", [("tests", 0.25)]),
        ((SHOWN, FAIL), "all", [("tests", 0.0)]),
        ((SHOWN, SHOWN, FAIL), "share", [("tests", 0.0)]),
        ((SHOWN_FAIL, PASS), "all", [("tests", 0.0)]),
        ((SHOWN, SHOWN_FAIL, PASS, FAIL), "share", [("tests", 0.25)]),
        ((SHOWN_FAIL, PASS), "share", [("tests", 0.0)]),
        ((SHOWN_FAIL, PASS), "staged", [("parses", 0.1), ("runs", 0.1), ("passes", 0.0)]),
        ((PASS, PASS), "staged", [("parses", 0.1), ("runs", 0.1), ("passes", 0.8)]),
        ((PASS, LOST), "staged", [("parses", 0.1), ("runs", 0.0), ("passes", 0.0)]),
    ],
)
def test_hidden_tests_pay_as_declared_and_failing_shown_ones_costs(
    tests: tuple[TestResult, ...], pay: Pay, parts: list[tuple[str, float]]
) -> None:
    verdict = verdict_of(Outcome(tests), pay)
    assert [tuple(part) for part in verdict.parts] == parts


def test_code_that_does_not_parse_earns_no_stage() -> None:
    assert verdict_of(Outcome((LOST,), parsed=False), "staged").reward == 0.0


def test_the_scores_say_which_test_passed() -> None:
    verdict = verdict_of(Outcome((SHOWN, PASS, FAIL)), "all")
    assert verdict.scores == {"tests": 2, "passed": 1, "shown": 1, "shown_passed": 1, "test/0": 1, "test/1": 0}
    assert verdict.reason == "1 of 2 hidden tests pass; the first that fails: gave 2"


def test_passing_only_what_is_shown_is_flagged_at_the_code() -> None:
    [flag] = verdict_of(Outcome((SHOWN, FAIL)), "all", 3, 9).flags
    assert (flag.name, flag.start, flag.end) == ("shown_only", 3, 9)
    assert verdict_of(Outcome((SHOWN, PASS)), "all").flags == ()
    assert verdict_of(Outcome((SHOWN, PASS, FAIL)), "all").flags == ()
    assert verdict_of(Outcome((FAIL,)), "all").flags == ()


def test_a_failure_of_the_machinery_is_no_wrong_answer() -> None:
    verdict = verdict_of(Outcome((FAIL,), failure="the sandbox failed"), "all")
    assert (verdict.reward, verdict.reason) == (None, "the sandbox failed")


def test_a_task_without_hidden_tests_is_judged_by_the_shown_ones_and_says_so() -> None:
    verdict = verdict_of(Outcome((SHOWN,)), "all")
    assert (verdict.reward, verdict.scores["tests"], verdict.flags) == (1.0, 0, ())
    assert "no hidden test" in verdict.reason
    assert verdict_of(Outcome((SHOWN, SHOWN_FAIL)), "all").reward == 0.0


def test_a_task_without_tests_is_a_failure_of_the_checker() -> None:
    assert verdict_of(Outcome(()), "all").reward is None


@pytest.mark.parametrize("pay", ["all", "share", "staged"])
def test_a_completion_without_code_has_the_parts_of_any_other(pay: Pay) -> None:
    nothing, something = refused("no_code", "no code", pay), verdict_of(Outcome((FAIL,)), pay)
    assert [part.name for part in nothing.parts] == [part.name for part in something.parts]
    assert (nothing.reward, [flag.name for flag in nothing.flags]) == (0.0, ["no_code"])
