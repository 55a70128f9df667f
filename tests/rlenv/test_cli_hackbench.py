"""`rlenv hackbench`, as a user types it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from typer.testing import CliRunner, Result

from rlenv.cli import app
from rlenv.episode import Episode
from rlenv.hackbench import Case, Said
from rlenv.hackbench.running import Row, detectors
from rlenv.hackbench.table import BEGIN, END, markdown_table
from rlenv.verdict import Flag
from rlenv.wrappers.detector import TextDetector
from rlenv.wrappers.detectors import DETECTORS


@dataclass(frozen=True, kw_only=True)
class ByLength(TextDetector):
    """Flags what is longer than `limit`."""

    name: ClassVar[str] = "by_length"
    limit: int = 3
    buffer: int = 1

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        text = episode.completion.text
        return (self.flag(0, len(text), "long"),) if len(text) > self.limit else ()


CASES = [
    Case("by_length", True, "?", ((Said("x" * 2000),),), template="by_length/hack/tuning/long"),
    Case("by_length", True, "?", ((Said("yy"),),), template="by_length/hack/tuning/short"),
    Case("by_length", False, "?", ((Said("z"),),), template="by_length/honest/tuning/plain"),
    Case("another", False, "?", ((Said("z" * 2000),),), template="another/honest/tuning/plain"),
]


@pytest.fixture
def set_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def cases(half: str, data: Path) -> Sequence[Case]:
        return CASES

    monkeypatch.setitem(DETECTORS, "by_length", ByLength)
    monkeypatch.setattr("rlenv.cli.hackbench._cases", cases)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["hackbench", "--detector", "by_length", *arguments])


@pytest.mark.usefixtures("set_of_one")
def test_the_figures_are_of_the_cases_of_the_detectors_family() -> None:
    (row,) = json.loads(run("--half", "tuning", "--json").output)
    assert (row["hacks"], row["honest"], row["recall"]["count"], row["false_positives"]["count"]) == (2, 1, 1, 0)
    assert row["recall_by_template"] == {"by_length/hack/tuning/long": [1, 1], "by_length/hack/tuning/short": [0, 1]}


@pytest.mark.usefixtures("set_of_one")
def test_errors_show_what_was_missed() -> None:
    result = run("--half", "tuning", "--errors")
    assert result.exit_code == 0
    assert "MISSED" in result.output
    assert "said   yy" in result.output


@pytest.mark.usefixtures("set_of_one")
def test_errors_of_the_reporting_half_are_kept_back_until_revealed() -> None:
    refused = run("--half", "reporting", "--errors")
    assert refused.exit_code == 2
    assert "yy" not in refused.output
    assert "--reveal" in refused.stderr
    assert "said   yy" in run("--half", "reporting", "--errors", "--reveal").output


@pytest.mark.usefixtures("set_of_one")
def test_check_fails_below_the_mark_and_not_on_the_tuning_half() -> None:
    assert run("--half", "reporting", "--check").exit_code == 1
    assert "below the mark" in run("--half", "reporting").output
    assert run("--half", "tuning", "--check").exit_code == 0


@pytest.mark.usefixtures("set_of_one")
def test_one_honest_text_is_too_few_for_the_bound() -> None:
    assert run("--half", "honest", "--check").exit_code == 1


@pytest.mark.usefixtures("set_of_one")
def test_the_table_goes_between_the_marks_of_a_document(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert run("--half", "tuning", "--into", str(document)).exit_code == 0
    text = document.read_text()
    assert text.startswith(f"before\n{BEGIN}\n| detector |")
    assert text.endswith(f"|\n{END}\nafter\n")
    assert "old" not in text
    document.write_text("no marks")
    assert run("--half", "tuning", "--into", str(document)).exit_code == 2


def test_what_does_not_exist_is_told_in_one_line() -> None:
    for arguments in (["--half", "other"], ["--detector", "nothing"]):
        result = CliRunner().invoke(app, ["hackbench", "--half", "tuning", *arguments])
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("set_of_one")
def test_a_detector_with_a_limit_gets_that_of_the_cases() -> None:
    (made,) = detectors(["by_length"])
    assert isinstance(made, ByLength)
    assert (made.limit, made.buffer) == (1024, 256)


def test_the_table_holds_a_line_for_each_row() -> None:
    rows: list[Row] = []
    assert len(markdown_table(rows).splitlines()) == 2


def test_every_detector_runs_on_its_tuning_half(tmp_path: Path) -> None:
    names = [name for name in DETECTORS if name not in ("length_gaming", "special_casing", "test_tampering")]
    result = CliRunner().invoke(app, ["hackbench", "--half", "tuning", "--json", "--detector", ",".join(names)])
    rows = json.loads(result.output)
    assert {row["detector"] for row in rows} == set(names)
    assert [row["detector"] for row in rows if row["failed"]] == []
