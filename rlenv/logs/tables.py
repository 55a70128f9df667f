"""Tables of completions: TRL's (`log_completions=True`) and verl's (`trainer.rollout_data_dir`).

TRL 1.16 writes OUTPUT_DIR/completions/completions_00001.parquet with the columns step, prompt, completion, one a reward
function, those of log_extra, and advantage. verl 0.9.1 writes N.jsonl a step with input, output, gts, score, step and
what the reward manager said beside the score. A table saved as .csv or .jsonl does as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.reading.message import message_text
from rlenv.env.tasksets import Located, read_rows
from rlenv.logs.record import Record, number

TRL_OWN = frozenset({"step", "prompt", "completion", "advantage", "rlenv_row", "rlenv_task"})
REWARD = "reward"


def trl_records(file: Path, reward: str | None) -> Iterator[Record]:
    """The rows of a table of TRL. Raises ConfigError where it is not said which column is the reward."""
    rows = read_rows(file)
    paid = _reward_column(file, rows, reward)
    for where, row in rows:
        completion, problem = _said(row.get("completion"))
        yield Record(
            f"{file} {where}",
            _asked(row.get("prompt")),
            completion,
            number(row.get(paid)),
            problem,
            row=str(row.get("rlenv_row") or ""),
            step=int(number(row.get("step")) or 0),
            columns=row,
        )


def verl_records(file: Path, reward: str | None) -> Iterator[Record]:
    """The rows of a dump of verl; a row whose `graded` is 0 had no verdict of ours, and has no reward."""
    for where, row in read_rows(file):
        failed = "graded" in row and number(row["graded"]) == 0.0
        yield Record(
            f"{file} {where}",
            _asked(row.get("input")),
            Completion(str(row.get("output") or "")),
            None if failed else number(row.get(reward or "score")),
            row=str(row.get("rlenv_row") or ""),
            step=int(number(row.get("step")) or 0),
            columns=row,
        )


def _reward_column(file: Path, rows: Sequence[Located], named: str | None) -> str:
    columns = list(rows[0][1]) if rows else []
    if named is not None:
        if rows and named not in columns:
            raise ConfigError(f"{file}: expected a column {named!r} with the reward, got {', '.join(columns)}")
        return named
    found = [
        name for name in columns if name not in TRL_OWN and any(number(row.get(name)) is not None for _, row in rows)
    ]
    if REWARD in found or not rows:
        return REWARD
    if len(found) != 1:
        raise ConfigError(
            f"{file}: expected one column of rewards, got {', '.join(found) or 'none'}; say --reward NAME"
        )
    return found[0]


def _said(value: Json) -> tuple[Completion | None, str]:
    """A completion as text or as one message of the assistant."""
    value = _parsed(value)
    if isinstance(value, str):
        return Completion(value), ""
    if not isinstance(value, Sequence):
        return None, f"its completion is a {type(value).__name__}, no text"
    if len(value) != 1 or not isinstance(value[0], Mapping):
        return None, "it has several turns"
    text, segments = message_text(value[0])
    return Completion(text, segments=segments), ""


def _asked(value: Json) -> str:
    value = _parsed(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n\n".join(str(message.get("content") or "") for message in value if isinstance(message, Mapping))
    return str(value or "")


def _parsed(value: Json) -> Json:
    """Messages that a table of text holds as JSON are messages again."""
    if isinstance(value, str) and value.startswith('[{"'):  # [{"role": "user", "content": "2+2=?"}]
        try:
            found: Json = json.loads(value)
        except ValueError:
            return value
        return found
    return value
