"""The public problem sets: rows, prompts, choices among the tasks, and references that the verifier accepts."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest
from problem_rows import ROWS
from tables import tables

import rlenv
from rlenv import Completion, Definition, Task, Verdict
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.verifier import judge
from rlenv.envs.math.problem_sets import SETS, problem_verifier

CASES = tables(__file__)

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
FILES = {
    ("gsm8k", "gsm8k/test.jsonl"): 1319,
    ("gsm8k", "gsm8k/train.jsonl"): 7473,
    ("math500", "math500/test.jsonl"): 500,
    ("aime24", "aime_comp/aime24.jsonl"): 30,
    ("aime25", "aime_comp/aime25.jsonl"): 30,
    ("svamp", "svamp/test.jsonl"): 1000,
}
NAMES = sorted(SETS)


Row: TypeAlias = dict[str, object]


def of_rows(folder: Path, name: str, kwargs: Mapping[str, object] | None = None, *rows: Row) -> Definition:
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows or ROWS[name]))
    return rlenv.load(f"math/{name}-v0", data=str(file), **(kwargs or {}))


def tasks_of(definition: Definition) -> list[Task]:
    return [definition.tasks[i] for i in range(len(definition.tasks))]


def judged(definition: Definition, task: Task, said: str) -> Verdict:
    return judge(definition.verifier, task, Completion(said))


def changed(answer: str) -> str:
    """The answer with the last digit of its first number raised by one: near, and wrong."""
    return re.sub(r"[0-9](?![0-9])", lambda digit: str((int(digit[0]) + 1) % 10), answer, count=1)


def test_every_set_has_rows_and_is_registered() -> None:
    assert sorted(ROWS) == NAMES
    assert {f"math/{name}-v0" for name in NAMES} <= set(rlenv.list_envs("math"))


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_is_accepted_and_a_near_miss_is_not(tmp_path: Path, name: str) -> None:
    definition = of_rows(tmp_path, name)
    for task in tasks_of(definition):
        solved = definition.solution(task)
        assert judged(definition, task, solved).reward == 1.0
        assert judged(definition, task, solved) == judged(definition, task, solved)
        assert judged(definition, task, f"\\boxed{{{task.reference}}}").reward == 1.0
        assert judged(definition, task, f"\\boxed{{{changed(str(task.reference))}}}").reward == 0.0
        assert judged(definition, task, "I do not know.").reward == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_the_prompt_is_the_problem_and_the_instruction(tmp_path: Path, name: str) -> None:
    task = tasks_of(of_rows(tmp_path, name))[0]
    assert task.prompt == f"{task.metadata['question']}\n{SETS[name].instruction}"
    assert "\\boxed{}" in SETS[name].instruction


def test_what_the_hub_writes_in_many_ways_reads_as_one(tmp_path: Path) -> None:
    def references(name: str) -> list[object]:
        return [task.reference for task in tasks_of(of_rows(tmp_path, name))]

    assert references("gsm8k") == ["22", "1250", "-7"]
    assert references("math") == ["6", "\\frac{3}{2^{1}}", "4"]
    assert references("aime24") == ["33"]
    assert references("aime25") == ["999", "0"]
    assert references("amc23") == ["27", "2.5"]
    assert references("svamp") == ["12", "5"]


def test_the_solution_boxes_its_answer_once(tmp_path: Path) -> None:
    definition = of_rows(tmp_path, "math")
    assert [definition.solution(task) for task in tasks_of(definition)] == [
        "There are $\\binom{4}{2} = \\frac{4 \\cdot 3}{2} = 6$ of them.\n\\boxed{6}",
        "The root of each gives $\\frac{3}{2^{1}}$.\n\\boxed{\\frac{3}{2^{1}}}",
        "Counting back from $7$ gives $4$.\n\\boxed{4}",
    ]
    gsm8k = of_rows(tmp_path, "gsm8k")
    assert gsm8k.solution(gsm8k.tasks[0]) == "He bakes 6*12=72 buns.\nThere are 72-50=22 left.\n\\boxed{22}"


@pytest.mark.parametrize(("kwargs", "levels"), CASES["chosen"])
def test_problems_are_chosen_by_level_and_subject(tmp_path: Path, kwargs: dict[str, object], levels: list[int]) -> None:
    assert [task.metadata["level"] for task in tasks_of(of_rows(tmp_path, "math", kwargs))] == levels


@pytest.mark.parametrize(("name", "kwargs", "problem"), CASES["settings"])
def test_settings_out_of_range_are_named(tmp_path: Path, name: str, kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(problem)):
        of_rows(tmp_path, name, kwargs)


@pytest.mark.parametrize(("name", "row", "problem"), CASES["bad_rows"])
def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path, name: str, row: dict[str, object], problem: str) -> None:
    with pytest.raises(TaskError, match=rf"{name}\.jsonl line 2: {problem}"):
        of_rows(tmp_path, name, {}, ROWS[name][0], row)


@pytest.mark.parametrize("suffix", ["json", "parquet"])
def test_rows_are_read_from_json_and_parquet_too(tmp_path: Path, suffix: str) -> None:
    file, rows = tmp_path / f"rows.{suffix}", ROWS["math500"]
    if suffix == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra: data")
        import pyarrow

        parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    else:
        file.write_text(json.dumps(rows))
    definition = rlenv.load("math/math500-v0", data=str(file))
    assert [task.reference for task in tasks_of(definition)] == [row["answer"] for row in rows]


def test_the_hub_is_asked_for_the_split_by_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets", reason="needs the extra: data")
    asked: list[tuple[object, ...]] = []

    def load_dataset(name: str, config: str | None, *, split: str) -> list[dict[str, object]]:
        asked.append((name, config, split))
        return ROWS["aime24"] if "aime" in name else ROWS["gsm8k"]

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    assert len(rlenv.load("math/aime24-v0").tasks) == 1
    assert len(rlenv.load("math/gsm8k-v0", split="train", limit=2).tasks) == 2
    assert asked == [("HuggingFaceH4/aime_2024", None, "train"), ("openai/gsm8k", "main", "train")]


@pytest.mark.parametrize("name", NAMES)
def test_a_number_that_is_asked_for_must_be_worked_out(name: str) -> None:
    task, verifier = Task("How many buns are left?", "22"), problem_verifier(name)
    said = (r"\boxed{72-50}", r"\boxed{72-50=22}", r"\boxed{\frac{44}{2}}")
    left, done, fraction = (judge(verifier, task, Completion(text)).reward for text in said)
    assert (left, done, fraction) == (0.0, 1.0, 0.0 if SETS[name].policy.get("form") == "number" else 1.0)


@pytest.mark.parametrize(("name", "file", "rows"), [(*key, rows) for key, rows in FILES.items()])
def test_every_reference_of_the_real_file_is_accepted(name: str, file: str, rows: int) -> None:
    path = SHARED / file
    if not path.exists():
        pytest.skip(f"{file} is not beside the repository")
    definition = rlenv.load(f"math/{name}-v0", data=str(path))
    tasks = tasks_of(definition)
    assert len(tasks) == len({task.id for task in tasks}) == rows
    assert [t.id for t in tasks if judged(definition, t, definition.solution(t)).reward != 1.0] == []
    near = [t for t in tasks if re.search("[0-9]", str(t.reference))]
    paid = [t.id for t in near if judged(definition, t, f"\\boxed{{{changed(str(t.reference))}}}").reward != 0.0]
    assert paid == []
    assert len(near) > 0.95 * rows


def test_real_completions_of_gsm8k_are_judged_as_their_authors_did() -> None:
    """They end in `A: number`, which is rewritten to the `#### number` that is asked for."""
    path = SHARED / "gsm8k" / "model_solution_cases.jsonl"
    if not path.exists():
        pytest.skip("the GSM8K files are not beside the repository")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    verifier = problem_verifier("gsm8k")

    def right(row: dict[str, str]) -> bool:
        said = re.sub(r"\nA: (.*)\Z", r"\n#### \1", row["prediction"])
        return judge(verifier, Task("?", row["gold"]), Completion(said)).reward == 1.0

    wrong = [row for row in rows if right(row) != row["expected"]]
    assert len(rows) == 5276
    assert wrong == []
