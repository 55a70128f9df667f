"""Preference pairs out of the repository's own prompts, in TRL's preference format with a margin.

    python -m rlenv.envs.safety.preferences pairs.jsonl --split train

Each prompt comes back in up to five pairs (KINDS), whose margin is the difference of the ranks below.

    to the harmful prompt     refusal 4, partial 3, refusal of another matter 2, answer to the look-alike 2,
                              degenerate text 1, agreement to help 0
    to the harmless prompt    helpful answer 4, partial 2, refusal 1, agreement to the harmful one 1,
                              answer to another row's prompt 1, degenerate text 0

The same two texts stand in opposite order under the two prompts of a row (refusal and helpful answer), so the
completion alone does not tell which is better; nor does its length, because the texts of other rows and the degenerate
ones are chosen to mirror the length differences of the pairs that are given.

A row belongs to one split with everything made of it, and texts of other rows come from the same split. The template
of a preference pair is the frame of its prompt; at most MOST_OF_ONE_TEMPLATE pairs have the same one, over all kinds
and both splits.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, line
from rlenv.envs.safety import degenerate
from rlenv.envs.safety.frames import frame
from rlenv.envs.safety.prompts import MOST_OF_ONE_TEMPLATE, PromptPair, prompt_pairs
from rlenv.envs.splits import bucket

Split: TypeAlias = Literal["train", "test"]
TEST_PERCENT = 25
MOST_OF_ONE_TEXT = 8
"""How often one text of another row, or one degenerate text, is used."""
HARMFUL_RANKS = {"refusal": 4, "partial": 3, "other": 2, "lookalike": 2, "degenerate": 1, "agreement": 0}
HARMLESS_RANKS = {"answer": 4, "partial": 2, "refusal": 1, "agreement": 1, "other": 1, "degenerate": 0}
KINDS = (
    "refusal_over_agreement",
    "answer_over_refusal",
    "refusal_over_lookalike",
    "answer_over_agreement",
    "refusal_over_partial",
    "partial_over_agreement",
    "answer_over_partial",
    "refusal_over_other",
    "answer_over_other",
    "refusal_over_degenerate",
    "answer_over_degenerate",
)


@dataclass(frozen=True, slots=True)
class Preference:
    """A prompt with a better and a worse completion, and by how many ranks it is better."""

    id: str
    """Of the row of `data/prompts.jsonl`."""
    kind: str
    prompt: str
    chosen: str
    rejected: str
    margin: int

    def to_row(self) -> dict[str, Json]:
        """The row in TRL's preference format; `margin` is read by its reward trainer, `id` and `kind` are for us."""
        return {
            "prompt": self.prompt,
            "chosen": self.chosen,
            "rejected": self.rejected,
            "margin": float(self.margin),
            "id": self.id,
            "kind": self.kind,
        }


def split_of_row(pair: PromptPair) -> Split:
    """The split that a row belongs to with both its prompts: decided by a stable hash of its id."""
    return "test" if bucket(pair.id) < TEST_PERCENT else "train"


def preferences(split: Split = "train") -> tuple[Preference, ...]:
    """Every preference pair of a split, row by row."""
    if split not in ("train", "test"):
        raise ConfigError(f"expected a split out of train, test, got {split!r}")
    members = {pair.id for pair in prompt_pairs() if split_of_row(pair) == split}
    return tuple(preference for preference in _every_preference() if preference.id in members)


def preference_rows(split: Split = "train") -> list[dict[str, Json]]:
    """The pairs of a split as rows in TRL's preference format."""
    return [preference.to_row() for preference in preferences(split)]


def write_preferences(path: str | Path, split: Split = "train") -> int:
    """Write the rows of a split as JSONL; returns how many there are."""
    rows = preference_rows(split)
    Path(path).write_text("".join(line(row) for row in rows), "ascii")
    return len(rows)


@lru_cache(maxsize=1)
def _every_preference() -> tuple[Preference, ...]:
    """Both splits: of every prompt the first kinds before the later ones, as many as a template may have."""
    rows = prompt_pairs()
    others = {split: Others([row for row in rows if split_of_row(row) == split]) for split in ("train", "test")}
    made = [_of_row(number, row, others[split_of_row(row)]) for number, row in enumerate(rows)]
    taken: Counter[str] = Counter()
    kept: list[list[Preference]] = [[] for _ in made]
    for candidates in zip(*([(at, p) for p in row] for at, row in enumerate(made)), strict=True):
        for at, preference in candidates:
            template = frame(preference.prompt)
            if taken[template] < MOST_OF_ONE_TEMPLATE:
                taken[template] += 1
                kept[at].append(preference)
    return tuple(preference for row in kept for preference in row)


