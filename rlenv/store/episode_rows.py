"""An episode as a row of a table, and what the episodes of a group share as a row of another, once a run.

A row of an episode has the same columns with the same types in every run, so that a reader that guesses types from the
first rows guesses right; what has no fixed shape (parts, scores, flags, answer, more) is JSON in a string. A row of
what was asked is told apart by all of its content: an id given twice, or a task that changes, costs one row more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.reading import Segment
from rlenv.core.reading.passage import Span
from rlenv.core.task import Task
from rlenv.core.turn import Turn
from rlenv.core.verdict import Flag, Part, StepReward, Verdict

VERSION = 4
"""Of the form of the rows; before them an episode was one line with its task in it."""
UNFLAGGED = b'"flags":"[]"'
"""Stands in the line of a row without a flag and in no other: within a string the quotes are escaped."""
SHORT, LONG = 32, 64
"""Bits of a log-prob: models here give float32."""
NO_MORE = "{}"
REMEMBERED = 10_000
"""How many different texts of a column are kept decoded."""

_INNER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Of the JSON that stands in a string of a row; the row's own line is ASCII."""

Doubles: TypeAlias = "npt.NDArray[np.float64]"
Floats: TypeAlias = "npt.NDArray[np.float32]"
T = TypeVar("T")


class Asked(NamedTuple):
    """What all episodes of a group have."""

    task: Task
    prompt_ids: tuple[int, ...]
    env_id: str
    verifier_version: str

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
    def from_row(cls, row: Mapping[str, Any]) -> Asked:
        if row["version"] > VERSION:
            raise ValueError(f"of version {row['version']}, which a newer rlenv wrote; upgrade rlenv")
        task = {**row, "reference": json.loads(row["reference"]), "metadata": json.loads(row["metadata"])}
        return cls(Task.from_json(task), tuple(row["prompt_ids"]), row["env_id"], row["verifier_version"])

    def digest(self) -> bytes:
        """The same for the same content."""
        return hashlib.blake2b(canonical(self.row(0)).encode(), digest_size=16).digest()


def asked_of(episode: Episode) -> Asked:
    """What the episode was asked."""
    return Asked(episode.task, episode.prompt_ids, episode.env_id, episode.verifier_version)


def rows_of(episodes: Sequence[Episode], numbers: Sequence[int]) -> list[dict[str, Json]]:
    """The rows of episodes, whose `Asked` have these numbers."""
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
    found = {
        "step_rewards": verdict.step_rewards,
        "turns": [turn.to_json() for turn in said.turns],
        "segments": said.segments,
        "read_as": "" if said.read_as == "auto" else said.read_as,
        "failure": said.failure,
        "logprobs_bits": 0 if bits == SHORT else bits,
    }
    found = {name: value for name, value in found.items() if value}
    return _INNER.encode(found) if found else NO_MORE


def episodes_of(rows: Sequence[Mapping[str, Any]], asked: Sequence[Asked]) -> Iterator[Episode]:
    """The episodes of rows. Raises KeyError, TypeError, ValueError and IndexError for what is no row."""
    exact = iter(_float32([value for row in rows for value in row["logprobs"]]).tolist())
    for row in rows:
        logprobs = tuple(islice(exact, len(row["logprobs"])))
        task, prompt_ids, env_id, version = asked[row["task"]]
        tokens, mask = tuple(row["token_ids"]), tuple(row["mask"])
        steps: tuple[StepReward, ...] = ()
        if row["more"] == NO_MORE:
            completion = Completion(row["text"], tokens, logprobs, mask, row["finished"])
        else:
            more = json.loads(row["more"])
            steps = tuple([StepReward(*step) for step in more.get("step_rewards", ())])
            if more.get("logprobs_bits") == LONG:
                logprobs = tuple(row["logprobs"])
            completion = _completion(row, more, tokens, logprobs, mask)
        verdict = Verdict(
            row["reward"],
            row["status"],
            _PARTS[row["parts"]],
            steps,
            _SCORES[row["scores"]],
            _FLAGS[row["flags"]],
            row["reason"],
            _ANSWERS[row["answer"]],
        )
        place = row["group"], row["index"], row["step"], row["seed"]
        yield Episode(task, completion, verdict, prompt_ids, *place, env_id, version)


def _completion(
    row: Mapping[str, Any],
    more: Mapping[str, Any],
    tokens: tuple[int, ...],
    logprobs: tuple[float, ...],
    mask: tuple[int, ...],
) -> Completion:
    return Completion(
        row["text"],
        tokens,
        logprobs,
        mask,
        row["finished"],
        more.get("read_as", "auto"),
        tuple([Segment(*segment) for segment in more.get("segments", ())]),
        tuple([Turn.from_json(turn) for turn in more.get("turns", ())]),
        more.get("failure", ""),
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


class _Decoded(dict[str, T]):
    """What JSON in a string holds, decoded once for the many rows that have the same."""

    def __init__(self, decode: Callable[[Any], T]) -> None:
        super().__init__()
        self._decode = decode

    def __missing__(self, text: str) -> T:
        if len(self) >= REMEMBERED:
            self.clear()
        found = self[text] = self._decode(json.loads(text))
        return found


_PARTS = _Decoded(lambda parts: tuple([Part(*part) for part in parts]))
_FLAGS = _Decoded(lambda flags: tuple([Flag(*flag) for flag in flags]))
_ANSWERS = _Decoded(lambda answer: Span(*answer) if answer else None)
_SCORES: _Decoded[Mapping[str, float]] = _Decoded(dict)
