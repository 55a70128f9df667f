"""Indexable sequences of tasks: from rows, JSONL, Parquet, the `datasets` hub, or made by code.

>>> tasks = ListTasks.from_rows([{"prompt": "1+1=?", "answer": "2"}])
>>> tasks[0].prompt, len(tasks)
('1+1=?', 1)
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from rlenv.core.errors import ConfigError, MissingExtra, TaskError
from rlenv.core.jsontypes import Json, read_json
from rlenv.core.task import PROMPT, Task, TaskSet, prompt_text
from rlenv.door.hub import asking_hub
from rlenv.door.reading import unpacked_most

Row: TypeAlias = "Mapping[str, Json]"
RowMap: TypeAlias = "Callable[[Row], Row]"
"""Turns a row of a data set into a row with `prompt`, `answer` and what else the verifier asks for."""
UNSPLIT = ""
"""The name of the one task set of tasks that nobody has split."""
MAX_FIELD = 1 << 24
"""Characters of one value of a CSV file."""
OTHER_SEPARATORS = ";\t"
"""What parts the columns of a table whose header has no comma."""
MADE_VALUES, MADE_VALUES_RATIO = 200_000, 4
"""What a Parquet file may hold: so many values, and so many for each of its bytes."""
Located: TypeAlias = "tuple[str, Row]"
"""A row with its place in its file, for errors."""


class ListTasks:
    """Tasks held in memory."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = tuple(tasks)
        if not self._tasks:
            raise TaskError("expected at least one task, got none")

    @classmethod
    def from_rows(cls, rows: Iterable[Row | Task], row_map: RowMap | None = None, source: str = "row") -> ListTasks:
        """Tasks from rows (see Task.from_row); an error names the row, counted from 1."""
        return cls(_task(row, row_map, f"{source} {number}") for number, row in enumerate(rows, start=1))

    def __len__(self) -> int:
        return len(self._tasks)

    def __getitem__(self, index: int) -> Task:
        return self._tasks[index]


@dataclass(frozen=True)
class ProceduralTasks:
    """Tasks made by code: `make(seed, index)` is pure, so any of `size` tasks is at hand at once."""

    make: Callable[[int, int], Task]
    seed: int = 0
    size: int = 1_000_000

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Task:
        if not 0 <= index < self.size:
            raise IndexError(f"expected an index in [0, {self.size}), got {index}")
        return self.make(self.seed, index)


class DeferredTasks:
    """Tasks of a hub or of a file, which are fetched when one is looked at; a judge of rows never looks."""

    def __init__(self, fetch: Callable[[], TaskSet]) -> None:
        self._fetch, self._tasks = fetch, cast("TaskSet | None", None)

    def now(self) -> TaskSet:
        """The tasks, fetched. Raises what fetching raises."""
        if self._tasks is None:
            self._tasks = self._fetch()
        return self._tasks

    def __len__(self) -> int:
        return len(self.now())

    def __getitem__(self, index: int) -> Task:
        return self.now()[index]


Given: TypeAlias = "TaskSet | Sequence[Row | Task] | str | Path"
"""What a task set is made of: itself, a list of rows or Tasks, a table of rows, or a file."""


def as_taskset(tasks: Given, row_map: RowMap | None = None) -> TaskSet:
    """The task set itself, or one made of a list of rows or Tasks, of a table of rows or of a file."""
    if isinstance(tasks, (str, Path)):
        return load_tasks(tasks, row_map)
    if isinstance(tasks, (list, tuple)):
        return ListTasks.from_rows(tasks, row_map)
    if isinstance(tasks, TaskSet) and not isinstance(tasks, (bytes, Mapping)):
        if len(tasks) == 0:
            raise TaskError("expected at least one task, got none")
        if isinstance(tasks[0], Mapping):  # a table of rows, as of the `datasets` library
            return ListTasks.from_rows((tasks[i] for i in range(len(tasks))), row_map)
        if row_map is not None:
            raise TaskError("a row_map turns rows into tasks, and these are tasks already; leave it out")
        return tasks
    raise TaskError(f"expected a list of rows, a list of Tasks, a task set or a file, got {type(tasks).__name__}")


