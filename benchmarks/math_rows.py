"""The rows that mathematics verifiers are measured on: what was said, what is right, and the label."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from rlenv.core.jsontypes import Json

HERE = Path(__file__).resolve().parent
OWN_CASES = HERE.parent / "tests" / "envs" / "math_cases.jsonl"
DATA = HERE.parent.parent / "shared" / "data"


@dataclass(frozen=True)
class Row:
    """One completion with its reference and its label."""

    id: str
    gold: str
    prediction: str
    expected: bool
    policy: dict[str, Json] = field(default_factory=dict)
    question: str = ""


FILES = {
    "cases of 17 graders, unambiguous": "math_verifier_cases.jsonl",
    "own cases": "",
    "ProcessBench solutions": "processbench/final_answer_cases.jsonl",
    "GSM8K solutions": "gsm8k/model_solution_cases.jsonl",
    "gaming": "math_verifier_gaming_cases.jsonl",
    "dos": "math_verifier_dos_cases.jsonl",
}
"""Each set with its file under the data folder; the own cases are in this repository."""


def available(data: Path) -> list[str]:
    """The sets whose file is there."""
    return [name for name in FILES if _file(name, data).exists()]


def rows_of(name: str, data: Path) -> list[Row]:
    """The labelled rows of a set. ProcessBench keeps its source's labels; cases that depend on a policy are out."""
    lines = _file(name, data).read_text(encoding="utf-8").splitlines()
    raw = [json.loads(line) for line in lines]
    if name == "cases of 17 graders, unambiguous":
        raw = [row for row in raw if not row["ambiguous"]]
    asked = _questions(data) if name == "ProcessBench solutions" else {}
    return [_row(f"{name} {number}", {**asked.get(str(row.get("id")), {}), **row}) for number, row in enumerate(raw)]


def _questions(data: Path) -> dict[str, dict[str, Json]]:
    """The problems of ProcessBench by the ids of their solutions, where its own files are there."""
    files = [data / "processbench" / f"{name}.json" for name in ("math", "gsm8k")]
    rows = [row for file in files if file.exists() for row in json.loads(file.read_text(encoding="utf-8"))]
    return {str(row["id"]): {"question": str(row["problem"])} for row in rows}


def _file(name: str, data: Path) -> Path:
    return data / FILES[name] if FILES[name] else OWN_CASES


def _row(place: str, row: dict[str, Json]) -> Row:
    label = row["upstream_expected"] if str(row.get("source", "")).startswith("processbench") else row["expected"]
    policy, question = row.get("policy") or {}, str(row.get("question") or "")
    assert isinstance(policy, dict)
    return Row(str(row.get("id") or place), str(row["gold"]), str(row["prediction"]), bool(label), policy, question)