def _of_row(number: int, row: PromptPair, others: Others) -> tuple[Preference, ...]:
    """The pairs of one row: to each prompt the pair that matters most first."""
    harmful, harmless = _Side(row, row.harmful, HARMFUL_RANKS), _Side(row, row.harmless, HARMLESS_RANKS)
    refused = harmful.over("refusal", row.refusal, "agreement", row.harmful_answer)
    answered = harmless.over("answer", row.helpful_answer, "refusal", row.refusal)
    led_on = harmless.over("answer", row.helpful_answer, "agreement", row.harmful_answer)
    halfway = harmless.over("answer", row.helpful_answer, "partial", row.partial)
    if number % 2:
        between = harmful.over("partial", row.partial, "agreement", row.harmful_answer)
    else:
        between = harmful.over("refusal", row.refusal, "partial", row.partial)
    another = others.text(row, "refusal", mirrored(refused, row.refusal))
    another_answer = others.text(row, "helpful_answer", mirrored(led_on, row.helpful_answer))
    return (
        refused,
        answered,
        harmful.over("refusal", row.refusal, "lookalike", row.helpful_answer),
        harmless.over("answer", row.helpful_answer, "other", another_answer),
        between,
        halfway,
        harmful.over("refusal", row.refusal, "other", another),
        led_on,
        harmful.over("refusal", row.refusal, "degenerate", _junk(2 * number, row.harmful, row.refusal, between)),
        harmless.over(
            "answer", row.helpful_answer, "degenerate", _junk(2 * number + 1, row.harmless, row.helpful_answer, halfway)
        ),
    )


def mirrored(preference: Preference, chosen: str) -> int:
    """The length of a rejected text that is as much longer than `chosen` as the pair's rejected one is shorter."""
    return max(1, len(chosen) + len(preference.chosen) - len(preference.rejected))


def _junk(number: int, prompt: str, right: str, opposite: Preference) -> str:
    """Degenerate text that mirrors the length difference of the `opposite` pair."""
    length = mirrored(opposite, right)
    if length <= len(right):
        few = number % 5 == 0
        return degenerate.next_to_nothing(number // 5) if few else degenerate.cut(right, 0.3 + 0.05 * (number % 7))
    match number % 3:
        case 0:
            return degenerate.repeated(right, number, length)
        case 1:
            return degenerate.echo(prompt, length)
        case _:
            return degenerate.flattery(number // 3, length)


@dataclass(frozen=True, slots=True)
class _Side:
    """One prompt of a row with the ranks of what may be said to it."""

    row: PromptPair
    prompt: str
    ranks: dict[str, int]

    def over(self, better: str, chosen: str, worse: str, rejected: str) -> Preference:
        margin = self.ranks[better] - self.ranks[worse]
        return Preference(self.row.id, f"{better}_over_{worse}", self.prompt, chosen, rejected, margin)


class Others:
    """The texts of the other rows of a split, given out by length, each at most MOST_OF_ONE_TEXT times."""

    def __init__(self, rows: Sequence[PromptPair]) -> None:
        self.rows = rows
        self.used: Counter[str] = Counter()

    def text(self, row: PromptPair, column: Literal["refusal", "helpful_answer"], length: int) -> str:
        """The text of a row in another category whose length comes nearest."""
        texts = [getattr(other, column) for other in self.rows if other.category != row.category]
        free = [text for text in texts if self.used[text] < MOST_OF_ONE_TEXT]
        best = min(free, key=lambda text: (abs(len(text) - length), text))
        self.used[best] += 1
        return str(best)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the preference pairs of a split to a file."""
    parser = argparse.ArgumentParser(prog="python -m rlenv.envs.safety.preferences", description=main.__doc__)
    parser.add_argument("path")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    chosen = parser.parse_args(arguments)
    print(f"{write_preferences(chosen.path, chosen.split)} pairs in {chosen.path}")


if __name__ == "__main__":
    main()
