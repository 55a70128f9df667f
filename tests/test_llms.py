"""What coding agents read first is fresh, and fits one page."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_llms_txt_is_what_the_commands_and_pages_say() -> None:
    spec = importlib.util.spec_from_file_location("llms", ROOT / "docs" / "llms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert (ROOT / "llms.txt").read_text(encoding="utf-8") == module.text(), "run: python docs/llms.py"


def test_the_page_for_agents_is_one_page_and_is_linked() -> None:
    page = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 60
    assert "llms.txt" in page
