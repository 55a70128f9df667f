"""The choices that an algorithm is made of, one small class for each.

A policy-gradient step has two levers: what multiplies the score function (AdvantageRule), and how far the step may
go (Control). Beside them stand the KL, the entropy bonus, the critic, which groups are drawn and counted, and
what is done where sampler and trainer disagree. Each class refuses what cannot work or is known to be wrong, and
names the switch that allows it all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from rlenv.core.errors import ConfigError

GroupKind: TypeAlias = Literal["group_centred", "group_standardised", "leave_one_out", "pass_at_k"]
AdvantageKind: TypeAlias = Literal[
    GroupKind,
    "return",
    "gae",
    "continued",
    "selected",
    "teacher",
]
Ratio: TypeAlias = Literal["none", "token", "sequence", "geometric"]
Bound: TypeAlias = Literal["none", "clip", "weight", "kl", "natural"]
KeptBy: TypeAlias = Literal["length", "efficiency"]
Averaging: TypeAlias = Literal["token", "sequence", "response", "constant"]
KlPlace: TypeAlias = Literal["reward", "loss"]
KlEstimator: TypeAlias = Literal["k1", "k2", "k3"]
Signal: TypeAlias = Literal["verdict", "reward"]
CorrectionKind: TypeAlias = Literal["none", "truncate", "mask", "reject"]
CorrectionPer: TypeAlias = Literal["token", "sequence", "geometric"]

GROUP_KINDS: tuple[GroupKind, ...] = get_args(GroupKind)
"""Those whose baseline comes from the other members of the group (rlenv.trainers.algorithms.advantages.GROUP_RULES)."""
EXACT_KL: dict[KlPlace, tuple[KlEstimator, ...]] = {"reward": ("k1",), "loss": ("k2", "k3")}
"""Where each estimator has a gradient that points the right way (see rlenv.trainers.algorithms.losses.kl_penalty)."""


def check_member(name: str, value: object, kind: object) -> None:
    """Raise ConfigError, with the legal values, unless `value` is one of the literal type `kind`."""
    legal = get_args(kind)
    if value not in legal:
        raise ConfigError(f"expected {name} out of {', '.join(map(str, legal))}, got {value!r}")


def check_range(name: str, value: float, low: float, high: float, *, open_low: bool = False) -> None:
    """Raise ConfigError unless low <= value <= high (low < value where open_low)."""
    if not (low <= value <= high) or (open_low and value == low):
        raise ConfigError(f"expected {name} in {'(' if open_low else '['}{low:g}, {high:g}], got {value:g}")


@dataclass(frozen=True, kw_only=True)
class AdvantageRule:
    """What multiplies the score function (rlenv.trainers.algorithms.advantages)."""

    kind: AdvantageKind = "return"
    """`return`: what came after the token; those of `GroupKind`: against the group; `gae`: against a critic;
    `continued`: against what the policy earns when it goes on from there again; `selected`: 1 on what self-training
    keeps; `teacher`: a teacher's log-prob minus the policy's own."""
    moving_baseline: float | None = None
    """Decay of a moving mean of the rewards that is taken off the return; None for no baseline."""
    whiten: bool = False
    """Zero mean and unit variance over all chosen tokens of the rollout."""
    epsilon: float = 0.0
    """Added to the group's std."""
    ddof: int = 1
    """1: the sample std of a group; 0: the population's."""
    whiten_ddof: int = 0
    gamma: float = 1.0
    gae_lambda: float = 1.0
    length_lambda: float = 0.0
    """Above 0, lambda is 1 - 1/(this * tokens of the completion), at least 0, in place of `gae_lambda` (VAPO)."""
    critic_lambda: float | None = None
    """Lambda of the returns that the critic learns; None: that of the advantages."""
    continuations: int = 9
    """With kind `continued`: how often a completion is continued from each of its steps (VinePPO's K)."""
    step_tokens: int = 16
    """With kind `continued`: tokens of a step."""
    length_weight: float = 0.0
    """What a right answer loses at most for being longer than the others of its group that are right."""
    diversity: bool = False
    """Rewards are multiplied by the share of the group's other completions that say something else (DARLING)."""
    k: int = 2
    """With kind `pass_at_k`: how many completions share one reward, that of the best of them; below the group size."""
    kept_share: float = 1.0
    """Of each group, the share that is compared and learned from: the best by `kept_by`, two at least (GFPO)."""
    kept_by: KeptBy = "length"
    """`length`: the shortest are kept; `efficiency`: those with the most reward a token."""
    entropy_share: float = 1.0
    """Of all chosen tokens of the rollout, the share that is learned from: those where the policy was least sure."""
    allow_singletons: bool = False
    """Permit groups of one: nothing to compare with, so the advantage is then the raw reward."""

    def __post_init__(self) -> None:
        check_member("advantage.kind", self.kind, AdvantageKind)
        if self.moving_baseline is not None:
            check_range("advantage.moving_baseline", self.moving_baseline, 0, 1)
            if self.kind != "return":
                raise ConfigError(f"a moving baseline belongs to advantage.kind 'return'; {self.kind!r} has its own")
        for name in ("ddof", "whiten_ddof"):
            if getattr(self, name) not in (0, 1):
                raise ConfigError(f"expected advantage.{name} of 0 or 1, got {getattr(self, name)}")
        check_member("advantage.kept_by", self.kept_by, KeptBy)
        check_range("advantage.k", self.k, 2, float("inf"))
        for name in ("kept_share", "entropy_share"):
            check_range(f"advantage.{name}", getattr(self, name), 0, 1, open_low=True)
        if self.kept_share < 1 and self.kind not in GROUP_KINDS:
            raise ConfigError(f"advantage.kept_share keeps a part of each group; {self.kind!r} compares with none")
        check_range("advantage.epsilon", self.epsilon, 0, float("inf"))
        check_range("advantage.gamma", self.gamma, 0, 1)
        check_range("advantage.gae_lambda", self.gae_lambda, 0, 1)
        check_range("advantage.length_lambda", self.length_lambda, 0, float("inf"))
        if self.critic_lambda is not None:
            check_range("advantage.critic_lambda", self.critic_lambda, 0, 1)
        if (self.length_lambda or self.critic_lambda is not None) and self.kind != "gae":
            raise ConfigError(f"advantage.length_lambda and critic_lambda belong to kind 'gae', got {self.kind!r}")
        for name in ("continuations", "step_tokens"):
            check_range(f"advantage.{name}", getattr(self, name), 1, float("inf"))
        check_range("advantage.length_weight", self.length_weight, 0, 1)
        if (self.length_weight or self.diversity) and self.kind not in GROUP_KINDS:
            raise ConfigError(f"length_weight and diversity compare within a group; {self.kind!r} compares with none")

    @property
    def needs_group(self) -> bool:
        """True when the baseline comes from the other members of the group."""
        return self.kind == "pass_at_k" or (self.kind in GROUP_KINDS and not self.allow_singletons)


