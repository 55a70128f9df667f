"""Episodes as a table, for pandas, polars, DuckDB and `datasets`: a row an episode, with what was asked beside it.

    rlenv.read_episodes("runs/first").to_parquet("first.parquet")
    datasets.load_dataset("parquet", data_files="first.parquet")

What has no fixed shape (reference, metadata, parts, scores, flags) is JSON in a string. Text that is no Unicode (a lone
surrogate) has a question mark there. It is an export: `rlenv.rescore` reads the run's own folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlenv.core.episode import Episode
from rlenv.core.errors import MissingExtra
from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_text
from rlenv.store.files import replacing

if TYPE_CHECKING:
    import pandas

ROWS_AT_ONCE = 1_000
"""Of a group of the Parquet file, which are in memory together."""
COLUMNS = {
    **dict.fromkeys(("env_id", "verifier_version"), "string"),
    **dict.fromkeys(("step", "group", "index", "seed"), "int64"),
    **dict.fromkeys(("task_id", "prompt", "reference", "metadata", "completion", "answer"), "string"),
    "finished": "bool_",
    "reward": "float64",
    **dict.fromkeys(("status", "reason", "parts", "scores", "flags"), "string"),
    **dict.fromkeys(("prompt_ids", "token_ids"), "int64 list"),
    "logprobs": "float64 list",
}
"""The columns, and the types of pyarrow that they have."""


class Episodes(Iterator[Episode]):
    """Saved episodes as they are read, one by one; the tables take those that are left."""

    def __init__(self, episodes: Iterator[Episode]) -> None:
        self._episodes = episodes

    def __iter__(self) -> Iterator[Episode]:
        return self._episodes

    def __next__(self) -> Episode:
        return next(self._episodes)

    def frame(self) -> pandas.DataFrame:
        """A table of pandas with the columns of COLUMNS. Raises MissingExtra without pandas."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtra("pandas", "data") from error
        return pandas.DataFrame(map(row_of, self._episodes), columns=list(COLUMNS))

    def to_parquet(self, path: str | Path) -> int:
        """Write a Parquet file, whole or not at all; returns how many episodes. Raises MissingExtra without pyarrow."""
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as error:
            raise MissingExtra("pyarrow", "data") from error
        schema = pyarrow.schema([(name, _type(pyarrow, kind)) for name, kind in COLUMNS.items()])
        count = 0
        with replacing(Path(path), "wb") as file, parquet.ParquetWriter(file, schema) as writer:
            while rows := [row_of(episode) for episode in islice(self._episodes, ROWS_AT_ONCE)]:
                writer.write_table(pyarrow.Table.from_pylist(rows, schema))
                count += len(rows)
        return count


def row_of(episode: Episode) -> dict[str, Json]:
    """The row of an episode. Prompts of several messages are `role: content` paragraphs."""
    task, said, verdict = episode.task, episode.completion, episode.verdict
    texts = {
        "task_id": task.id,
        "prompt": prompt_text(task.prompt),
        "reference": _json(task.reference),
        "metadata": _json(dict(task.metadata)),
        "completion": said.text,
        "answer": None if verdict.answer is None else episode.answer_text,
        "status": verdict.status,
        "reason": verdict.reason,
        "parts": _json([list(part) for part in verdict.parts]),
        "scores": _json(dict(verdict.scores)),
        "flags": _json([list(flag) for flag in verdict.flags]),
        "env_id": episode.env_id,
        "verifier_version": episode.verifier_version,
    }
    return {
        **{name: None if text is None else text.encode("utf-8", "replace").decode() for name, text in texts.items()},
        **{name: getattr(episode, name) for name in ("step", "group", "index", "seed")},
        "finished": said.finished,
        "reward": verdict.reward,
        "prompt_ids": list(episode.prompt_ids),
        "token_ids": list(said.token_ids),
        "logprobs": list(said.logprobs),
    }


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _type(pyarrow: Any, kind: str) -> Any:
    name, _, several = kind.partition(" ")
    found = getattr(pyarrow, name)()
    return pyarrow.list_(found) if several else found
