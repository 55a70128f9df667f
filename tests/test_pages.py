"""The pages that stand at the top of the repository: their links, and the versions that they name."""

import re
from pathlib import Path

import pytest
import typer

import rlenv
from rlenv.cli import app

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "AGENTS.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ".github/PULL_REQUEST_TEMPLATE.md")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")  # "](docs/audit.md#environments"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = LINK.findall((ROOT / page).read_text("utf-8"))
    assert [link for link in links if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_files_that_contributors_are_sent_to_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:trainers|rlenv|envs|docs|tests|sandbox|\.github|\.ci)/[\w./]*)`", text)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_citation_names_the_version() -> None:
    assert f"\nversion: {rlenv.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_commands_that_agents_are_told_are_there() -> None:
    """Each command of `rlenv` in AGENTS.md, and each of its options, is one that the command line has."""
    told = re.findall(r"`rlenv ([a-z]+)([^`]*)`", (ROOT / "AGENTS.md").read_text("utf-8"))
    assert len(told) > 5
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, rest in told:
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= {*options, "--help"}, name