@dataclass(frozen=True, kw_only=True)
class Control:
    """How far a step may go (rlenv.trainers.algorithms.losses, rlenv.trainers.updates.natural)."""

    ratio: Ratio = "none"
    """pi/pi_old of each token, of the whole completion (its geometric mean; `geometric`: each token's ratio is clipped
    before), or none: the plain score function."""
    bound: Bound = "none"
    """`clip`: PPO's; `weight`: the clipped ratio is a weight without gradient (CISPO); `kl`: a penalty on
    KL(pi_old || pi) whose coefficient adapts (PPO); `natural`: a natural-gradient step of bounded KL (TRPO)."""
    clip_low: float = 0.2
    """The ratio is kept above 1 - clip_low; 1 for no lower bound."""
    clip_high: float = 0.2
    """The ratio is kept below 1 + clip_high."""
    ratio_cap: float | None = None
    """With bound `clip`: the ratio counts at most this much where the advantage is negative (dual clip)."""
    kl_target: float | None = 0.01
    """With bound `kl`: nats a token that a rollout's updates should move the policy; None keeps the coefficient."""
    kl_coefficient: float = 1.0
    """With bound `kl`: the penalty's first coefficient; halved below target / 1.5, doubled above target * 1.5."""
    kl_share: float = 1.0
    """With bound `kl`: the share of a step's tokens that it holds, whose log-prob and advantage go together most."""
    kl_bound: float = 0.01
    """With bound `natural`: nats a token that one step may move the policy."""
    fisher_share: float = 0.25
    """Share of the episodes on which curvature is measured; gradient, KL and gain are always of all of them."""
    cg_iterations: int = 10
    cg_damping: float = 0.1
    """Added to the diagonal of the Fisher matrix."""
    backtracks: int = 10
    """How often the step is halved before it is given up."""
    max_parameters: int = 20_000_000
    """A natural step holds about eight vectors of this many numbers and differentiates twice."""
    allow_length_weighting: bool = False
    """Permit a sequence ratio under an average that weighs sequences by their lengths."""

    def __post_init__(self) -> None:
        check_member("control.ratio", self.ratio, Ratio)
        check_member("control.bound", self.bound, Bound)
        check_range("control.clip_low", self.clip_low, 0, 1)
        check_range("control.clip_high", self.clip_high, 0, float("inf"))
        if self.bound != "none" and self.ratio == "none":
            raise ConfigError(f"a bound of {self.bound!r} needs a ratio: set control.ratio='token'")
        if self.bound in ("weight", "kl", "natural") and self.ratio != "token":
            raise ConfigError(f"expected control.ratio='token' with the bound {self.bound!r}, got {self.ratio!r}")
        if self.ratio == "geometric" and (self.bound != "clip" or self.ratio_cap is not None):
            raise ConfigError("a geometric ratio clips each token: set control.bound='clip', without control.ratio_cap")
        if self.ratio_cap is not None and not (self.bound == "clip" and self.ratio_cap > 1 + self.clip_high):
            raise ConfigError(
                f"expected control.ratio_cap above 1 + clip_high = {1 + self.clip_high:g}, with the bound 'clip', "
                f"got {self.ratio_cap:g} with {self.bound!r}"
            )
        for name in ("kl_target", "kl_coefficient", "kl_bound"):
            if getattr(self, name) is not None:
                check_range(f"control.{name}", getattr(self, name), 0, float("inf"), open_low=True)
        check_range("control.kl_share", self.kl_share, 0, 1, open_low=True)
        for name in ("cg_iterations", "backtracks", "max_parameters"):
            check_range(f"control.{name}", getattr(self, name), 1, float("inf"))
        check_range("control.fisher_share", self.fisher_share, 0, 1, open_low=True)
        check_range("control.cg_damping", self.cg_damping, 0, float("inf"))


