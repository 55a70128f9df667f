r"""How mathematics is set off in a text: by dollar signs and brackets, and by commands that only change the look.

>>> FONT.sub(r"\1", r"\text{two} apples"), MATHEMATICS.search(r"Solve \(x = 1\).")[0]
('two apples', '\\(x = 1\\)')
"""

from __future__ import annotations

import re

FONT = re.compile(r"\\(?:text|textbf|textrm|textit|mathrm|mbox)\s*\{([^{}]*)\}")  # \text{Alice}
MATHEMATICS = re.compile(r"\$([^$]{1,400})\$|\\\((.{1,400}?)\\\)|\\\[(.{1,400}?)\\\]", re.DOTALL)  # Let $f(x) = 2x$.
"""What a question writes as mathematics, in one of three groups by its marks."""


def inside(found: re.Match[str]) -> str:
    """What stands between the marks of a piece of mathematics."""
    return next(filter(None, found.groups()), "")
