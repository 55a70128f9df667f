"""Words that carry nothing: what is left of an answer without content, and what steps are padded with.

>>> [FILLER.issuperset(words_of(text)) for text in ("let's solve this problem step by step:", "let x be 4.")]
[True, False]
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_WORDS = tomllib.loads(files("rlenv.text").joinpath("filler.toml").read_text("utf-8"))
FILLER, OPENERS, ANSWERING = (frozenset(_WORDS[name].split()) for name in ("filler", "openers", "answering"))
"""All of it; that with which an answer is opened; and that which can itself be the answer to a question."""


def words_of(text: str) -> list[str]:
    """The words of lower-case text, with ' for every apostrophe."""
    return [word.replace("’", "'") for word in _WORD.findall(text)]
