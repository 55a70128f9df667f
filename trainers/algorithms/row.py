"""An algorithm as data: one choice of each kind, and the combinations that are refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.branch_choices import Preference, Selection
from rlenv.trainers.algorithms.choices import (
    AdvantageRule,
    Averaging,
    Control,
    Correction,
    CriticRule,
    Drawing,
    Entropy,
    Kl,
    check_member,
    check_range,
)

Branch: TypeAlias = Literal["online", "preference", "self-training", "distillation"]


@dataclass(frozen=True, kw_only=True)
class Algorithm:
    """One row of the matrix. `changed(row, "control.clip_high", 0.28)` makes a variant."""

    name: str
    branch: Branch = "online"
    paper: str = ""
    """Where it comes from."""
    advantage: AdvantageRule = field(default_factory=AdvantageRule)
    control: Control = field(default_factory=Control)
    averaging: Averaging = "token"
    """How token terms become one loss (rlenv.trainers.algorithms.losses.averaging_weights)."""
    kl: Kl = field(default_factory=Kl)
    entropy: Entropy = field(default_factory=Entropy)
    critic: CriticRule | None = None
    """A value network supplies the baseline."""
    drawing: Drawing = field(default_factory=Drawing)
    correction: Correction = field(default_factory=Correction)
    positive_nll: float = 0.0
    """Weight of the negative log-likelihood a token of completions whose signal is 1 or more, beside the objective."""
    divergence: float | None = None
    """Distillation over the whole vocabulary (rlenv.trainers.updates.distillation_step): beta of the generalised
    Jensen-Shannon divergence, at 0 KL(teacher || student), at 1 KL(student || teacher). None: the tokens said alone."""
    preference: Preference | None = None
    """The loss of pairs, for the preference branch; None elsewhere."""
    selection: Selection | None = None
    """What is kept and learned as it stands, for self-training; None elsewhere."""

    def corrects_in_step(self, updates: int) -> bool:
        """Whether the correction is weighed in the forward pass of the only step on a rollout, without one before it.

        Not where denominators change (`reject`), or where more than the loss asks what the policy says of a token.
        """
        asks_before = (
            (self.kl.place == "reward" and self.kl.beta > 0)
            or (self.entropy.place == "reward" and self.entropy.coefficient > 0)
            or self.advantage.kind == "teacher"
            or self.control.bound == "natural"
            or self.control.kl_share < 1
        )
        return self.correction.kind in ("truncate", "mask") and updates == 1 and not asks_before

    def __post_init__(self) -> None:
        check_member("branch", self.branch, Branch)
        check_member("averaging", self.averaging, Averaging)
        if (self.critic is not None) != (self.advantage.kind == "gae"):
            raise ConfigError("expected a critic exactly where advantage.kind is 'gae'")
        if (self.selection is not None) != (self.advantage.kind == "selected"):
            raise ConfigError("expected a selection exactly where advantage.kind is 'selected'")
        if self.preference is not None and self.selection is not None:
            raise ConfigError("expected a preference or a selection, got both")
        self._check_preference()
        if self.kl.reset_every and self.selection is not None and self.selection.from_initial:
            raise ConfigError("selection.from_initial keeps the initial policy: set kl.reset_every=0")
        self._check_length_weighting()
        check_range("positive_nll", self.positive_nll, 0, float("inf"))
        self._check_values()
        if self.divergence is not None:
            self._check_divergence(self.divergence)
        if self.positive_nll and (self.selection is not None or self.control.bound == "natural"):
            raise ConfigError("positive_nll stands beside a policy gradient: leave it at 0 with this row")
        if self.advantage.entropy_share < 1 and (self.preference is not None or self.selection is not None):
            raise ConfigError("advantage.entropy_share picks tokens of a policy gradient: leave it at 1 here")
        if self.entropy.place == "reward" and self.entropy.coefficient > 0 and self.selection is not None:
            raise ConfigError("what is kept is learned as it stands, whatever it is paid: use entropy.place='loss'")
        self._check_natural()
        if (self.drawing.refill or self.drawing.drop_constant_groups) and self.selection is not None:
            raise ConfigError("groups without a difference can be worth learning from as they stand: drop no groups")

    def _check_values(self) -> None:
        """Continuations are judged by the verifier alone: their values know no other part of a reward."""
        paid = (self.kl.place == "reward" and self.kl.beta > 0) or (
            self.entropy.place == "reward" and self.entropy.coefficient > 0
        )
        if self.advantage.kind == "continued" and paid:
            raise ConfigError("continuations are paid by the verifier alone: put the KL and the entropy into the loss")

    def _check_divergence(self, beta: float) -> None:
        check_range("divergence", beta, 0, 1)
        if self.advantage.kind != "teacher":
            raise ConfigError("a divergence is one from a teacher: expected advantage.kind 'teacher'")
        beside = self.kl.beta or self.entropy.coefficient or self.positive_nll or self.correction.kind != "none"
        if beside or self.control.ratio != "none":
            raise ConfigError("a divergence is the whole loss: leave control, kl, entropy, correction and NLL out")

    def _check_length_weighting(self) -> None:
        """GSPO's ratio belongs to a whole completion: its tokens share one vote (Zheng et al. 2025, equation 5)."""
        wrong = self.control.ratio in ("sequence", "geometric") and self.averaging != "response"
        if wrong and not self.control.allow_length_weighting:
            raise ConfigError(
                f"averaging {self.averaging!r} under a sequence ratio weighs completions by their lengths; use "
                "averaging='response', or set control.allow_length_weighting=True"
            )

    def _check_preference(self) -> None:
        """A preference loss is the whole loss: what would be silently without effect beside it is refused."""
        if self.preference is None:
            return
        unused = {
            "kl.beta": (self.kl.beta > 0, "its KL weight is preference.beta"),
            "entropy.coefficient": (self.entropy.coefficient > 0, "it has no entropy bonus"),
            "correction.kind": (self.correction.kind != "none", "it has no ratio to correct"),
            "critic": (self.critic is not None, "it has no values"),
            "positive_nll": (self.positive_nll > 0, "its term is preference.nll_weight"),
            "drawing.mask_cut": (self.drawing.mask_cut, "a pair needs the tokens of both its completions"),
        }
        for name, (is_set, why) in unused.items():
            if is_set:
                raise ConfigError(f"{name} does nothing beside a preference loss ({why}): leave it out")

    def _check_natural(self) -> None:
        if self.control.bound != "natural":
            return
        if self.kl.place == "loss" and self.kl.beta > 0:
            raise ConfigError("a natural step looks at its surrogate alone: put the KL in the reward")
        if self.entropy.coefficient > 0:
            raise ConfigError("a natural step looks at its surrogate alone: set entropy.coefficient=0")
        if self.critic is not None and self.critic.shared_trunk:
            raise ConfigError("a natural step is the policy's alone: set critic.shared_trunk=False")

    @property
    def needs_group(self) -> bool:
        """True when episodes are compared with the other members of their group."""
        drawn = self.drawing.refill or self.drawing.drop_constant_groups
        return self.advantage.needs_group or drawn or self.preference is not None

    @property
    def needs_reference(self) -> bool:
        """True when a copy of the first policy is kept beside the one that learns."""
        compared = self.preference is not None and self.preference.needs_reference
        return self.kl.beta > 0 or compared or (self.selection is not None and self.selection.from_initial)
