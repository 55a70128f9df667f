"""HumanEval: rows, references, what is paid for, and what verdicts say of a program's end."""

from pathlib import Path
from typing import Any

import pytest
from code_rows import BACKEND, HUMANEVAL, fenced, judged, of_references, sandbox_problem, written
from public_data import public

from rlenv import Definition
from rlenv.core.errors import ConfigError, TaskError
from rlenv.envs.code.humaneval import humaneval

FILE = public("humaneval/HumanEval.jsonl.gz")
needs_sandbox = pytest.mark.skipif(bool(sandbox_problem()), reason=f"no sandbox here: {sandbox_problem()}")
TOTAL, MEAN, UNSHIFT, EVEN = range(4)
GOES_ON = "import threading\nthreading.Thread(target=lambda: all(iter(lambda: 1, 0))).start()\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Definition:
    return humaneval(data=written(HUMANEVAL, tmp_path_factory.mktemp("rows")), sandbox=BACKEND)


def made_with(folder: Path, **settings: Any) -> Definition:
    return humaneval(data=written(HUMANEVAL, folder), sandbox=BACKEND, **settings)


def test_a_row_becomes_a_prompt_and_hidden_calls(made: Definition) -> None:
    task = made.tasks[TOTAL]
    reference: Any = task.reference
    assert str(task.prompt).startswith("Complete this Python function.")
    assert str(task.prompt).endswith(HUMANEVAL[TOTAL]["prompt"])
    assert reference["preamble"] == "from typing import List\n\n\n"
    assert reference["tests"] == [
        {"call": "total([1, 2])", "expect": "3", "shown": True},
        {"call": "total([])", "expect": "0"},
        {"call": "total([4, -9])", "expect": "-5"},
    ]


@needs_sandbox
def test_every_reference_is_paid(made: Definition) -> None:
    assert [verdict.reward for verdict in of_references(made)] == [1.0] * len(HUMANEVAL)


@needs_sandbox
def test_a_program_may_come_as_a_block_bare_or_as_the_body(made: Definition) -> None:
    right = "def total(xs: List[int]):\n    return sum(xs)"
    said = [
        fenced(right),
        right,
        "    return sum(xs)\n",
        "return sum(xs)",
        fenced("    return sum(xs)"),
        f"<think>{fenced('def total(xs): return 0')}\n</think>\n{fenced(right)}",
        fenced("from __future__ import annotations\n" + right),
        fenced("total = sum"),
    ]
    assert [verdict.reward for verdict in judged(made, TOTAL, *said)] == [1.0] * len(said)


@needs_sandbox
@pytest.mark.parametrize(
    ("said", "flag"),
    [
        (fenced("def total(xs:"), "syntax_error"),
        (fenced("def total(xs): return 3"), "shown_only"),
        (fenced("def sum_of(xs): return sum(xs)"), None),
        (fenced("1 / 0\ndef total(xs): return sum(xs)"), "crashed"),
        (fenced("import sys\nsys.exit()\ndef total(xs): return sum(xs)"), "exited_early"),
        (fenced(f"{GOES_ON}def total(xs): return sum(xs)"), "timeout"),
        (fenced("def total(xs): return [0] * 10 ** 9"), "memory_limit"),
        (fenced("def total(xs): return [0] * 10 ** 5"), "output_limit"),
        (fenced("def total(xs):\n    return sum(xs) \ud800"), "syntax_error"),
    ],
)
def test_what_is_wrong_earns_nothing_and_says_why(tmp_path: Path, said: str, flag: str | None) -> None:
    [verdict] = judged(made_with(tmp_path, wall_s=1.0), TOTAL, said)
    assert verdict.reward == 0.0
    assert flag is None or flag in [f.name for f in verdict.flags]
    assert verdict.reason


@needs_sandbox
def test_truth_is_asked_for_as_the_assertion_does(made: Definition) -> None:
    """`assert f(4)` takes anything true, `is True` takes True alone."""
    said = [fenced(f"def even(n): return {value}") for value in ("n % 2 == 0", "1 - n % 2", "'even' * (1 - n % 2)")]
    assert [verdict.reward for verdict in judged(made, EVEN, *said)] == [1.0, 0.0, 0.0]


