"""Shows the doctests of docstrings as code on the site: an extension of griffe, which reads the docstrings."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^>>> .*(?:\n(?!\n).*)*", re.MULTILINE)  # ">>> 1 + 1\n2", as far as the next empty line


class Doctests(griffe.Extension):
    """Fences each doctest."""

    def on_instance(self, *, obj: Any, **kwargs: object) -> None:
        """Change the docstring of an object that griffe has read."""
        if getattr(obj, "docstring", None):
            obj.docstring.value = DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
