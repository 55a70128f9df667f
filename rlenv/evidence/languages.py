"""Which language a text is in, and which languages a task asks for.

Scripts come from the names that Unicode gives to characters. Languages come from py3langid (BSD-3, 4.6 MB, a naive
Bayes model in numpy that ships inside the package; lingua is 96 MB, langdetect draws at random and was last released in
2021). Without it, which is the extra `language`, only scripts are told apart.

>>> sorted(named("Translate this into French, please: good morning"))
['fr']
>>> scripts("Wet it. Затем")
{'LATIN': 5, 'CYRILLIC': 5}
"""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path

_DATA = Path(__file__).parent / "data" / "languages.tsv"
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # don't, Grüße and 中文; no digits
_NO_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|\\\(.*?\\\)|\\\[.*?\\\]|\\[a-zA-Z]+|https?://\S+|</?\w+>",
    re.DOTALL,
)  # fenced and ticked code, $x^2$, \(x\), \frac, addresses and tags
MOST_CHARS = 4000
"""Of a text that is looked at: the language of a long one stands in its beginning."""


@cache
def _table() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """By code: the scripts, and the names in lower case."""
    rows = [line.split("\t") for line in _DATA.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {code: (frozenset(of.split(",")), frozenset(names.split(","))) for code, of, names in rows}


def prose(text: str) -> str:
    """A text without code, formulas, tags and addresses."""
    return _NO_PROSE.sub(" ", text[:MOST_CHARS])


def words(text: str) -> list[str]:
    """The words of the prose in a text."""
    return _WORD.findall(prose(text))


def scripts(text: str) -> dict[str, int]:
    """How many letters of which script stand in a text."""
    return dict(Counter(script for sign in text if sign.isalpha() and (script := _script(sign))))


@cache
def _script(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0].removesuffix("-HIRAGANA")


def written_in(code: str) -> frozenset[str]:
    """The scripts of a language."""
    return _table()[code][0]


@lru_cache(maxsize=256)
def named(text: str) -> frozenset[str]:
    """The languages that a text names, by their names in English, in themselves and in some others."""
    said = {word.casefold() for word in _WORD.findall(text)}
    folded = text.casefold() if scripts(text).keys() & {"CJK", "HANGUL", "THAI"} else ""
    known = _table().items()
    return frozenset(code for code, (_, names) in known if names & said or (folded and any(n in folded for n in names)))


def coded(row: Mapping[str, object]) -> set[str]:
    """The languages that the columns of a row say by code or name, where a column is one of languages."""
    values = {str(value).casefold() for key, value in row.items() if "lang" in key.casefold()}
    return {code for code, (_, names) in _table().items() if values & (names | {code})} if values else set()


@lru_cache(maxsize=512)
def probabilities(text: str) -> dict[str, float]:
    """How likely each language of the table is; empty without the extra `language`, and for a text without words."""
    known = _identify()
    return known(text) if known is not None and text.strip() else {}


@cache
def _identify() -> Callable[[str], dict[str, float]] | None:
    """What tells languages apart, restricted to those of the table; None where it is not installed."""
    if importlib.util.find_spec("py3langid") is None:
        return None
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(sorted(set(_table()) & set(identifier.labels)))
    return lambda text: {code: float(p) for code, p in identifier.rank(text)}
