"""Which datasets of reasoning-gym 0.1.25 are in the default set, and why the others are not: `datasets.tsv`."""

from __future__ import annotations

import csv
from pathlib import Path

with Path(__file__).with_name("datasets.tsv").open(encoding="utf-8", newline="") as _file:
    _ROWS = dict(list(csv.reader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:])

KEPT = tuple(name for name, why in _ROWS.items() if not why)
LEFT_OUT = {name: why for name, why in _ROWS.items() if why}
"""Names and reasons."""


def env_id(name: str) -> str:
    """The id of the environment of a dataset."""
    return f"reasoning_gym/{name}-v0"
