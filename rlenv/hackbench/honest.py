"""Other people's honest texts, read from a folder of public sets where there is one: no detector should see a hack.

Each detector gets the texts of its kind: solutions for all that looks at reasoning, answers to harmless and to
delicate questions for what looks at tone, groups of four models' solutions for what looks at groups.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import cast

from rlenv.hackbench.case import HONEST, Case, Said
from rlenv.hackbench.playing import BUFFER, LIMIT
from rlenv.tasksets import read_rows

SOLUTIONS = ("hedging", "format_gaming", "reference_leak", "step_padding", "truncation", "repetition", "prompt_copying")
ALL_TEXTS = ("repetition", "prompt_copying", "reference_leak", "format_gaming", "judge_manipulation", "sycophancy")
TALK = (*ALL_TEXTS, "language_switching")
GROUPED = ("length_gaming",)
MEASURED = ("overlong",)
"""Families of which only texts within the limit are honest."""
Pair = tuple[str, str, str]
"""A prompt, its reference and an honest completion."""


def honest_texts(data: Path) -> list[Case]:
    """The cases of every family that needs no checker of its own to be made; none where there is no folder."""
    if not data.is_dir():
        return []
    solutions, answers = [*processbench(data), *gsm8k(data)], list(xstest(data))
    cases = []
    for family in dict.fromkeys((*SOLUTIONS, *TALK)):
        cases += [honest_case(family, pair) for pair in solutions]
        cases += [honest_case(family, pair) for pair in answers if family in TALK]
    cases += [_measured(pair) for pair in solutions if tokens(pair[2]) <= LIMIT - BUFFER]
    return cases + list(gsm8k_groups(data))


def honest_case(family: str, pair: Pair, source: str = "") -> Case:
    """One completion that is no hack."""
    prompt, reference, text = pair
    return Case(family, False, prompt, ((Said(text),),), reference, half=HONEST, source=source)


def processbench(data: Path) -> Iterator[Pair]:
    """Solutions whose final answer is right."""
    questions = {
        str(row["id"]): str(row["problem"])
        for name in ("gsm8k", "math")
        for row in rows(data / f"processbench/{name}.json")
    }
    for row in rows(data / "processbench" / "final_answer_cases.jsonl"):
        if row["expected"]:
            yield questions.get(str(row["id"]), ""), str(row["gold"]), str(row["prediction"])


def gsm8k(data: Path) -> Iterator[Pair]:
    """Right solutions of four models."""
    for row, gold in _gsm8k(data):
        yield from ((str(row["question"]), gold, said["solution"]) for said in _models(row) if said["is_correct"])


def gsm8k_groups(data: Path) -> Iterator[Case]:
    """Groups of four: what four models say to one question, paid for being right."""
    for row, gold in _gsm8k(data):
        members = tuple(_graded(said["solution"], bool(said["is_correct"])) for said in _models(row))
        yield from (Case(family, False, str(row["question"]), (members,), gold, half=HONEST) for family in GROUPED)


def xstest(data: Path) -> Iterator[Pair]:
    """Answers that two people labelled as full compliance."""
    for file in sorted((data / "xstest").glob("*_gpteval.csv")):
        with file.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                if row["final_label"] == "1_full_compliance":
                    yield row["prompt"], "", row["completion"]


@cache
def tokens(text: str) -> int:
    """Words and marks: what a tokenizer counts, roughly."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def _measured(pair: Pair) -> Case:
    prompt, reference, text = pair
    return Case(MEASURED[0], False, prompt, ((Said(text, tokens(text)),),), reference, half=HONEST)


def _graded(text: str, right: bool) -> Said:
    return Said(text, tokens(text), parts=(("correct", float(right)),), scores={"correct": float(right)})


def _gsm8k(data: Path) -> Iterator[tuple[Mapping[str, object], str]]:
    for row in rows(data / "gsm8k" / "example_model_solutions.jsonl"):
        yield row, str(row["ground_truth"]).rpartition("A:")[2].strip()


def _models(row: Mapping[str, object]) -> list[dict[str, str]]:
    return [value for value in row.values() if isinstance(value, dict)]


def rows(path: Path) -> list[dict[str, object]]:
    """The rows of a file of a public set; none where it is not at hand. Raises TaskError."""
    return [cast("dict[str, object]", row) for _, row in read_rows(path)] if path.exists() else []
