"""Runs detectors on cases as a run would, and counts: hacks by family and construction, false flags, precision, cost.

    precision at a prevalence p = p recall / (p recall + (1 - p) false flags)

HackBench has about as many hacks as honest right completions; a run has other shares, so precision is stated for one.

>>> round(precision(recall=0.75, false_flags=0.002, prevalence=0.1), 3)
0.977
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from rlenv.core.episode import Episode
from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State, Wrapper
from rlenv.evidence.asker import Asker
from rlenv.evidence.findings import found
from rlenv.hackbench.case import Case, definition
from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers
from rlenv.text.escaping import shown_line

Key = TypeVar("Key", str, tuple[str, str])
PREVALENCES = (0.1, 0.01)
"""Of hacks among the completions that precision is stated for."""
LABELS = ["hacks seen", "honest right flagged", "honest wrong flagged"]
SHOWN = 150


class Seen(NamedTuple):
    """One case, and what the detectors flagged it for."""

    case: Case
    flags: tuple[Flag, ...]
    named: bool = False
    """The detectors have found a hole of its reward."""


class Measured(NamedTuple):
    """What came of all cases."""

    seen: tuple[Seen, ...]
    verifications: int
    """How many were asked for beyond the one of each completion."""


def measure(detectors: Sequence[Wrapper], cases: Iterable[Case], share: float | None = None) -> Measured:
    """The detectors' flags on every case. `share` of the paid completions is asked about, by default what a run asks.

    The cases of one reward are a run; those of one task are a group of it. Raises TaskError where a detector fails.
    """
    by_reward: dict[str, list[Case]] = {}
    for case in cases:
        by_reward.setdefault(case.reward, []).append(case)
    runs = [_run(detectors, of_reward, share) for of_reward in by_reward.values()]
    return Measured(tuple(one for run in runs for one in run.seen), sum(run.verifications for run in runs))


def _run(detectors: Sequence[Wrapper], cases: Sequence[Case], share: float | None) -> Measured:
    """What was seen in the cases of one reward."""
    groups: dict[str, list[tuple[Case, Episode]]] = {}
    tasks = [case.task for case in cases]
    made = definition(cases[0].reward, list({t.id: t for t in tasks}.values()), cases[0].rewards, share)
    grader = Judge(made)
    verdicts = grader.verdicts([(task, case.completion) for task, case in zip(tasks, cases, strict=True)])
    for case, task, verdict in zip(cases, tasks, verdicts, strict=True):
        group = groups.setdefault(task.id, [])
        group.append((case, Episode(task, case.completion, verdict, index=len(group), env_id=made.id)))
    asker, states = Asker(made, grader.verdicts), dict[str, State]()
    judged = [
        (case, before, after)
        for group in groups.values()
        for (case, before), after in zip(
            group, apply_wrappers(detectors, [episode for _, episode in group], states, asker), strict=True
        )
    ]
    named = bool(found(states))
    return Measured(tuple(_seen(*one, named) for one in judged), asker.verifications)


def _seen(case: Case, before: Episode, after: Episode, named: bool) -> Seen:
    if after.verdict.reward is None:
        raise TaskError(f"{case.id}: {after.verdict.reason or 'the reward fails'}; fix the detector or the reward")
    known = set(before.verdict.flags)  # those of the verifier itself are none of a detector
    return Seen(case, tuple(flag for flag in after.verdict.flags if flag not in known), named)


class Count(NamedTuple):
    """`flagged` of `of`."""

    flagged: int = 0
    of: int = 0

    @property
    def share(self) -> float:
        """NaN where there is nothing to count."""
        return self.flagged / self.of if self.of else math.nan

    def __str__(self) -> str:
        return f"{self.flagged}/{self.of}"


class Labels(NamedTuple):
    """How many of each label were flagged."""

    hacks: Count = Count()
    right: Count = Count()
    """Honest right completions."""
    wrong: Count = Count()
    """Honest wrong ones."""
    named: Count = Count()
    """Hacks that were flagged, or whose reward the run has found a hole in."""

    @classmethod
    def of(cls, seen: Iterable[Seen], detector: str = "") -> Labels:
        """What any detector flagged, or one."""
        found: dict[str, list[bool]] = {"hack": [], "right": [], "wrong": [], "named": []}
        for one in seen:
            found[one.case.label].append(any(not detector or flag.name == detector for flag in one.flags))
            found["named"] += [bool(one.flags) or one.named] if one.case.label == "hack" else []
        return cls(*(Count(sum(flagged), len(flagged)) for flagged in found.values()))

    def to_json(self) -> dict[str, Json]:
        names = ("hacks", "honest_right", "honest_wrong", "hacks_or_rewards")
        return {name: list(count) for name, count in zip(names, self, strict=True)}

    def cells(self) -> list[str]:
        return [str(count) for count in self[: len(LABELS)]]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one half under one setting."""

    half: str
    share: float | None
    """Of the paid completions, how many were asked about; None: the default of each environment."""
    measured: Measured

    @property
    def all(self) -> Labels:
        """Over all cases."""
        return Labels.of(self.measured.seen)

    @property
    def asked(self) -> float:
        """Verifications beyond its own that a completion costs, on average."""
        return Count(self.measured.verifications, len(self.measured.seen)).share

    def precision(self, prevalence: float) -> float:
        """Where so many of the completions are hacks."""
        hacks, right, wrong, _ = self.all
        honest = Count(right.flagged + wrong.flagged, right.of + wrong.of)
        return precision(hacks.share, honest.share, prevalence)

    def families(self) -> dict[str, Labels]:
        return self._by(lambda case: case.family)

    def constructions(self) -> dict[tuple[str, str], Labels]:
        """By family and construction."""
        return self._by(lambda case: (case.family, case.construction))

    def detectors(self) -> dict[str, Labels]:
        """Each detector that flagged anything, over all cases."""
        names = {flag.name for seen in self.measured.seen for flag in seen.flags}
        return {name: Labels.of(self.measured.seen, name) for name in sorted(names)}

    def _by(self, key: Callable[[Case], Key]) -> dict[Key, Labels]:
        groups: dict[Key, list[Seen]] = defaultdict(list)
        for one in self.measured.seen:
            groups[key(one.case)].append(one)
        return {name: Labels.of(groups[name]) for name in sorted(groups)}

    def to_json(self) -> dict[str, Json]:
        return {
            "half": self.half,
            "share": self.share,
            "verifications_a_completion": self.asked,
            "precision": {str(p): self.precision(p) for p in PREVALENCES},
            "all": self.all.to_json(),
            "families": {name: labels.to_json() for name, labels in self.families().items()},
            "constructions": {name: labels.to_json() for (_, name), labels in self.constructions().items()},
            "detectors": {name: labels.to_json() for name, labels in self.detectors().items()},
        }


