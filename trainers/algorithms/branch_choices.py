"""The choices of the branches that do not weigh a score function: preference losses and self-training."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.choices import check_member, check_range

PreferenceLoss: TypeAlias = Literal["dpo", "ipo", "kto", "simpo", "orpo"]
SelectionKind: TypeAlias = Literal["demonstrations", "threshold", "top_k", "tilted"]
REFERENCE_LOSSES: tuple[PreferenceLoss, ...] = ("dpo", "ipo", "kto")
"""Those that compare with a reference policy."""
HINT = "\n(The answer is {reference}.)\n"
"""How a failed prompt is asked again; `{reference}` is the task's reference answer."""


@dataclass(frozen=True, kw_only=True)
class Preference:
    """How pairs of completions become a loss (rlenv.trainers.algorithms.preference_losses)."""

    loss: PreferenceLoss
    beta: float = 0.1
    """Weight of the reference (dpo, ipo: tau, kto), scale of the margin (simpo), weight of the odds (orpo)."""
    pairs: int = 4
    """Pairs a group of the policy's rollouts: the i-th best with the i-th worst; 0 takes every pair that differs."""
    margin: float = 0.0
    """SimPO's gamma: by how much the chosen must beat the rejected."""
    rejected_share: float = 1.0
    """With dpo: how much of the rejected one's log-ratio counts; below 1 the chosen one is held up (DPO-Shift)."""
    desirable_weight: float = 1.0
    """Of a chosen completion in KTO."""
    undesirable_weight: float = 1.0
    """Of a rejected completion in KTO."""
    nll_weight: float = 0.0
    """Weight of the negative log-likelihood a token of the chosen completion; ORPO's is 1."""
    nll_on_prompt: bool = True
    """Whether the prompt's tokens count in it too, as in TRL; the paper's are those of the completion alone."""

    def __post_init__(self) -> None:
        check_member("preference.loss", self.loss, PreferenceLoss)
        check_range("preference.beta", self.beta, 0, float("inf"), open_low=True)
        for name in ("pairs", "margin", "desirable_weight", "undesirable_weight", "nll_weight"):
            check_range(f"preference.{name}", getattr(self, name), 0, float("inf"))
        check_range("preference.rejected_share", self.rejected_share, 0, 1, open_low=True)
        if self.rejected_share < 1 and self.loss != "dpo":
            raise ConfigError(f"preference.rejected_share is a setting of 'dpo': leave it at 1 with {self.loss!r}")

    @property
    def needs_reference(self) -> bool:
        """True when the loss compares with a reference policy."""
        return self.loss in REFERENCE_LOSSES


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which episodes are learned by heart (rlenv.trainers.updates.selection)."""

    kind: SelectionKind
    """`demonstrations` are the environment's own solutions; the others choose among the policy's episodes."""
    thresholds: tuple[float, ...] = (1.0,)
    """`threshold` keeps rewards of at least this; of several, rising, one for each share of the epochs."""
    top_k: int = 1
    """`top_k` keeps so many of each group, best first."""
    above: float | None = 0.0
    """`top_k` keeps only rewards above this; None keeps the best of each group whatever they are worth."""
    temperature: float = 1.0
    """`tilted` weighs each episode of a group by exp(reward / temperature)."""
    from_initial: bool = False
    """Each rollout trains the initial policy again instead of the present one."""
    rationalise: bool = False
    """Prompts that failed are asked again with `hint`, and what is right is learned without it."""
    hint: str = HINT
    """What is put behind such a prompt; `{reference}` stands for the reference answer."""

    def __post_init__(self) -> None:
        check_member("selection.kind", self.kind, SelectionKind)
        if not self.thresholds or any(low > high for low, high in pairwise(self.thresholds)):
            raise ConfigError(f"expected selection.thresholds that rise, at least one, got {self.thresholds}")
        check_range("selection.top_k", self.top_k, 1, float("inf"))
        check_range("selection.temperature", self.temperature, 0, float("inf"), open_low=True)
        if "{reference}" not in self.hint:
            raise ConfigError(f"expected a hint that holds {{reference}}, got {self.hint!r}")
        if self.rationalise and self.kind != "threshold":
            raise ConfigError("rationalise needs to know what is right: expected the selection 'threshold'")