def splits_of(
    tasks: Given | Mapping[str, Given], row_map: RowMap | None = None, test_share: float = 0.0
) -> dict[str, TaskSet]:
    """The task sets by the names of their splits, `train` first where it is there; one named "" where nothing is split.

    A `test_share` holds out about that share of the prompts, as a hash of each prompt decides: a row stays in its split
    when others are added, and rows with one prompt are in one split.

    Raises ConfigError for a share of tasks that are split already or made by code, and where a split would be empty.

    >>> rows = [{"prompt": f"{n}+{n}=?", "answer": str(2 * n)} for n in range(100)]
    >>> {name: len(split) for name, split in splits_of(rows, test_share=0.2).items()}
    {'train': 86, 'test': 14}
    """
    if not 0 <= test_share < 1:
        raise ConfigError(f"expected a test_share of 0 or more and below 1, got {test_share!r}")
    if isinstance(tasks, Mapping):
        if test_share:
            raise ConfigError(f"expected test_share or tasks with splits, got both: {', '.join(tasks)}; leave one out")
        if not tasks or PROMPT in tasks:
            got = f"one row ({', '.join(tasks)})" if tasks else "none"
            raise TaskError(f"expected a list of rows, or splits by their names, got {got}")
        names = sorted(tasks, key=lambda name: name != "train")
        return {name: as_taskset(tasks[name], row_map) for name in names}
    whole = as_taskset(tasks, row_map)
    if not test_share:
        return {UNSPLIT: whole}
    if not isinstance(whole, ListTasks):
        raise ConfigError('expected rows with test_share; of a set made by code give tasks={"train": ..., "test": ...}')
    parts: dict[str, list[Task]] = {"train": [], "test": []}
    for i in range(len(whole)):
        parts["test" if _place(whole[i]) < test_share else "train"].append(whole[i])
    if not all(parts.values()):
        raise ConfigError(f"test_share={test_share:g} of {len(whole)} tasks leaves a split empty; give the splits")
    return {name: ListTasks(part) for name, part in parts.items()}


