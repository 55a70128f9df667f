"""Every cheat earns nothing on every kind of task, and the programs around it are judged as if it were not there."""

from pathlib import Path
from typing import Any

import pytest
from code_rows import BACKEND, DATA, HUMANEVAL, MBPP, STDIO, fenced, judged, sandbox_problem, written
from public_data import public

from rlenv import Completion, Definition
from rlenv.envs.code.cheats import cheats
from rlenv.envs.code.humaneval import humaneval
from rlenv.envs.code.mbpp import mbpp
from rlenv.envs.code.stdio_tasks import stdio
from rlenv.judge.judge import Judge

pytestmark = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
NAMES = list(cheats("f"))
FLAGS = {
    "equal to everything": "opaque_value",
    "a verdict written into the callers' frames": "exited_early",
    "leaving with success at once": "exited_early",
    "leaving without a word": "exited_early",
    "leaving with success inside the function": "exited_early",
    "forged answers on every descriptor": "tampered",
    "the runner's own functions replaced": "opaque_value",
    "code that swallows what follows": "syntax_error",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def paid(definition: Definition, step: int = 1) -> list[tuple[str, str, str]]:
    """What was paid for, or not judged: task, cheat and reason."""
    tasks = [definition.tasks[i] for i in range(0, len(definition.tasks), step)]
    tried: list[Any] = [(task, name) for task in tasks for name in NAMES]
    jobs = [(task, Completion(fenced(cheats(_function(task.reference))[name]))) for task, name in tried]
    verdicts = Judge(definition).verdicts(jobs)
    return [
        (task.id, name, verdict.reason)
        for (task, name), verdict in zip(tried, verdicts, strict=True)
        if verdict.reward != 0.0
    ]


def _function(reference: Any) -> str:
    return str(reference.get("function", "solve"))


def test_there_are_more_cheats_than_the_three_that_forge_todays_graders() -> None:
    assert len(NAMES) >= 15
    assert len(set(cheats("f").values())) == len(NAMES)


def test_none_is_paid_on_made_up_rows_of_humaneval(folder: Path) -> None:
    assert paid(humaneval(data=written(HUMANEVAL, folder), sandbox=BACKEND)) == []


def test_none_is_paid_on_made_up_rows_of_mbpp(folder: Path) -> None:
    assert paid(mbpp(data=written(MBPP, folder), sandbox=BACKEND)) == []


def test_none_is_paid_where_programs_write_their_answers(folder: Path) -> None:
    assert paid(stdio(data=written(STDIO, folder), sandbox=BACKEND)) == []


def test_none_is_paid_its_share_or_its_last_stage(folder: Path) -> None:
    share = humaneval(data=written(HUMANEVAL, folder), sandbox=BACKEND, pay="share", limit=1)
    assert paid(share) == []
    staged = humaneval(data=written(HUMANEVAL, folder), sandbox=BACKEND, pay="staged", limit=1)
    assert all(
        v.reward is not None and v.reward < 0.3 for v in judged(staged, 0, *map(fenced, cheats("total").values()))
    )


@pytest.mark.parametrize(("name", "flag"), FLAGS.items())
def test_what_was_tried_is_flagged(folder: Path, name: str, flag: str) -> None:
    definition = humaneval(data=written(HUMANEVAL, folder), sandbox=BACKEND)
    [verdict] = judged(definition, 0, fenced(cheats("total")[name]))
    assert flag in [f.name for f in verdict.flags]


def test_the_first_of_them_is_paid_where_tests_share_the_programs_process(folder: Path) -> None:
    """Why that trust is for evaluation only: nothing but the separation stands between a cheat and its reward."""
    test = "def check(candidate):\n    assert callable(candidate)\n    assert candidate([5]) == 5\n"
    rows = written([{**HUMANEVAL[0], "test": test}], folder)
    definition = humaneval(data=rows, sandbox=BACKEND, trust="in_process")
    assert judged(definition, 0, fenced(cheats("total")["equal to everything"]))[0].reward == 1.0


def test_right_programs_between_cheats_are_paid(folder: Path) -> None:
    definition = humaneval(data=written(HUMANEVAL, folder), sandbox=BACKEND)
    right = fenced("def total(xs): return sum(xs)")
    said = [text for source in cheats("total").values() for text in (fenced(source), right)]
    assert [verdict.reward for verdict in judged(definition, 0, *said)] == [0.0, 1.0] * len(NAMES)


@pytest.mark.slow
def test_none_is_paid_on_humaneval() -> None:
    """Every sixth task; benchmarks/code_cheats.py tries them all."""
    assert paid(humaneval(data=str(public("humaneval/HumanEval.jsonl.gz")), sandbox=BACKEND), 6) == []


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "mbpp").exists(), reason="the MBPP file is not beside the repository")
def test_none_is_paid_on_mbpp() -> None:
    """Every thirty-first task; benchmarks/code_cheats.py tries them all."""
    assert paid(mbpp(data=str(DATA / "mbpp" / "mbpp.jsonl"), sandbox=BACKEND), 31) == []
