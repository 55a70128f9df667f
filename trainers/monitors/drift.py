"""Rules on which way a run goes: a reward that falls or that one part carries, length without rightness, flags."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from rlenv.trainers.monitors.reading import CORRECT
from rlenv.trainers.monitors.rules import Broken, History


@dataclass(frozen=True)
class RewardFall:
    """The reward is below the best earlier window by over `fall` of that, and by over `deviations` standard errors."""

    name: ClassVar[str] = "reward_fall"
    fall: float = 0.2
    """Of the best window's reward."""
    deviations: float = 4.0
    """Of the difference of the two windows, over their tasks: many windows are compared with the best of many."""

    def broken(self, history: History) -> Broken | None:
        now, best = history.now, max(history.earlier, key=lambda then: then.reward, default=None)
        if best is None or best.error is None or now.error is None:
            return None
        bound = max(self.fall * abs(best.reward), self.deviations * math.hypot(best.error, now.error))
        if best.reward - now.reward <= bound:
            return None
        return Broken(
            f"the reward fell from {best.reward:.3g} to {now.reward:.3g}: the policy loses what it could, unless the "
            "tasks became harder (a sampler that follows pass rates); lower --learning-rate, and let --keep-best keep "
            "the policy from before",
            best.reward - now.reward,
            bound,
        )


@dataclass(frozen=True)
class LengthDrift:
    """Completions are `growth` times as long as in an earlier window that was as right, give or take `flat`."""

    name: ClassVar[str] = "length_drift"
    growth: float = 1.3
    flat: float = 0.03
    """How much more may be right now for it still to count as flat."""

    def broken(self, history: History) -> Broken | None:
        now = history.now
        as_right = [then for then in history.earlier if now.correct <= then.correct + self.flat]
        shortest = min(as_right, key=lambda then: then.length, default=None)
        if shortest is None or now.length <= self.growth * shortest.length:
            return None
        return Broken(
            f"completions grew from {shortest.length:.3g} to {now.length:.3g} tokens while {shortest.correct:.3g} "
            f"became {now.correct:.3g} right: length is paid, or costs nothing",
            now.length / shortest.length,
            self.growth,
        )


@dataclass(frozen=True)
class PartDomination:
    """Of a rise of the reward by over `rise`, one part that is not among the `aims` carries at least `share`."""

    name: ClassVar[str] = "part_domination"
    share: float = 0.8
    rise: float = 0.1
    aims: tuple[str, ...] = (CORRECT, "reward")
    """Parts that pay for the task itself; `reward` is what a verifier without named parts gives."""

    def broken(self, history: History) -> Broken | None:
        now = history.now
        lowest = min(history.earlier, key=lambda then: then.reward, default=None)
        if lowest is None or now.reward - lowest.reward <= self.rise or len(now.parts) < 2:
            return None
        rise = now.reward - lowest.reward
        # a penalty that is no longer incurred is no hack: only parts that pay can carry a rise
        rises = {
            name: value - lowest.parts.get(name, 0.0)
            for name, value in now.parts.items()
            if name not in self.aims and value > 0
        }
        name = max(rises, key=lambda part: rises[part], default=None)
        if name is None or rises[name] < self.share * rise:
            return None
        return Broken(
            f"the reward rose by {rise:.3g}, and {min(1.0, rises[name] / rise):.0%} of that is the part {name!r}: "
            "read what it pays for",
            rises[name] / rise,
            self.share,
        )


@dataclass(frozen=True)
class FlagRise:
    """A flag is on a share of the episodes that is larger by over `rise` than in the window where it was rarest."""

    name: ClassVar[str] = "flag_rise"
    rise: float = 0.1

    def broken(self, history: History) -> Broken | None:
        if not history.earlier:
            return None
        rises = {
            name: share - min(then.flags.get(name, 0.0) for then in history.earlier)
            for name, share in history.now.flags.items()
        }
        name = max(rises, key=lambda flag: rises[flag], default=None)
        if name is None or rises[name] <= self.rise:
            return None
        return Broken(
            f"the flag {name!r} spread to {history.now.flags[name]:.0%} of the episodes: "
            "look at the evidence with `rlenv hacks`",
            rises[name],
            self.rise,
        )
