"""The rules: where a run stands (groups without a difference, failures, entropy, KL, jumps), and which way it goes."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import ClassVar

from rlenv.evaluation.passk import lower_bound
from rlenv.trainers.monitors.rules import CORRECT, Broken, History, Rule
from rlenv.trainers.records.logs import PAGE


@dataclass(frozen=True)
class ZeroVariance:
    """At least `share` of the groups of the last window have rewards that are all equal: nothing is learned."""

    name: ClassVar[str] = "zero_variance"
    share: float = 0.9

    def broken(self, history: History) -> Broken | None:
        value = history.now.zero_variance
        if value is None or value < self.share:
            return None
        return Broken(
            f"{value:.0%} of the groups had no two different rewards: the policy learns from almost nothing; "
            f"choose other tasks, or look whether one answer is paid everywhere (see {PAGE})",
            value,
            self.share,
        )


@dataclass(frozen=True)
class VerifierFailures:
    """The verifier failed on more than `share` of the episodes, by the 95 % interval of those of the last window."""

    name: ClassVar[str] = "verifier_failures"
    share: float = 0.02

    def broken(self, history: History) -> Broken | None:
        value, count = history.now.errors, history.now.episodes
        least = lower_bound(value, count) if count else value
        if least <= self.share:
            return None
        return Broken(
            f"the verifier failed on {value:.1%} of the episodes, which are left out of training: "
            "a policy may come to prefer what breaks it; read the reasons in the run's episodes",
            least,
            self.share,
        )


@dataclass(frozen=True)
class EntropyCollapse:
    """What is left of the first window's entropy is less than half of what is left of its wrong answers, or a tenth.

    A policy that learns becomes surer as it becomes right; one that becomes sure and stays wrong can find nothing else.
    """

    name: ClassVar[str] = "entropy_collapse"
    share: float = 0.1
    """Of the first window's entropy, whatever is right."""
    against_wrong: float = 0.5
    """What is left of the entropy, divided by what is left of the wrong answers, is below this."""

    def broken(self, history: History) -> Broken | None:
        before = history.earlier[0] if history.earlier else None
        value, first = history.now.entropy, before.entropy if before else None
        if before is None or value is None or first is None:
            return None
        wrong = 1 - before.correct
        still_wrong = min(1.0, max(0.0, (1 - history.now.correct) / wrong)) if wrong > 0 else 0.0
        least = max(self.share, self.against_wrong * still_wrong) * first
        if value >= least:
            return None
        return Broken(
            f"the entropy fell from {first:.3g} to {value:.3g} nats a token while {before.correct:.3g} became "
            f"{history.now.correct:.3g} right: the policy stops trying other answers; lower the learning rate, or give "
            "entropy.target, or control.clip_high=0.28",
            value,
            least,
        )


@dataclass(frozen=True)
class LikelihoodDisplacement:
    """The chosen completions of pairs are `factor` times as unlikely, in nats, as in the first window."""

    name: ClassVar[str] = "likelihood_displacement"
    factor: float = 1.25

    def broken(self, history: History) -> Broken | None:
        value, first = history.now.chosen, history.earlier[0].chosen if history.earlier else None
        if value is None or first is None or value >= self.factor * first:
            return None
        return Broken(
            f"the log-prob of the chosen completions fell from {first:.3g} to {value:.3g}: the policy leaves what it "
            "is to prefer; set preference.rejected_share=0.75 (dpo-shift), or preference.nll_weight=1",
            value,
            self.factor * first,
        )


@dataclass(frozen=True)
class KlBound:
    """The KL from the reference model, in nats a token, is above `bound` in the last window."""

    name: ClassVar[str] = "kl_bound"
    bound: float = 1.0

    def broken(self, history: History) -> Broken | None:
        value = history.now.kl
        if value is None or value <= self.bound:
            return None
        return Broken(
            f"the policy is {value:.3g} nats a token away from the reference model: "
            "the reward is followed further than the model it was checked on; raise beta, or stop",
            value,
            self.bound,
        )


@dataclass(frozen=True)
class Jump:
    """The last rollout's reward is off the mean of the others in the window by over `deviations` and `change`."""

    name: ClassVar[str] = "jump"
    deviations: float = 6.0
    """In standard deviations of the others."""
    change: float = 0.2
    """In units of reward; smaller steps are no jump however still the others stood."""

    def broken(self, history: History) -> Broken | None:
        *before, last = [reading.reward for reading in history.recent]
        if len(before) < 3:
            return None
        mean = statistics.fmean(before)
        bound = max(self.change, self.deviations * statistics.stdev(before))
        if abs(last - mean) <= bound:
            return None
        return Broken(
            f"the reward went from {mean:.3g} to {last:.3g} in one rollout: skill does not come at once; "
            "read what the policy wrote there",
            last - mean,
            bound,
        )


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
            "tasks became harder (a sampler that follows pass rates); lower --learning-rate, and let "
            "--set keep_best=true keep the policy from before",
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


RULES: dict[str, type[Rule]] = {
    LengthDrift.name: LengthDrift,
    PartDomination.name: PartDomination,
    FlagRise.name: FlagRise,
    ZeroVariance.name: ZeroVariance,
    VerifierFailures.name: VerifierFailures,
    EntropyCollapse.name: EntropyCollapse,
    LikelihoodDisplacement.name: LikelihoodDisplacement,
    KlBound.name: KlBound,
    Jump.name: Jump,
    RewardFall.name: RewardFall,
}
"""Every rule by its name; each is made without arguments."""
