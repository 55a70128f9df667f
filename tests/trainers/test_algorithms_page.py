"""docs/algorithms.md names every row with its paper, and nothing that is not there."""

import re
import runpy
from pathlib import Path

import pytest

from rlenv.trainers import ALGORITHMS

ROOT = Path(__file__).parents[2]
PAGES = ("docs/algorithms.md", "docs/peers.md")
IDEAS = (
    "score function",
    "baseline",
    "advantage and GAE",
    "trust region",
    "both kinds of KL",
    "estimators of the KL",
    "clip-higher",
    "dynamic sampling",
    "sequence ratio",
    "clipped weights",
    "tilted target",
    "forward KL",
    "reverse KL",
    "filtering as rejection sampling",
)


def _text(page: str) -> str:
    return (ROOT / page).read_text()


def _sections() -> dict[str, str]:
    parts = re.split(r"^### (.+)$", _text("docs/algorithms.md"), flags=re.MULTILINE)
    return {name: body.partition("\n## ")[0] for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def test_every_row_has_its_section_and_no_other_is_there() -> None:
    assert list(_sections()) == list(ALGORITHMS)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_section_holds_objective_paper_file_and_proof(name: str) -> None:
    section, row = _sections()[name], ALGORITHMS[name]
    assert re.search(r"^    \S", section, re.MULTILINE)
    for paper in re.findall(r"arXiv [\d.]+|^\w+ \d{4}", row.paper):
        assert paper in section
    assert re.search(r"Code: `trainers/\w+/\w+\.py`", section)
    assert re.search(r"Proof: `tests/trainers/test_\w+\.py`", section)


def test_every_idea_of_the_literature_leads_to_code_and_proof() -> None:
    table = _text("docs/algorithms.md").partition("## Where each idea lives")[2]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    for idea in IDEAS:
        [line] = [line for line in lines if line.removeprefix("| ").startswith(idea)]
        assert "`trainers/" in line or "`kl.beta`" in line
        assert "`tests/" in line


@pytest.mark.parametrize("page", PAGES)
def test_every_path_on_the_page_exists(page: str) -> None:
    named = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|md|json))`", _text(page))
    linked = re.findall(r"\]\((?!http|#)([^)#]+)", _text(page))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
    assert [path for path in linked if not (ROOT / "docs" / path).exists()] == []


def test_every_name_in_the_table_of_ideas_is_in_a_file_of_its_line() -> None:
    table = _text("docs/algorithms.md").partition("## Where each idea lives")[2].partition("## Curves")[0]
    for line in table.splitlines():
        files = [ROOT / path for path in re.findall(r"`(trainers/\w+/\w+\.py)`", line)]
        for name in re.findall(r"`([a-z]+_[a-z_]+|gae|selected|corrected)`", line):
            assert any(re.search(rf"\b{name}\b", file.read_text()) for file in files), (name, line)


def test_the_benchmark_runs_every_row_with_settings_that_hold() -> None:
    arms = runpy.run_path(str(ROOT / "benchmarks" / "algorithm_arms.py"))["ARMS"]
    assert [arm.config(0).row.name for arm in arms] == [arm.algorithm for arm in arms]
    assert len({arm.name for arm in arms}) == len(arms)
