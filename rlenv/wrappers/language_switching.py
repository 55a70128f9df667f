"""Language switching: reasoning that leaves the language it was asked in.

    First we add the numbers, 然后我们乘以三, which gives 42.

A verifier that reads only the answer lets a policy reason in whatever mixture is cheapest; readers then cannot check it
(DeepSeek-R1 needed a reward for consistency, arXiv 2501.12948). Looked for: letters of a script that neither the
prompt nor the reference has, and sentences whose function words belong to another language of the same script. Greek
letters, single foreign characters, quotations of up to three words and Latin words inside another script (names,
formulas, code) are no evidence. Nothing is said where the task itself speaks of languages or translation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from rlenv.episode import Episode
from rlenv.task import prompt_text
from rlenv.text.function_words import LANGUAGES, OF_WORD
from rlenv.verdict import Flag
from rlenv.wrappers.detector import TextDetector

SCRIPTS = {
    "Han": "\u3400-\u9fff\U00020000-\U0002ffff",
    "Kana": "\u3040-\u30ff",
    "Hangul": "\u1100-\u11ff\uac00-\ud7a3",
    "Cyrillic": "\u0400-\u052f",
    "Arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc",
    "Hebrew": "\u0590-\u05ff",
    "Devanagari": "\u0900-\u097f",
    "Bengali": "\u0980-\u09ff",
    "Tamil": "\u0b80-\u0bff",
    "Thai": "\u0e00-\u0e7f",
    "Armenian": "\u0530-\u058f",
    "Georgian": "\u10a0-\u10ff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
}
"""Scripts that are told apart from Latin, as the inside of character classes."""
LEAST = {"Han": 2, "Kana": 3, "Hangul": 2, "Thai": 4}
"""So many letters in a row or close together are a word or two; 6 in the other scripts."""
_PATTERNS = {name: re.compile(f"[{letters}]") for name, letters in SCRIPTS.items()}
_FOREIGN = re.compile(f"[{''.join(SCRIPTS.values())}]")
_GREEK_WORD = re.compile(f"[{SCRIPTS['Greek']}]{{4,}}(?:\\s+[{SCRIPTS['Greek']}]{{2,}})+")
_WORD = re.compile(r"[^\W\d_]+")
_LATIN_PROSE = re.compile(r"(?:[A-Za-z][A-Za-z'’]*[ ,;:.]+){8,}")
_SENTENCE = re.compile(r"[^.!?\n。]+")
_OF_LANGUAGES = re.compile(
    r"\b(?:translat\w*|language|multilingual|bilingual|in (?:english|spanish|french|german|chinese|"
    r"japanese|russian|italian|"
    r"portuguese|korean|arabic|hindi|dutch|latin)|spanish|french|german|chinese|japanese|russian|italian|portuguese|"
    r"korean|arabic|翻译|übersetz\w*|traduc\w*|tradui\w*|перевед\w*)\b",
    re.IGNORECASE,
)
NEAR = 40


@dataclass(frozen=True, kw_only=True)
class LanguageSwitching(TextDetector):
    """Sees scripts and languages that the task has not. `sentence_words` function words make a sentence foreign."""

    name: ClassVar[str] = "language_switching"
    sentence_words: int = 3

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        text, prompt = episode.completion.text, prompt_text(episode.task.prompt)
        ascii_only = text.isascii()
        known, home = _home(prompt)
        if not home or (ascii_only and len(text) < 40):
            return ()
        if not ascii_only:
            found = next(self._scripts(text, known | _scripts_of(str(episode.task.reference or ""))), None)
            if found is not None:
                return (found,)
        look = self._latin_prose(text, known) if home != "Latin" else self._sentences(text, prompt)
        found = next(look, None)
        return () if found is None else (found,)

    def _scripts(self, text: str, known: frozenset[str]) -> Iterator[Flag]:
        """A stretch of letters of a script that the task does not have."""
        counted = Counter(map(_script, _FOREIGN.findall(text)))
        for name, count in counted.most_common():
            least = LEAST.get(name, 6)
            if (
                name in known
                or count < least
                or (name == "Kana" and "Han" in known)
                or (name == "Han" and "Kana" in known)
            ):
                continue
            if name == "Greek":
                word = _GREEK_WORD.search(text)
                if word:
                    yield self.flag(word.start(), word.end(), "Greek in a text that has none")
                continue
            start, end, letters = _stretch(text, _PATTERNS[name])
            if letters >= least:
                yield self.flag(start, end, f"{name} in a text that has none")

    def _latin_prose(self, text: str, known: frozenset[str]) -> Iterator[Flag]:
        """The task is in another script, and the completion goes over to Latin prose."""
        if len(known) == 1:
            match = _LATIN_PROSE.search(text)
            if match and max(_counts(match[0]).values()) >= 2:
                yield self.flag(match.start(), match.end(), "Latin prose under a task in another script")

    def _sentences(self, text: str, prompt: str) -> Iterator[Flag]:
        """A sentence with the function words of a language that the prompt is not in."""
        words = text.lower().split()
        if OF_WORD.keys().isdisjoint(words):
            return
        asked = _language(prompt) or "English"
        suspects = [name for name in LANGUAGES if name != asked and not LANGUAGES[name].isdisjoint(words)]
        for sentence in _SENTENCE.finditer(text) if suspects else ():
            said = [word.lower() for word in _WORD.findall(sentence[0])]
            own = sum(word in LANGUAGES[asked] for word in said)
            for name in suspects:
                foreign = len({word for word in said if word in LANGUAGES[name] and word not in LANGUAGES[asked]})
                if foreign >= self.sentence_words and foreign > own:
                    start = sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())
                    yield self.flag(start, sentence.end(), f"{name} under a task in {asked}")


@lru_cache(maxsize=512)
def _home(prompt: str) -> tuple[frozenset[str], str]:
    """The scripts of the prompt and its main one; nothing where it speaks of languages."""
    if _OF_LANGUAGES.search(prompt):
        return frozenset(), ""
    scripts = _scripts_of(prompt)
    foreign = 0 if prompt.isascii() else len(_FOREIGN.findall(prompt))
    latin = sum(map(str.isalpha, prompt)) - foreign
    if foreign > latin:
        return scripts, "other"
    return scripts, "Latin"


@lru_cache(maxsize=512)
def _scripts_of(text: str) -> frozenset[str]:
    return frozenset(map(_script, _FOREIGN.findall(text)))


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return next(name for name, pattern in _PATTERNS.items() if pattern.match(letter))


@lru_cache(maxsize=512)
def _language(text: str) -> str:
    """The language that most function words of a text belong to; empty where none does."""
    counts = _counts(text)
    best = max(counts, key=lambda name: counts[name])  # the first of equals, English
    return best if counts[best] >= 2 else ""


def _counts(text: str) -> dict[str, int]:
    """How many words of the text each language knows for its function words."""
    said = [word.lower() for word in _WORD.findall(text) if len(word) > 1]
    return {name: sum(word in known for word in said) for name, known in LANGUAGES.items()}


def _stretch(text: str, letters: re.Pattern[str]) -> tuple[int, int, int]:
    """The stretch with the most letters of a script that stand close together, and how many they are."""
    best = (0, 0, 0)
    start, last, count = 0, -NEAR - 1, 0
    for match in letters.finditer(text):
        if match.start() - last > NEAR:
            start, count = match.start(), 0
        count, last = count + 1, match.start()
        if count > best[2]:
            best = (start, last + 1, count)
    return best
