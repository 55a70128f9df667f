"""Programs that are wrong by one change, and cheats: neither is paid, and right ones between them are."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from code_rows import BACKEND, DATA, HUMANEVAL, MBPP, STDIO, fenced, judged, sandbox_problem, written
from public_data import public

from rlenv import Completion, Definition, Task, Verdict
from rlenv.envs.code.cheats import cheats
from rlenv.envs.code.definition import read_tasks
from rlenv.envs.code.humaneval import humaneval
from rlenv.envs.code.mbpp import mbpp
from rlenv.envs.code.snippets import catalogue, make_task, snippets
from rlenv.envs.code.stdio_tasks import stdio
from rlenv.judge.judge import Judge
from rlenv.sandbox import Limits, Program, SandboxSpec, Status, shared_sandbox

_SPEC = importlib.util.spec_from_file_location(
    "code_mutants", Path(__file__).parents[2] / "benchmarks" / "code_mutants.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
code_mutants = importlib.util.module_from_spec(_SPEC)
sys.modules["code_mutants"] = code_mutants  # its dataclasses look their module up
_SPEC.loader.exec_module(code_mutants)
mutants, all_mutants = code_mutants.mutants, code_mutants.all_mutants
pytestmark = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
needs_data = pytest.mark.skipif(not (DATA / "mbpp").exists(), reason="the data files are not beside the repository")
WALL_S = 2.0


def drawn(definition: Definition, references: int) -> list[tuple[Task, str]]:
    """Tasks with a mutant of their solution, and some with the solution itself."""
    rng = np.random.default_rng(1)
    found: list[tuple[Task, str]] = []
    for place in rng.permutation(len(definition.tasks))[:references]:
        task = definition.tasks[int(place)]
        source = str(task.metadata["solution"])
        found += [(task, source), *((task, mutant.source) for mutant in mutants(source, 3, rng))]
    return found


def verdicts(definition: Definition, programs: list[tuple[Task, str]]) -> list[Verdict]:
    return Judge(definition).verdicts([(task, Completion(fenced(source))) for task, source in programs])


def passes(sources: list[str]) -> list[bool]:
    """Whether each file of program and assertions runs to its end, with Python's own `assert`."""
    box = shared_sandbox(SandboxSpec(BACKEND))
    limits = Limits(wall_s=20 * WALL_S, cpu_s=WALL_S)  # what bounds them is no clock: the machine may be busy
    results = box.map([Program(f"{source}\nprint('end')") for source in sources], limits)
    assert all(result.status is not Status.SANDBOX_FAILURE for result in results)
    return [result.ok and result.stdout.endswith(b"end\n") for result in results]


def raw_rows(path: str) -> dict[str, Any]:
    """The rows of the file by the ids of our tasks."""

    def row_map(row: Any) -> Any:
        return {"prompt": "", "id": str(row["task_id"]), "row": row}

    rows = read_tasks(path, "", None, "", row_map, None)
    return {rows[i].id: rows[i].metadata["row"] for i in range(len(rows))}


@needs_data
@pytest.mark.slow
def test_on_mbpp_our_verdicts_are_those_of_the_published_assertions() -> None:
    path = str(DATA / "mbpp" / "mbpp.jsonl")
    definition = mbpp(data=path, sandbox=BACKEND, wall_s=WALL_S)
    raw, programs = raw_rows(path), drawn(definition, 36)
    rows = [raw[task.id.removeprefix("mbpp/")] for task, _ in programs]
    files = [
        "\n".join([source, row["test_setup_code"].replace("\r", ""), *row["test_list"], *row["challenge_test_list"]])
        for (_, source), row in zip(programs, rows, strict=True)
    ]
    ours = [verdict.reward == 1.0 for verdict in verdicts(definition, programs)]
    assert ours == passes(files)
    assert 0.5 < ours.count(False) / len(ours) < 0.8


@needs_data
@pytest.mark.slow
def test_on_humaneval_our_verdicts_are_those_of_the_published_check() -> None:
    path = str(DATA / "humaneval" / "HumanEval.jsonl.gz")
    settings: Any = {"data": path, "sandbox": BACKEND, "wall_s": WALL_S}
    definition, published = humaneval(**settings), humaneval(**settings, official=True)
    raw = raw_rows(path)
    programs = [(task, source) for task, source in drawn(definition, 36) if task.reference["kind"] == "calls"]  # type: ignore[index,call-overload]
    said = passes([f"{s}\n{raw[t.id]['test']}\ncheck({raw[t.id]['entry_point']})" for t, s in programs])
    assert [verdict.reward == 1.0 for verdict in verdicts(definition, programs)] == said
    tasks = {task.id: task for task in (published.tasks[i] for i in range(len(published.tasks)))}
    texts = [(tasks[task.id], Completion(source)) for task, source in programs]
    assert [verdict.reward == 1.0 for verdict in Judge(published).verdicts(texts)] == said
    assert 0.5 < said.count(False) / len(said) < 0.8


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


@pytest.mark.parametrize(("make", "rows"), [(humaneval, HUMANEVAL), (mbpp, MBPP), (stdio, STDIO)])
def test_none_is_paid_on_made_up_rows(
    folder: Path, make: Callable[..., Definition], rows: list[dict[str, Any]]
) -> None:
    assert paid(make(data=written(rows, folder), sandbox=BACKEND)) == []


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
    """Every sixth task."""
    assert paid(humaneval(data=str(public("humaneval/HumanEval.jsonl.gz")), sandbox=BACKEND), 6) == []


@pytest.mark.slow
@needs_data
def test_none_is_paid_on_mbpp() -> None:
    """Every thirty-first task."""
    assert paid(mbpp(data=str(DATA / "mbpp" / "mbpp.jsonl"), sandbox=BACKEND), 31) == []


def test_a_snippet_has_hidden_tests_whose_answers_differ() -> None:
    for name, snippet in catalogue().items():
        reference: Any = make_task(snippet, "instruct").reference
        hidden = [test for test in reference["tests"] if not test.get("shown")]
        assert len(hidden) >= 3, name
        assert len({test["expect"] for test in hidden}) >= 2, name
        assert len({test["call"] for test in reference["tests"]}) == len(reference["tests"]), name


def test_every_reference_is_right_and_constant_or_echoing_programs_are_not() -> None:
    definition = snippets("all")
    jobs: list[tuple[Task, Completion]] = []
    for task in (definition.tasks[i] for i in range(len(definition.tasks))):
        reference: Any = task.reference
        first, name = reference["tests"][0], reference["function"]
        said = [
            definition.solution(task),
            f"def {name}(*args): return {first['expect']}",
            f"def {name}(*args): return args[0]",
            f"def {name}(*args): pass",
        ]
        jobs += [(task, Completion(text)) for text in said]
    verdicts = Judge(definition).verdicts(jobs)
    wrong = [
        (task.id, verdict.reason)
        for (task, _), verdict in zip(jobs[::4], verdicts[::4], strict=True)
        if verdict.reward != 1
    ]
    assert wrong == []
    for offset in (1, 2, 3):
        paid = [jobs[i][0].id for i in range(offset, len(jobs), 4) if verdicts[i].reward != 0]
        assert paid == []


def test_the_example_is_in_the_prompt_and_no_hidden_answer_is() -> None:
    tasks = snippets("all", level=3).tasks
    for task in (tasks[i] for i in range(len(tasks))):
        reference: Any = task.reference
        shown, *hidden = reference["tests"]
        assert f"{shown['call']} returns {shown['expect']}" in str(task.prompt)
        assert not any(f"{test['call']} returns" in str(task.prompt) for test in hidden)
