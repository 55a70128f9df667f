"""One rollout out of those of several environments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
import torch.nn.functional as F

from rlenv.core.episode import Episode
from rlenv.env.batch import BatchEnvironment
from rlenv.trainers.rollouts.collect import Collected, Given
from rlenv.trainers.rollouts.journal import Journal
from rlenv.trainers.rollouts.measured import measured
from rlenv.trainers.rollouts.parts import Part
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.settings.config import TrainConfig

Drawing: TypeAlias = "tuple[str, BatchEnvironment, TrainConfig, Given | None]"
"""An environment by its name, the settings that it is drawn with, and what was drawn ahead."""
BEFORE = {"ids", "attention_mask"}
"""Tensors of a rollout that hold the prompt, padded on the left, before what is padded on the right."""
OF_GROUPS = ("reward_std", "frac_reward_zero_std")
"""Metrics that are means over groups."""


@dataclass(frozen=True, slots=True)
class _Made:
    """What one environment gave."""

    name: str
    group_size: int
    collected: Collected

    @property
    def part(self) -> Part:
        return Part(self.name, len(self.collected.rollout), self.group_size)

    @property
    def groups_drawn(self) -> int:
        return len(self.collected.episodes) // self.group_size


def drawn(
    drawing: Iterable[Drawing],
    pad_id: int,
    metrics_by: str,
    journal: Journal | None,
    one: Callable[[BatchEnvironment, TrainConfig, Given | None], Collected],
    *,
    mixed: bool,
) -> Collected:
    """A rollout: `one(environment, settings, what is drawn already)` of every environment that gives groups to it."""
    made = []
    for name, env, config, given in drawing:
        if journal is not None:
            journal.env = name if mixed else ""
        made.append(_Made(name, config.group_size, one(env, config, given)))
    return joined(made, pad_id, metrics_by) if mixed else made[0].collected


def joined(made: Sequence[_Made], pad_id: int, metrics_by: str) -> Collected:
    """The episodes one environment behind the other, numbered through, with metrics of each and of all."""
    episodes: list[Episode] = []
    places: list[int] = []
    groups = 0
    for each in made:
        own, first = each.collected, len(episodes)
        places += [first + i for i in (range(len(own.episodes)) if own.kept is None else own.kept)]
        episodes += [replace(e, group=groups + e.group, index=first + e.index) for e in own.episodes]
        groups += each.groups_drawn
    return Collected(
        episodes,
        joined_rollouts([each.collected.rollout for each in made], pad_id),
        _metrics(made, metrics_by),
        places,
        tuple(each.part for each in made),
    )


def joined_rollouts(rollouts: Sequence[Rollout], pad_id: int) -> Rollout:
    """The rows of all, padded to the longest prompt and the longest completion."""
    width = max(r.mask.shape[1] for r in rollouts)
    front = max(r.ids.shape[1] - r.mask.shape[1] for r in rollouts)

    def wide(rollout: Rollout, name: str, tensor: torch.Tensor) -> torch.Tensor:
        own = rollout.mask.shape[1]
        if name in BEFORE:
            before = front - (tensor.shape[1] - own)
            return F.pad(tensor, (before, width - own), value=pad_id if name == "ids" else 0)
        return F.pad(tensor, (0, width - own)) if tensor.dim() == 2 and tensor.shape[1] else tensor

    states = [{name: wide(r, name, tensor) for name, tensor in r.state().items()} for r in rollouts]
    return Rollout(**{name: torch.cat([state[name] for state in states]) for name in states[0]})


def _metrics(made: Sequence[_Made], by: str) -> dict[str, float]:
    """Of each environment, `env/ID/reward`; of all: means over episodes or groups, and sums of what is counted."""
    episodes = [e for each in made for e in each.collected.episodes]
    found = measured(episodes, 1, by) if episodes else {}
    counted: dict[str, float] = {}
    for each in made:
        of_itself = each.collected.metrics
        for name, value in of_itself.items():
            if name in OF_GROUPS:
                having = [m for m in made if name in m.collected.metrics]
                value *= each.groups_drawn / sum(m.groups_drawn for m in having)
            elif name in found or not (episodes or name.startswith("time/")):
                continue
            counted[name] = counted.get(name, 0.0) + value
        of_itself = {**of_itself, "groups": float(each.part.episodes // each.group_size)}
        found |= {f"env/{each.name}/{name}": v for name, v in of_itself.items() if not name.startswith("time/")}
    return {**found, **counted}
