"""Rules on where a run stands: groups without a difference, failures of the verifier, entropy, KL, jumps."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import ClassVar

from rlenv.trainers.monitors.rules import Broken, History
from rlenv.trainers.records.risen import PAGE


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
    """The verifier failed on more than `share` of the episodes of the last window."""

    name: ClassVar[str] = "verifier_failures"
    share: float = 0.02

    def broken(self, history: History) -> Broken | None:
        value = history.now.errors
        if value <= self.share:
            return None
        return Broken(
            f"the verifier failed on {value:.1%} of the episodes, which are left out of training: "
            "a policy may come to prefer what breaks it; read the reasons in the run's episodes",
            value,
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
