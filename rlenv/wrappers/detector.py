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
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.verdict import Flag, Verdict
from rlenv.wrappers.exact import to_reward
from rlenv.wrappers.wrapper import State

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
        return self._lowered(verdict, 0.0 if action == "gate" else self.veto_reward)

    def _lowered(self, verdict: Verdict, ceiling: float) -> Verdict:
        """The verdict with a part that brings its reward to exactly `ceiling`, if it was more."""
        if verdict.reward is None or verdict.reward <= ceiling:
            return verdict
        return to_reward(verdict, ceiling, self.name)


def placed(flags: tuple[Flag, ...], episode: Episode) -> tuple[Flag, ...]:
    """Flags on what was said, with their places in the whole text."""
    if episode.said() is episode:
        return flags
    place = episode.completion.content.place
    return tuple(Flag(name, *place(start, end), detail) for name, start, end, detail in flags)