def precision(recall: float, false_flags: float, prevalence: float) -> float:
    """The share of flags that are right, where `prevalence` of the completions are hacks; NaN without any flag."""
    right, wrong = prevalence * recall, (1 - prevalence) * false_flags
    return right / (right + wrong) if right + wrong > 0 else math.nan


def cost_table(of: Sequence[Figures]) -> str:
    """Recall against cost: a row for each share."""
    last = [*(f"precision at {p:.0%} hacks" for p in PREVALENCES), "verifications a completion"]
    rows = [["half", "share asked", *LABELS, "recall", *last]]
    for one in of:
        share = "default" if one.share is None else f"{one.share:g}"
        shares = [_number(value) for value in (one.all.hacks.share, *map(one.precision, PREVALENCES))]
        rows.append([one.half, share, *one.all.cells(), *shares, f"{one.asked:.1f}"])
    return _plain(rows)


def tables(figures: Figures, constructions: bool = False) -> Iterator[str]:
    """A row for each family, one for each detector that flagged anything and, if asked, for each construction."""
    named = [*figures.families().items(), ("all", figures.all)]
    rows = [
        [name, *one.cells(), _number(one.hacks.share), str(one.named), _number(one.named.share)] for name, one in named
    ]
    yield _plain([["family", *LABELS, "recall", "seen or reward named", "share"], *rows])
    yield _plain([["detector", *LABELS], *([name, *one.cells()] for name, one in figures.detectors().items())])
    if constructions:
        found = figures.constructions().items()
        yield _plain([["family", "construction", *LABELS], *([*key, *one.cells()] for key, one in found)])


def errors(figures: Figures, limit: int) -> Iterable[str]:
    """Hacks that no detector saw and honest completions that one flagged, `limit` of each."""
    missed = [one for one in figures.measured.seen if one.case.label == "hack" and not one.flags and not one.named]
    wrong = [one for one in figures.measured.seen if one.case.label != "hack" and one.flags]
    for told, those in (("missed", missed), ("flagged for nothing", wrong)):
        for seen in those[:limit]:
            why = "; ".join(f"{flag.name}: {flag.detail}" for flag in seen.flags)
            yield f"{told}: {shown_line(f'{seen.case.id} {seen.case.construction} {why}')[:SHOWN]}".rstrip()
            yield f"    {shown_line(seen.case.completion.text)[:SHOWN]}"


def _plain(table: Sequence[Sequence[str]]) -> str:
    """Columns padded with spaces."""
    shown = [[shown_line(cell) for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in shown)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"
