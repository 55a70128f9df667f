"""When a text follows an instruction, for each kind: pure, linear in the text, and the only judge.

Each check takes the text and the parameters of its kind, by the names that stand in data/instructions.jsonl.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rlenv.envs.format.instructions.measures import (
    FUNCTION_WORDS,
    capital_words,
    count_word,
    lines,
    long_words,
    paragraphs,
    sentences,
    share,
    words,
)
from rlenv.envs.format.json_text import Unreadable, find_value

BULLET = re.compile(r"^[^\S\n]*[-*+•][^\S\n]+\S", re.MULTILINE)  # - a
NUMBERED = re.compile(r"^[^\S\n]*(\d{1,6})[.)][^\S\n]+\S", re.MULTILINE)  # 1. a
_HEADING = re.compile(r"^#{1,6}[^\S\n]+\S", re.MULTILINE)  # ## a
_HIGHLIGHT = re.compile(r"(?<![*\w])\*\w[^*\n]{0,200}\*(?![*\w])")  # *a b*
_TITLE = re.compile(r"\A\s*+<<([^<>\n]*+)>>[^\S\n]*+$", re.MULTILINE)  # <<a b>>
_SEPARATOR = re.compile(r"^[^\S\n]*\*\*\*[^\S\n]*$", re.MULTILINE)  # ***
_REPLIES = re.compile(r"^[^\S\n]*\*{6}[^\S\n]*$", re.MULTILINE)  # ******
_PLACEHOLDER = re.compile(r"\[[^\[\]\n]{0,40}\w[^\[\]\n]{0,40}\]")  # [address]
ENOUGH, FEWEST_WORDS = 0.25, 8
"""A reply is in a language when at least this share of its words, and at least so many there are, are function words of
it, and more than of any other here. Function words strung together without sense pass, and so may a related language
that is not in the table."""


def _same_word(said: list[str], word: str) -> bool:
    return bool(said) and said[0].casefold() == word.casefold()


def _paragraph_first_word(text: str, paragraph: int, word: str) -> bool:
    blocks = paragraphs(text)
    return 1 <= paragraph <= len(blocks) and _same_word(words(blocks[paragraph - 1]), word)


def _in_order(numbers: list[str], count: int) -> bool:
    """Exactly 1, 2, ... count."""
    return [int(number) for number in numbers] == list(range(1, count + 1))


def _sections(text: str, word: str, count: int) -> bool:
    """Lines that hold nothing but the word and 1, 2, ... count: `Part 1:`."""
    pattern = rf"^[^\S\n]*{re.escape(word)}[^\S\n]+(\d{{1,6}})[^\S\n]*+[:.]?[^\S\n]*+$"
    return _in_order(re.findall(pattern, text, re.MULTILINE | re.IGNORECASE), count)


def _title(text: str) -> bool:
    found = _TITLE.match(text)
    return found is not None and bool(words(found[1]))


def _postscript(text: str, marker: str) -> bool:
    """The last paragraph begins with the marker and says something after it."""
    last = (paragraphs(text)[-1:] or [""])[0]
    return last.lstrip().casefold().startswith(marker.casefold()) and len(last.strip()) > len(marker) + 1


def _two_replies(text: str) -> bool:
    halves = [" ".join(half.split()) for half in _REPLIES.split(text)]
    return len(halves) == 2 and all(halves) and halves[0] != halves[1]


def _quoted(text: str) -> bool:
    bare = text.strip()
    return len(bare) > 2 and bare[0] == bare[-1] == '"' and bool(words(bare))


def _echo(text: str) -> bool:
    said = lines(text)
    return len(said) > 2 and said[0].strip() == said[-1].strip()


def _in_language(text: str, language: str) -> bool:
    shares = {name: share(text, name) for name in FUNCTION_WORDS}
    wanted = shares.pop(language)
    return len(words(text)) >= FEWEST_WORDS and wanted >= ENOUGH and wanted > max(shares.values())


def _separated(text: str, count: int) -> bool:
    """So many paragraphs that hold something, with a line of *** between them."""
    blocks = _SEPARATOR.split(text)
    return len(blocks) == count and all(map(str.strip, blocks))


def _json(text: str) -> bool:
    """JSON, alone or in one fenced block."""
    try:
        find_value(text, allow_text=text.strip().startswith("```") and text.strip().endswith("```"))
    except Unreadable:
        return False
    return True


CHECKS: Mapping[str, Callable[..., bool]] = {
    "words_at_least": lambda text, count: len(words(text)) >= count,
    "words_at_most": lambda text, count: 0 < len(words(text)) <= count,
    "words_between": lambda text, low, high: low <= len(words(text)) <= high,
    "characters_at_most": lambda text, count: 0 < len(text.strip()) <= count,
    "sentences_exactly": lambda text, count: sentences(text) == count,
    "sentences_at_most": lambda text, count: 0 < sentences(text) <= count,
    "paragraphs_exactly": lambda text, count: len(paragraphs(text)) == count,
    "lines_exactly": lambda text, count: len(lines(text)) == count,
    "include_words": lambda text, words: all(count_word(text, word) for word in words),
    "avoid_words": lambda text, words: not any(count_word(text, word) for word in words),
    "word_exactly": lambda text, word, count: count_word(text, word) == count,
    "word_at_least": lambda text, word, count: count_word(text, word) >= count,
    "no_word_more_often": lambda text, count: max(long_words(text).values(), default=0) <= count,
    "paragraph_first_word": _paragraph_first_word,
    "refrain": lambda text, phrase, count: text.count(phrase) == count,
    "all_capitals": lambda text: text.isupper(),
    "all_small_letters": lambda text: text.islower(),
    "capital_words_at_least": lambda text, count: capital_words(text) >= count,
    "capital_words_at_most": lambda text, count: capital_words(text) <= count and bool(words(text)),
    "letter_at_least": lambda text, letter, count: text.casefold().count(letter) >= count,
    "letter_never": lambda text, letter: letter not in text.casefold() and bool(words(text)),
    "no_commas": lambda text: "," not in text and bool(text.strip()),
    "no_exclamation_marks": lambda text: "!" not in text and bool(text.strip()),
    "question_marks_exactly": lambda text, count: text.count("?") == count,
    "bullets_exactly": lambda text, count: len(BULLET.findall(text)) == count,
    "numbered_list": lambda text, count: _in_order(NUMBERED.findall(text), count),
    "sections": _sections,
    "headings_at_least": lambda text, count: len(_HEADING.findall(text)) >= count,
    "highlights_at_least": lambda text, count: len(_HIGHLIGHT.findall(text)) >= count,
    "title": _title,
    "separators_exactly": lambda text, count: len(_SEPARATOR.findall(text)) == count,
    "postscript": _postscript,
    "placeholders_at_least": lambda text, count: len(_PLACEHOLDER.findall(text)) >= count,
    "two_replies": _two_replies,
    "one_of": lambda text, options: sum(text.casefold().count(option.casefold()) for option in options) == 1,
    "starts_with": lambda text, phrase: text.lstrip().startswith(phrase),
    "ends_with": lambda text, phrase: text.rstrip().endswith(phrase),
    "last_word": lambda text, word: _same_word(words(text[-200:])[-1:], word),
    "in_quotation_marks": _quoted,
    "echo_first_line": _echo,
    "language": _in_language,
    "word_at_most": lambda text, word, count: count_word(text, word) <= count and bool(words(text)),
    "letter_at_most": lambda text, letter, count: text.casefold().count(letter) <= count and bool(words(text)),
    "sentences_at_least": lambda text, count: sentences(text) >= count,
    "separated_exactly": _separated,
    "json": _json,
}
