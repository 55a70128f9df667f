"""Files of a run's folder that somebody else wrote: read with bounds, through no link, and wrong ones are told."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

import rlenv
from rlenv.core.errors import RunError, TaskError
from rlenv.door.files import opened
from rlenv.door.reading import json_object, json_objects, plain_bytes
from rlenv.env.tasksets import load_tasks
from rlenv.trainers.records.logs import read_alarms, read_metrics
from rlenv.view.viewed import read_config, saved_run


def a_link(path: Path) -> None:
    (path.parent / "secret").write_text("{}")
    path.symlink_to(path.parent / "secret")


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("make", [a_link, a_pipe])
@pytest.mark.parametrize("name", ["config.json", "metrics.jsonl", "episodes.jsonl.gz"])
def test_a_link_or_a_pipe_in_a_runs_folder_is_not_read(make: Callable[[Path], None], name: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    rlenv.evaluate("math/arithmetic-v0", "reference", limit=2, out=run, quiet=True)
    (run / name).unlink(missing_ok=True)
    make(run / name)
    read: dict[str, Callable[[], object]] = {
        "metrics.jsonl": lambda: read_metrics(run / "metrics.jsonl"),
    }
    with pytest.raises(RunError, match="link or no plain file"):
        read.get(name, lambda: list(saved_run(run).episodes))()


BROKEN = [
    b"",
    b"[]",
    b"{",
    b"\xff\xfe",
    b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}",
    b'{"a": ' + b"9" * 5000 + b"}",
]


@pytest.mark.parametrize("text", BROKEN)
def test_settings_that_are_no_object_are_told(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(text)
    for read in (read_config, rlenv.rescore, lambda folder: json_object(folder / "config.json")):
        with pytest.raises(RunError, match=r"config\.json"):
            read(tmp_path)


def test_what_is_larger_than_its_bound_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"{" + b" " * 100 + b"}")
    with pytest.raises(RunError, match="at most 50 bytes"):
        plain_bytes(tmp_path / "a", 50)
    (tmp_path / "b").write_bytes(b"[" + b"[]," * 2_000_000 + b"[]]")
    with pytest.raises(RunError, match="more than 1000000 lists"):
        json_object(tmp_path / "b")
    with opened(tmp_path / "c", "wb") as file:
        file.truncate(40_000_000)
    with pytest.raises(RunError, match="a line of more than"):
        list(json_objects(tmp_path / "c"))


@pytest.mark.parametrize("line", ["[]", '{"step": "x"}'])
def test_metrics_and_alarms_that_are_none_are_told(line: str, tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(line + "\n")
    (tmp_path / "alarms.jsonl").write_text(line + "\n")
    with pytest.raises(RunError, match=r"metrics\.jsonl"):
        read_metrics(tmp_path / "metrics.jsonl")
    with pytest.raises(RunError, match=r"alarms\.jsonl"):
        read_alarms(tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("text", "unpacks to more than"),
        ("told once", "unpacks to more than"),
        ("long text", "unpacks to 20 values, "),
        ("rows", "unpacks to 3000000 values"),
    ],
)
def test_a_table_that_unpacks_to_far_more_than_its_size_is_refused(name: str, said: str, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `data`")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `data`")
    once = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 2_000), pyarrow.array(["x" * 100_000]))
    values: dict[str, Callable[[], object]] = {
        "text": lambda: ["x" * 100_000] * 2_000,
        "told once": lambda: once,
        "long text": lambda: [f"{i}" * 10_000_000 for i in range(10)] * 2,
        "rows": lambda: pyarrow.repeat("x", 3_000_000),
    }
    parquet.write_table(pyarrow.table({"prompt": values[name]()}), tmp_path / "bomb.parquet", compression="zstd")
    with pytest.raises(TaskError, match=said):
        load_tasks(tmp_path / "bomb.parquet")


def test_a_compressed_file_of_rows_that_unpacks_to_far_more_than_its_size_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.jsonl.gz"
    file.write_bytes(gzip.compress(b" " * 200_000_000))
    with pytest.raises(TaskError, match="unpacks to more than"):
        rlenv.load("code/humaneval-v0", data=str(file))
