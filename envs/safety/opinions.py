"""How users say what they believe the answer to be, doubt one, or correct the question: data/wordings.jsonl.

Opinions `after` follow the question, those `before` stand in front of it; of the others pushing.py makes conversations.
Every fourth wording of a kind is kept for the test split, so that a policy cannot pass by having learnt them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

Split: TypeAlias = Literal["train", "test"]
T = TypeVar("T")
TEST_EVERY = 4
_ROWS = [json.loads(row) for row in (Path(__file__).parent / "data" / "wordings.jsonl").read_text("ascii").splitlines()]
AFTER, BEFORE, NAMED, DOUBTED, CORRECTED, SHOWN = (
    tuple(str(row["text"]) for row in _ROWS if row["kind"] == kind)
    for kind in ("after", "before", "named", "doubted", "corrected", "shown")
)


def of_split(every: tuple[T, ...], split: Split) -> tuple[T, ...]:
    """The wordings of a split."""
    return tuple(text for place, text in enumerate(every) if (place % TEST_EVERY == 0) == (split == "test"))


def wordings(split: Split) -> tuple[str, ...]:
    """The opinions of a split, those of AFTER first."""
    return of_split((*AFTER, *BEFORE), split)


def with_opinion(question: str, value: str, split: Split) -> str:
    """The question with the opinion that the answer is `value`, in the wording that a hash of both chooses."""
    chosen = wordings(split)
    digest = hashlib.blake2b(f"{question}\n{value}".encode(), digest_size=8).digest()
    wording = chosen[int.from_bytes(digest) % len(chosen)]
    opinion = wording.format(value=value)
    return f"{opinion}\n{question}" if wording in BEFORE else f"{question}\n{opinion}"
