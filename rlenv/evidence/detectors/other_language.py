"""In another language than the task asks for.

Measured. The languages of a task are those that its row or its prompt names, that its prompt and the texts of its row
are written in, and that its right completions are. Judged is a text where one is named, or where there is no reference:
a right number stays right in any language. Flagged is a text to which the language model gives these languages hardly
any weight. Formulas, code and tags are no language, and lists of single words are in none.

Languages come from py3langid (BSD-3, 4.6 MB, a naive Bayes model in numpy that ships inside the package; lingua is
96 MB, langdetect draws at random and was last released in 2021). Without it, the extra `language`, none is known.

>>> sorted(named("Translate this into French, please: good morning"))
['fr']
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import ClassVar

from rlenv.core.task import prompt_text
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State
from rlenv.evidence.detector import PaidDetector
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.parts import units
from rlenv.evidence.row import strings

_DATA = Path(__file__).parents[1] / "data" / "languages.tsv"
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # don't, Grüße and 中文; no digits
_NO_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$|\\\(.*?\\\)|\\\[.*?\\\]|\\[a-zA-Z]+|https?://\S+|</?\w+>",
    re.DOTALL,
)  # fenced and ticked code, $x^2$, \(x\), \frac, addresses and tags
MOST_CHARS = 4000
"""Of a text that is looked at: the language of a long one stands in its beginning."""
NO_BLANKS = "\u0e00"
"""From Thai on stand the scripts whose words no blank parts."""


@cache
def _table() -> dict[str, frozenset[str]]:
    """By code, the names in lower case."""
    rows = [line.split("\t") for line in _DATA.read_text("utf-8").splitlines() if not line.startswith("#")]
    return {code: frozenset(names.split(",")) for code, _, names in rows}


def words(text: str) -> list[str]:
    """The words of a text without code, formulas, tags and addresses."""
    return _WORD.findall(_NO_PROSE.sub(" ", text[:MOST_CHARS]))


@lru_cache(maxsize=256)
def named(text: str) -> frozenset[str]:
    """The languages that a text names, by their names in English, in themselves and in some others."""
    said, folded = {word.casefold() for word in _WORD.findall(text)}, text.casefold()
    inside = max(folded, default="") >= NO_BLANKS
    known = _table().items()
    return frozenset(code for code, names in known if names & said or (inside and any(n in folded for n in names)))


def coded(row: Mapping[str, object]) -> set[str]:
    """The languages that the columns of a row say by code or name, where a column is one of languages."""
    values = {str(value).casefold() for key, value in row.items() if "lang" in key.casefold()}
    return {code for code, names in _table().items() if values & (names | {code})} if values else set()


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


SENTENCE = 30
"""Characters of a text in a row that is taken for prose."""
_PARTED = re.compile(r"[,;|\n]+")  # iron, gold


@dataclass(frozen=True, kw_only=True)
class OtherLanguage(PaidDetector):
    """Flags paid texts in a language that the task does not ask for."""

    name: ClassVar[str] = "other_language"
    likely: float = 0.3
    """A sentence of the prompt is taken to be in a language from this probability on."""
    plain: float = 0.8
    """From this probability on, the prompt's own language is asked for where the prompt names none."""
    unlikely: float = 0.04
    """Up to this probability of all languages of the task together, a text is in none of them."""
    least_letters: int = 20
    """Of a text that is looked at."""

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        task = evidence.episode.task
        prompt = prompt_text(task.prompt)
        asked = coded(task.metadata) | named(prompt)
        if not asked and (task.reference is not None or not self._is_plain(prompt)):
            return ()
        row = (text for text in strings((task.reference, task.metadata)) if SENTENCE < len(text) <= MOST_CHARS)
        right = (control.text for control in evidence.controls)
        wanted = asked | {code for text in (prompt, *row, *right) for code in self._languages(text)}
        prose = " ".join(words(_without_lists(evidence.text[:MOST_CHARS])))
        found = probabilities(prose) if wanted and len(prose) >= self.least_letters else {}
        if not found or sum(found.get(code, 0.0) for code in wanted) > self.unlikely:
            return ()
        detail = f"most likely {max(found, key=found.__getitem__)}, asked for is {', '.join(sorted(wanted))}"
        return (self.flag(0, len(evidence.text), detail),)

    def _is_plain(self, prompt: str) -> bool:
        """Whether there is no doubt in which language a prompt is."""
        return max(probabilities(" ".join(words(prompt))).values(), default=0.0) >= self.plain

    def _languages(self, text: str) -> Iterator[str]:
        """The languages that a text, or one of its sentences, is likely in."""
        for part in (text, *(unit.text for unit in units(text))):
            prose = " ".join(words(part))
            if len(prose) >= self.least_letters / 2:
                yield from (code for code, p in probabilities(prose).items() if p >= self.likely)


def _without_lists(text: str) -> str:
    """The text without the words that stand one by one between commas or on lines, where most of it does."""
    parts = _PARTED.split(text)
    kept = [part for part in parts if len(words(part)) > 1 or max(part, default="") >= NO_BLANKS]
    return text if 2 * sum(map(len, kept)) >= len(text) else ", ".join(kept)
