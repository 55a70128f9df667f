"""docs/my_task_does_not_learn.md, followed in an empty folder, and the sentences that send somebody there."""

from pathlib import Path

import pytest
from pages import Reader, steps

ROOT = Path(__file__).parents[1]
NAME = "docs/my_task_does_not_learn.md"
TEXT = (ROOT / NAME).read_text("utf-8")


@pytest.mark.slow
def test_every_run_does_what_the_page_says(tmp_path: Path) -> None:
    with Reader(tmp_path) as reader:
        for step in steps(TEXT):
            reader.follow(step)


def test_the_page_that_is_named_is_there_and_in_the_readme() -> None:
    pytest.importorskip("torch", reason="needs the extra train")
    from rlenv.trainers.records.logs import PAGE

    assert PAGE == NAME
    for page in ("README.md", "docs/tutorials/first_task.md", "docs/tutorials/train_and_watch.md", "docs/training.md"):
        assert "my_task_does_not_learn.md" in (ROOT / page).read_text("utf-8")


def test_each_symptom_leads_to_a_section_with_a_run() -> None:
    sections = {part.partition("\n")[0].strip(): part for part in TEXT.replace("\n### ", "\n## ").split("\n## ")[1:]}
    anchors = {title.lower().replace(" ", "-"): body for title, body in sections.items()}
    table = [line for line in TEXT.splitlines() if line.startswith("| ") and "](#" in line]
    assert len(table) >= 7
    for row in table:
        assert row.partition("](#")[2].partition(")")[0] in anchors
