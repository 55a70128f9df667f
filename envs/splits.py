"""Which split a task made by code belongs to: decided by a stable hash of what it asks.

    bucket   0 .. 14   test, whatever else is chosen
    bucket  15 ..      train
    the last ones      demonstrations, the tasks whose solutions a warm start may see

>>> [split_of(key) for key in ("3+8", "2+2", "8+9")]
['test', 'train', 'train']
"""

from __future__ import annotations

import hashlib
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError

Split: TypeAlias = Literal["train", "test", "demonstrations"]
SPLITS = (*get_args(Split), "all")
TEST_PERCENT = 15
DEMONSTRATION_PERCENT = 10
MAX_DEMONSTRATION_PERCENT = 80


def bucket(key: str) -> int:
    """A number in [0, 100), the same on every machine."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) % 100


def split_of(key: str, demonstration_percent: int = DEMONSTRATION_PERCENT) -> Split:
    """The split of the task with this key. The test split does not depend on the other share."""
    place = bucket(key)
    if place < TEST_PERCENT:
        return "test"
    return "demonstrations" if place >= 100 - demonstration_percent else "train"


def belongs(key: str, split: str, demonstration_percent: int = DEMONSTRATION_PERCENT) -> bool:
    """True when the task is in the split; `all` holds every task."""
    return split == "all" or split_of(key, demonstration_percent) == split


def check_split(split: str, demonstration_percent: int = DEMONSTRATION_PERCENT) -> None:
    """Raise ConfigError for a split that does not exist or a share that leaves nothing to train on."""
    if split not in SPLITS:
        raise ConfigError(f"expected a split out of {', '.join(SPLITS)}, got {split!r}")
    if not 1 <= demonstration_percent <= MAX_DEMONSTRATION_PERCENT:
        raise ConfigError(
            f"expected demonstration_percent in 1..{MAX_DEMONSTRATION_PERCENT}, got {demonstration_percent!r}"
        )
