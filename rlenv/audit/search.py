"""Tries to earn without solving, beyond what the catalogue knows: texts that are drawn, kept where they are paid more.

Two searches take turns. One knows nothing of a task but its prompt: it puts pieces together, says the same on several
tasks, and keeps what earns more. The other starts from the right answer and moves away from it as long as it is paid.
Which move is drawn is learned: one that has led to pay is drawn more often (Thompson sampling). What either finds is
shrunk, and played on all tasks; it is a finding where no reader may take it for the right answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from fractions import Fraction
from itertools import count

import numpy as np

from rlenv.audit.judge import Said
from rlenv.audit.playing import evidence, of_shares
from rlenv.audit.severity import severity_of
from rlenv.audit.subject import Subject, asked_for
from rlenv.evidence.answers import Answer, bare, items, number, same
from rlenv.evidence.exploits.finding import Finding, Severity
from rlenv.evidence.exploits.moves import ATOMS, LONGEST, MOVES, SLOTS, filled
from rlenv.evidence.parts import BARE, Frame, numbers
from rlenv.evidence.shrink import is_right, shrunk

AT_ONCE = 24
"""Texts of a draw, judged together."""
ON = 4
"""Tasks on which a text is tried; what is paid there is tried on all."""
WELL = 0.5
"""From this share of what a right answer earns on, a text is paid."""
EXPLORED = 0.3
"""The share of the moves that are drawn whatever they have led to: some lead far once in a hundred draws."""
KEPT = 40
"""Texts that a search goes on from."""
WHOLE = Fraction(1, 4)
"""A number this far from a whole one is another one; from others, a fiftieth of it."""
WORDS = 12
"""Of an answer that may be moved away from."""
UNLIKE = 0.75
"""A text that is less like the answer than this, by its signs, is no other writing of it."""


@dataclass
class _Moves:
    """Which moves have led to pay."""

    rng: np.random.Generator
    worked: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)

    def draw(self) -> str:
        if self.rng.random() < EXPLORED:
            return list(MOVES)[int(self.rng.integers(len(MOVES)))]
        chance = {name: self.rng.beta(1 + self.worked.get(name, 0), 2 + self.failed.get(name, 0)) for name in MOVES}
        return max(chance, key=chance.__getitem__)

    def note(self, name: str, good: bool) -> None:
        counts = self.worked if good else self.failed
        counts[name] = counts.get(name, 0) + 1


def search_findings(subject: Subject, seconds: float, seed: int = 0) -> list[Finding]:
    """What the search earns in so many seconds: at most one finding of texts that know nothing, and one of changed
    right answers. None in episodes of several turns, or where no right answer is paid."""
    if subject.turns or not any(sample.reward > 0 for sample in subject.samples):
        return []
    end = time.monotonic() + seconds
    rng = np.random.default_rng(seed)
    searches = [_blind(subject, rng), *([] if subject.programs else [_away(subject, rng)])]
    found: list[Finding] = []
    while searches and time.monotonic() < end and not subject.judge.stopped:
        for search in list(searches):
            one = next(search, None)
            if one is not None:
                found.append(one)
                searches.remove(search)
    return found


def _blind(subject: Subject, rng: np.random.Generator) -> Iterator[Finding | None]:
    """Texts of pieces, the same on each task but for what the prompt gives; those that earn most are changed on."""
    tasks = _different(subject, ON)
    frames = {frame.name: frame for task in tasks for frame in (*subject.frames(task), *subject.generic_frames(task))}
    asked = [frame.name for task in tasks for frame in asked_for(subject.samples[task].prompt)]
    moves, known = _Moves(rng), {("", BARE.name): 0.0}
    pieces = [*ATOMS, *SLOTS, *SLOTS, *subject.scene(tasks[0]).others[:8]]
    for round_ in count():
        best = sorted(known, key=lambda one: (-known[one], len(one[0])))[:KEPT]
        drawn: dict[tuple[str, str], tuple[str, float]] = {}
        for _ in range(len(tasks) * AT_ONCE):
            parent = best[int(min(rng.geometric(0.15) - 1, len(best) - 1))]
            move = moves.draw()
            text = MOVES[move](parent[0], rng, pieces)[:LONGEST]
            names = asked if asked and rng.random() < WELL else list(frames)
            frame = parent[1] if rng.random() < WELL else names[int(rng.integers(len(names)))]
            if (text, frame) not in known:
                drawn[text, frame] = move, known[parent]
        said = {one: frames[one[1]].around(one[0]) for one in drawn}
        first = _shares(subject, list(said.values()), [tasks[round_ % len(tasks)]])
        paid = [one for one, (share,) in zip(said, first, strict=True) if share > 0]
        shares = dict(zip(paid, _shares(subject, [said[one] for one in paid], tasks), strict=True))
        for one, (move, before) in drawn.items():
            share = shares.get(one, [0.0])
            known[one] = sum(share) / len(share)
            moves.note(move, known[one] > before)
            if sum(each >= WELL for each in share) >= max(2, len(tasks) - 1):
                finding = _everywhere(subject, one[0], frames[one[1]])
                if finding is not None:
                    yield finding
        yield None


def _different(subject: Subject, most: int) -> list[int]:
    """Tasks that are paid, with answers that differ."""
    first: dict[str, int] = {}
    for task, sample in enumerate(subject.samples):
        if sample.reward > 0:
            first.setdefault(bare(sample.answer.core), task)
    return list(first.values())[:most]


def _shares(subject: Subject, texts: Sequence[str], tasks: Sequence[int]) -> list[list[float]]:
    """What each text earns on each task; where it may be the right answer, nothing."""
    said = [Said(task, filled(text, subject.samples[task].prompt)) for text in texts for task in tasks]
    rewards = subject.judge.rewards(said)
    earned = [
        0.0 if is_right(one.text, subject.samples[one.task].answer.core) and one.text.strip() else
        subject.share(one.task, reward)
        for one, reward in zip(said, rewards, strict=True)
    ]  # fmt: skip
    return [earned[place : place + len(tasks)] for place in range(0, len(earned), len(tasks))]


def _everywhere(subject: Subject, text: str, frame: Frame) -> Finding | None:
    """The text on all tasks, shrunk on the first: a finding where it earns more than a guess does."""
    every = range(len(subject.samples))
    (shares,) = _shares(subject, [frame.around(text)], every)
    rate = subject.guess_rate()[0]
    if sum(shares) <= max(2 * rate, WELL / 2) * len(shares):
        return None
    place = max(every, key=shares.__getitem__)
    right, least = subject.samples[place].answer.core, 0.9 * (shares[place])

    def paid(made: str) -> bool:
        return subject.share(place, subject.judge.verdict(place, made).reward) >= least

    small = shrunk(filled(frame.around(text), subject.samples[place].prompt), paid, right)
    return _finding(subject, "search/blind", "pays the same text on every task", [(place, small)], shares)


def _away(subject: Subject, rng: np.random.Generator) -> Iterator[Finding | None]:
    """Right answers, moved away from as long as they are paid; on several tasks, so that no oddity of one counts."""
    tasks = [t for t in _different(subject, 4 * ON) if _is_plain(subject.samples[t].answer)][:ON]
    if not tasks or subject.by_rule:
        return
    moves, found = _Moves(rng), dict[int, str]()
    known = {task: {subject.samples[task].answer.core: 1.0} for task in tasks}
    while True:
        for task in (one for one in tasks if one not in found):
            answer = subject.samples[task].answer
            pieces = [*ATOMS, *subject.scene(task).others[:8]]
            best = sorted(known[task], key=known[task].__getitem__)[:KEPT]
            drawn: dict[str, str] = {}
            for _ in range(AT_ONCE):
                parent, move = best[int(min(rng.geometric(0.2) - 1, len(best) - 1))], moves.draw()
                text = MOVES[move](parent, rng, pieces)[:LONGEST]
                if text.strip() and text not in known[task]:
                    drawn.setdefault(text, move)
            rewards = subject.judge.rewards([Said(task, answer.framed(text)) for text in drawn])
            for (text, move), reward in zip(drawn.items(), rewards, strict=True):
                paid = subject.share(task, reward) >= WELL
                like = SequenceMatcher(None, bare(text), bare(answer.core)).ratio() if paid else 1.0
                moves.note(move, like < 1)
                if paid:
                    known[task][text] = like
                    if surely_wrong(text, answer.core):
                        found[task] = min(found.get(task, text), text, key=len)
        if len(found) >= min(2, len(tasks)):
            shares = [float(task in found) for task in tasks]
            said = [(task, subject.samples[task].answer.framed(text)) for task, text in found.items()]
            yield _finding(subject, "search/changed", "pays for a wrong answer that the search made", said, shares)
        yield None


def _is_plain(answer: Answer) -> bool:
    """Whether what is another answer can be told: a number, a few words or items, not a formula or a program."""
    return answer.known and answer.kind in ("number", "text", "list") and len(answer.core.split()) <= WORDS


def surely_wrong(text: str, right: str) -> bool:
    """Whether no reader may take a text for the right answer: another number, other items, other words.

    >>> surely_wrong("52", "42"), surely_wrong("42.0", "42"), surely_wrong("silent", "listen")
    (True, False, True)
    >>> surely_wrong("b, a", "a, b"), surely_wrong("6 * 7", "42"), surely_wrong("Pariss", "Paris")
    (False, False, False)
    """
    said, wanted = bare(text), bare(right)
    if same(text, right) or not wanted or sorted(items(said)[0]) == sorted(items(wanted)[0]):
        return False
    value = number(wanted)
    if value is not None:
        other = number(said)
        near = other is not None and abs(other - value) <= min(abs(value) / 50, WHOLE if value.denominator == 1 else 1)
        return (other is not None and not near) or not any(map(str.isalnum, said))
    if numbers(wanted) and not any(sign.isalpha() for sign in wanted):
        return not {part.text for part in numbers(wanted)} <= {part.text for part in numbers(said)}
    letters = "".join(filter(str.isalnum, said)), "".join(filter(str.isalnum, wanted))
    if is_right(text, right) or letters[1] in letters[0]:
        return False
    return SequenceMatcher(None, *letters).ratio() < UNLIKE


def _finding(
    subject: Subject, rule: str, message: str, said: Sequence[tuple[int, str]], shares: Sequence[float]
) -> Finding:
    task, text = min(said, key=lambda one: len(one[1]))
    severity = max(Severity.MEDIUM, severity_of([min(1.0, share) for share in shares]))
    found = of_shares(rule, severity, message, shares, evidence(subject, Said(task, text)))
    return replace(found, paid=sum(share > 0 for share in shares))
