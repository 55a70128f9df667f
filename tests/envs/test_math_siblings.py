"""Answers in parts, in closing sentences, by cases and in other notations, each beside one that is nearly the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

import pytest

from rlenv import Completion, Task
from rlenv.envs.math.verifier import MathVerifier


class Row(TypedDict):
    reference: str
    completion: str
    question: str
    right: bool


ROWS: list[Row] = [
    json.loads(line) for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['reference']} | {row['completion']}"[:70])
def test_an_answer_is_told_from_its_sibling(row: Row) -> None:
    task = Task(row["question"], row["reference"], metadata={"question": row["question"]})
    verdict = MathVerifier().verify(task, Completion(row["completion"]))
    assert bool(verdict.reward) is row["right"], verdict.reason
