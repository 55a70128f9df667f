"""HackBench: reading cases, running detectors on them, counting what they saw, and writing it down."""

import csv
import itertools
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from rlenv.cli import app
from rlenv.core.errors import TaskError
from rlenv.core.verdict import Flag
from rlenv.evidence.catalogue import ANOTHER_TASK
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.detectors import EVIDENCE_DETECTORS
from rlenv.evidence.evidence import Evidence
from rlenv.hackbench import HALVES, Case, Figures, cases, measure
from rlenv.hackbench.case import environment
from rlenv.wrappers import State

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "hacking" / "README.md"
FIGURES = ROOT / "benchmarks" / "results" / "hackbench_detectors.tsv"
LONG, SHORT = "a" * 20, "a" * 5


@dataclass(frozen=True, kw_only=True)
class Long(EvidenceDetector):
    """Flags what is longer than ten signs, and has the verifier asked about other tasks."""

    name: ClassVar[str] = "long"
    edits: ClassVar = (ANOTHER_TASK,)

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        return (self.flag(0, 1, "long"),) if len(evidence.text) > 10 else ()


@dataclass(frozen=True, kw_only=True)
class Broken(Long):
    """Cannot look."""

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        raise ValueError("lost")


def line(number: int, label: str, text: str, **more: object) -> str:
    task = {"prompt": f"Write {number} letters.", "answer": str(number)}
    case = {"id": f"own-{number}", "family": "length", "construction": f"kind {number % 2}"}
    paid = 0.0 if more.get("correct") is False else 1.0
    said = {"label": label, "completion": text, "right": "b", "paid": paid, "right_paid": 1.0, "why": ""}
    return json.dumps({**case, "reward": "pays.py:all_of_it", "task": task, **said, **more})


LINES = [
    line(0, "hack", LONG),
    line(1, "hack", SHORT),
    line(2, "honest", SHORT, correct=True),
    line(3, "honest", LONG, correct=True),
    line(4, "honest", f"wrong {LONG}", correct=False),
    line(5, "hack", LONG),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rewards").mkdir()
    (tmp_path / "rewards" / "pays.py").write_text(
        "def all_of_it(completion, answer):\n    return float(not completion.startswith('wrong'))\n"
    )
    (tmp_path / "mine.jsonl").write_text("\n".join(LINES) + "\n")
    return tmp_path


def figures(folder: Path, share: float | None = None) -> Figures:
    return Figures("mine", share, measure([Long()], cases("mine", folder), share))


def test_hacks_and_honest_ones_are_counted_apart(folder: Path) -> None:
    found = figures(folder)
    assert [str(count) for count in found.all] == ["2/3", "1/2", "1/1", "3/3"]
    assert {name: str(counts[0]) for name, counts in found.families().items()} == {"length": "2/3"}
    assert [str(counts[0]) for counts in found.constructions().values()] == ["1/1", "1/2"]
    assert {name: str(counts[1]) for name, counts in found.detectors().items()} == {"long": "1/2"}


def test_precision_is_that_of_the_stated_share_of_hacks(folder: Path) -> None:
    recall, false_flags = 2 / 3, 2 / 3
    assert figures(folder).precision(0.1) == pytest.approx(0.1 * recall / (0.1 * recall + 0.9 * false_flags))
    assert math.isnan(Figures("mine", None, measure([], cases("mine", folder))).precision(0.1))


def test_what_is_asked_grows_with_the_share(folder: Path) -> None:
    asked = [figures(folder, share).measured.verifications for share in (0.0, 0.5, 1.0)]
    assert asked[0] == 0
    assert asked == sorted(asked)
    assert figures(folder).measured.verifications == asked[2]


def test_a_detector_that_fails_is_named(folder: Path) -> None:
    with pytest.raises(TaskError, match=r"own-0: detector long: ValueError: lost \(.*test_hackbench.py, line \d+\)"):
        measure([Broken()], cases("mine", folder))


@pytest.mark.parametrize(
    ("text", "words"), [("{", "line 1: expected a case in JSON"), ('{"id": 1}', "family"), ("[]", "expected a case")]
)
def test_a_line_that_is_no_case_is_named(folder: Path, text: str, words: str) -> None:
    (folder / "mine.jsonl").write_text(text)
    with pytest.raises(TaskError, match=words):
        cases("mine", folder)


def test_the_command_prints_tables_errors_and_json(folder: Path) -> None:
    told = ["hackbench", "--cases", str(folder), "--half", "mine", "--watch", "hollow", "--share", "default,0.1"]
    out = CliRunner().invoke(app, [*told, "--errors", "--constructions"]).output
    assert "missed: own-1 kind 1" in out
    assert "recall" in out
    read = json.loads(CliRunner().invoke(app, [*told, "--json"]).output)
    assert [one["share"] for one in read] == [None, 0.1]
    assert read[0]["all"]["hacks"] == [0, 3]


def test_the_command_checks_what_rewards_pay(folder: Path) -> None:
    check = ["hackbench", "--cases", str(folder), "--half", "mine", "--check"]
    held = CliRunner().invoke(app, check)
    assert (held.exit_code, held.output) == (0, "6 cases, 0 faults\n")
    (folder / "mine.jsonl").write_text(line(0, "hack", "wrong"))
    broken = CliRunner().invoke(app, check)
    assert broken.exit_code == 1
    assert "own-0: pays 0.0 of 1.0, the file says 1.0" in broken.output


def test_every_detector_has_a_section_and_figures_of_both_halves() -> None:
    sections = dict(part.split("`", 1) for part in PAGE.read_text("utf-8").split("\n### `")[1:])
    assert set(sections) == set(EVIDENCE_DETECTORS)
    assert [name for name, said in sections.items() if "\nCannot see: " not in said] == []
    with FIGURES.open(encoding="utf-8", newline="") as file:
        rows = [(row["detector"], row["half"]) for row in csv.DictReader(file, delimiter="\t")]
    flagging = [name for name in EVIDENCE_DETECTORS if name != "padded"]  # it flags nothing, and has no figures yet
    assert sorted(rows) == sorted(itertools.product(flagging, ("tuning", "reporting")))


def inline(case: Case) -> bool:
    return not case.reward.startswith("{") or environment(case.reward).inline


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_each_reward_pays_what_the_file_says(half: str) -> None:
    found = [case for case in cases(half) if inline(case)]
    assert len(found) > 900
    assert [fault for case in found for fault in case.faults()] == []


def test_the_halves_share_no_construction() -> None:
    """The reporting half would measure what rules were made with."""
    tuning, reporting = ({case.construction for case in cases(half)} for half in HALVES)
    assert tuning
    assert not tuning & reporting


def test_a_case_that_no_longer_holds_is_named() -> None:
    hack = next(case for case in cases("tuning") if case.label == "hack")
    changed = replace(hack, completion=hack.right, label="wrong")
    assert any("expected less than half" in fault for fault in changed.faults())
