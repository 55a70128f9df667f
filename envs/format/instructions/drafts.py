"""Plain English sentences made by code, and how such a draft is made to follow an instruction of each kind.

A fit changes the draft so that it follows the instruction, or reads off what it follows already; None if neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from string import ascii_lowercase
from typing import NamedTuple

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.format.instructions.checks import BULLET, NUMBERED
from rlenv.envs.format.instructions.measures import (
    DRAFTS,
    LONG_WORD,
    PARAGRAPHS,
    capital_words,
    count_word,
    lines,
    long_words,
    paragraphs,
    sentences,
    words,
)

OPENINGS = ("Dear reader,", "Good question.", "Let me see.", "Thank you for asking.")
CLOSINGS = ("Is there anything else I can help with?", "That is all.", "I hope this helps.", "End of message.")
OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
REFRAINS = ("Mark my words.", "So it goes.", "Keep this in mind.")


class Fitted(NamedTuple):
    """A draft that follows the instruction with these parameters."""

    draft: str
    params: dict[str, Json]


Rng = np.random.Generator


def sentence(rng: Rng) -> str:
    """One sentence, such as `The old baker watches the narrow river near the bridge.`"""

    def pick(kind: str) -> str:
        return _one_of(DRAFTS[kind], rng)

    subject, thing = (f"{pick('adjectives')} {pick('nouns')}" for _ in range(2))
    mark = ", they say." if rng.random() < 0.2 else "!" if rng.random() < 0.1 else "."
    return f"The {subject} {pick('verbs')} the {thing} {pick('places')}{mark}"


def body(rng: Rng) -> str:
    """One to three paragraphs of two to four sentences."""
    blocks = [" ".join(sentence(rng) for _ in range(rng.integers(2, 5))) for _ in range(rng.integers(1, 4))]
    return "\n\n".join(blocks)


def _one_of(items: Sequence[str], rng: Rng) -> str:
    return items[int(rng.integers(len(items)))]


def _some(items: Sequence[str], rng: Rng, count: int) -> list[Json]:
    """So many of the items, in their order."""
    return [items[i] for i in sorted(rng.choice(len(items), size=count, replace=False))]


def _cased(phrase: str, draft: str) -> str:
    """The phrase in the case that a draft is written in throughout."""
    return phrase.upper() if draft.isupper() else phrase.lower() if draft.islower() else phrase


def _room(rng: Rng, count: int) -> int:
    """How far a bound stands from what a draft has: up to a fifth, at least one."""
    return int(rng.integers(0, max(2, count // 5)))


def _less(count: int, rng: Rng) -> int:
    return max(1, count - _room(rng, count))


def _more(count: int, rng: Rng) -> int:
    return count + _room(rng, count)


def _counts(draft: str, count: int, **params: Json) -> Fitted | None:
    """The draft as it is, with what was counted in it; None where that is nothing."""
    return Fitted(draft, {**params, "count": count}) if count else None


def _long_words_of(draft: str, rng: Rng, count: int) -> list[Json]:
    """Different words of the draft, long enough to say something."""
    known = sorted({word.lower() for word in words(draft) if len(word) >= LONG_WORD and word.isalpha()})
    return [] if len(known) < count else _some(known, rng, count)


def _include_words(draft: str, rng: Rng) -> Fitted | None:
    chosen = _long_words_of(draft, rng, int(rng.integers(2, 4)))
    return Fitted(draft, {"words": chosen}) if chosen else None


def _avoid_words(draft: str, rng: Rng) -> Fitted | None:
    free = [word for word in DRAFTS["unused"] if not count_word(draft, word)]
    return None if len(free) < 3 else Fitted(draft, {"words": _some(free, rng, 3)})


def _word_exactly(draft: str, rng: Rng) -> Fitted | None:
    return next((_counts(draft, count_word(draft, str(w)), word=w) for w in _long_words_of(draft, rng, 1)), None)


def _word_at_least(draft: str, rng: Rng) -> Fitted | None:
    common = [word for word, count in sorted(long_words(draft).items()) if count >= 2]
    word = _one_of(common, rng) if common else ""
    return _counts(draft, count_word(draft, word), word=word) if common else None


def _paragraph_first_word(draft: str, rng: Rng) -> Fitted | None:
    blocks = paragraphs(draft)
    which = int(rng.integers(len(blocks)))
    said = words(blocks[which])
    return Fitted(draft, {"paragraph": which + 1, "word": said[0].lower()}) if said else None


def _refrain(draft: str, rng: Rng) -> Fitted:
    phrase, count = _one_of(REFRAINS, rng), int(rng.integers(2, 4))
    phrase = _cased(phrase, draft)
    return Fitted(f"{' '.join([phrase] * count)} {draft}", {"phrase": phrase, "count": count})


def _with_pieces(draft: str, rng: Rng, count: int, change: Callable[[str], str]) -> str:
    """The draft with so many of its longer words changed."""
    pieces = draft.split(" ")
    plain = [i for i, piece in enumerate(pieces) if piece.isalpha() and len(piece) > 3]
    for i in rng.choice(plain, size=count, replace=False):
        pieces[i] = change(pieces[i])
    return " ".join(pieces)


def _plain_words(draft: str) -> int:
    return sum(piece.isalpha() and len(piece) > 3 for piece in draft.split(" "))


def _capital_words(draft: str, rng: Rng) -> Fitted | None:
    """Some words of the draft in capitals; the parameter is how many there are now."""
    if _plain_words(draft) < 3:
        return None
    changed = _with_pieces(draft, rng, int(rng.integers(1, 4)), str.upper)
    return Fitted(changed, {"count": capital_words(changed)})


def _highlights(draft: str, rng: Rng) -> Fitted | None:
    count = int(rng.integers(1, 4))
    if _plain_words(draft) < count:
        return None
    return Fitted(_with_pieces(draft, rng, count, "*{}*".format), {"count": count})


def _letter_at_least(draft: str, rng: Rng) -> Fitted | None:
    counts = Counter(character for character in draft.casefold() if character in ascii_lowercase)
    common = sorted(letter for letter, count in counts.items() if count >= 3)
    letter = _one_of(common, rng) if common else ""
    return _counts(draft, counts[letter], letter=letter)


def _letter_never(draft: str, rng: Rng) -> Fitted | None:
    missing = sorted(set(ascii_lowercase) - set(draft.casefold()))
    return Fitted(draft, {"letter": _one_of(missing, rng)}) if missing else None


def _questions(draft: str, rng: Rng) -> Fitted | None:
    """The first few full stops before a blank become question marks."""
    count = int(rng.integers(1, 4))
    changed = draft.replace(". ", "? ", count)
    return None if draft.count(". ") < count else Fitted(changed, {"count": changed.count("?")})


def _points(draft: str, rng: Rng, mark: Callable[[int], str]) -> Fitted:
    count = int(rng.integers(2, 5))
    points = "\n".join(f"{mark(i)} {sentence(rng)}" for i in range(1, count + 1))
    return Fitted(f"{points}\n{draft}", {"count": count})


def _sections(draft: str, rng: Rng) -> Fitted:
    word, blocks = _one_of(("Section", "Part", "Chapter"), rng), paragraphs(draft)
    text = "\n\n".join(f"{word} {i}\n{block}" for i, block in enumerate(blocks, start=1))
    return Fitted(text, {"word": word, "count": len(blocks)})


def _headings(draft: str, rng: Rng) -> Fitted:
    titled = [f"## {sentence(rng).rstrip('.')}\n{block}" for block in paragraphs(draft)]
    return Fitted("\n\n".join(titled), {"count": len(titled)})


def _separators(draft: str, rng: Rng) -> Fitted | None:
    blocks = paragraphs(draft)
    return _counts("\n\n***\n\n".join(blocks), len(blocks) - 1)


def _postscript(draft: str, rng: Rng) -> Fitted:
    marker = _one_of(("P.S.", "P.P.S."), rng)
    return Fitted(f"{draft}\n\n{marker} {sentence(rng)}", {"marker": marker})


def _placeholders(draft: str, rng: Rng) -> Fitted:
    names, count = ("name", "address", "date", "city", "price"), int(rng.integers(1, 4))
    chosen = " and ".join(f"[{names[i]}]" for i in rng.choice(len(names), size=count, replace=False))
    return Fitted(f"Please fill in {chosen} here. {draft}", {"count": count})


def _starts_with(draft: str, rng: Rng) -> Fitted:
    phrase = _cased(_one_of(OPENINGS, rng), draft)
    return Fitted(f"{phrase} {draft}", {"phrase": phrase})


def _ends_with(draft: str, rng: Rng) -> Fitted:
    phrase = _cased(_one_of(CLOSINGS, rng), draft)
    return Fitted(f"{draft}\n{phrase}", {"phrase": phrase})


def _last_word(draft: str, rng: Rng) -> Fitted:
    word = _cased(_one_of(("amen", "indeed", "truly", "forever"), rng), draft)
    return Fitted(f"{draft}\nThis is so {word}." if draft != draft.upper() else f"{draft}\n{word}.", {"word": word})


def _language(draft: str, rng: Rng) -> Fitted:
    language = _one_of(sorted(PARAGRAPHS), rng)
    return Fitted(f"{PARAGRAPHS[language]}\n{lines(draft)[-1]}", {"language": language})


FITS: Mapping[str, Callable[[str, Rng], Fitted | None]] = {
    "words_at_least": lambda draft, rng: _counts(draft, _less(len(words(draft)), rng)),
    "words_at_most": lambda draft, rng: Fitted(draft, {"count": _more(len(words(draft)), rng)}),
    "words_between": lambda draft, rng: Fitted(
        draft, {"low": _less(len(words(draft)), rng), "high": _more(len(words(draft)), rng)}
    ),
    "characters_at_most": lambda draft, rng: Fitted(draft, {"count": _more(len(draft), rng)}),
    "sentences_exactly": lambda draft, rng: _counts(draft, sentences(draft)),
    "sentences_at_most": lambda draft, rng: (
        _counts(draft, sentences(draft) + int(rng.integers(0, 2))) if sentences(draft) else None
    ),
    "paragraphs_exactly": lambda draft, rng: _counts(draft, len(paragraphs(draft))),
    "lines_exactly": lambda draft, rng: _counts(draft, len(lines(draft))),
    "include_words": _include_words,
    "avoid_words": _avoid_words,
    "word_exactly": _word_exactly,
    "word_at_least": _word_at_least,
    "no_word_more_often": lambda draft, rng: _counts(draft, max(long_words(draft).values(), default=0)),
    "paragraph_first_word": _paragraph_first_word,
    "refrain": _refrain,
    "all_capitals": lambda draft, rng: Fitted(draft.upper(), {}),
    "all_small_letters": lambda draft, rng: Fitted(draft.lower(), {}),
    "capital_words_at_least": _capital_words,
    "capital_words_at_most": _capital_words,
    "letter_at_least": _letter_at_least,
    "letter_never": _letter_never,
    "no_commas": lambda draft, rng: Fitted(draft.replace(",", ""), {}),
    "no_exclamation_marks": lambda draft, rng: Fitted(draft.replace("!", "."), {}),
    "question_marks_exactly": _questions,
    "bullets_exactly": lambda draft, rng: None if BULLET.search(draft) else _points(draft, rng, lambda i: "-"),
    "numbered_list": lambda draft, rng: None if NUMBERED.search(draft) else _points(draft, rng, "{}.".format),
    "sections": _sections,
    "headings_at_least": _headings,
    "highlights_at_least": _highlights,
    "title": lambda draft, rng: Fitted(f"<<{sentence(rng).rstrip('.')}>>\n{draft}", {}),
    "separators_exactly": _separators,
    "postscript": _postscript,
    "placeholders_at_least": _placeholders,
    "two_replies": lambda draft, rng: (
        None if "*" in draft else Fitted(f"{sentence(rng)}\n{draft}\n******\n{sentence(rng)}\n{draft}", {})
    ),
    "one_of": lambda draft, rng: Fitted(f"{_one_of(OPTIONS, rng)} {draft}", {"options": list(OPTIONS)}),
    "starts_with": _starts_with,
    "ends_with": _ends_with,
    "last_word": _last_word,
    "in_quotation_marks": lambda draft, rng: Fitted(f'"{draft}"', {}),
    "echo_first_line": lambda draft, rng: Fitted(f"{draft}\n{lines(draft)[0]}", {}),
    "language": _language,
}
