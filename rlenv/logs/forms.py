"""Which form a log has, and the records of files and folders of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from rlenv.core.errors import ConfigError
from rlenv.logs.inspect import inspect_records
from rlenv.logs.record import Record
from rlenv.logs.tables import trl_records, verl_records
from rlenv.logs.verifiers import verifiers_records

Reader: TypeAlias = "Callable[[Path, str | None], Iterator[Record]]"
FORMS: Mapping[str, Reader] = {
    "trl": trl_records,
    "verl": verl_records,
    "inspect": inspect_records,
    "verifiers": verifiers_records,
}
"""The forms by name; a reader takes a file and the name of the reward."""
SUFFIXES = (".parquet", ".csv", ".jsonl", ".json", ".eval")


def records(paths: Sequence[str | Path], form: str | None = None, reward: str | None = None) -> Iterator[Record]:
    """The records of files, and of those in folders, in the order of their names.

    Raises ConfigError where a form is not known and cannot be told, or nothing is there.
    """
    if form is not None and form not in FORMS:
        raise ConfigError(f"expected a form out of {', '.join(FORMS)}, got {form!r}")
    files = list(chain.from_iterable(_files(Path(path)) for path in paths))
    if not files:
        raise ConfigError(
            f"expected a file or folder that holds {', '.join(SUFFIXES)}, got {', '.join(map(str, paths))}"
        )
    for file in files:
        yield from FORMS[form or form_of(file)](file, reward)


def form_of(file: Path) -> str:
    """The form that the name or the first line of a file tells. Raises ConfigError where they tell none."""
    if file.suffix == ".eval":
        return "inspect"
    if file.suffix in (".parquet", ".csv"):
        return "trl"
    with file.open(encoding="utf-8", errors="replace") as lines:
        first = lines.readline() if file.suffix == ".jsonl" else lines.read()
    try:
        row = json.loads(first)
    except ValueError:
        row = None
    for form, keys in (("verifiers", {"traces"}), ("verl", {"input", "output"}), ("inspect", {"eval", "plan"})):
        if isinstance(row, dict) and keys <= row.keys():
            return form
    if isinstance(row, dict) and {"prompt", "completion"} <= row.keys():
        return "trl"
    raise ConfigError(f"{file}: cannot tell whose log this is; say --from {' or '.join(FORMS)}")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if path.is_file() else []
    found = [file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file()]
    return sorted(found, key=lambda file: (len(file.name), file.name))  # 2.jsonl before 10.jsonl
