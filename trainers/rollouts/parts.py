"""Groups of several sizes in one rollout: the stretch that each environment of a mixture gave, one behind the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import NamedTuple, TypeAlias

import torch

from rlenv.trainers.rollouts.rollout import Rollout


class Part(NamedTuple):
    """The episodes of one environment in a rollout."""

    name: str
    """The environment's id."""
    episodes: int
    group_size: int


GroupSize: TypeAlias = "int | Sequence[Part]"
"""Completions a prompt: one number, or the parts of a rollout, whose environments have a number each."""


def parts_of(episodes: int, group_size: GroupSize) -> Sequence[Part]:
    """The parts of a rollout of so many episodes; a single one without a name where no environments are mixed."""
    return [Part("", episodes, group_size)] if isinstance(group_size, int) else group_size


def group_numbers(rows: torch.Tensor, group_size: GroupSize) -> torch.Tensor:
    """The number of the group that each row of a rollout is of.

    >>> group_numbers(torch.tensor([0, 1, 2, 4]), [Part("a", 2, 2), Part("b", 3, 3)])
    tensor([0, 0, 1, 1])
    """
    if isinstance(group_size, int):
        return rows // group_size
    sizes = [part.group_size for part in group_size for _ in range(part.episodes // part.group_size)]
    return torch.arange(len(sizes)).repeat_interleave(torch.tensor(sizes)).to(rows.device)[rows]


def in_groups(rows: torch.Tensor, group_size: GroupSize) -> Sequence[torch.Tensor]:
    """Rows of whole groups, which stand together, a tensor a group."""
    counts = group_numbers(rows, group_size).unique_consecutive(return_counts=True)[1]
    groups: Sequence[torch.Tensor] = rows.split(counts.tolist())
    return groups


def stretches(rollout: Rollout, group_size: GroupSize) -> Iterator[tuple[Part, Rollout]]:
    """The episodes of each part by themselves, at the width of all."""
    first = 0
    for part in parts_of(len(rollout), group_size):
        yield part, Rollout(**{name: value[first : first + part.episodes] for name, value in rollout.state().items()})
        first += part.episodes


def part_by_part(rollout: Rollout, group_size: GroupSize, change: Callable[[Rollout, int, str], Rollout]) -> Rollout:
    """The rollout after `change(episodes, group size, name)` of each part by itself: no environment sees another."""
    if isinstance(group_size, int):
        return change(rollout, group_size, "")
    changed = [change(own, part.group_size, part.name) for part, own in stretches(rollout, group_size)]
    return Rollout(**{f.name: torch.cat([getattr(own, f.name) for own in changed]) for f in fields(Rollout)})
