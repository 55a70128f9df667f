"""The completion without what it copies, repeats or says at its end.

The completion without what it copies from the prompt.

The completion with each of its sentences, lines and loops said once.

>>> once("Yes. Yes. It is 4. Yes.")
'Yes. It is 4.'
>>> once("good good good day"), once("f(g(x)) = 11")
('good day', 'f(g(x)) = 11')

The first half of the completion alone, and the completion with words behind it that say nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rlenv.core.reading import Span
from rlenv.core.task import prompt_text
from rlenv.evidence.evidence import Edit, Scene, Variant, with_content
from rlenv.evidence.parts import tokens, units
from rlenv.evidence.row import decides

RUN = 4
"""Words in a row that stand so in the prompt: fewer do by chance."""
_WORD = re.compile(r"\w+")  # boxed, of \boxed{7}


def copied(text: str, source: str) -> list[Span]:
    """The stretches of `text` of `RUN` words and more that stand in `source`, in order and apart.

    >>> text = "You ask why the sky is blue today, and it scatters."
    >>> [text[start:end] for start, end in copied(text, "Why the sky is blue?")]
    ['why the sky is blue']
    """
    words = [match.group().casefold() for match in _WORD.finditer(source)]
    grams = {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
    said = list(_WORD.finditer(text))
    folded = [match.group().casefold() for match in said]
    found: list[Span] = []
    for i in range(len(said) - RUN + 1):
        if tuple(folded[i : i + RUN]) in grams:
            start, end = said[i].start(), said[i + RUN - 1].end()
            if found and start <= found[-1].end:
                found[-1] = Span(found[-1].start, end)
            else:
                found.append(Span(start, end))
    return found


def _without(scene: Scene) -> Iterator[Variant]:
    text = scene.text
    spans = copied(text, prompt_text(scene.task.prompt))
    if spans:
        kept = [
            text[a:b] for a, b in zip([0, *(s.end for s in spans)], [*(s.start for s in spans), len(text)], strict=True)
        ]
        place = Span(spans[0].start, spans[-1].end)
        yield Variant(scene.task, with_content(scene.completion, "".join(kept)), place, "what is copied taken out")


WITHOUT_COPIED = Edit("without_copied", 1, _without)
"""What the prompt says already does nothing for its task."""


_LOOP = re.compile(r"(?s)(?<!\w)(\S.{0,80}?)(?:[\s,;]*\1)+(?!\w)")  # "good good good": one of it is left
_RUN = re.compile(r"([\W_])\1{7,}")  # "........" and blanks, of eight signs and more: three are left
_DIGITS = re.compile(r"\d+")  # 1 and 2 of "Step 1" and "Step 2"
NUMBERS = ("no", "once", "twice", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""How a prompt may say how often a thing is to be said, digits aside."""
OFTEN = 4
FENCE = "```"
MOST_CHARS = 20_000
"""Of a text that is looked at for loops: the search takes 80 tries a character."""


def _same(unit: str) -> str:
    """What two units have in common that say the same: of a sentence with a number in it, the words."""
    letters = sum(sign.isalpha() for sign in unit)
    return _DIGITS.sub("0", unit) if letters >= 12 and letters > len(unit) / 2 else unit


def _said(loop: re.Match[str]) -> str:
    """One of a loop; figures and brackets come twice by chance, so that they are left unless they come often."""
    letters = any(sign.isalpha() for sign in loop[1])
    return loop[1] if letters or len(loop[0]) >= OFTEN * len(loop[1]) else loop[0]


def once(text: str) -> str:
    """The text without what it says again."""
    seen: set[str] = set()
    kept = []
    last = 0
    fenced = FENCE in text
    for unit in units(text):
        same = unit.text if fenced else _same(unit.text)  # a program's lines say their numbers
        if same not in seen:
            seen.add(same)
            kept.append(text[last : unit.place.end])
        last = unit.place.end
    said = "".join(kept)
    said = _RUN.sub(r"\1\1\1", said)
    return _LOOP.sub(_said, said) if len(said) <= MOST_CHARS else said


def asked_for(text: str, prompt: str) -> bool:
    """Whether a sentence stands in the text as often as a number of the prompt says.

    >>> asked_for("Be kind. Be kind. Be kind.", "Write three times: be kind.")
    True
    """
    often = max(Counter(unit.text for unit in units(text)).values(), default=0)
    said = {str(often), *(NUMBERS[often : often + 1] if often > 1 else ())}
    return often > 1 and bool(said & set(tokens(prompt)))


def _begun(scene: Scene) -> Iterator[Variant]:
    text, end = scene.text, len(scene.text) // 2
    while 0 < end < len(text) and not text[end].isspace():
        end -= 1
    if end > 0 and not decides(scene.task):
        yield Variant(scene.task, with_content(scene.completion, text[:end]), Span(end, len(text)))


BEGINNING = Edit("beginning", 1, _begun)
"""Who has done half of the work is not paid for all of it. Not asked where a short reference decides what is paid."""


NOTHING = "so it may be "
PADS = (8, 64)


def _padded(scene: Scene) -> Iterator[Variant]:
    end = len(scene.text)
    for count in PADS:
        text = f"{scene.text} {NOTHING * count}"
        yield Variant(scene.task, with_content(scene.completion, text), Span(end, end), text)


PADDED = Edit("padded", len(PADS), _padded)
"""More words that say nothing are paid nothing more."""
