"""The tutorials, followed in an empty folder: every file, program and command, and what each prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import Reader, steps

FOLDER = Path(__file__).parents[1] / "docs" / "tutorials"
PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))
QUICK = ("first_task", "tools_and_turns", "trl_to_audited", "write_a_detector")
"""Those whose beginning is followed by `make test`; all are followed whole by `make test-slow`."""
SLOW = "<!-- slow from here -->"
MINUTES, WORDS_A_MINUTE = 10, 130


def text(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text("utf-8")


def follow(page: str, folder: Path) -> None:
    with Reader(folder) as reader:
        for step in steps(page):
            reader.follow(step)


@pytest.mark.parametrize("name", QUICK)
def test_what_is_quick_does_what_the_page_says(name: str, tmp_path: Path) -> None:
    follow(text(name).partition(SLOW)[0], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_the_whole_page_does_what_it_says(name: str, tmp_path: Path) -> None:
    follow(text(name), tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_it_reads_in_ten_minutes_and_what_is_not_run_has_a_twin(name: str) -> None:
    page = text(name)
    assert len(page.split()) < MINUTES * WORDS_A_MINUTE
    done = [step for step in steps(page) if step.kind != "output"]
    left_out = [step for step in done if step.not_run]
    assert len(done) - len(left_out) > len(left_out)
    assert page.count("\n    rlenv ") == 0  # commands stand in ```sh, where their output may follow


def test_all_nine_are_on_the_site() -> None:
    nav = (FOLDER.parents[1] / "mkdocs.yml").read_text("utf-8")
    assert len(PAGES) == 9
    assert [name for name in PAGES if f"tutorials/{name}.md" not in nav] == []
