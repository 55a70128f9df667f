"""The published grader: the text as it stands, one program with its tests, and what it takes and the default not."""

from pathlib import Path
from typing import Any

import pytest
from code_rows import BACKEND, HUMANEVAL, MBPP, fenced, judged, of_references, sandbox_problem, written

from rlenv import Definition
from rlenv.core.definition import check_trainable
from rlenv.core.errors import ConfigError
from rlenv.envs.code.humaneval import humaneval
from rlenv.envs.code.mbpp import mbpp
from rlenv.envs.code.official import outcome
from rlenv.sandbox import CallResult, Result, Status

needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
TOTAL, MEAN, UNSHIFT, EVEN = range(4)
TURN = 0
RIGHT = "    return sum(xs)\n"
TRACER = """
def tracer(frame, event, argument):
    frame.f_locals.update(value=True)
    return tracer

def trace():
    import sys
    frame = sys._getframe()
    while frame:
        frame.f_trace, frame = tracer, frame.f_back
    sys.settrace(tracer)
"""
STAYS = "import threading, time\nthreading.Thread(target=time.sleep, args=(9,)).start()"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Definition:
    return humaneval(data=written(HUMANEVAL, tmp_path_factory.mktemp("rows")), sandbox=BACKEND, official=True)


def test_the_prompt_is_the_published_one_and_the_solution_goes_on_from_it(made: Definition) -> None:
    task = made.tasks[TOTAL]
    reference: Any = task.reference
    assert task.prompt == HUMANEVAL[TOTAL]["prompt"]
    assert made.solution(task) == HUMANEVAL[TOTAL]["canonical_solution"]
    assert reference["tests"].endswith("\ncheck(total)")


def test_the_prompt_of_mbpp_is_that_of_the_paper_with_the_tests_that_count(tmp_path: Path) -> None:
    definition = mbpp(data=written(MBPP, tmp_path), official=True)
    task = definition.tasks[TURN]
    reference: Any = task.reference
    assert task.prompt == (
        "You are an expert Python programmer, and here is your task: Write a function to turn a list around. "
        "Your code should pass these tests:\n\nassert turn([1, 2]) == [2, 1]\nassert turn([]) == []\n"
        "assert turn([3]) == [3]\n[BEGIN]\n"
    )
    assert "['a'" not in reference["tests"], "challenge tests are no part of the published check"


@needs_sandbox
def test_every_reference_passes(made: Definition, tmp_path: Path) -> None:
    assert [verdict.reward for verdict in of_references(made)] == [1.0] * len(HUMANEVAL)
    of_mbpp = mbpp(data=written(MBPP, tmp_path), sandbox=BACKEND, official=True)
    assert [verdict.reward for verdict in of_references(of_mbpp)] == [1.0] * len(MBPP)


@needs_sandbox
@pytest.mark.parametrize(
    ("said", "reward"),
    [
        (RIGHT, 1.0),
        ("\ndef total(xs):\n    return sum(xs)\n", 1.0),
        pytest.param(f"{RIGHT}\n{STAYS}", 1.0, marks=pytest.mark.slow),
        (f"{RIGHT}\nif __name__ == '__main__':\n    raise ValueError\n", 1.0),
        ("    return type('E', (), {'__eq__': lambda *_: True})()\n", 1.0),
        (f"    trace()\n{RIGHT}{TRACER}", 1.0),
        ("    return 3\n", 0.0),
        (RIGHT.strip(), 0.0),
        (fenced(RIGHT), 0.0),
        (f"{RIGHT}\ninput()", 0.0),
        (f"{RIGHT}\nimport os; os._exit(0)", 0.0),
        pytest.param(f"{RIGHT}\nimport time; time.sleep(60)", 0.0, marks=pytest.mark.slow),
        (f"{RIGHT}\n\0", 0.0),
    ],
)
def test_a_text_is_run_as_it_stands(tmp_path: Path, said: str, reward: float) -> None:
    definition = humaneval(data=written(HUMANEVAL, tmp_path), sandbox=BACKEND, wall_s=1.0, official=True)
    assert [verdict.reward for verdict in judged(definition, TOTAL, said)] == [reward]


@needs_sandbox
def test_what_forges_the_published_check_is_not_paid_by_default(made: Definition, tmp_path: Path) -> None:
    forged = "def total(xs):\n    return type('E', (), {'__eq__': lambda *_: True})()\n"
    default = humaneval(data=written(HUMANEVAL, tmp_path), sandbox=BACKEND)
    assert [judged(one, TOTAL, f"\n{forged}")[0].reward for one in (made, default)] == [1.0, 0.0]


def test_it_is_for_evaluation_alone(made: Definition) -> None:
    with pytest.raises(ConfigError, match="forge"):
        check_trainable(made)


def test_what_the_published_grader_does_not_have_is_refused(tmp_path: Path) -> None:
    rows: dict[str, Any] = {"data": written(HUMANEVAL, tmp_path), "official": True}
    for changes in ({"pay": "share"}, {"trust": "in_process"}, {"probe": True}, {"style": "instruct"}):
        with pytest.raises(ConfigError, match="official=True"):
            humaneval(**rows, **changes)
    with pytest.raises(ConfigError, match="official=True"):
        mbpp(data=written(MBPP, tmp_path), official=True, pay="staged")


def test_only_the_machinery_fails_and_only_the_first_word_counts() -> None:
    assert outcome(Result(Status.SANDBOX_FAILURE, detail="gone")).failure
    passed = CallResult(ok=True, value="passed")
    assert outcome(Result(Status.TIMEOUT, calls=(passed,))).tests[0].passed
    assert not outcome(Result(Status.TIMEOUT)).tests[0].passed
