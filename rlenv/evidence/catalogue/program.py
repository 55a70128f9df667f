"""Files that a completion hands in, with the program's emptied and those of the tests left.

>>> handed = "### a.py\\n```python\\nx = 1\\n```\\n\\n### test_a.py\\n```python\\nassert x\\n```"
>>> [path for path, _ in files(handed)]
['a.py', 'test_a.py']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlenv.core.reading import Span
from rlenv.evidence.edit import Edit, Scene, Variant, with_content

_FILE = re.compile(r"(?m)^[#*`\s]*(?:\w+:[ \t]*)?`?([\w./-]+\.\w{1,5})`?[:*]*\s*\n+```[^\n]*\n(.*?)^```", re.DOTALL)
# takes "### a.py" and "FILE: a.py", a blank line or none, and a fenced block
_NAMED = re.compile(r"(?m)^```\w*[ :]+(?:\w+=)?[\"']?([\w./-]+\.\w{1,5})\b[^\n]*\n(.*?)^```", re.DOTALL)
# takes "```python path=a.py" and "```python:a.py" as the first line of a fenced block
_TEST = re.compile(
    r"(?:^|[/_.])(?:tests?|specs?|conftest|golden|expected|fixtures?|(?:__)?snapshots?(?:__)?)(?:[/_.]|$)"
    r"|\.(?:snap|golden|expected)$",
    re.IGNORECASE,
)  # test_a.py, tests/a.py, a.spec.ts, golden/a.txt and a.snap, not attest.py


def files(text: str) -> list[tuple[str, Span]]:
    """The path and the place of the body of every file in a text."""
    found = {Span(*match.span(2)): match[1] for form in (_FILE, _NAMED) for match in form.finditer(text)}
    return [(found[place], place) for place in sorted(found)]


def is_test(path: str) -> bool:
    """Whether a file is one of tests, by the conventions that test runners go by."""
    return _TEST.search(path) is not None


def _emptied(scene: Scene) -> Iterator[Variant]:
    text = scene.text
    found = files(text) if "```" in text else []
    programs = [place for path, place in found if not is_test(path)]
    if len(programs) == len(found):
        return
    for start, end in reversed(programs):
        text = f"{text[:start]}{text[end:]}"
    whole = Span(found[0][1].start, found[-1][1].end)
    yield Variant(scene.task, with_content(scene.completion, text), whole, "the program emptied, the tests left")


PROGRAM_EMPTIED = Edit("program_emptied", "unpaid", 1, _emptied)
"""Without the program no test of it passes."""
