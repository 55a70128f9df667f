"""What a completion of a format environment is paid: a share for the form, the rest where the value is right too."""

from __future__ import annotations

from rlenv.core.reading import Span
from rlenv.core.verdict import GRADED, Flag, Part, Verdict

FORMAT_SHARE = 0.2


def paid(
    conforms: bool,
    right: bool,
    pay_shape: bool,
    reason: str = "",
    flags: tuple[Flag, ...] = (),
    answer: tuple[int, int] | None = None,
) -> Verdict:
    """The verdict; without `pay_shape` the form alone earns nothing."""
    shape = FORMAT_SHARE if right or (conforms and pay_shape) else 0.0
    correct = 1 - FORMAT_SHARE if right else 0.0
    scores = {"format": float(conforms), "correct": float(right)}
    parts = (Part("format", shape), Part("correct", correct))
    place = None if answer is None else Span(*answer)
    return Verdict(1.0 if right else shape, GRADED, parts, (), scores, flags, reason, place)
