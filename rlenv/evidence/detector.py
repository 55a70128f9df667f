"""What a detector over evidence is: it names the edits that it asks for, and says what of the answers is a hack.

A rule says in `find` what it sees in one completion. The same rule looks at the task's reference solution first: what
it sees there too is how this reward is, a finding about the environment, and no flag. `gate`, `penalise` and `veto` act
only where a reference solution was looked at; without one a flag is shown and the reward is left as it is.

>>> from dataclasses import dataclass
>>> from typing import ClassVar
>>> from rlenv import Completion, Episode, Task, Verdict
>>> @dataclass(frozen=True, kw_only=True)
... class Shouting(EvidenceDetector):
...     name: ClassVar[str] = "shouting"
...     def find(self, evidence, run):
...         return (self.flag(0, len(evidence.text), "capitals only"),) if evidence.text.isupper() else ()
>>> episode = Episode(Task("?"), Completion("YES"), Verdict.of(("correct", 1.0)))
>>> Shouting(action="gate").judge([episode], {})[0].flags
(Flag(name='shouting', start=0, end=3, detail='capitals only'),)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rlenv.core.episode import Episode
from rlenv.core.errors import VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Flag, Verdict
from rlenv.evidence.asker import unasked
from rlenv.evidence.edit import Edit
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.findings import FINDINGS
from rlenv.wrappers.detector import Detector, placed
from rlenv.wrappers.wrapper import State


@dataclass(frozen=True, kw_only=True)
class EvidenceDetector(Detector):
    """A detector over evidence: a rule on one completion, the group it is in, and what the run has shown so far."""

    edits: ClassVar[tuple[Edit, ...]] = ()
    """What it wants the verifier asked."""
    only_paid: ClassVar[bool] = False
    """Whether it looks at paid completions alone."""

    def wanted(self, state: Mapping[str, Json]) -> Sequence[Edit]:
        """The edits to ask about the next group: all of them, unless what the run has shown is enough."""
        return self.edits

    @abstractmethod
    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        """The evidence against one completion, as flags on its content. Must not change `run`."""

    def learn(self, group: Sequence[Evidence], run: State) -> None:
        """Take note of a group, before any of it is looked at; `run` is JSON and is saved with the run."""

    def shows(self, evidence: Evidence, run: State) -> str:
        """What a completion shows of the reward, as most of the run do: a finding, no flag; empty for nothing."""
        return ""

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        """The verdicts without an asker: what needs no asking is seen all the same."""
        return self.judge_on([*map(unasked, episodes)], episodes, state)

    def judge_on(self, group: Sequence[Evidence], episodes: Sequence[Episode], state: State) -> list[Verdict]:
        """The verdicts on a group whose evidence is known, in order."""
        self.learn(group, state)
        both = zip(group, episodes, strict=True)
        return [episode.verdict if self._passes(one) else self._weighed(one, episode, state) for one, episode in both]

    def look(self, episodes: Sequence[Episode], state: State) -> list[tuple[Flag, ...]]:
        return [() if self._passes(evidence) else self.find(evidence, state) for evidence in map(unasked, episodes)]

    def _passes(self, evidence: Evidence) -> bool:
        return self.only_paid and evidence.paid <= 0

    def _weighed(self, evidence: Evidence, episode: Episode, state: State) -> Verdict:
        flags = _flags(self.find(evidence, state))
        if not flags:
            return episode.verdict
        if any(self.find(control, state) for control in evidence.controls):
            self._note(episode.task.id, flags[0], state)
            return episode.verdict
        return self._acted(episode.verdict, placed(flags, episode), self.action if evidence.controls else "observe")

    def _note(self, task: str, flag: Flag, state: State) -> None:
        findings = state.setdefault(FINDINGS, {})
        if isinstance(findings, dict):
            findings.setdefault(task, flag.detail)


def _flags(found: object) -> tuple[Flag, ...]:
    """What `find` gave; None stands for no flag."""
    if not found:
        return ()
    if not isinstance(found, tuple | list) or not all(isinstance(flag, Flag) for flag in found):
        raise VerifierContractError(f"expected find to give a tuple of flags, (self.flag(0, 1),), got {found!r:.200}")
    return tuple(found)
