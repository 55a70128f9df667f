"""The words that docs/glossary.md forbids stand in no page, help text, message or docstring."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
GLOSSARY = ROOT / "docs" / "glossary.md"
PLACES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/*.md",
    "rlenv/*.py",
    "trainers/*.py",
    "sandbox/__init__.py",
)
ANOTHER = "(?<!the right )(?<!the rejected )(?<!the other )"  # "the right one's own form"


def forbidden() -> list[str]:
    """The first column of the last table: `| mend, mended | fix |`."""
    rows = re.findall(r"^\| ([a-z', ]+) \| [^|]+ \|$", GLOSSARY.read_text("utf-8").rpartition("## ")[2], re.MULTILINE)
    return [word for row in rows if row != "do not say" for word in row.split(", ")]


def test_the_words_that_are_not_used_are_not_used() -> None:
    words = forbidden()
    assert len(words) >= 15
    looked_for = re.compile(rf"{ANOTHER}\b({'|'.join(map(re.escape, words))})\b")
    listed = subprocess.check_output(["git", "ls-files", "--", *PLACES], cwd=ROOT, text=True).split()
    pages = [ROOT / name for name in listed if ROOT / name != GLOSSARY and (ROOT / name).is_file()]
    assert len(pages) > 300
    found = [
        f"{page.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for page in pages
        for number, line in enumerate(page.read_text("utf-8").splitlines(), 1)
        if looked_for.search(line)
    ]
    assert found == []


def test_a_forbidden_word_would_be_found() -> None:
    assert {"mended", "one's own", "shared out"} <= set(forbidden())
