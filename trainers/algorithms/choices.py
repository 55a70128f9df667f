"""The choices that an algorithm is made of, one small class for each.

A policy-gradient step has two levers: what multiplies the score function (AdvantageRule), and how far the step may
go (Control). Beside them stand the KL, the entropy bonus, the critic, which groups are drawn and counted, and
what is done where sampler and trainer disagree. Preference and Selection are those of the other branches.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, fields
from functools import cache
from itertools import pairwise
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

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
"""Those whose baseline comes from the other members of the group (rlenv.trainers.algorithms.advantages)."""
EXACT_KL: dict[KlPlace, tuple[KlEstimator, ...]] = {"reward": ("k1",), "loss": ("k2", "k3")}
"""Where each estimator has the gradient of a KL: k1 and k2 of KL(pi || ref), k3 of KL(ref || pi)."""


FINITE = sys.float_info.max


def number(default: Any, low: float = 0, high: float = math.inf, *, above: bool = False) -> Any:
    """A field that is a number within these bounds (`above`: above the lower one), or None where that is legal."""
    return field(default=default, metadata={"low": low, "high": high, "above": above})


def check_fields(choice: Any, prefix: str = "") -> None:
    """Raise ConfigError, with what is legal, for a literal that is none of its type, or a number out of its bounds."""
    hints = _hints(choice.__class__)
    for one in fields(choice):
        value = getattr(choice, one.name, None)
        legal = get_args(hints[one.name]) if get_origin(hints[one.name]) is Literal else None
        if legal is not None and value not in legal:
            raise ConfigError(f"expected {prefix}{one.name} out of {', '.join(map(str, legal))}, got {value!r}")
        if "low" not in one.metadata or value is None:
            continue
        low, high, above = one.metadata["low"], one.metadata["high"], one.metadata["above"]
        if not low <= value <= high or (above and value == low):
            most = {math.inf: "", FINITE: " and finite"}.get(high, f", at most {high}")
            told = f"{'above' if above else 'of at least'} {low:g}{most}"
            raise ConfigError(f"expected {prefix}{one.name} {told}, got {value:g}")


@cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


class Choice:
    """One choice of an algorithm, whose fields are checked by their types and bounds."""

    def __post_init__(self) -> None:
        prefix = f"{type(self).__name__.removesuffix('Rule').lower()}."
        check_fields(self, prefix)
        for told, is_so in self.refused().items():
            if is_so:
                raise ConfigError(told)

    def refused(self) -> dict[str, bool]:
        """What is wrong with fields that are legal each by itself."""
        return {}


@dataclass(frozen=True, kw_only=True)
class AdvantageRule(Choice):
    """What multiplies the score function (rlenv.trainers.algorithms.advantages)."""

    kind: AdvantageKind = "return"
    """`return`: what came after the token; those of `GroupKind`: against the group; `gae`: against a critic;
    `continued`: against what the policy earns when it goes on from there again; `selected`: 1 on what self-training
    keeps; `teacher`: a teacher's log-prob minus the policy's own."""
    moving_baseline: float | None = number(None, 0, 1)
    """Decay of a moving mean of the rewards that is taken off the return; None for no baseline."""
    whiten: bool = False
    """Zero mean and unit variance over all chosen tokens of the rollout."""
    epsilon: float = number(0.0)
    """Added to the group's std."""
    ddof: int = number(1, 0, 1)
    """1: the sample std of a group; 0: the population's."""
    whiten_ddof: int = number(0, 0, 1)
    gamma: float = number(1.0, 0, 1)
    gae_lambda: float = number(1.0, 0, 1)
    length_lambda: float = number(0.0)
    """Above 0, lambda is 1 - 1/(this * tokens of the completion), at least 0, in place of `gae_lambda` (VAPO)."""
    critic_lambda: float | None = number(None, 0, 1)
    """Lambda of the returns that the critic learns; None: that of the advantages."""
    continuations: int = number(9, 1)
    """With kind `continued`: how often a completion is continued from each of its steps (VinePPO's K)."""
    step_tokens: int = number(16, 1)
    """With kind `continued`: tokens of a step."""
    length_weight: float = number(0.0, 0, 1)
    """What a right answer loses at most for being longer than the others of its group that are right."""
    diversity: bool = False
    """Rewards are multiplied by the share of the group's other completions that say something else (DARLING)."""
    k: int = number(2, 2)
    """With kind `pass_at_k`: how many completions share one reward, that of the best of them; below the group size."""
    kept_share: float = number(1.0, 0, 1, above=True)
    """Of each group, the share that is compared and learned from: the best by `kept_by`, two at least (GFPO)."""
    kept_by: KeptBy = "length"
    """`length`: the shortest are kept; `efficiency`: those with the most reward a token."""
    entropy_share: float = number(1.0, 0, 1, above=True)
    """Of all chosen tokens of the rollout, the share that is learned from: those where the policy was least sure."""
    allow_singletons: bool = False
    """Permit groups of one: nothing to compare with, so the advantage is then the raw reward."""

    def refused(self) -> dict[str, bool]:
        belongs: dict[str, tuple[tuple[str, ...], bool]] = {
            "moving_baseline": (("return",), self.moving_baseline is not None),
            "length_lambda": (("gae",), self.length_lambda > 0),
            "critic_lambda": (("gae",), self.critic_lambda is not None),
            "kept_share": (GROUP_KINDS, self.kept_share < 1),
            "length_weight": (GROUP_KINDS, self.length_weight > 0),
            "diversity": (GROUP_KINDS, self.diversity),
        }
        return {
            f"advantage.{name} belongs to advantage.kind {' or '.join(kinds)}, got {self.kind!r}: leave it out": (
                is_set and self.kind not in kinds
            )
            for name, (kinds, is_set) in belongs.items()
        }

    @property
    def needs_group(self) -> bool:
        """True when the baseline comes from the other members of the group."""
        return self.kind == "pass_at_k" or (self.kind in GROUP_KINDS and not self.allow_singletons)


