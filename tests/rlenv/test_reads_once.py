"""Nobody but the reader looks for the marks of thoughts, channels and calls."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MARK = re.compile(
    r"</?(?:think|thinking|thought|reasoning|seed:think)\b|\[/?THINK\]|think▷|<\|?channel\|?>|<\|message\|>"
    r"|</?tool_call>|\[TOOL_CALLS\]|<\|python_tag\|>|of_thought\|>|_THINKING\|>"
)
WRITERS = {
    "envs/containers/environment.py": "a solution is written",
    "envs/format/tags.py": "a prompt that asks for tags, and its solution",
    "envs/math/countdown.py": "a solution is written",
    "rlenv/agents/chat.py": "the mark that a template opened with is sent, in front of what was sampled",
    "rlenv/evidence/row.py": "a row's answer is written in the usual frames",
    "rlenv/turns/bridge.py": "dummy conversations are written, to see what a template makes of them",
}
"""Files that write marks, and why; none of them recognises any."""


def mentions(source: str) -> list[str]:
    """The string literals of a source that hold a mark, docstrings apart."""
    tree = ast.parse(source)
    documented = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [str(node.value) for node in strings if id(node) not in documented and MARK.search(str(node.value))]


def test_only_the_reader_knows_the_marks() -> None:
    found = {}
    for room in ("rlenv", "envs", "trainers"):
        for path in sorted((ROOT / room).rglob("*.py")):
            name, source = path.resolve().relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            if not name.startswith("rlenv/core/reading/") and MARK.search(source) and (marks := mentions(source)):
                found[name] = marks
    assert {name: marks for name, marks in found.items() if name not in WRITERS} == {}
    assert sorted(found) == sorted(WRITERS)
