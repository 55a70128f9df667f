"""The few numbers that an algorithm learns on its way besides the weights; saved with the run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from rlenv.trainers.algorithms.advantages import moved_baseline
from rlenv.trainers.algorithms.kl import adapted_coefficient, proportional_coefficient
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.rollouts.parts import GroupSize, stretches
from rlenv.trainers.rollouts.rollout import Rollout


@dataclass(slots=True)
class Adaptive:
    """What stands after the rollouts so far."""

    baselines: dict[str, float] = field(default_factory=dict)
    """Moving mean of the rewards of each part of a rollout, by its name; none before its first episodes."""
    kl_coefficient: float = 1.0
    """Of the trust-region penalty."""
    beta: float | None = None
    """Of the KL to the reference, where it follows a target."""
    entropy_coefficient: float = 0.0
    """Of the entropy bonus, where it follows a target."""
    entropy: float | None = None
    """Nats a token in the last rollout's updates, where the bonus follows them."""

    @classmethod
    def first(cls, row: Algorithm) -> Adaptive:
        """Where a run begins."""
        beta = None if row.kl.target is None else row.kl.beta
        return cls({}, row.control.kl_coefficient, beta, row.entropy.coefficient)

    @classmethod
    def from_state(cls, saved: Mapping[str, Any]) -> Adaptive:
        """What `state_dict` gave; a run begun before environments were mixed had one baseline."""
        state = dict(saved)
        older = state.pop("baseline", None)
        return cls(**{"baselines": {} if older is None else {"": older}, **state})

    def row(self, row: Algorithm) -> Algorithm:
        """The row with the beta that stands now."""
        return row if self.beta is None else replace(row, kl=replace(row.kl, beta=self.beta))

    def entropy_at(self, row: Algorithm, step: int, steps: int) -> float:
        """The coefficient of the entropy bonus at this rollout; one that follows a target acts at or below it only."""
        if row.entropy.target is None:
            return row.entropy.at(step, steps)
        low = self.entropy is not None and self.entropy <= row.entropy.target
        return self.entropy_coefficient if low else 0.0

    def observe_entropy(self, row: Algorithm, entropy: float) -> None:
        """Move the coefficient by how sure the policy was in a rollout's updates; at most to 1, as in TRL."""
        if row.entropy.target is not None and math.isfinite(entropy):
            change = row.entropy.change if entropy <= row.entropy.target else -row.entropy.change
            self.entropy_coefficient = min(max(self.entropy_coefficient + change, 0.0), 1.0)
            self.entropy = entropy

    def observe_drift(self, row: Algorithm, rollout: Rollout) -> None:
        """Move beta by how far the policy that sampled stood from the reference: log(pi/ref), a completion."""
        spoken = rollout.mask.any(1)
        if self.beta is None or row.kl.target is None or not bool(spoken.any()):
            return
        drift = ((rollout.old_logprobs - rollout.ref_logprobs) * rollout.mask).sum(1)[spoken].double().mean()
        if bool(drift.isfinite()):
            self.beta = proportional_coefficient(self.beta, float(drift), row.kl.target)

    def observe_rewards(self, row: Algorithm, rollout: Rollout, group_size: GroupSize) -> None:
        """Move the baselines, once the rollout has been judged against the old ones."""
        if (decay := row.advantage.moving_baseline) is None:
            return
        for part, own in stretches(rollout, group_size):
            moved = moved_baseline(self.baselines.get(part.name), own.rewards, own.graded, decay)
            if moved is not None:
                self.baselines[part.name] = moved

    def observe_kl(self, row: Algorithm, kl: float) -> None:
        """Adapt the coefficient to how far the updates of a rollout moved the policy."""
        if row.control.kl_target is not None:
            self.kl_coefficient = adapted_coefficient(self.kl_coefficient, kl, row.control.kl_target)

    def state_dict(self) -> dict[str, Any]:
        return asdict(self)