@dataclass(frozen=True, kw_only=True)
class Kl:
    """The KL to the reference policy, which is the one that training started from."""

    place: KlPlace = "loss"
    estimator: KlEstimator = "k3"
    beta: float = 0.0
    """Its weight; 0 keeps no reference model."""
    target: float | None = None
    """Nats a completion that the policy should stay from the reference: beta then starts as given and follows."""
    reset_every: int = 0
    """The reference becomes the present policy every so many rollouts; 0 never."""
    allow_biased: bool = False
    """Permit an estimator in a place where its gradient is known to be wrong."""

    def __post_init__(self) -> None:
        check_member("kl.place", self.place, KlPlace)
        check_member("kl.estimator", self.estimator, KlEstimator)
        if self.estimator not in EXACT_KL[self.place] and not self.allow_biased:
            why = "has zero expected gradient" if self.place == "loss" else "pulls towards or past the wrong policy"
            raise ConfigError(
                f"{self.estimator} in the {self.place} {why}; use "
                f"{' or '.join(EXACT_KL[self.place])} there, or set kl.allow_biased=True"
            )
        check_range("kl.beta", self.beta, 0, float("inf"))
        if self.target is not None:
            check_range("kl.target", self.target, 0, float("inf"), open_low=True)
            if self.beta == 0:
                raise ConfigError("kl.target moves kl.beta, which is 0 for good: set the kl.beta to start from")
        check_range("kl.reset_every", self.reset_every, 0, float("inf"))


