"""The reference replaced by what stands beside it in an enumeration.

Who lists what may be the answer is paid whichever of it the answer is. Columns with other names for the answer are
changed with it. Where the text says the answer once more than the others, it has made its choice.

>>> [[item.text for item in items] for items in enumerations("It is Rhine, Elbe or Oder. I think so.")]
[['It is Rhine', 'Elbe', 'Oder']]
>>> list(enumerations("The cook was out. Of those with keys that leaves the niece"))
[]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlenv.core.reading import Span
from rlenv.evidence.catalogue.values import NOWHERE, is_number, strange
from rlenv.evidence.edit import Edit, Scene, Variant
from rlenv.evidence.parts import Part
from rlenv.evidence.row import collections, replacing, rewritten

BESIDE = 5
"""Items beside the answer that are tried."""
LEAST = 4
"""Items of an enumeration."""
MOSTLY = 0.6
"""The share of the items that may be an answer as well."""
WORDS = 8
"""Words of a line without any sign, in a text without sentences, which are taken for items."""
_LINES = re.compile(r"(?:[^.!?\n]|(?<=\b\w)\.|[.!?](?!\s|$))+")  # "H. Ray or 3.5" of "H. Ray or 3.5. Yes."
_BETWEEN = re.compile(r"\s*(?:[,;/|]|\b(?:and|or|und|oder|et|ou|y|o)\b)\s*(?:(?:and|or)\b\s*)?")  # ", or"
_FRINGE = re.compile(r"^\W+|\W+$|^.*:\s|\s\(.*$")  # "- " of "- Rhine", "Rivers: " of "Rivers: Rhine", and " (or"


def enumerations(text: str) -> Iterator[list[Part]]:
    """Items that stand beside one another in a sentence, or as lines of a word or a few."""
    sentences = any(sign in text for sign in ".?!")
    lines = [Part(match[0], Span(*match.span())) for match in _LINES.finditer(text)]
    for line in lines:
        items = [*_items(line, _BETWEEN)]
        if len(items) == 1 and re.fullmatch(r"[\w\s]+", line.text):
            items = [*_items(line, re.compile(r"\s+"))] if len(line.text.split()) >= WORDS and not sentences else []
        if len(items) > 1:
            yield items
    short = [item for line in lines for item in _items(line, re.compile(r"$")) if len(item.text.split()) <= LEAST]
    if len(short) > 1:
        yield short


def _items(line: Part, between: re.Pattern[str]) -> Iterator[Part]:
    start = 0
    for end, after in [*((m.start(), m.end()) for m in between.finditer(line.text)), (len(line.text), 0)]:
        said = _FRINGE.sub("", line.text[start:end])
        if said:
            place = line.place.start + line.text.index(said, start)
            yield Part(said, Span(place, place + len(said)))
        start = after


def _beside(scene: Scene) -> Iterator[Variant]:
    text, folded = scene.text, scene.text.casefold()
    columns = collections(scene.task).items()
    said = ((name, values, [v for v in dict.fromkeys(values) if v.casefold() in folded]) for name, values in columns)
    named = [(name, values, inside[0]) for name, values, inside in said if len(inside) == 1]
    for items in enumerations(text) if named else ():
        if len(items) < LEAST:
            continue
        for name, values, right in named:
            others = [item for item in items if _may_be(item.text, right, text)]
            listed = any(_ends(item.text, right) for item in items)
            if not listed or len(others) < max(LEAST - 1, MOSTLY * len(items)):
                continue
            for part in (others[-1], NOWHERE, *others[-BESIDE:-1]):
                value = part.text or strange(text, right)
                changed = rewritten(scene.task, replacing(dict.fromkeys(values, value)), (name,))
                yield Variant(changed, scene.completion, part.place, part.text)
            return


def _ends(item: str, value: str) -> bool:
    """Whether an item is a value, with words in front of it at most."""
    return re.search(rf"(?<!\w){re.escape(value)}\Z", item, re.IGNORECASE) is not None


def _may_be(item: str, value: str, text: str) -> bool:
    """Whether an item is another value: of about as many words, and said no less often than the answer."""
    words, most = len(item.split()), len(value.split()) + 1
    often = text.casefold().count(value.casefold())
    if is_number(value) and not is_number(item):
        return False
    return not _ends(item, value) and len(item) > 1 and words <= most and text.count(item) >= often


LISTED_VALUE = Edit("listed_value", "unpaid", BESIDE + 1, _beside, alike=True)
"""Under what stands beside the answer, and, without a detail, under a value that stands nowhere."""
