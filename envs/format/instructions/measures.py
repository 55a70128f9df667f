"""What of a text is counted: its words, sentences, paragraphs and lines, and the words that languages have most."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data"
DRAFTS: dict[str, Any] = json.loads((DATA / "drafts.json").read_text(encoding="utf-8"))
"""Words, paragraphs and languages, of which drafts are made."""
FUNCTION_WORDS = {row["language"]: frozenset(row["common"].split()) for row in DRAFTS["languages"]}
PARAGRAPHS: dict[str, str] = {row["language"]: row["paragraph"] for row in DRAFTS["languages"] if "paragraph" in row}
LONG_WORD = 4
_WORD = re.compile(r"\w+(?:['’-]\w+)*")  # don't, well-known
_SENTENCE_END = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++(?=[\"'”’)*\]]*(?:\s|$))")  # ?! and the end of `3.5 m.`
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


def words(text: str) -> list[str]:
    """Runs of letters and digits, with apostrophes and hyphens inside: `don't` and `well-known` are one word."""
    return _WORD.findall(text)


def count_word(text: str, word: str) -> int:
    """How often a word stands in the text as a whole word, in any case."""
    return sum(found.casefold() == word.casefold() for found in words(text))


def long_words(text: str) -> Counter[str]:
    """How often each word of LONG_WORD or more letters stands in the text."""
    return Counter(word.casefold() for word in words(text) if len(word) >= LONG_WORD)


def capital_words(text: str) -> int:
    """Words of two or more letters, all of them capitals."""
    return sum(word.isupper() and sum(map(str.isalpha, word)) > 1 for word in words(text))


def sentences(text: str) -> int:
    """How many sentences end in the text: runs of `.`, `!`, `?` before white space or the end."""
    return len(_SENTENCE_END.findall(text))


def paragraphs(text: str) -> list[str]:
    """Blocks of text between blank lines."""
    return [block for block in _BLANK_LINE.split(text.strip()) if block.strip()]


def lines(text: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in text.splitlines() if line.strip()]


def share(text: str, language: str) -> float:
    """The share of the words of a text that are function words of the language.

    >>> share("Der Hund und die Katze sind nicht im Haus.", "German") > 0.5
    True
    """
    said = words(text.lower())
    common = FUNCTION_WORDS[language]
    return sum(word.partition("'")[0].partition("’")[0] in common for word in said) / len(said) if said else 0.0
