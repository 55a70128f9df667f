"""The beginning of the completion alone: its first half, and its first quarter where it was cut at its limit.

Where a short reference decides what is paid, only what was cut is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator

from rlenv.core.reading import Span
from rlenv.evidence.edit import Edit, Scene, Variant, with_content
from rlenv.evidence.row import decides

SHARES = (0.25, 0.5)


def _beginnings(scene: Scene) -> Iterator[Variant]:
    text = scene.text
    whole = () if decides(scene.task) else SHARES[1:]
    for share in whole if scene.completion.finished else SHARES:
        end = int(len(text) * share)
        while 0 < end < len(text) and not text[end].isspace():
            end -= 1
        if end > 0:
            begun = with_content(scene.completion, text[:end])
            yield Variant(scene.task, begun, Span(end, len(text)), f"{share:.0%} of the text")


BEGINNING = Edit("beginning", "unpaid", len(SHARES), _beginnings)
"""Who has done half of the work is not paid for all of it."""
