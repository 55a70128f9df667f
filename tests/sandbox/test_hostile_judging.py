"""The suite's own judgement: it notices each way in which a sandbox can be wrong."""

import ast
from collections.abc import Sequence
from dataclasses import replace

import pytest

from rlenv.sandbox import CallResult, Limits, Opaque, Program, Result, Status
from rlenv.sandbox.hostile import CASES, honest_programs, run_honest, run_suite
from rlenv.sandbox.hostile.case import ASK, HOST_FILE, Case
from rlenv.sandbox.hostile.judging import GRACE_S, passed, problems, same
from rlenv.sandbox.hostile.secret import planted
from rlenv.sandbox.hostile.witness import WITNESS

SECRET = b"rlenv-secret-0123"
EXITED = frozenset({Status.EXITED})
FAILS = Case(name="fails", family="test", attack="", program=Program("print(42)"), statuses=EXITED)
RIGHT = Result(Status.EXITED, stdout=b"41\n", exit_code=0)


class Box:
    """A sandbox that answers as it is told."""

    def __init__(self, answers: dict[str, Result], default: Result) -> None:
        self.answers, self.default = answers, default
        self.seen: list[Program] = []

    def run(self, program: Program, limits: Limits) -> Result:
        self.seen.append(program)
        return self.answers.get(repr(program), self.default)

    def run_pair(self, judge: Program, candidate: Program, limits: Limits) -> tuple[Result, Result]:
        return self.run(judge, limits), self.run(candidate, limits)

    def map(self, programs: Sequence[Program], limits: Limits) -> list[Result]:
        return [self.run(program, limits) for program in programs]


def test_every_attack_compiles() -> None:
    for case in CASES:
        if case.family != "sources":
            ast.parse(case.program.code, case.name)


def test_no_attack_may_end_as_a_failure_of_the_machinery() -> None:
    assert [case.name for case in CASES if Status.SANDBOX_FAILURE in case.statuses] == []


def test_a_right_verdict_has_no_problems() -> None:
    assert problems(FAILS, RIGHT, 0.1, SECRET) == []


@pytest.mark.parametrize(
    ("case", "result", "elapsed_s", "word"),
    [
        (FAILS, replace(RIGHT, stdout=b"42\n"), 0.1, "passes"),
        (replace(FAILS, passes=True), RIGHT, 0.1, "fails"),
        (FAILS, replace(RIGHT, status=Status.TIMEOUT), 0.1, "timeout"),
        (FAILS, RIGHT, FAILS.limits.wall_s + GRACE_S + 0.1, "took"),
        (replace(FAILS, shows=b"HELD"), RIGHT, 0.1, "not carried out"),
        (FAILS, replace(RIGHT, stdout=b"BREACH mount"), 0.1, "got through"),
        (FAILS, replace(RIGHT, calls=(CallResult(ok=True, value=[{"a": "a BREACH"}]),)), 0.1, "got through"),
        (FAILS, replace(RIGHT, stderr=b"x" + SECRET), 0.1, "leaked"),
        (FAILS, replace(RIGHT, calls=(CallResult(message=SECRET.decode()),)), 0.1, "leaked"),
        (FAILS, replace(RIGHT, calls=(CallResult(ok=True, value={1: (SECRET,)}),)), 0.1, "leaked"),
    ],
)
def test_each_wrong_verdict_is_noticed(case: Case, result: Result, elapsed_s: float, word: str) -> None:
    (problem,) = problems(case, result, elapsed_s, SECRET)
    assert word in problem


@pytest.mark.parametrize(
    ("given", "wanted", "equal"),
    [
        (42, 42, True),
        (True, 1, False),
        (2.0, 2, False),
        (-0.0, 0.0, False),
        ([1, (2,)], [1, (2,)], True),
        ([1, [2]], [1, (2,)], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        (Opaque("builtins.int"), 42, False),
        ("\ud800", "\ud800", True),
    ],
)
def test_values_are_compared_with_their_types(given: object, wanted: object, equal: bool) -> None:
    assert same(given, wanted) is equal


def test_a_pass_needs_every_answer_and_a_good_end() -> None:
    answered = CallResult(ok=True, value=42)
    good = Result(Status.EXITED, exit_code=0, calls=(answered, answered))
    assert passed(good, (42, 42))
    assert not passed(good, (42, 42, 42))
    assert not passed(replace(good, exit_code=1), (42, 42))
    assert not passed(replace(good, truncated=True), (42, 42))
    assert not passed(replace(good, calls=(answered, CallResult(ok=False, value=42))), (42, 42))


def test_the_runner_notices_what_an_attack_changed_for_the_next_program() -> None:
    case = replace(FAILS, program=Program("attack"))

    class Changing(Box):
        def run(self, program: Program, limits: Limits) -> Result:
            result = super().run(program, limits)
            attacked = any(one.code == "attack" for one in self.seen)
            if program is WITNESS:
                return replace(RIGHT, stdout=b"umask 0\n" if attacked else b"umask 63\n")
            return replace(RIGHT, stdout=program.stdin) if program.stdin else result

    (outcome,) = run_suite(Changing({}, RIGHT), [case])
    assert outcome.problems == ("the next program finds b'umask 0'",)


def test_the_secret_is_on_the_host_and_in_the_program_before_each_attack() -> None:
    with planted() as secret:
        aimed = secret.aim(Program(f"open('{HOST_FILE}')", calls=ASK))
        assert aimed.code == f"open('{secret.host_file}')"
        assert aimed.calls == ASK
        with open(secret.host_file, "rb") as file:
            assert file.read() == secret.text
        bearer = secret.bearer()
        assert secret.text in bearer.code.encode()
        assert bearer.stdin == secret.text


def test_honest_programs_are_those_of_their_seed_and_give_their_answers() -> None:
    assert honest_programs(30, seed=3) == honest_programs(30, seed=3)
    assert honest_programs(30, seed=3) != honest_programs(30, seed=4)
    for one in honest_programs(60):
        if one.program.calls:
            space: dict[str, object] = {}
            exec(one.program.code, space)
            answers = tuple(space[call.function](*call.args) for call in one.program.calls)  # type: ignore[operator]
            assert answers == one.answer


def test_an_honest_program_that_is_judged_wrong_or_lost_is_told() -> None:
    right = {repr(one.program): _answering(one.answer) for one in honest_programs(20)}
    assert run_honest(Box(right, RIGHT), 20) == []
    first = repr(honest_programs(1)[0].program)
    (told,) = run_honest(Box(right | {first: replace(RIGHT, status=Status.SANDBOX_FAILURE)}, RIGHT), 20)
    assert "program 0" in told
    assert "sandbox_failure" in told


def _answering(answer: bytes | tuple[object, ...]) -> Result:
    if isinstance(answer, bytes):
        return Result(Status.EXITED, stdout=answer, exit_code=0)
    return Result(Status.EXITED, exit_code=0, calls=tuple(CallResult(ok=True, value=value) for value in answer))