def _place(task: Task) -> float:
    """A number in [0, 1) that follows from the prompt alone, the same on every machine."""
    digest = hashlib.blake2b(prompt_text(task.prompt).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


def load_tasks(path: str | Path, row_map: RowMap | None = None, limit: int | None = None) -> ListTasks:
    """Tasks of a .jsonl, .json, .csv or .parquet file; an error names the file and the line.

    Raises TaskError for a task of a table whose answer is empty where others have one: an empty text would earn it.
    """
    rows = read_rows(path)[:limit]
    tasks = [_task(row, row_map, f"{path} {where}") for where, row in rows]
    if Path(path).suffix == ".csv" and any(task.reference for task in tasks):
        empty = next((where for (where, _), task in zip(rows, tasks, strict=True) if task.reference == ""), None)
        if empty is not None:
            raise TaskError(f"{path} {empty}: the answer is empty; fill it in, or leave the row out")
    return ListTasks(tasks)


def read_rows(path: str | Path) -> list[Located]:
    """The rows of such a file as they are. Raises TaskError that names the file and, where it can, the line."""
    file = Path(path)
    if not file.is_file():
        raise TaskError(f"{file}: no such file; give the path of a .jsonl, .json, .csv or .parquet file")
    readers = {".jsonl": _jsonl_rows, ".json": _json_rows, ".csv": _csv_rows, ".parquet": _parquet_rows}
    reader = readers.get(file.suffix)
    if reader is None:
        raise TaskError(f"{file}: expected a file that ends in {', '.join(readers)}")
    rows = reader(file)
    odd = next(((where, row) for where, row in rows if not isinstance(row, Mapping)), None)
    if odd is not None:
        raise TaskError(f"{file} {odd[0]}: expected a row of named columns, got {type(odd[1]).__name__}")
    if not rows:
        raise TaskError(f"{file}: expected at least one task, got no row; check that it is the right file")
    return rows


def hub_tasks(name: str, config: str | None, split: str, row_map: RowMap) -> ListTasks:
    """Tasks of a data set of the Hugging Face hub.

    Raises TaskError, with the way round, where the hub cannot be reached.
    """
    try:
        from datasets import load_dataset
    except ImportError as error:
        raise MissingExtra("datasets", "data") from error
    try:
        with asking_hub(name):
            rows = load_dataset(name, config, split=split)
    except Exception as error:  # the hub client raises errors of many libraries
        raise TaskError(
            f"cannot load {name} from the hub ({type(error).__name__}); "
            "check the connection, or give a local file with data=PATH"
        ) from error
    return ListTasks.from_rows(rows, row_map, f"{name} row")


def _task(row: Row | Task, row_map: RowMap | None, where: str) -> Task:
    if isinstance(row, Task):
        return row
    if not isinstance(row, Mapping):
        raise TaskError(f"{where}: expected a row of named columns, got {type(row).__name__}")
    try:
        return Task.from_row(row_map(row) if row_map else row)
    except KeyError as error:
        raise TaskError(f"{where}: expected a column {error}, got {sorted(row)}") from error
    except (TaskError, TypeError, ValueError) as error:
        raise TaskError(f"{where}: {error}") from error


def _jsonl_rows(file: Path) -> list[Located]:
    rows = []
    with file.open(encoding="utf-8", errors="surrogateescape") as lines:
        for number, text in enumerate(lines, start=1):
            if text.strip():
                rows.append((f"line {number}", _object(text, f"{file} line {number}")))
    return rows


def _object(text: str, where: str) -> Row:
    try:
        return cast("Row", read_json(text))
    except ValueError as error:
        raise TaskError(f"{where}: not valid JSON ({error}); fix the line") from error


def _json_rows(file: Path) -> list[Located]:
    try:
        rows = read_json(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TaskError(f"{file}: not valid JSON ({error}); fix the file") from error
    if not isinstance(rows, list):
        raise TaskError(f"{file}: expected a list of rows, got {type(rows).__name__}")
    return _numbered(cast("list[Row]", rows))


def _csv_rows(file: Path) -> list[Located]:
    """Rows of a table with a header, parted by commas, semicolons or tabs; every value is text.

    Raises TaskError for a row of another width.
    """
    csv.field_size_limit(MAX_FIELD)
    found: list[Located] = []
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        header = lines.readline()
        lines.seek(0)
        separator = "," if "," in header else next((sign for sign in OTHER_SEPARATORS if sign in header), ",")
        reader = csv.DictReader(lines, strict=True, delimiter=separator)
        try:
            for row in reader:
                if None in row or None in row.values():
                    wanted = len(reader.fieldnames or ())
                    raise TaskError(f"{file} line {reader.line_num}: expected {wanted} values; quote those with commas")
                found.append((f"line {reader.line_num}", cast("Row", row)))
        except csv.Error as error:
            raise TaskError(f"{file} line {reader.line_num + 1}: not valid CSV ({error}); fix the line") from error
    return found


def _parquet_rows(file: Path) -> list[Located]:
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "data") from error
    rows: list[Row] = []
    size, most = file.stat().st_size, unpacked_most(file)
    try:
        table = parquet.ParquetFile(file)
        groups = [table.metadata.row_group(i) for i in range(table.num_row_groups)]
        values = sum(group.column(i).num_values for group in groups for i in range(group.num_columns))
        largest = max((group.total_byte_size for group in groups), default=0)
        if values > MADE_VALUES + MADE_VALUES_RATIO * size or largest > most:
            raise TaskError(f"{file} unpacks to {values} values, {largest} bytes at once; give it as .jsonl")
        for batch in table.iter_batches(
            batch_size=min(1024, most // max(largest, 1) + 1)
        ):  # each value may be as large
            columns = [_repeated(column) for column in batch.columns]
            most -= sum(column.nbytes for column in columns)
            if most < 0:
                raise TaskError(f"{file} unpacks to more than {unpacked_most(file)} bytes; give it as .jsonl")
            rows += batch.to_pylist()
    except TaskError:
        raise
    except Exception as error:  # pyarrow raises ArrowInvalid, OSError and others
        raise TaskError(f"{file}: not a readable Parquet file ({error})") from error
    return _numbered(rows)


def _repeated(column: Any) -> Any:
    """A column of Arrow with each value where it stands: a dictionary tells them once, and its size is not theirs."""
    if "dictionary<" not in str(column.type):
        return column
    if not hasattr(column, "dictionary_decode"):
        raise TaskError("a dictionary within lists or structs; give plain values")
    return column.dictionary_decode()


def _numbered(rows: list[Row]) -> list[Located]:
    return [(f"row {number}", row) for number, row in enumerate(rows, start=1)]