@dataclass(frozen=True, kw_only=True)
class Control(Choice):
    """How far a step may go (rlenv.trainers.algorithms.losses, rlenv.trainers.updates.natural)."""

    ratio: Ratio = "none"
    """pi/pi_old of each token, of the whole completion (its geometric mean; `geometric`: each token's ratio is clipped
    before), or none: the plain score function."""
    bound: Bound = "none"
    """`clip`: PPO's; `weight`: the clipped ratio is a weight without gradient (CISPO); `kl`: a penalty on
    KL(pi_old || pi) whose coefficient adapts (PPO); `natural`: a natural-gradient step of bounded KL (TRPO)."""
    clip_low: float = number(0.2, 0, 1)
    """The ratio is kept above 1 - clip_low; 1 for no lower bound."""
    clip_high: float = number(0.2)
    """The ratio is kept below 1 + clip_high."""
    ratio_cap: float | None = None
    """With bound `clip`: the ratio counts at most this much where the advantage is negative (dual clip)."""
    kl_target: float | None = number(0.01, above=True)
    """With bound `kl`: nats a token that a rollout's updates should move the policy; None keeps the coefficient."""
    kl_coefficient: float = number(1.0, above=True)
    """With bound `kl`: the penalty's first coefficient; halved below target / 1.5, doubled above target * 1.5."""
    kl_share: float = number(1.0, 0, 1, above=True)
    """With bound `kl`: the share of a step's tokens that it holds, whose log-prob and advantage go together most."""
    kl_bound: float = number(0.01, above=True)
    """With bound `natural`: nats a token that one step may move the policy."""
    fisher_share: float = number(0.25, 0, 1, above=True)
    """Share of the episodes on which curvature is measured; gradient, KL and gain are always of all of them."""
    cg_iterations: int = number(10, 1)
    cg_damping: float = number(0.1)
    """Added to the diagonal of the Fisher matrix."""
    backtracks: int = number(10, 1)
    """How often the step is halved before it is given up."""
    max_parameters: int = number(20_000_000, 1)
    """A natural step holds about eight vectors of this many numbers and differentiates twice."""
    allow_length_weighting: bool = False
    """Permit a sequence ratio under an average that weighs sequences by their lengths."""

    def refused(self) -> dict[str, bool]:
        bound, ratio, cap = self.bound, self.ratio, self.ratio_cap
        return {
            f"expected control.ratio='token' with the bound {bound!r}, got {ratio!r}": (
                bound in ("weight", "kl", "natural") and ratio != "token"
            ),
            f"a bound of {bound!r} needs a ratio: set control.ratio='token'": bound != "none" and ratio == "none",
            "a geometric ratio clips each token: set control.bound='clip', without control.ratio_cap": (
                ratio == "geometric" and (bound != "clip" or cap is not None)
            ),
            f"expected control.ratio_cap above 1 + clip_high = {1 + self.clip_high:g} and the bound 'clip', got {cap}, "
            f"{bound!r}": cap is not None and not (bound == "clip" and cap > 1 + self.clip_high),
        }


