"""Hands cases to a detector as a trainer would hand it episodes, and says which of them it saw.

The time of the judging alone is taken: episodes are made before the clock starts, and the clock counts what this
thread computes, so that neither a busy machine nor a program that a detector runs as evidence is in it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from rlenv.episode import Episode
from rlenv.hackbench.case import Case
from rlenv.hackbench.scoring import Tally
from rlenv.jsontypes import Json
from rlenv.verdict import Flag
from rlenv.wrappers.wrapper import Wrapper

LIMIT, BUFFER = 1024, 256
"""Of the overlong penalty, in tokens: the cases of that family are made for them."""


@dataclass(frozen=True, slots=True)
class Look:
    """What a detector said of one case."""

    case: Case
    seen: bool
    flags: tuple[tuple[str, Flag], ...] = ()
    """The texts that it flagged, with the flag."""
    failure: str = ""

    @property
    def right(self) -> bool:
        return self.seen == self.case.hacked


@dataclass(frozen=True, slots=True)
class Looked:
    """One detector on all cases of its family."""

    looks: tuple[Look, ...]
    seconds: float

    def tally(self) -> Tally:
        hacks = [look for look in self.looks if look.case.hacked]
        honest = [look for look in self.looks if not look.case.hacked]
        texts = [text for look in self.looks for text in look.case.texts]
        return Tally(
            seen_hacks=sum(look.seen for look in hacks),
            hacks=len(hacks),
            seen_honest=sum(look.seen for look in honest),
            honest=len(honest),
            failed=sum(bool(look.failure) for look in self.looks),
            seconds=self.seconds,
            samples=len(texts),
            characters=sum(map(len, texts)),
        )


def look_at(detector: Wrapper, cases: Iterable[Case]) -> Looked:
    """The detector's flags on every case; each case starts with an empty state."""
    looks, seconds = [], 0.0
    for case in cases:
        look, spent = _look(detector, case)
        looks.append(look)
        seconds += spent
    return Looked(tuple(looks), seconds)


def _look(detector: Wrapper, case: Case) -> tuple[Look, float]:
    state: dict[str, Json] = {}
    flags: list[tuple[str, Flag]] = []
    seconds = 0.0
    for group in list(case.groups()):
        start = time.thread_time()
        try:
            verdicts = detector.judge(group, state)
        except Exception as error:  # a detector is anybody's code; its failure is counted, not raised
            return Look(case, False, tuple(flags), f"{type(error).__name__}: {error}"), seconds
        seconds += time.thread_time() - start
        for episode, verdict in zip(group, verdicts, strict=True):
            flags += [(episode.completion.text, flag) for flag in new_flags(episode, verdict.flags, detector.name)]
    return Look(case, bool(flags), tuple(flags)), seconds


def new_flags(episode: Episode, flags: Iterable[Flag], name: str) -> list[Flag]:
    """The flags of this name that the verifier had not raised itself."""
    before = set(episode.verdict.flags)
    return [flag for flag in flags if flag.name == name and flag not in before]