@dataclass(frozen=True, kw_only=True)
class Entropy:
    """A bonus for the entropy of the policy at each token."""

    place: KlPlace = "loss"
    """`loss`: of the distribution at each token, as it is met; `reward`: -log pi of what was said is paid for, which
    has the gradient of the entropy of whole completions (maximum-entropy RL)."""
    coefficient: float = 0.0
    final_coefficient: float | None = None
    """Where the coefficient ends, on a straight line over the run; None keeps it."""
    target: float | None = None
    """Nats a token below which the policy should not fall: the coefficient starts as given, rises by `change` after a
    rollout at or below the target, falls by it (to 0 at least) above, and acts only at or below (Skywork-OR1)."""
    change: float = 0.005

    def __post_init__(self) -> None:
        check_member("entropy.place", self.place, KlPlace)
        if self.place == "reward" and self.final_coefficient is not None:
            raise ConfigError("entropy in the reward keeps its coefficient: leave entropy.final_coefficient out")
        check_range("entropy.coefficient", self.coefficient, 0, float("inf"))
        check_range("entropy.change", self.change, 0, float("inf"), open_low=True)
        if self.target is not None:
            check_range("entropy.target", self.target, 0, float("inf"), open_low=True)
            if self.place == "reward" or self.final_coefficient is not None:
                raise ConfigError("entropy.target moves the bonus in the loss: leave place and final_coefficient out")
        if self.final_coefficient is not None:
            check_range("entropy.final_coefficient", self.final_coefficient, 0, float("inf"))

    def at(self, step: int, steps: int) -> float:
        """The coefficient in the loss at rollout `step` of `steps`.

        >>> [Entropy(coefficient=0.4, final_coefficient=0.0).at(step, 5) for step in (0, 2, 4)]
        [0.4, 0.2, 0.0]
        """
        if self.place == "reward":
            return 0.0
        if self.final_coefficient is None:
            return self.coefficient
        done = min(1.0, step / max(1, steps - 1))
        return self.coefficient + (self.final_coefficient - self.coefficient) * done


@dataclass(frozen=True, kw_only=True)
class CriticRule:
    """The value network behind `gae`."""

    shared_trunk: bool = False
    """A value head on the policy's own trunk, learned in the same step, instead of a model of its own."""
    value_clip: float = 0.2
    """How far a value may move in the updates of one rollout before its gradient ends; inf for no limit."""
    coefficient: float = 0.5
    """Weight of the value loss beside the policy loss, on a shared trunk."""
    pretrain: int = 0
    """Rollouts at the beginning from which the critic alone learns (VAPO)."""

    def __post_init__(self) -> None:
        check_range("critic.value_clip", self.value_clip, 0, float("inf"), open_low=True)
        check_range("critic.coefficient", self.coefficient, 0, float("inf"), open_low=True)
        check_range("critic.pretrain", self.pretrain, 0, float("inf"))
        if self.pretrain and self.shared_trunk:
            raise ConfigError("a critic on the policy's trunk learns in the policy's step: set critic.pretrain=0")


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """Which groups are drawn, and which of them count."""

    refill: bool = False
    """Dynamic sampling: draw further groups until `groups` of them hold two different signals."""
    max_refills: int = 8
    """How many further draws a rollout may take; then groups without a difference fill it up."""
    overlong_buffer: float = 0.0
    """Share of max_new_tokens, at its end, over which a penalty on length rises to 1 (rlenv.wrappers)."""
    drop_constant_groups: bool = False
    """Groups whose signals are all equal do not count in the denominators, nor for critic and KL."""
    mask_cut: bool = False
    """What was cut at the token limit is compared within its group, and is not learned from (overlong filtering)."""
    signal: Signal = "verdict"
    """What filters, samplers and selections read: what was said of the answer, or the `reward` that is trained on,
    which penalties on length and other shaping wrappers have changed."""

    def __post_init__(self) -> None:
        check_member("drawing.signal", self.signal, Signal)
        check_range("drawing.max_refills", self.max_refills, 1, float("inf"))
        check_range("drawing.overlong_buffer", self.overlong_buffer, 0, 1)


@dataclass(frozen=True, kw_only=True)
class Correction:
    """What is done where the engine that sampled and the trainer give a token different probabilities."""

    kind: CorrectionKind = "none"
    """Weigh each token by trainer/sampler: `truncate` keeps the weight at most `cap`, `mask` silences tokens whose
    weight lies outside [1/cap, cap], `reject` takes them out of the denominators as well. It costs a forward pass
    over the rollout where more than one step is taken on it, with `reject`, and for a few rows."""
    per: CorrectionPer = "token"
    """The weight is that of the token, of its whole `sequence` (the product), or the `geometric` mean over it."""
    cap: float = 2.0

    def __post_init__(self) -> None:
        check_member("correction.kind", self.kind, CorrectionKind)
        check_member("correction.per", self.per, CorrectionPer)
        check_range("correction.cap", self.cap, 1, float("inf"))
