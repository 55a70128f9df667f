"""The cases of a test file that stand in a table beside it, `cases/NAME.json`: one case a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def tables(test: str) -> dict[str, Any]:
    """The tables of this test file by their names."""
    file = Path(test)
    name = file.stem.removeprefix("test_")
    found: dict[str, Any] = json.loads((file.parent / "cases" / f"{name}.json").read_text(encoding="utf-8"))
    return found