@dataclass(frozen=True, kw_only=True)
class Kl(Choice):
    """The KL to the reference policy, which is the one that training started from."""

    place: KlPlace = "loss"
    estimator: KlEstimator = "k3"
    """In the loss k2 has the gradient of KL(pi || ref), and k3 that of KL(ref || pi)."""
    beta: float = number(0.0)
    """Its weight; 0 keeps no reference model."""
    target: float | None = number(None, above=True)
    """Nats a completion that the policy should stay from the reference: beta then starts as given and follows."""
    reset_every: int = number(0)
    """The reference becomes the present policy every so many rollouts; 0 never."""
    allow_biased: bool = False
    """Permit an estimator in a place where its gradient is known to be wrong."""

    def refused(self) -> dict[str, bool]:
        exact = EXACT_KL[self.place]
        why = "has zero expected gradient" if self.place == "loss" else "pulls towards or past the wrong policy"
        return {
            f"{self.estimator} in the {self.place} {why}; use {' or '.join(exact)} there, or set "
            "kl.allow_biased=True": self.estimator not in exact and not self.allow_biased,
            "kl.target moves kl.beta, which is 0 for good: set the kl.beta to start from": (
                self.target is not None and self.beta == 0
            ),
        }


@dataclass(frozen=True, kw_only=True)
class Entropy(Choice):
    """A bonus for the entropy of the policy at each token."""

    place: KlPlace = "loss"
    """`loss`: of the distribution at each token, as it is met; `reward`: -log pi of what was said is paid for, which
    has the gradient of the entropy of whole completions (maximum-entropy RL)."""
    coefficient: float = number(0.0)
    final_coefficient: float | None = number(None)
    """Where the coefficient ends, on a straight line over the run; None keeps it."""
    target: float | None = number(None, above=True)
    """Nats a token below which the policy should not fall: the coefficient starts as given, rises by `change` after a
    rollout at or below the target, falls by it (to 0 at least) above, and acts only at or below (Skywork-OR1)."""
    change: float = number(0.005, above=True)

    def refused(self) -> dict[str, bool]:
        paid, falls = self.place == "reward", self.final_coefficient is not None
        return {
            "entropy in the reward keeps its coefficient: leave entropy.final_coefficient out": paid and falls,
            "entropy.target moves the bonus in the loss: leave place and final_coefficient out": (
                self.target is not None and (paid or falls)
            ),
        }

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
class CriticRule(Choice):
    """The value network behind `gae`."""

    shared_trunk: bool = False
    """A value head on the policy's own trunk, learned in the same step, instead of a model of its own."""
    value_clip: float = number(0.2, above=True)
    """How far a value may move in the updates of one rollout before its gradient ends; inf for no limit."""
    coefficient: float = number(0.5, above=True)
    """Weight of the value loss beside the policy loss, on a shared trunk."""
    pretrain: int = number(0)
    """Rollouts at the beginning from which the critic alone learns (VAPO)."""

    def refused(self) -> dict[str, bool]:
        told = "a critic on the policy's trunk learns in the policy's step: set critic.pretrain=0"
        return {told: self.pretrain > 0 and self.shared_trunk}


@dataclass(frozen=True, kw_only=True)
class Drawing(Choice):
    """Which groups are drawn, and which of them count."""

    refill: bool = False
    """Dynamic sampling: draw further groups until `groups` of them hold two different signals."""
    max_refills: int = number(8, 1)
    """How many further draws a rollout may take; then groups without a difference fill it up."""
    overlong_buffer: float = number(0.0, 0, 1)
    """Share of max_new_tokens, at its end, over which a penalty on length rises to 1 (rlenv.wrappers)."""
    drop_constant_groups: bool = False
    """Groups whose signals are all equal do not count in the denominators, nor for critic and KL."""
    mask_cut: bool = False
    """What was cut at the token limit is compared within its group, and is not learned from (overlong filtering)."""
    signal: Signal = "verdict"
    """What filters, samplers and selections read: what was said of the answer, or the `reward` that is trained on,
    which penalties on length and other shaping wrappers have changed."""


