r"""The completion without its sense: its words in another order, or made-up ones in their places.

The form stays as it is: tags, headings, keys of objects, numbers of a list, commands, signs and lines.

>>> import numpy as np
>>> text = '# Aim\n1. Save 30 euros.\n{"sold": true, "age": 12}'
>>> print(made_up(text, np.random.default_rng(0)))
# Aim
1. Jula 80 aohij.
{"sold": true, "age": 67}
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator

import numpy as np

from rlenv.core.reading import Span
from rlenv.evidence.edit import Edit, Scene, Variant, with_content

LEAST = 3
"""Different words of a text that has an order."""
TRIED = 2
"""An answer may stand where it stood after one mixing, not after two."""
_FORM = re.compile(
    r"</?\w[^>\n]*>|\\[a-zA-Z]+|\"[\w -]+\"\s*:|\b(?:true|false|null)\b"
    r"|(?m:^(?:```.*|#{1,3} .*|---.*|\+\+\+.*|@@.*|[ \t>*-]*(?:\w+[ \t]+)?\d+(?:\.\d+)*[.):](?=[ \t]+\S)))"
    r"|(?im:^[^\w\n]*(?:final )?answer[^\w\n]*:)"
)  # <answer>, \boxed, "name":, true, a fence, # Aim, @@ -1 +1 @@, "1." and "Step 1:" before words, "Answer:"
_WORD = re.compile(r"\w+")  # save, 30
_VOWELS, _CONSONANTS = "aeiou", "".join(sign for sign in string.ascii_lowercase if sign not in "aeiou")


def _filled(text: str, word: Callable[[str], str]) -> str:
    """The text with each word replaced that is no form."""
    made, start = [], 0
    for kept in _FORM.finditer(text):
        made += [_WORD.sub(lambda match: word(match[0]), text[start : kept.start()]), kept[0]]
        start = kept.end()
    return "".join([*made, _WORD.sub(lambda match: word(match[0]), text[start:])])


def _placed(text: str, words: list[str]) -> str:
    return _filled(text, lambda _: words.pop())


def made_up(text: str, rng: np.random.Generator) -> str:
    """Other letters and digits for those of every word: vowels for vowels, no 0."""
    other: dict[str, str] = {}
    for signs in (_VOWELS, _CONSONANTS, "123456789"):
        step = int(rng.integers(1, len(signs)))
        other |= {sign: signs[(place + step) % len(signs)] for place, sign in enumerate(signs)}
    table = str.maketrans(other | {sign.upper(): new.upper() for sign, new in other.items()})
    return _filled(text, lambda word: word.translate(table))


def _made_up(scene: Scene) -> Iterator[Variant]:
    text = made_up(scene.text, scene.rng)
    if text != scene.text:
        yield Variant(scene.task, with_content(scene.completion, text), Span(0, len(text)), "made-up words")


def _mixed(scene: Scene) -> Iterator[Variant]:
    words: list[str] = []

    def noted(word: str) -> str:
        words.append(word)
        return word

    _filled(scene.text, noted)
    if len(set(words)) >= LEAST:
        for _ in range(TRIED):
            text = _placed(scene.text, scene.rng.permutation(words).tolist())
            yield Variant(scene.task, with_content(scene.completion, text), Span(0, len(text)), "its words mixed")


MADE_UP_WORDS = Edit("made_up_words", "unpaid", 1, _made_up)
"""The form of an answer is none."""
MIXED_WORDS = Edit("mixed_words", "unpaid", TRIED, _mixed, alike=True)
"""The words of an answer, in any order, say nothing."""
