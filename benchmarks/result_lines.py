"""Results of runs as JSON lines, one added as each run ends: a command that was stopped goes on from there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read(path: Path) -> list[dict[str, Any]]:
    """What has been saved; nothing where there is no file yet."""
    return [json.loads(text) for text in path.read_text().splitlines()] if path.exists() else []


def add(path: Path, result: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(result) + "\n")