@dataclass(frozen=True, kw_only=True)
class Correction(Choice):
    """What is done where the engine that sampled and the trainer give a token different probabilities."""

    kind: CorrectionKind = "none"
    """Weigh each token by trainer/sampler: `truncate` keeps the weight at most `cap`, `mask` silences tokens whose
    weight lies outside [1/cap, cap], `reject` takes them out of the denominators as well. It costs a forward pass
    over the rollout where more than one step is taken on it, with `reject`, and for a few rows."""
    per: CorrectionPer = "token"
    """The weight is that of the token, of its whole `sequence` (the product), or the `geometric` mean over it."""
    cap: float = number(2.0, 1)


PreferenceLoss: TypeAlias = Literal["dpo", "ipo", "kto", "simpo", "orpo"]
SelectionKind: TypeAlias = Literal["demonstrations", "threshold", "top_k", "tilted"]
REFERENCE_LOSSES: tuple[PreferenceLoss, ...] = ("dpo", "ipo", "kto")
"""Those that compare with a reference policy."""
HINT = "\n(The answer is {reference}.)\n"
"""How a failed prompt is asked again; `{reference}` is the task's reference answer."""


@dataclass(frozen=True, kw_only=True)
class Preference(Choice):
    """How pairs of completions become a loss (rlenv.trainers.algorithms.losses)."""

    loss: PreferenceLoss
    beta: float = number(0.1, above=True)
    """Weight of the reference (dpo, ipo: tau, kto), scale of the margin (simpo), weight of the odds (orpo)."""
    pairs: int = number(4)
    """Pairs a group of the policy's rollouts: the i-th best with the i-th worst; 0 takes every pair that differs."""
    margin: float = number(0.0)
    """SimPO's gamma: by how much the chosen must beat the rejected."""
    rejected_share: float = number(1.0, 0, 1, above=True)
    """With dpo: how much of the rejected one's log-ratio counts; below 1 the chosen one is held up (DPO-Shift)."""
    desirable_weight: float = number(1.0)
    """Of a chosen completion in KTO."""
    undesirable_weight: float = number(1.0)
    """Of a rejected completion in KTO."""
    nll_weight: float = number(0.0)
    """Weight of the negative log-likelihood a token of the chosen completion; ORPO's is 1."""
    nll_on_prompt: bool = True
    """Whether the prompt's tokens count in it too, as in TRL; the paper's are those of the completion alone."""

    def refused(self) -> dict[str, bool]:
        told = f"preference.rejected_share is a setting of 'dpo': leave it at 1 with {self.loss!r}"
        return {told: self.rejected_share < 1 and self.loss != "dpo"}

    @property
    def needs_reference(self) -> bool:
        """True when the loss compares with a reference policy."""
        return self.loss in REFERENCE_LOSSES


@dataclass(frozen=True, kw_only=True)
class Selection(Choice):
    """Which episodes are learned by heart (rlenv.trainers.updates.prepare)."""

    kind: SelectionKind
    """`demonstrations` are the environment's own solutions; the others choose among the policy's episodes."""
    thresholds: tuple[float, ...] = (1.0,)
    """`threshold` keeps rewards of at least this; of several, rising, one for each share of the epochs."""
    top_k: int = number(1, 1)
    """`top_k` keeps so many of each group, best first."""
    above: float | None = 0.0
    """`top_k` keeps only rewards above this; None keeps the best of each group whatever they are worth."""
    temperature: float = number(1.0, above=True)
    """`tilted` weighs each episode of a group by exp(reward / temperature)."""
    from_initial: bool = False
    """Each rollout trains the initial policy again instead of the present one."""
    rationalise: bool = False
    """Prompts that failed are asked again with `hint`, and what is right is learned without it."""
    hint: str = HINT
    """What is put behind such a prompt; `{reference}` stands for the reference answer."""

    def refused(self) -> dict[str, bool]:
        rises = bool(self.thresholds) and all(low <= high for low, high in pairwise(self.thresholds))
        return {
            f"expected selection.thresholds that rise, at least one, got {self.thresholds}": not rises,
            f"expected a hint that holds {{reference}}, got {self.hint!r}": "{reference}" not in self.hint,
            "rationalise needs to know what is right: expected the selection 'threshold'": (
                self.rationalise and self.kind != "threshold"
            ),
        }
