"""Reads and writes cases as gzip JSONL; equal cases give equal bytes of JSONL."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from rlenv.errors import TaskError
from rlenv.hackbench.case import Case
from rlenv.jsontypes import Json, line, read_json

DATA = Path(__file__).parent / "data"
FOUND = DATA / "found.jsonl"
"""Hacks that policies found while they were trained on rewards that could be hacked."""

GAMING = DATA / "gaming.jsonl"
"""Answers written by hand to have more than one chance with a checker, and honest ones that resemble them."""


def half_file(half: str) -> Path:
    """Where the generated cases of a half are."""
    return DATA / f"{half}.jsonl.gz"


def read_cases(path: Path) -> list[Case]:
    """The cases of a JSONL file, zipped or not. Raises TaskError naming the line that is no case."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    cases = []
    for number, row in enumerate(content.decode().splitlines(), start=1):
        if row.strip():
            try:
                cases.append(Case.from_json(cast("dict[str, Json]", read_json(row))))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise TaskError(f"{path.name}, line {number}: {error}") from error
    return cases


def cases_jsonl(cases: Iterable[Case]) -> bytes:
    """The cases, one a line."""
    return "".join(line(case.to_json()) for case in cases).encode()


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """Zipped without a time stamp, so that the same cases give the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(cases_jsonl(cases), compresslevel=9, mtime=0))
