"""The completion without what it copies from the prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlenv.core.reading import Span
from rlenv.core.task import prompt_text
from rlenv.evidence.edit import Edit, Scene, Variant, with_content

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


WITHOUT_COPIED = Edit("without_copied", "same", 1, _without)
"""What the prompt says already does nothing for its task."""
