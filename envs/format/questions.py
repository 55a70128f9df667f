"""Small questions made by code, each with one right answer: sums, and letters of a made-up word.

>>> question = draw(np.random.default_rng(4))
>>> question.text, question.answer
('How many times does the letter t stand in tunut?', '2')
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

CONSONANTS, VOWELS = "bdklmnprst", "aeiou"


class Question(NamedTuple):
    """A question, a sentence that leads to its answer, and the answer."""

    text: str
    working: str
    answer: str
    key: str
    """The same for questions that ask the same thing in another order."""


def draw(rng: np.random.Generator) -> Question:
    """One question of a kind drawn uniformly."""
    kinds = (_sum, _reverse, _count, _last)
    return kinds[rng.integers(len(kinds))](rng)


def _sum(rng: np.random.Generator) -> Question:
    left, right = (int(n) for n in rng.integers(10, 100, size=2))
    text, total = f"What is {left} + {right}?", str(left + right)
    return Question(text, f"{left} + {right} = {total}.", total, f"sum {min(left, right)} {max(left, right)}")


def _reverse(rng: np.random.Generator) -> Question:
    word = _word(rng)
    backwards = word[::-1]
    text = f"What is {word} spelled backwards?"
    return Question(text, f"From the end: {', '.join(backwards)}.", backwards, f"reverse {word}")


def _count(rng: np.random.Generator) -> Question:
    word = _word(rng)
    letter = word[rng.integers(len(word))]
    places = [str(i) for i, character in enumerate(word, start=1) if character == letter]
    text = f"How many times does the letter {letter} stand in {word}?"
    return Question(text, f"It is letter number {' and '.join(places)}.", str(len(places)), f"count {letter} {word}")


def _last(rng: np.random.Generator) -> Question:
    words = [_word(rng) for _ in range(3)]
    in_order = ", ".join(sorted(words))
    text = f"Which of these words comes last in the alphabet: {', '.join(words)}?"
    return Question(text, f"In order: {in_order}.", max(words), f"last {in_order}")


def _word(rng: np.random.Generator) -> str:
    """Five letters, consonants and vowels in turn."""
    return "".join(letters[rng.integers(len(letters))] for letters in (CONSONANTS, VOWELS) * 2 + (CONSONANTS,))
