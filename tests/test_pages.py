"""The pages that stand at the top of the repository: their links, and the versions that they name."""

import re
from pathlib import Path

import pytest

import rlenv

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")  # "](docs/audit.md#environments"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = LINK.findall((ROOT / page).read_text("utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_files_that_contributors_are_sent_to_are_there() -> None:
    named = re.findall(r"`((?:trainers|rlenv|envs|docs|tests|sandbox|\.github|\.ci)/[\w./]*)`", _contributing())
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_make_targets_that_contributors_are_told_of_are_there() -> None:
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"^    make ([a-z-]+)", _contributing(), re.MULTILINE)) <= set(targets)


LINES = 300
LONGER = {"algorithms.md": "a section a row of the table: looked up by name, not read"}


def test_pages_of_the_documentation_are_short_or_say_why_not() -> None:
    pages = {path.relative_to(ROOT / "docs").as_posix(): path for path in (ROOT / "docs").rglob("*.md")}
    long = {name for name, path in pages.items() if len(path.read_text("utf-8").splitlines()) > LINES}
    assert long <= set(LONGER)
    assert set(LONGER) <= set(pages)


def test_the_citation_names_the_version() -> None:
    assert f"\nversion: {rlenv.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def _contributing() -> str:
    return (ROOT / "CONTRIBUTING.md").read_text("utf-8")
