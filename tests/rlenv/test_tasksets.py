"""Tasks and sets of them: rows with stable ids, files that name their bad line, the hub, lists and code."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import datasets
import pytest
from huggingface_hub import constants
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet
from rlenv.door.hub import asking_hub
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
    for source in (rows, datasets.Dataset.from_list([dict(row) for row in rows]), path, str(path)):
        assert as_taskset(source, questions)[0].reference == "4"
    with pytest.raises(TaskError, match="tasks already"):
        as_taskset(TASKS, questions)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
rows = st.fixed_dictionaries(
    {"prompt": st.text()}, optional={"answer": json_values, "level": json_values, "source": json_values}
)


@settings(deadline=None)
@given(rows)
def test_task_survives_json(row: dict[str, Json]) -> None:
    task = Task.from_row(row)
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


@settings(deadline=None)
@given(rows)
def test_id_ignores_the_order_of_columns(row: dict[str, Json]) -> None:
    assert Task.from_row(row).id == Task.from_row(dict(reversed(row.items()))).id


@pytest.mark.parametrize("change", [{"prompt": "3?"}, {"answer": 2}, {"level": 2}])
def test_id_changes_with_every_column(change: dict[str, Json]) -> None:
    row: dict[str, Json] = {"prompt": "2?", "answer": "2", "level": 1}
    assert Task.from_row({**row, **change}).id != Task.from_row(row).id


def test_id_is_the_same_in_every_process() -> None:
    program = "from rlenv import Task; print(Task.from_row({'prompt': 'é?', 'answer': [1, 'x'], 'b': {'k': 0.1}}).id)"
    ids = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1",)
    }
    assert ids == {Task.from_row({"prompt": "é?", "answer": [1, "x"], "b": {"k": 0.1}}).id}


def test_an_answer_that_is_not_a_number_is_refused_by_what_to_do() -> None:
    with pytest.raises(TaskError, match="got NaN; leave the row out"):
        Task.from_row({"prompt": "?", "answer": float("nan")})
    assert Task.from_row({"prompt": "?", "answer": float("inf")}).reference == float("inf")


@pytest.mark.parametrize("prompt", [None, [], ["text"], [{"role": "user", "content": 3}], {"role": "user"}])
def test_prompt_that_is_neither_text_nor_messages_is_refused(prompt: Json) -> None:
    with pytest.raises(TaskError, match=r"expected 'prompt' to be a string or a list of"):
        Task.from_row({"prompt": prompt})


def test_row_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TaskError, match="JSON cannot hold"):
        Task("?", metadata={"when": object()})  # type: ignore[dict-item]


def test_parts_that_are_no_text_are_named() -> None:
    parts: Json = [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]
    with pytest.raises(TaskError, match="message 1 of 'prompt' has parts of image_url; give text"):
        Task.from_row({"prompt": parts})


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr("rlenv.door.hub.getproxies", dict)


def unknown(*_: object) -> None:
    raise socket.gaierror(-2, "Name or service not known")


def test_where_its_name_is_not_known_its_libraries_look_at_this_machine_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with asking_hub("some/model"):
        assert constants.is_offline_mode()
    assert not constants.is_offline_mode()


def test_where_it_is_there_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: [])
    with asking_hub("some/model"):
        assert not constants.is_offline_mode()


def test_behind_a_proxy_the_name_need_not_be_known_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    monkeypatch.setattr("rlenv.door.hub.getproxies", lambda: {"https": "http://proxy:3128"})
    with asking_hub("some/model"):
        assert not constants.is_offline_mode()


def test_a_folder_is_no_question_for_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with asking_hub(str(tmp_path)):
        assert not constants.is_offline_mode()
