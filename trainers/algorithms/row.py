"""An algorithm as data: one choice of each kind, the combinations that are refused, and the table, rows.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, reduce
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.choices import (
    AdvantageRule,
    Averaging,
    Control,
    Correction,
    CriticRule,
    Drawing,
    Entropy,
    Kl,
    Preference,
    Selection,
    check_fields,
    number,
)

Branch: TypeAlias = Literal["online", "preference", "self-training", "distillation"]
IDLE = {
    "a preference loss": (
        "kl.beta",
        "entropy.coefficient",
        "correction.kind",
        "critic",
        "positive_nll",
        "drawing.mask_cut",
        "advantage.entropy_share",
    ),
    "a divergence": ("kl.beta", "entropy.coefficient", "correction.kind", "positive_nll", "control.ratio"),
    "self-training": (
        "positive_nll",
        "advantage.entropy_share",
        "drawing.refill",
        "drawing.drop_constant_groups",
    ),
    "a natural step": ("entropy.coefficient", "positive_nll", "critic.shared_trunk"),
}
"""What is silently without effect beside these, and so refused."""
UNSET = {"correction.kind": "none", "control.ratio": "none", "advantage.entropy_share": 1.0}
"""Their values where they are not set; of the others 0, False or none."""


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
    positive_nll: float = number(0.0)
    """Weight of the negative log-likelihood a token of completions whose signal is 1 or more, beside the objective."""
    divergence: float | None = number(None, 0, 1)
    """Distillation over the whole vocabulary (rlenv.trainers.updates.branch_steps): beta of the generalised
    Jensen-Shannon divergence, at 0 KL(teacher || student), at 1 KL(student || teacher). None: the tokens said alone."""
    preference: Preference | None = None
    """The loss of pairs, for the preference branch; None elsewhere."""
    selection: Selection | None = None
    """What is kept and learned as it stands, for self-training; None elsewhere."""

    def __post_init__(self) -> None:
        check_fields(self)
        kind, selection, natural = self.advantage.kind, self.selection, self.control.bound == "natural"
        there = {
            "a preference loss": self.preference is not None,
            "a divergence": self.divergence is not None,
            "self-training": selection is not None,
            "a natural step": natural,
        }
        for what, paths in IDLE.items():
            for path in paths if there[what] else ():
                found = reduce(lambda at, name: getattr(at, name, None), path.split("."), cast("Any", self))
                if found not in (None, UNSET.get(path, 0)):
                    raise ConfigError(f"{path} does nothing beside {what}: leave it out")
        whole = self.control.ratio in ("sequence", "geometric") and not self.control.allow_length_weighting
        wrong = {
            "a critic exactly where advantage.kind is 'gae'": (self.critic is not None) != (kind == "gae"),
            "a selection exactly where advantage.kind is 'selected'": (selection is not None) != (kind == "selected"),
            "a preference or a selection, not both": None not in (self.preference, selection),
            "a divergence only from a teacher (advantage.kind 'teacher')": there["a divergence"] and kind != "teacher",
            "averaging='response' under a sequence ratio, whose tokens share one vote (GSPO, equation 5); to weigh "
            "completions by their lengths, set control.allow_length_weighting=True": (
                whole and self.averaging != "response"
            ),
            "the KL and the entropy in the loss, where the verifier alone pays (continuations, what is kept)": (
                (kind == "continued" and self.kl_in_reward)
                or (kind in ("continued", "selected") and self.entropy_in_reward)
            ),
            "the KL in the reward, for a natural step looks at its surrogate alone": (
                natural and self.kl.place == "loss" and self.kl.beta > 0
            ),
            "kl.reset_every=0 with selection.from_initial, which keeps the initial policy": (
                selection is not None and selection.from_initial and self.kl.reset_every > 0
            ),
        }
        for told, is_so in wrong.items():
            if is_so:
                raise ConfigError(f"expected {told}")

    def corrects_in_step(self, updates: int) -> bool:
        """Whether the correction is weighed in the forward pass of the only step on a rollout, without one before it.

        Not where denominators change (`reject`), or where more than the loss asks what the policy says of a token.
        """
        in_advance = self.advantage.kind == "teacher" or self.control.bound == "natural" or self.control.kl_share < 1
        asks_before = in_advance or self.kl_in_reward or self.entropy_in_reward
        return self.correction.kind in ("truncate", "mask") and updates == 1 and not asks_before

    @property
    def kl_in_reward(self) -> bool:
        return self.kl.place == "reward" and self.kl.beta > 0

    @property
    def entropy_in_reward(self) -> bool:
        return self.entropy.place == "reward" and self.entropy.coefficient > 0

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


CHOICES: dict[str, type[Any]] = {
    "advantage": AdvantageRule,
    "control": Control,
    "kl": Kl,
    "entropy": Entropy,
    "critic": CriticRule,
    "drawing": Drawing,
    "preference": Preference,
    "selection": Selection,
}
"""What stands as a table of its own in a row of rows.toml."""


@dataclass(frozen=True, slots=True)
class Objective:
    """Of one row of the table."""

    objective: str
    """The loss in plain mathematics; the head of rows.toml has the notation."""
    note: str
    """What it is for, and where it differs from its paper."""


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("rows.toml").read_text("utf-8"))


def objectives() -> dict[str, Objective]:
    """The objective of each algorithm by its name."""
    return {name: Objective(told["objective"], told["note"]) for name, told in _table().items()}


def _row(name: str, told: dict[str, Any]) -> Algorithm:
    def choice(kind: type[Any], values: dict[str, Any]) -> Any:
        plain = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
        return kind(**{key: None if value == "none" else value for key, value in plain.items()})

    values = {key: value for key, value in told.items() if key not in ("objective", "note")}
    return Algorithm(
        name=name, **{key: choice(CHOICES[key], value) if key in CHOICES else value for key, value in values.items()}
    )


ALGORITHMS: dict[str, Algorithm] = {name: _row(name, told) for name, told in _table().items()}
"""Every algorithm by its name."""


def algorithm_named(name: str | Algorithm) -> Algorithm:
    """The row of this name. Raises ConfigError that says which there are."""
    if isinstance(name, Algorithm):
        return name
    if name not in ALGORITHMS:
        near = get_close_matches(name, ALGORITHMS, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(ALGORITHMS)}"
        raise ConfigError(f"no algorithm {name!r}; {hint} (`rlenv algorithms` shows them)")
    return ALGORITHMS[name]