@needs_sandbox
def test_a_judge_tells_a_wrong_program_and_counts_its_assertions(made: Definition) -> None:
    right, wrong, gone = judged(
        made,
        UNSHIFT,
        made.solution(made.tasks[UNSHIFT]),
        fenced("def unshift(text): return shift(text)"),
        fenced("import os\ndef unshift(text): os._exit(0)"),
    )
    assert (right.reward, right.scores["tests"], right.scores["passed"]) == (1.0, 40, 40)
    assert (wrong.reward, wrong.scores["passed"]) == (0.0, 0)
    assert gone.reward == 0.0


@needs_sandbox
def test_a_program_that_spoils_a_helper_of_the_prompt_is_not_paid(made: Definition) -> None:
    """The published check runs with the program's own helpers; a judge that used its own alone would not see it."""
    right = made.solution(made.tasks[UNSHIFT])
    spoilt = right.replace("92", "93", 1)
    bent = fenced("def shift(text): return ''\ndef unshift(text): return ''")
    assert spoilt != right
    assert [verdict.reward for verdict in judged(made, UNSHIFT, spoilt, bent)] == [0.0, 0.0]


@needs_sandbox
def test_a_program_that_fails_what_the_prompt_shows_is_not_paid(tmp_path: Path) -> None:
    said = fenced("def total(xs): return sum(xs) + (xs == [1, 2])")
    rewards = [judged(made_with(tmp_path, pay=pay), TOTAL, said)[0].reward for pay in ("all", "share", "staged")]
    assert rewards == [0.0, 0.0, 0.2]


def test_settings_that_do_not_exist_are_named(tmp_path: Path) -> None:
    for changes in ({"pay": "some"}, {"style": "verse"}, {"trust": "full"}, {"wall_s": 0}, {"limit": 0}):
        with pytest.raises(ConfigError, match="expected"):
            made_with(tmp_path, **changes)
    with pytest.raises(ConfigError, match="the only one"):
        humaneval(split="train")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"entry_point": "sum_of"}, "expected a prompt that defines sum_of"),
        ({"prompt": "def total(xs:\n"}, "expected a prompt that is the head of a function"),
        ({"test": "def check(candidate):\n    pass\n"}, "at least one assertion"),
        ({"test": "def check(candidate):\n    assert Total().of([1]) == 1\n"}, "trust='in_process'"),
    ],
)
def test_a_row_that_cannot_be_judged_is_named(tmp_path: Path, changes: dict[str, str], problem: str) -> None:
    rows = [HUMANEVAL[MEAN], {**HUMANEVAL[TOTAL], **changes}]
    with pytest.raises(TaskError, match=rf"rows\.jsonl line 2: .*{problem}"):
        humaneval(data=written(rows, tmp_path))


@needs_sandbox
def test_tests_that_share_objects_run_only_when_asked_for_and_never_train(tmp_path: Path) -> None:
    asserts = "assert xs == [2, 1]\n    assert candidate(xs) == 3"
    test = f"def check(candidate):\n    xs = [2, 1]\n    candidate(xs)\n    {asserts}"
    row = {**HUMANEVAL[TOTAL], "test": test}
    definition = humaneval(data=written([row], tmp_path), sandbox=BACKEND, trust="in_process")
    assert definition.evaluation_only
    right, wrong = judged(
        definition, 0, fenced("def total(xs): return sum(xs)"), fenced("def total(xs): return xs.pop() + xs.pop()")
    )
    assert (right.reward, wrong.reward) == (1.0, 0.0)
    assert "in_process" in [flag.name for flag in right.flags]


def test_all_164_rows_are_split_but_five_that_need_a_judge() -> None:
    definition = humaneval(data=str(FILE))
    references: list[Any] = [definition.tasks[i].reference for i in range(len(definition.tasks))]
    assert len(references) == 164
    assert sum(reference["kind"] == "pair" for reference in references) == 5
    tests = [test for reference in references for test in reference.get("tests", [])]
    without = [task.id for task in map(definition.tasks.__getitem__, range(164)) if "hidden_tests" in task.metadata]
    assert without == ["HumanEval/34"]
    assert definition.description.endswith("no hidden test: HumanEval/34")
    assert sum(bool(test.get("shown")) for test in tests) > 250


@needs_sandbox
@pytest.mark.slow
def test_all_164_reference_solutions_are_paid() -> None:
    definition = humaneval(data=str(FILE), sandbox=BACKEND)
    refused = [i for i, verdict in enumerate(of_references(definition)) if verdict.reward != 1.0]
    assert refused == []
