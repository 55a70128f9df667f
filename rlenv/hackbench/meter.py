"""Runs detectors on cases as a run would: group by group, with the verifier at hand, one state for each reward."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rlenv.core.episode import Episode
from rlenv.core.errors import TaskError
from rlenv.core.verdict import Flag
from rlenv.core.wrapper import State, Wrapper
from rlenv.evidence.asker import Asker, unasked
from rlenv.evidence.detector import EvidenceDetector
from rlenv.evidence.edit import Edit
from rlenv.evidence.evidence import Evidence
from rlenv.hackbench.case import Case
from rlenv.hackbench.rewards import definition
from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers


@dataclass(frozen=True, slots=True)
class Seen:
    """One case, and what the detectors flagged it for."""

    case: Case
    flags: tuple[Flag, ...]
    shown: str = ""
    """What the detectors told of its reward that this completion shows as well; empty for nothing."""


@dataclass(frozen=True, slots=True)
class Measured:
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
    seen: list[Seen] = []
    verifications = 0
    for of_reward in by_reward.values():
        found, asked = _run(detectors, of_reward, share)
        seen += found
        verifications += asked
    return Measured(tuple(seen), verifications)


def _run(detectors: Sequence[Wrapper], cases: Sequence[Case], share: float | None) -> tuple[list[Seen], int]:
    """What was seen in the cases of one reward, and how many verifications were asked for."""
    groups: dict[str, list[tuple[Case, Episode]]] = {}
    tasks = [case.task for case in cases]
    made = definition(cases[0].reward, list({t.id: t for t in tasks}.values()), cases[0].rewards, share)
    grader = Judge(made)
    verdicts = grader.verdicts([(task, case.completion) for task, case in zip(tasks, cases, strict=True)])
    for case, task, verdict in zip(cases, tasks, verdicts, strict=True):
        group = groups.setdefault(task.id, [])
        group.append((case, Episode(task, case.completion, verdict, index=len(group), env_id=made.id)))
    asker = _Remembering(made, grader.verdicts)
    states: dict[str, State] = {}
    judged = []
    for group in groups.values():
        after = apply_wrappers(detectors, [episode for _, episode in group], states, asker)
        judged += [
            (*both, one, known)
            for both, one, known in zip(group, after, asker.last or map(unasked, after), strict=True)
        ]
    told = [(one, states[f"{place}:{one.name}"]) for place, one in enumerate(detectors)]
    shows = [(one.shows, state) for one, state in told if isinstance(one, EvidenceDetector)]
    return [_seen(*one, shows) for one in judged], asker.verifications


class _Remembering(Asker):
    """An asker that keeps the evidence on the last group."""

    last: Sequence[Evidence] = ()

    def about(self, group: Sequence[Episode], edits: Sequence[Edit]) -> list[Evidence]:
        found = super().about(group, edits)
        self.last = found
        return found


Shows = Callable[[Evidence, State], str]


def _seen(
    case: Case, before: Episode, after: Episode, evidence: Evidence, shows: Sequence[tuple[Shows, State]]
) -> Seen:
    if after.verdict.reward is None:
        raise TaskError(f"{case.id}: {after.verdict.reason or 'the reward fails'}; fix the detector or the reward")
    known = set(before.verdict.flags)  # those of the verifier itself are none of a detector
    shown = next((told for show, state in shows if (told := show(evidence, state))), "")
    return Seen(case, tuple(flag for flag in after.verdict.flags if flag not in known), shown)
