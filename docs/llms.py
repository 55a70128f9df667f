"""Writes llms.txt: what rlenv is, its commands and its pages, for models that read before they write.

    python docs/llms.py

The commands are those of `rlenv -h`, the pages those of mkdocs.yml by their titles; tests/test_llms.py holds that the
file is fresh.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from rlenv.cli import GROUPS

ROOT = Path(__file__).resolve().parents[1]
SITE = "https://github.com/rlenv-llm/rlenv/blob/main"
_SECTION = re.compile(r"  - ([^:]+):$")
_PAGE = re.compile(r"\s+- ([\w/.]+\.md)$")
INTRO = f"""# rlenv

> Checkable tasks as reinforcement-learning environments for language models, with rewards that are attacked before
> training.

How a coding agent uses and changes it, in one page: [AGENTS.md]({SITE}/AGENTS.md). Every error says what was expected,
what came and what to do. Install: `pip install 'rlenv-llm[all] @ git+https://github.com/rlenv-llm/rlenv'`.
"""


def text() -> str:
    """The whole file."""
    lines = [INTRO, "## Commands", ""]
    for commands in GROUPS.values():
        lines += [f"- `rlenv {name}`: {_said(module)}" for name, module in commands.items()]
    return "\n".join([*lines, *_pages()]) + "\n"


def _said(place: str) -> str:
    """The first paragraph of a command's help, or of its module where it is a group."""
    module, _, function = place.partition(":")
    found = importlib.import_module(module)
    told = inspect.getdoc(getattr(found, function or "command", found)) or ""
    return " ".join(told.partition("\n\n")[0].split())


def _pages() -> Iterator[str]:
    for line in (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2].splitlines():
        if section := _SECTION.match(line):
            yield f"\n## {section[1]}\n"
        elif (page := _PAGE.match(line)) and (path := ROOT / "docs" / page[1]).is_file():
            title = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            yield f"- [{title[1] if title else path.stem}]({SITE}/docs/{page[1]})"


if __name__ == "__main__":
    (ROOT / "llms.txt").write_text(text(), encoding="utf-8")
