r"""A checkpoint's tokenizer.json, looked at before it is loaded: it is a program of replacements and patterns.

>>> problem_of({"normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}})
''
>>> twice = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
>>> problem_of({"normalizer": {"type": "Sequence", "normalizers": [twice] * 40}})
'replaces text by up to 1099511627776 times as much'
>>> problem_of({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(?=(a+)+b)"}}})
'has a pattern that repeats a group without end, (?=(a+)+b)'

The library runs them in Rust, where a text that grows forty times over ends the process, and a pattern that backtracks
past its limit is an error that nobody expects. Tokenizers of models that people use repeat no group without end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from rlenv.core.errors import ConfigError
from rlenv.door.files import opened

PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
MAX_BYTES = 200_000_000
"""Of the file: six times that of the largest vocabulary we know."""
MAX_STEPS = 200
"""Objects within the parts that work on text."""
MOST_GROWTH = 1_000
"""How many characters one of the text may become."""
MAX_PATTERN = 10_000
_ESCAPED, _CLASS = re.compile(r"\\."), re.compile(r"\[[^\[\]]*\]")  # `\)`, `[()+]`
_ENDLESS = re.compile(r"\)(?:[*+]|\{\d*,\})")  # `(a|a)*`, `(a+)+`, `(a){2,}`


def check_tokenizer(file: Path | None) -> None:
    """Raise ConfigError, with what is wrong, for a tokenizer.json that could hold or end the process.

    A file that is not there, or that the library itself cannot read, is left to the library.
    """
    if file is None or not file.is_file():
        return
    with opened(file.resolve(), "rb") as stream:  # a hub's folder holds links to its files
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        problem = f"has more than {MAX_BYTES} bytes"
    else:
        try:
            read = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{file} is no JSON of a tokenizer ({type(error).__name__}); save it again") from error
        problem = problem_of(read) if isinstance(read, Mapping) else ""
    if problem:
        raise ConfigError(f"the tokenizer {file} {problem}; take another model, or mend that file")


def problem_of(tokenizer: Mapping[str, object]) -> str:
    """What a tokenizer does that could hold or end the process, in words; empty for nothing."""
    growth = 1
    for number, step in enumerate(_steps([tokenizer.get(part) for part in PARTS])):
        if number == MAX_STEPS:
            return f"has more than {MAX_STEPS} steps"
        pattern = step.get("pattern")
        regex, string = (pattern.get("Regex"), pattern.get("String")) if isinstance(pattern, Mapping) else ("", pattern)
        if isinstance(regex, str) and (len(regex) > MAX_PATTERN or _is_endless(regex)):
            return f"has a pattern that repeats a group without end, {regex:.100}"
        content = step.get("content", step.get("prepend"))
        if isinstance(content, str):
            found = len(string) if isinstance(string, str) and string else 1
            growth *= max(1, -(-len(content) // found))
    return f"replaces text by up to {growth} times as much" if growth > MOST_GROWTH else ""


def _is_endless(pattern: str) -> bool:
    """Whether it repeats a group without end; what stands in classes of characters is no group."""
    bare, before = _ESCAPED.sub("", pattern), ""
    while bare != before:  # a class may hold classes
        bare, before = _CLASS.sub("", bare), bare
    return _ENDLESS.search(bare) is not None


def _steps(values: list[object]) -> Iterator[Mapping[str, object]]:
    """Every object within these, not deeper ones first."""
    while values:
        value = values.pop()
        if isinstance(value, Mapping):
            yield value
            values += value.values()
        elif isinstance(value, list):
            values += value
