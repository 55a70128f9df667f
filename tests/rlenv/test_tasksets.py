"""Task sets: files that name their bad line, the hub, lists and code."""

import json
from collections.abc import Callable
from pathlib import Path

import datasets
import pytest

import rlenv
from rlenv.core.errors import TaskError
from rlenv.core.task import TaskSet
from rlenv.env.tasksets import ListTasks, ProceduralTasks, Row, as_taskset, hub_tasks, load_tasks

ROWS: list[Row] = [{"prompt": f"{i}+{i}=?", "answer": str(2 * i), "level": i} for i in range(3)]
TASKS = ListTasks.from_rows(ROWS)


def equal(tasks: TaskSet) -> bool:
    return [tasks[i] for i in range(len(tasks))] == [TASKS[i] for i in range(len(TASKS))]


def write_jsonl(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))


def write_json(path: Path) -> None:
    path.write_text(json.dumps(ROWS))


def write_parquet(path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)


WRITERS = {"jsonl": write_jsonl, "json": write_json, "parquet": write_parquet}


@pytest.mark.parametrize(("suffix", "write"), WRITERS.items())
def test_every_file_format_gives_the_same_tasks(suffix: str, write: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / f"tasks.{suffix}"
    write(path)
    assert equal(load_tasks(path))
    assert len(load_tasks(path, limit=2)) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"prompt": "?"', "not valid JSON"),
        ("[1]", "expected a row of named columns, got list"),
        ('{"question": "?"}', r"'prompt' column, got columns \['question'\]"),
        ('{"prompt": NaN}', "expected 'prompt' to be a string"),
    ],
)
def test_bad_line_is_named_by_its_number_in_the_file(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"prompt": "fine"}\n\n' + line + "\n")
    with pytest.raises(TaskError, match=f"tasks.jsonl line 3: .*{message}"):
        load_tasks(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("tasks.json", '{"prompt": "?"}', "expected a list of rows, got dict"),
        ("tasks.json", '[{"prompt": "?"}, 1]', "row 2: expected a row of named columns, got int"),
        ("tasks.jsonl", "\n", "at least one task"),
        ("tasks.parquet", "no", "not a readable Parquet file"),
        ("tasks.txt", "prompt", r"expected a file that ends in \.jsonl, \.json, \.csv, \.parquet"),
        ("tasks.csv", "prompt,answer\n?,4\n1,000?,5\n", "line 3: expected 2 values; quote those with commas"),
        ("tasks.csv", 'prompt,answer\n"a"b,5\n', "line 2: not valid CSV"),
        ("tasks.csv", "prompt,answer\n2+2=?,4\n2+3=?,\n", "line 3: the answer is empty; fill it in"),
        ("tasks.csv", "question;answer\n?;4\n", r"columns \['answer', 'question'\]; rename one, or say .* row_map="),
    ],
)
def test_file_that_holds_no_tasks_is_refused(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(TaskError, match=message):
        load_tasks(path)


def test_hub_loads_what_load_dataset_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "local.jsonl"
    path.write_text('{"question": "1+1?", "solution": "2"}\n')
    load = datasets.load_dataset

    def local(name: str, config: str | None, split: str) -> object:
        assert (name, config) == ("someone/sums", "main")
        return load("json", data_files={split: str(path)}, split=split, cache_dir=str(tmp_path))

    monkeypatch.setattr(datasets, "load_dataset", local)
    tasks = hub_tasks(
        "someone/sums", "main", "test", lambda row: {"prompt": row["question"], "answer": row["solution"]}
    )
    assert (tasks[0].prompt, tasks[0].reference) == ("1+1?", "2")


def test_hub_out_of_reach_says_how_to_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(TaskError, match=r"cannot load someone/sums from the hub \(ConnectionError\).*data=PATH"):
        hub_tasks("someone/sums", None, "test", dict)


@pytest.mark.parametrize("tasks", [3, iter([])])
def test_what_is_no_task_set_is_refused(tasks: object) -> None:
    with pytest.raises(TaskError, match="expected a list of rows"):
        as_taskset(tasks)  # type: ignore[arg-type]


@pytest.mark.parametrize("tasks", [[], datasets.Dataset.from_list([])])
def test_no_tasks_at_all_are_refused(tasks: TaskSet) -> None:
    with pytest.raises(TaskError, match="at least one task"):
        as_taskset(tasks)


def test_procedural_tasks_are_addressed_by_seed_and_index() -> None:
    tasks = ProceduralTasks(lambda seed, index: rlenv.Task(f"{seed}/{index}"), seed=3, size=10)
    assert (tasks[7].prompt, len(tasks), tasks[7] == tasks[7]) == ("3/7", 10, True)
    with pytest.raises(IndexError, match=r"expected an index in \[0, 10\), got 10"):
        tasks[10]
    assert [task.prompt for task in tasks][-1] == "3/9"  # type: ignore[attr-defined]


def test_a_table_with_commas_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "tasks.csv"
    path.write_bytes('\ufeffprompt,answer,level\n"1, 2 and?",3,1\n"two\nlines",007,2\n'.encode())
    tasks = load_tasks(path)
    assert [(tasks[i].prompt, tasks[i].reference, tasks[i].metadata["level"]) for i in (0, 1)] == [
        ("1, 2 and?", "3", "1"),
        ("two\nlines", "007", "2"),
    ]


def test_a_row_map_is_for_rows(tmp_path: Path) -> None:
    def questions(row: Row) -> Row:
        return {"prompt": row["question"], "answer": row["label"]}

    rows: list[Row] = [{"question": "2+2=?", "label": "4"}]
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(rows[0]) + "\n")
    for given in (rows, datasets.Dataset.from_list([dict(row) for row in rows]), path, str(path)):
        assert as_taskset(given, questions)[0].reference == "4"
    with pytest.raises(TaskError, match="tasks already"):
        as_taskset(TASKS, questions)
