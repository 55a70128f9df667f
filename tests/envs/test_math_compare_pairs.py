"""Pairs of a reference and an answer over all kinds: what is equal, and what only looks as if it were."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlenv.envs.math.comparing import compare, compare_symbolically
from rlenv.envs.math.comparing.policy import MathPolicy

PAIRS = Path(__file__).with_suffix(".txt")
POLICY = MathPolicy()


def rows() -> list[tuple[str, str, bool]]:
    found = []
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# ") and not line.startswith("## "):
            gold, rest = line.split(" | ", 1)
            answer, _, sign = rest.rpartition(" | ")
            found.append((gold, answer, {"+": True, "-": False}[sign]))
    return found


def judged(gold: str, answer: str) -> bool | None:
    cheap = compare(gold, answer, POLICY)
    return compare_symbolically(gold, answer, POLICY).equal if cheap.equal is None else cheap.equal


@pytest.mark.parametrize(("gold", "answer", "equal"), rows())
def test_answer_is_judged_by_what_it_means(gold: str, answer: str, equal: bool) -> None:
    assert judged(gold, answer) is equal


def test_every_reference_equals_itself_however_it_is_wrapped() -> None:
    for gold, _, _ in rows():
        assert compare(gold, f"  {gold}  ", POLICY).equal, gold
        if "$" not in gold and "&" not in gold:
            assert compare(gold, f"$ {gold} $", POLICY).equal, gold
            assert compare(gold, f"\\({gold}\\)", POLICY).equal, gold


def test_hundreds_of_pairs_are_held_and_a_third_of_them_are_wrong_answers() -> None:
    found = rows()
    assert len(found) > 550
    assert sum(not equal for _, _, equal in found) > len(found) / 3.2
