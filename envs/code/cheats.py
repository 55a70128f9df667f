"""Programs that try to be paid for without solving the task: every one of them must earn 0 on every task.

`cheats("add")` gives them for a task that asks for a function `add`, by what they try. What they return as
plain data is wrong everywhere (WRONG), so an environment that pays for one of them has been forged.

In data/cheats.txt each stands behind a line `#: WHAT IT TRIES`; what stands before the first goes before each of them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

NAME = "ANSWER"
"""Stands in the sources for the name of the function asked for."""
_HEAD = re.compile(r"^#: (.+)\n", re.MULTILINE)  # #: equal to everything


def cheats(function: str) -> dict[str, str]:
    """The cheats for a task that asks for this function, by what they try."""
    prelude, *sources = _HEAD.split(_text())
    return {
        name: (prelude + source).replace(NAME, function)
        for name, source in zip(sources[::2], sources[1::2], strict=True)
    }


@lru_cache(maxsize=1)
def _text() -> str:
    return (Path(__file__).parent / "data" / "cheats.txt").read_text(encoding="utf-8")
