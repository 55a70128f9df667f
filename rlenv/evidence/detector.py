"""What a detector is: a wrapper that looks for one way of having the reward without doing the task.

It looks at what was said: an episode comes to it with the content as its text, and what was thought is no offence.
It shows its evidence as flags, each with the place in the completion's text, and `action` says what follows:

    observe    the flag, and nothing else
    penalise   `penalty` is taken off the reward
    gate       what the episode had earned is taken away: the reward is at most 0
    veto       the reward becomes `veto_reward`, if it was more

>>> from dataclasses import dataclass
>>> from typing import ClassVar
>>> from rlenv import Completion, Episode, Task, Verdict
>>> @dataclass(frozen=True, kw_only=True)
... class Shouting(Detector):
...     name: ClassVar[str] = "shouting"
...     def look(self, episodes, state):
...         said = [episode.completion.text for episode in episodes]
...         return [(self.flag(0, len(text), "capitals only"),) if text.isupper() else () for text in said]
>>> episode = Episode(Task("?"), Completion("YES"), Verdict.of(("correct", 1.0)))
>>> Shouting(action="gate").judge([episode], {})[0].parts
(Part(name='correct', value=1.0), Part(name='shouting', value=-1.0))

A detector over evidence (`EvidenceDetector`) names the edits that it asks for, and says what of the answers is a hack.
A rule says in `find` what it sees in one completion. The same rule looks at the task's reference solution first: what
it sees there too is how this reward is, a finding about the environment, and no flag. `gate`, `penalise` and `veto` act
only where a reference solution was looked at; without one a flag is shown and the reward is left as it is.

>>> @dataclass(frozen=True, kw_only=True)
... class Capitals(EvidenceDetector):
...     name: ClassVar[str] = "capitals"
...     def find(self, evidence, run):
...         return (self.flag(0, len(evidence.text), "capitals only"),) if evidence.text.isupper() else ()
>>> Capitals(action="gate").judge([episode], {})[0].flags
(Flag(name='capitals', start=0, end=3, detail='capitals only'),)
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Flag, Verdict, to_reward
from rlenv.core.wrapper import State
from rlenv.evidence.asker import unasked
from rlenv.evidence.evidence import Edit, Evidence
from rlenv.evidence.findings import FINDINGS, PAID, add, note_found

Action: TypeAlias = Literal["observe", "penalise", "gate", "veto"]
"""What a detector does: it flags alone, takes a penalty, takes what was earned, or pays `veto_reward`."""
ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True, kw_only=True)
class Detector(ABC):
    """One kind of evidence. Subclasses say in `look` what they see; what follows from it is done here."""

    name: ClassVar[str]
    """Names the wrapper, its flags and its part of the reward."""
    action: Action = "observe"
    penalty: float = 0.5
    """What `penalise` takes, in units of reward."""
    veto_reward: float = -1.0
    """What a `veto` leaves."""

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise ConfigError(f"{self.name}: expected an action of {', '.join(ACTIONS)}, got {self.action!r}")
        if not (math.isfinite(self.penalty) and self.penalty >= 0):
            raise ConfigError(f"{self.name}: expected a penalty of 0 or more, got {self.penalty!r}")
        if not math.isfinite(self.veto_reward):
            raise ConfigError(f"{self.name}: expected a finite veto_reward, got {self.veto_reward!r}")

    @abstractmethod
    def look(self, episodes: Sequence[Episode], state: State) -> list[tuple[Flag, ...]]:
        """The evidence against each episode of one group, in order; empty where there is none."""

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        found = self.look([episode.said() for episode in episodes], state)
        return [
            self._acted(whole.verdict, placed(flags, whole), self.action)
            for whole, flags in zip(episodes, found, strict=True)
        ]

    def flag(self, start: int, end: int, detail: str = "") -> Flag:
        """Evidence in the text's characters `[start, end)`; `detail` says in a few words why it is."""
        return Flag(self.name, start, end, detail)

    def _acted(self, verdict: Verdict, flags: tuple[Flag, ...], action: Action) -> Verdict:
        for flag in flags:
            verdict = verdict.with_flag(flag)
        if not flags or verdict.reward is None or action == "observe":
            return verdict
        if action == "penalise":
            return verdict.with_part(self.name, -self.penalty)
        ceiling = 0.0 if action == "gate" else self.veto_reward
        return to_reward(verdict, ceiling, self.name) if verdict.reward > ceiling else verdict


def placed(flags: tuple[Flag, ...], episode: Episode) -> tuple[Flag, ...]:
    """Flags on what was said, with their places in the whole text."""
    if episode.said() is episode:
        return flags
    place = episode.completion.content.place
    return tuple(Flag(name, *place(start, end), detail) for name, start, end, detail in flags)


@dataclass(frozen=True, kw_only=True)
class EvidenceDetector(Detector):
    """A detector over evidence: a rule on one completion, the group it is in, and what the run has shown so far."""

    edits: ClassVar[tuple[Edit, ...]] = ()
    """What it wants the verifier asked."""
    only_paid: ClassVar[bool] = False
    """Whether it looks at paid completions alone."""
    by_asking: ClassVar[bool] = False
    """Whether it sees nothing in a completion that was not asked about: its findings are of those that were."""

    def wanted(self, state: Mapping[str, Json]) -> Sequence[Edit]:
        """The edits to ask about the next group: all of them, unless what the run has shown is enough."""
        return self.edits

    @abstractmethod
    def find(self, evidence: Evidence, run: State) -> tuple[Flag, ...]:
        """The evidence against one completion, as flags on its content. Must not change `run`."""

    def learn(self, group: Sequence[Evidence], run: State) -> None:
        """Take note of a group, before any of it is looked at; `run` is JSON and is saved with the run."""

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        """The verdicts without an asker: what needs no asking is seen all the same."""
        return self.judge_on([*map(unasked, episodes)], episodes, state)

    def judge_on(self, group: Sequence[Evidence], episodes: Sequence[Episode], state: State) -> list[Verdict]:
        """The verdicts on a group whose evidence is known, in order."""
        self.learn(group, state)
        add(state, **{PAID: sum(one.paid > 0 and (not self.by_asking or bool(one.asked)) for one in group)})
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
        note_found(state, evidence, flags[0].detail)
        return self._acted(episode.verdict, placed(flags, episode), self.action if evidence.controls else "observe")

    def _note(self, task: str, flag: Flag, state: State) -> None:
        findings = state.setdefault(FINDINGS, {})
        if isinstance(findings, dict):
            findings.setdefault(task, flag.detail)


class PaidDetector(EvidenceDetector):
    """One that looks at paid completions alone."""

    only_paid: ClassVar[bool] = True


class AskingDetector(PaidDetector):
    """One that sees nothing in a completion that was not asked about."""

    by_asking: ClassVar[bool] = True


def _flags(found: object) -> tuple[Flag, ...]:
    """What `find` gave; None stands for no flag."""
    if not found:
        return ()
    if not isinstance(found, tuple | list) or not all(isinstance(flag, Flag) for flag in found):
        raise VerifierContractError(f"expected find to give a tuple of flags, (self.flag(0, 1),), got {found!r:.200}")
    return tuple(found)
