"""Pairs of completions: ranked by the environment within a group, or read from a file in TRL's preference format.

One JSON object a line, `prompt`, `chosen` and `rejected`: text, or chat messages.

    {"prompt": "12+30=?", "chosen": "42", "rejected": "41"}
    {"prompt": [{"role": "user", "content": "12+30=?"}], "chosen": [{"role": "assistant", "content": "42"}], ...}

Other columns are left alone, but for `chosen_finished` and `rejected_finished`: false says that the completion was
cut at its token limit, so that no end of sequence is learned behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from pathlib import Path
from typing import TypeVar

from rlenv.core.episode import Episode
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json, line, read_json
from rlenv.core.task import Prompt, Task, prompt_messages

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Pair:
    """A prompt with a better and a worse completion."""

    prompt: Prompt
    chosen: str
    rejected: str
    chosen_finished: bool = True
    """False when it was cut at the token limit."""
    rejected_finished: bool = True

    @classmethod
    def from_row(cls, row: Mapping[str, Json]) -> Pair:
        """A pair from a row in TRL's preference format. Raises TaskError that says what is wrong."""
        missing = [name for name in ("prompt", "chosen", "rejected") if name not in row]
        if missing:
            raise TaskError(f"expected columns prompt, chosen and rejected, got {sorted(row)}; add {missing[0]!r}")
        prompt = Task.from_row({"prompt": row["prompt"]}).prompt
        return cls(
            prompt,
            _said(row["chosen"], "chosen"),
            _said(row["rejected"], "rejected"),
            row.get("chosen_finished", True) is not False,
            row.get("rejected_finished", True) is not False,
        )

    def to_row(self, *, chat: bool = False) -> dict[str, Json]:
        """The row in TRL's preference format, with messages where the prompt has them or `chat` asks for them."""
        chat = chat or not isinstance(self.prompt, str)
        row: dict[str, Json] = {
            "prompt": [dict(m) for m in prompt_messages(self.prompt)] if chat else str(self.prompt),
            "chosen": [{"role": "assistant", "content": self.chosen}] if chat else self.chosen,
            "rejected": [{"role": "assistant", "content": self.rejected}] if chat else self.rejected,
        }
        if not (self.chosen_finished and self.rejected_finished):
            row |= {"chosen_finished": self.chosen_finished, "rejected_finished": self.rejected_finished}
        return row


def ranked_places(rewards: Sequence[float | None], pairs: int) -> list[tuple[int, int]]:
    """Places (chosen, rejected) of the pairs in one group: the i-th best with the i-th worst, `pairs` at most.

    With `pairs` 0, every two that differ. Equal rewards give no pair, and None (the checker failed) is in none. Among
    equals the earlier place comes first; completions are drawn independently, so that favours nothing.

    >>> ranked_places([0.0, 1.0, None, 0.5, 0.0], 2)
    [(1, 0), (3, 4)]
    """
    graded = [(reward, place) for place, reward in enumerate(rewards) if reward is not None]
    best = sorted(graded, key=lambda item: (-item[0], item[1]))
    worst = sorted(graded)
    candidates = list(product(best, worst)) if pairs == 0 else list(zip(best, worst, strict=True))[:pairs]
    return [(chosen[1], rejected[1]) for chosen, rejected in candidates if chosen[0] > rejected[0]]


def pairs_of(episodes: Iterable[Episode], pairs: int = 1) -> Iterator[Pair]:
    """The pairs in the groups of a run's episodes, which stand group by group.

    Raises TaskError for episodes of several turns: as text they would teach what the environment said too.
    """
    for _, members in groupby(episodes, key=lambda e: (e.step, e.group)):
        group = list(members)
        if any(episode.completion.turns for episode in group):
            raise TaskError(
                f"task {group[0].task.id}: an episode of several turns is no pair of texts, for what answered the "
                "policy would be learned too; train on the environment itself (rlenv train ENV --algorithm dpo)"
            )
        for better, worse in ranked_places([e.verdict.reward for e in group], pairs):
            chosen, rejected = group[better].completion, group[worse].completion
            yield Pair(group[better].task.prompt, chosen.text, rejected.text, chosen.finished, rejected.finished)


def read_pairs(path: str | Path) -> list[Pair]:
    """The pairs of a JSONL file. Raises TaskError that names the line when one cannot be read."""
    return read_rows(path, Pair.from_row, "pair")


def read_rows(path: str | Path, from_row: Callable[[Mapping[str, Json]], Row], what: str) -> list[Row]:
    """What `from_row` makes of the objects of a JSONL file, one at least. Raises TaskError that names the line."""
    if not Path(path).is_file():
        raise TaskError(f"no file {path}; give a JSONL file")
    found = []
    try:
        lines = Path(path).read_text("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not text in UTF-8: {error}") from error
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            row = read_json(text)
            if not isinstance(row, dict):
                raise TaskError(f"expected an object, got {type(row).__name__}")
            found.append(from_row(row))
        except ValueError as error:
            raise TaskError(f"{path} line {number}: {error}") from error
    if not found:
        raise TaskError(f"expected at least one {what} in {path}, got none")
    return found


def write_pairs(path: str | Path, pairs: Iterable[Pair], *, chat: bool = False) -> int:
    """Write a JSONL file that `read_pairs` and TRL read; returns how many pairs it holds.

    The pairs come first: where they cannot be had, an older file stays as it is.
    """
    lines = [line(pair.to_row(chat=chat)) for pair in pairs]
    with Path(path).open("w", encoding="ascii") as file:
        file.writelines(lines)
    return len(lines)


def _said(value: Json, name: str) -> str:
    """The completion's text: the value itself, or the content of its one assistant message."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and len(value) == 1 and isinstance(value[0], Mapping):
        content = value[0].get("content")
        if value[0].get("role") == "assistant" and isinstance(content, str):
            return content
    raise TaskError(f"expected {name!r} to be text or one assistant message (the prompt has a column of its own)")
