"""An episode as a row of a table, and what the episodes of a group share as a row of another, once a run.

A row of an episode has the same columns with the same types in every run, so that a reader that guesses types from the
first rows guesses right; what has no fixed shape (parts, scores, flags, answer, more) is JSON in a string. A row of
what was asked is told apart by all of its content: an id given twice, or a task that changes, costs one row more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict

VERSION = 4
"""Of the form of the rows; before them an episode was one line with its task in it."""
UNFLAGGED = b'"flags":"[]"'
"""Stands in the line of a row without a flag and in no other: within a string the quotes are escaped."""
SHORT, LONG = 32, 64
"""Bits of a log-prob: models here give float32."""
NO_MORE = "{}"
REMEMBERED = 10_000
"""How many different verdicts are kept decoded."""

_INNER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Of the JSON that stands in a string of a row; the row's own line is ASCII."""

Doubles: TypeAlias = "npt.NDArray[np.float64]"
Floats: TypeAlias = "npt.NDArray[np.float32]"


class TaskRow(NamedTuple):
    """What all episodes of a group have: a row of the tasks."""

    task: Task
    prompt_ids: tuple[int, ...]
    env_id: str
    verifier_version: str

    @classmethod
    def of(cls, episode: Episode) -> TaskRow:
        return cls(episode.task, episode.prompt_ids, episode.env_id, episode.verifier_version)

    def row(self, number: int) -> dict[str, Json]:
        task = self.task.to_json()
        return {
            "task": number,
            "version": VERSION,
            "env_id": self.env_id,
            "verifier_version": self.verifier_version,
            "id": task["id"],
            "prompt": task["prompt"],
            "reference": _INNER.encode(task["reference"]),
            "metadata": _INNER.encode(task["metadata"]),
            "prompt_ids": self.prompt_ids,
        }

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> TaskRow:
        if row["version"] > VERSION:
            raise ValueError(f"of version {row['version']}, which a newer rlenv wrote; upgrade rlenv")
        task = {**row, "reference": json.loads(row["reference"]), "metadata": json.loads(row["metadata"])}
        return cls(Task.from_json(task), tuple(row["prompt_ids"]), row["env_id"], row["verifier_version"])

    def digest(self) -> bytes:
        """The same for the same content."""
        return hashlib.blake2b(canonical(self.row(0)).encode(), digest_size=16).digest()


def rows_of(episodes: Sequence[Episode], numbers: Sequence[int]) -> list[dict[str, Json]]:
    """The rows of episodes, whose tasks have these numbers."""
    logprobs, bits = _shortest([e.completion.logprobs for e in episodes])
    return [_row(*each, bits) for each in zip(episodes, numbers, logprobs, strict=True)]


def _row(episode: Episode, number: int, logprobs: Sequence[float], bits: int) -> dict[str, Json]:
    said, verdict = episode.completion, episode.verdict
    return {
        "task": number,
        "step": episode.step,
        "group": episode.group,
        "index": episode.index,
        "seed": episode.seed,
        "text": said.text,
        "finished": said.finished,
        "reward": verdict.reward,
        "status": verdict.status,
        "parts": _text(verdict.parts),
        "scores": _INNER.encode(verdict.scores) if verdict.scores else "{}",
        "flags": _text(verdict.flags),
        "answer": _text(verdict.answer),
        "reason": verdict.reason,
        "more": _more(said, verdict, bits),
        "mask": said.mask,
        "token_ids": said.token_ids,
        "logprobs": logprobs,
    }


def _more(said: Completion, verdict: Verdict, bits: int) -> str:
    """What few episodes have; only what is not as it is with most."""
    rare = {
        "step_rewards": verdict.step_rewards,
        "turns": [turn.to_json() for turn in said.turns],
        "segments": said.segments,
        "read_as": "" if said.read_as == "auto" else said.read_as,
        "failure": said.failure,
        "submission": said.submission,
        "logprobs_bits": 0 if bits == SHORT else bits,
    }
    rare = {name: value for name, value in rare.items() if value}
    return _INNER.encode(rare) if rare else NO_MORE


def episodes_of(rows: Sequence[Mapping[str, Any]], task_row: Callable[[int], TaskRow]) -> Iterator[Episode]:
    """The episodes of rows. Raises KeyError, TypeError, ValueError and IndexError for what is no row."""
    exact = iter(_float32([value for row in rows for value in row["logprobs"]]).tolist())
    for row in rows:
        logprobs = tuple(islice(exact, len(row["logprobs"])))
        task, prompt_ids, env_id, version = task_row(row["task"])
        texts = row["status"], row["parts"], row["scores"], row["flags"], row["reason"], row["answer"]
        if row["more"] == NO_MORE:
            token_ids, mask = tuple(row["token_ids"]), tuple(row["mask"])
            completion = Completion(row["text"], token_ids, logprobs, mask, row["finished"])
            verdict = _verdict(repr(row["reward"]), *texts)
        else:
            more = json.loads(row["more"])
            exact_logprobs = row["logprobs"] if more.get("logprobs_bits") == LONG else logprobs
            completion = Completion.from_json({**row, **more, "logprobs": exact_logprobs})
            verdict = _verdict(repr(row["reward"]), *texts, json.dumps(more.get("step_rewards", [])))
        place = row["group"], row["index"], row["step"], row["seed"]
        if type(row["text"]) is not str or not all(type(number) is int for number in place):
            raise TypeError("expected text and whole numbers in 'text', 'group', 'index', 'step' and 'seed'")
        yield Episode(task, completion, verdict, prompt_ids, *place, env_id, version)


@lru_cache(maxsize=REMEMBERED)
def _verdict(
    reward: str, status: str, parts: str, scores: str, flags: str, reason: str, answer: str, steps: str = "[]"
) -> Verdict:
    """Decoded once for the many rows that have the same. `reward` is text, for 0.0 and -0.0 are one key."""
    return Verdict.from_json(
        {
            "reward": None if reward == "None" else float(reward),
            "status": status,
            "parts": json.loads(parts),
            "step_rewards": json.loads(steps),
            "scores": json.loads(scores),
            "flags": json.loads(flags),
            "reason": reason,
            "answer": json.loads(answer) or None,
        }
    )


def _text(value: Sequence[Any] | None) -> str:
    return _INNER.encode(value) if value else "[]"


def _shortest(sampled: Sequence[Sequence[float]]) -> tuple[Sequence[Sequence[float]], int]:
    """The log-probs as the shortest decimals that give the same float32 back, and 32; as they are, and 64, where one of
    them is no float32 (endpoints give decimals of their own)."""
    flat = np.array([value for values in sampled for value in values], dtype=np.float64)
    short = np.array(_float32(flat).astype(str), dtype=np.float64)
    if not (_float32(short) == flat).all():  # a NaN is kept as it is too
        return sampled, LONG
    rest = iter(short.tolist())
    return [tuple(islice(rest, len(values))) for values in sampled], SHORT


def _float32(values: Sequence[float] | Doubles) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(values, dtype=np.float32)
