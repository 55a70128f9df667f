"""Mutants are wrong by one change; on them our verdicts agree with what the published assertions themselves say."""

import ast
import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from code_rows import BACKEND, DATA, fenced, sandbox_problem

from rlenv import Completion, Definition, Task, Verdict
from rlenv.envs.code.definition import read_tasks
from rlenv.envs.code.humaneval import humaneval
from rlenv.envs.code.mbpp import mbpp
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
needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
needs_data = pytest.mark.skipif(not (DATA / "mbpp").exists(), reason="the data files are not beside the repository")
SOURCE = '''def between(xs, low):
    """Items above low."""
    found = []
    for x in xs:
        if x > low and x != 7:
            found.append(-x * 2)
    return found or None
'''
WALL_S = 2.0


def test_the_mutants_of_a_program_are_all_different_and_none_is_the_program() -> None:
    sources = [mutant.source for mutant in all_mutants(SOURCE)]
    assert len(set(sources)) == len(sources)
    assert ast.unparse(ast.parse(SOURCE)) not in sources


@pytest.mark.parametrize(
    "change",
    [
        "compare: x > low -> x >= low",
        "compare: x > low -> x < low",
        "compare: x != 7 -> x == 7",
        "constant: 7 -> 8",
        "constant: 7 -> 6",
        "logic: x > low and x != 7 -> x > low or x != 7",
        "sign: -x -> +x",
        "operator: -x * 2 -> -x + 2",
        "logic: found or None -> found and None",
    ],
)
def test_each_kind_of_change_is_made(change: str) -> None:
    assert change in [mutant.change for mutant in all_mutants(SOURCE)]


def test_the_same_seed_draws_the_same_mutants() -> None:
    first, second = (mutants(SOURCE, 4, np.random.default_rng(3)) for _ in range(2))
    assert first == second
    assert len(first) == 4


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
@needs_sandbox
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
@needs_sandbox
@pytest.mark.slow
def test_on_humaneval_our_verdicts_are_those_of_the_published_check() -> None:
    path = str(DATA / "humaneval" / "HumanEval.jsonl.gz")
    settings: Any = {"data": path, "sandbox": BACKEND, "wall_s": WALL_S}
    definition, published = humaneval(**settings), humaneval(**settings, official=True)
    raw = raw_rows(path)
    programs = [(task, source) for task, source in drawn(definition, 36) if _kind(task) == "calls"]
    said = passes([f"{s}\n{raw[t.id]['test']}\ncheck({raw[t.id]['entry_point']})" for t, s in programs])
    assert [verdict.reward == 1.0 for verdict in verdicts(definition, programs)] == said
    tasks = {task.id: task for task in (published.tasks[i] for i in range(len(published.tasks)))}
    texts = [(tasks[task.id], Completion(source)) for task, source in programs]
    assert [verdict.reward == 1.0 for verdict in Judge(published).verdicts(texts)] == said
    assert 0.5 < said.count(False) / len(said) < 0.8


def _kind(task: Task) -> object:
    return task.reference["kind"] if isinstance(task.reference, dict) else None
