"""In another language than the task asks for, or in several at once.

Measured. The languages of a task are those that its row or its prompt names, that its prompt and the texts of its row
are written in, and that its right completions are. Judged is a text where one is named, or where there is no reference:
a right number stays right in any language. Flags: the language model gives these languages hardly any weight, for the
text (also a medley) or half of it by sentences; or a good part of the letters is of other scripts. Anywhere: words that
mix two alphabets. Formulas, code and tags are no language, and lists of single words are in none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from rlenv.core.task import prompt_text
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.languages import MOST_CHARS, coded, named, probabilities, scripts, words, written_in
from rlenv.evidence.parts import units
from rlenv.evidence.row import strings

ALPHABETS = frozenset({"LATIN", "CYRILLIC", "GREEK"})
"""Scripts whose words are parted by blanks."""
_PARTED = re.compile(r"[,;|\n]+")  # iron, gold
_LETTERS = re.compile(r"[^\W\d_a-zA-Z]+")  # Улаанбаатар, and the á of Ulán


@dataclass(frozen=True, kw_only=True)
class OtherLanguage(EvidenceDetector):
    """Flags paid texts in a language that the task does not ask for."""

    name: ClassVar[str] = "other_language"
    only_paid: ClassVar[bool] = True
    likely: float = 0.3
    """A sentence of the prompt is taken to be in a language from this probability on."""
    plain: float = 0.8
    """From this probability on, the prompt's own language is asked for where the prompt names none."""
    unlikely: float = 0.04
    """Up to this probability of all languages of the task together, a text is in none of them."""
    script: float = 0.3
    """From this share of letters in other scripts on, a text has drifted."""
    least_letters: int = 20
    """Of a text that is looked at; a third of it where the script tells."""
    disguised: int = 2
    """Words with letters of two alphabets that look the same: one may be a slip of the keyboard."""
    sentence: int = 30
    """Letters of a sentence that is looked at by itself."""

    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        task = evidence.episode.task
        if evidence.paid <= 0:
            return ()
        prompt = prompt_text(task.prompt)
        said = [] if evidence.text.isascii() else words(evidence.text)
        disguised = [word for word in said if {"LATIN", "CYRILLIC"} <= scripts(word).keys()]
        if len(disguised) >= self.disguised:
            return (self.flag(0, len(evidence.text), f"two alphabets in one word: {', '.join(disguised[:3])}"),)
        asked = coded(task.metadata) | named(prompt)
        if not asked and (task.reference is not None or not self._is_plain(prompt)):
            return ()
        row = (text for text in strings((task.reference, task.metadata)) if self.sentence < len(text) <= MOST_CHARS)
        wanted = asked | {code for text in (prompt, *row) for code in self._languages(text)}
        wanted |= {code for control in evidence.controls for code in self._languages(control.text)}
        detail = self._strange(evidence.text, wanted) if wanted else ""
        return (self.flag(0, len(evidence.text), detail),) if detail else ()

    def _strange(self, text: str, wanted: set[str]) -> str:
        """What is strange about a text that should be in one of these languages; empty where nothing is."""
        said = words(text)
        prose = " ".join(said)
        counts = scripts(prose)
        letters = sum(counts.values())
        own = {script for code in wanted for script in written_in(code)} | {"LATIN", "GREEK"}
        other = sum(count for script, count in counts.items() if script not in own)
        asked = ", ".join(sorted(wanted))
        if letters >= self.least_letters / 3 and other >= self.script * letters:
            return f"{other / letters:.0%} of its letters are of other scripts than {asked}"
        if letters < self.least_letters:
            return ""
        own_script = _LETTERS.sub(lambda word: word[0] if scripts(word[0]).keys() <= own else " ", text[:MOST_CHARS])
        foreign = self._foreign(_without_lists(own_script), wanted)
        return f"most likely {foreign}, asked for is {asked}" if foreign else ""

    def _foreign(self, text: str, wanted: set[str]) -> str:
        """The language that the text, or half of it by sentences, is in and should not be; empty where none."""
        parts = [(" ".join(words(unit.text)), len(unit.text)) for unit in units(text)]
        whole = " ".join(words(text))
        looked_at = [(whole, len(text))] * (len(whole) >= self.least_letters)
        other, size = {}, 0
        for said, length in [*looked_at, *((said, n) for said, n in parts if len(said) >= self.sentence)]:
            found = probabilities(said)
            if found and sum(found.get(code, 0.0) for code in wanted) <= self.unlikely:
                other, size = found, size + length
        return max(other, key=other.__getitem__) if 2 * size >= len(text) > 0 and other else ""

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
    kept = [part for part in parts if len(words(part)) > 1 or not scripts(part).keys() <= ALPHABETS]
    return text if 2 * sum(map(len, kept)) >= len(text) else ", ".join(kept)
