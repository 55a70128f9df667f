r"""A stranger's regular expression: read by RE2, whose work grows with the text and never with what it may try.

>>> linear(r"\d{4}-\d{2}").fullmatch("2021-03") is not None
True
>>> linear(r"(\w)\1")
Traceback (most recent call last):
rlenv.core.errors.TaskError: the pattern '(\\w)\\1' has a backreference, which RE2 cannot read; write it without

RE2 reads what `re` reads but for what needs backtracking; its `\d`, `\w` and `\s` are those of ASCII.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rlenv.core.errors import MissingExtra, TaskError

MAX_CHARS = 10_000
"""Of a pattern."""
MEMORY = 1 << 20
"""Bytes that one pattern may take, so that those that are kept take 64 MB at most."""
_CONSTRUCTS = {
    "operator: (?=": "a lookahead",
    "operator: (?!": "a lookahead",
    "operator: (?<": "a lookbehind",
    "operator: (?P": "a backreference",  # (?P=name); (?P<name>...) is read
    "operator: (?>": "an atomic group",
    "operator: (?(": "a condition",
    "bad repetition operator": "a possessive repetition",
    "repetition size": "a repetition of more than 1000",
    "too large": "more repetitions than fit",
    **{f"sequence: \\{digit}": "a backreference" for digit in "123456789"},
}
"""What RE2 says of what it cannot read, and its name."""


@lru_cache(maxsize=64)
def linear(source: str) -> Any:
    """The pattern as RE2 reads it, with `search` and `fullmatch`. Raises TaskError for what it cannot read."""
    try:
        import re2
    except ImportError as error:
        raise MissingExtra("google-re2", "format") from error
    if len(source) > MAX_CHARS:
        raise TaskError(f"expected a pattern of at most {MAX_CHARS} characters, got {len(source)}; write a shorter one")
    options = re2.Options()
    options.log_errors, options.max_mem, options.never_capture = False, MEMORY, True
    try:
        return re2.compile(source, options)
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error, re2.error) else str(error)
        named = next((name for known, name in _CONSTRUCTS.items() if known in said), "")
        problem = f"has {named}, which RE2 cannot read; write it without" if named else f"cannot be read: {said}"
        raise TaskError(f"the pattern {source!r:.80} {problem}") from error


def valid(text: str) -> str:
    """The text as RE2 can read it: without lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
