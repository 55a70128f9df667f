"""The rollout buffer: judged episodes as padded tensors, its parts where environments are mixed, its micro-batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import torch

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.turn import Turn
from rlenv.core.verdict import StepReward
from rlenv.trainers.networks.packing import first_of_runs

TOKENWISE = ("old_logprobs", "ref_logprobs", "token_rewards", "advantages", "values", "returns")
"""What a rollout holds a token, (B, T), or not at all, (B, 0)."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One batch of B episodes: prompts padded on the left to P, completions on the right to T."""

    ids: torch.Tensor  # (B, P + T)
    attention_mask: torch.Tensor  # (B, P + T), 0 where padded, else the number of the token's context, from 1
    mask: torch.Tensor  # (B, T), 1 where the policy chose the token of a graded episode
    old_logprobs: torch.Tensor  # (B, T), of the policy that sampled
    rewards: torch.Tensor  # (B,), 0 where not graded
    graded: torch.Tensor  # (B,), bool
    token_rewards: torch.Tensor  # (B, T), the reward at the tokens that earned it
    advantages: torch.Tensor  # (B, T)
    ref_logprobs: torch.Tensor  # (B, T) with a KL penalty, else (B, 0)
    values: torch.Tensor  # (B, T) with a critic, else (B, 0)
    returns: torch.Tensor  # (B, T) with a critic, else (B, 0)
    signals: torch.Tensor  # (B,), what filters and selections read: the rewards before they were shaped
    cut: torch.Tensor  # (B,), bool, ended by the token limit

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def contexts(self) -> torch.Tensor | None:
        """The context of each token of the completions, where one has several: None otherwise. (B, T)"""
        found = self.attention_mask[:, -self.mask.shape[1] :]
        return found if bool((found > 1).any()) else None

    def rows(self, index: torch.Tensor) -> Rollout:
        """The episodes at these places, cut to the longest of them."""
        picked = {field.name: getattr(self, field.name)[index] for field in fields(self)}
        width = self.mask.shape[1]
        prompt = picked["attention_mask"][:, :-width]
        front = int(prompt.any(0).int().argmax()) if prompt.any() else prompt.shape[1] - 1
        longest = int((picked["attention_mask"][:, -width:] > 0).sum(1).max())
        end = self.ids.shape[1] - width + longest
        for name in ("ids", "attention_mask"):
            picked[name] = picked[name][:, front:end]
        for name in ("mask", "old_logprobs", "token_rewards", "advantages", "ref_logprobs", "values", "returns"):
            picked[name] = picked[name][:, :longest]
        return Rollout(**picked)

    def to(self, device: torch.device) -> Rollout:
        """The same buffer on another device."""
        return Rollout(**{field.name: getattr(self, field.name).to(device) for field in fields(self)})

    def with_(self, **tensors: torch.Tensor) -> Rollout:
        """The same buffer with some tensors replaced."""
        return replace(self, **tensors)

    def state(self) -> dict[str, torch.Tensor]:
        """The tensors by name, to be saved."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_state(cls, saved: dict[str, torch.Tensor]) -> Rollout:
        """The buffer that `state` gave; one of a run begun before rollouts had signals reads its rewards."""
        older = {"signals": saved["rewards"], "cut": torch.zeros_like(saved["graded"])}
        return cls(**{**older, **saved})


def rollout_of(episodes: Sequence[Episode], pad_id: int, offsets: Sequence[Sequence[tuple[int, int]]]) -> Rollout:
    """The buffer of a batch of episodes, on CPU. `offsets` are as of token_offsets.

    An episode of several contexts (`Completion.breaks`) is one row of the buffer, and so one member of its group.
    """
    said = [e.completion for e in episodes]
    prompts = [() if e.completion.breaks[:1] == (0,) else e.prompt_ids for e in episodes]
    front = max(1, *map(len, prompts))
    width = max(1, *(len(completion.token_ids) for completion in said))
    ids, attention_mask, mask, old_logprobs, token_rewards = [], [], [], [], []
    for episode, completion, prompt, spans in zip(episodes, said, prompts, offsets, strict=True):
        before, after = front - len(prompt), width - len(completion.token_ids)
        tokens = [*prompt, *completion.token_ids]
        contexts = _contexts(completion, len(prompt))
        graded = episode.verdict.graded
        chosen = [m * graded for m in completion.mask or (1,) * len(completion.token_ids)]
        ids.append([pad_id] * before + tokens + [pad_id] * after)
        attention_mask.append([0] * before + contexts + [0] * after)
        mask.append(chosen + [0] * after)
        old_logprobs.append([*completion.logprobs, *[0.0] * after])
        token_rewards.append(_token_rewards(episode, chosen, spans) + [0.0] * after)
    rewards = [e.verdict.reward for e in episodes]
    empty = torch.zeros(len(episodes), 0)
    return Rollout(
        ids=torch.tensor(ids),
        attention_mask=torch.tensor(attention_mask),
        mask=torch.tensor(mask, dtype=torch.float32),
        old_logprobs=torch.tensor(old_logprobs, dtype=torch.float32),
        rewards=torch.tensor([0.0 if reward is None else reward for reward in rewards]),
        signals=torch.tensor([e.signal or 0.0 for e in episodes]),
        cut=torch.tensor([not completion.finished for completion in said]),
        graded=torch.tensor([reward is not None for reward in rewards]),
        token_rewards=torch.tensor(token_rewards),
        advantages=torch.zeros(len(episodes), width),
        ref_logprobs=empty,
        values=empty,
        returns=empty,
    )


def _contexts(completion: Completion, prompt: int) -> list[int]:
    """The number of the context that each token stands in, behind a prompt of so many tokens. (P + T,)

    Raises ConfigError where the policy is said to have chosen a token before it read any.
    """
    ends = [*completion.breaks, len(completion.token_ids)]
    if any(completion.mask[begin : begin + 1] == (1,) for begin in completion.breaks):
        raise ConfigError("expected each row of an episode to begin with what the policy reads, got a chosen token")
    numbers: list[int] = []
    lengths = [prompt + ends[0], *(last - first for first, last in pairwise(ends))]
    for length in filter(None, lengths):
        numbers += [numbers[-1] + 1 if numbers else 1] * length
    return numbers


def _token_rewards(episode: Episode, chosen: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[float]:
    """The reward at the tokens that earned it; nothing for an episode that was not graded. (T,)"""
    verdict, rewards = episode.verdict, [0.0] * len(chosen)
    if verdict.reward is None or not any(chosen):
        return rewards
    if episode.completion.breaks:  # rows share the reward: each ends with it
        for first, last in pairwise([0, *episode.completion.breaks, len(chosen)]):
            if any(chosen[first:last]):
                rewards[max(place for place in range(first, last) if chosen[place])] = verdict.reward
        return rewards
    steps = verdict.step_rewards or (StepReward(verdict.reward, 0, len(episode.completion.text)),)
    places = reward_places(steps, spans, chosen, episode.completion.turns)
    for step, place in zip(steps, places, strict=True):
        rewards[place] += step.value
    return rewards


def needs_offsets(episode: Episode) -> bool:
    """Whether a step ends anywhere else than at the end of a turn, so that its token must be looked for."""
    ends = {turn.end for turn in episode.completion.turns} or {len(episode.completion.text)}
    return any(step.end not in ends for step in episode.verdict.step_rewards)


def reward_places(
    steps: Sequence[StepReward],
    offsets: Sequence[tuple[int, int]],
    chosen: Sequence[int],
    turns: Sequence[Turn] = (),
) -> list[int]:
    """The token each step's reward lands on: the last chosen one that overlaps its character span.

    At least one token must be chosen. A step whose span reaches the end of the text, or of a turn of the policy, lands
    on the last token that was chosen there: where the policy ended the turn, that is the end-of-sequence token.
    """
    places = [i for i, is_chosen in enumerate(chosen) if is_chosen]
    if turns:
        return [_place_in_turns(step, offsets, places, turns) for step in steps]
    end = max((stop for _, stop in offsets), default=0)
    return [places[-1] if step.end >= end else _overlapping(step, offsets, places, places[-1]) for step in steps]


def _place_in_turns(
    step: StepReward, offsets: Sequence[tuple[int, int]], places: Sequence[int], turns: Sequence[Turn]
) -> int:
    """In the last turn of the policy that begins no later than the step ends; turns have no place in common."""
    own = [turn for turn in turns if turn.by_policy and turn.start <= step.end]
    turn = own[-1] if own else turns[0]
    until = [i for i in places if i < turn.end_token]
    last = until[-1] if until else places[0]
    if step.end >= turn.end:
        return last
    return _overlapping(step, offsets, [i for i in until if i >= turn.first_token], last)


def _overlapping(step: StepReward, offsets: Sequence[tuple[int, int]], places: Sequence[int], otherwise: int) -> int:
    before = [i for i in places if i < len(offsets) and offsets[i][0] < step.end]
    return before[-1] if before else otherwise


def not_finite(rollout: Rollout, rows: torch.Tensor | None = None) -> str:
    """The first thing that is not finite in the episodes at `rows`, or in all of them; empty where there is none."""
    part = rollout if rows is None else rollout.with_(**{name: kept[rows] for name, kept in rollout.state().items()})
    if not bool(torch.isfinite(part.rewards).all()):
        return "rewards"
    chosen = part.mask > 0
    for name in TOKENWISE:
        values: torch.Tensor = getattr(part, name)
        if values.shape[1] and not bool((torch.isfinite(values) | ~chosen).all()):
            return name
    return ""


def what_was_not(rollout: Rollout, rows: torch.Tensor, metrics: Mapping[str, float]) -> str:
    """What kept a step from being taken, in words for a person."""
    of_rollout = not_finite(rollout, rows)
    named = [name for name in ("loss", "critic/loss", "grad_norm", "critic/grad_norm") if name in metrics]
    return of_rollout or next((name for name in named if not math.isfinite(metrics[name])), "the step")


class Part(NamedTuple):
    """The episodes of one environment in a rollout."""

    name: str
    """The environment's id."""
    episodes: int
    group_size: int


GroupSize: TypeAlias = "int | Sequence[Part]"
"""Completions a prompt: one number, or the parts of a rollout, whose environments have a number each."""


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
    whole = [Part("", len(rollout), group_size)] if isinstance(group_size, int) else group_size
    for part in whole:
        yield part, Rollout(**{name: value[first : first + part.episodes] for name, value in rollout.state().items()})
        first += part.episodes


def part_by_part(rollout: Rollout, group_size: GroupSize, change: Callable[[Rollout, int, str], Rollout]) -> Rollout:
    """The rollout after `change(episodes, group size, name)` of each part by itself: no environment sees another."""
    if isinstance(group_size, int):
        return change(rollout, group_size, "")
    changed = [change(own, part.group_size, part.name) for part, own in stretches(rollout, group_size)]
    return Rollout(**{f.name: torch.cat([getattr(own, f.name) for own in changed]) for f in fields(Rollout)})


def micro_batches(rollout: Rollout, max_tokens: int, rows: torch.Tensor | None = None) -> Iterator[torch.Tensor]:
    """Places of the episodes (all, or those of `rows`), at most `max_tokens` with padding, longest first.

    Members of a group stay together, so that they share the pass over their prompt, unless that would take more tokens
    than the padding which is saved where every row stands among rows of its own length.
    """
    index = torch.arange(len(rollout), device=rollout.ids.device) if rows is None else rows
    if not len(index):  # several processes, and fewer groups
        return
    found = _measured(rollout, index)
    parts = min((_split(order, found, max_tokens) for order in _orders(found)), key=lambda parts: _cost(parts, found))
    for part in parts:
        yield index[part]


@dataclass(frozen=True, slots=True)
class _Rows:
    prompts: list[int]
    """Tokens of each row's prompt."""
    completions: list[int]
    runs: list[int]
    """Equal for neighbours with the same prompt."""


def _measured(rollout: Rollout, index: torch.Tensor) -> _Rows:
    width = rollout.mask.shape[1]
    attended = rollout.attention_mask[index] > 0
    of_prompts = attended[:, :-width]
    runs = first_of_runs(rollout.ids[index, :-width], of_prompts).cumsum(0)
    return _Rows(of_prompts.sum(1).tolist(), attended[:, -width:].sum(1).tolist(), runs.tolist())


def _orders(rows: _Rows) -> tuple[list[int], list[int]]:
    """Places by length, and by group with the longest group first; stable."""
    lengths = [p + c for p, c in zip(rows.prompts, rows.completions, strict=True)]
    longest: dict[int, int] = {}
    for run, length in zip(rows.runs, lengths, strict=True):
        longest[run] = max(length, longest.get(run, 0))
    places = range(len(lengths))
    by_group = sorted(places, key=lambda i: (-longest[rows.runs[i]], rows.runs[i], -lengths[i]))
    return sorted(places, key=lambda i: -lengths[i]), by_group


def _split(order: Sequence[int], rows: _Rows, max_tokens: int) -> list[list[int]]:
    """The places cut into parts of at most `max_tokens`, padding included, of at least one row."""
    parts: list[list[int]] = []
    prompt = completion = 0
    for place in order:
        prompt, completion = max(prompt, rows.prompts[place]), max(completion, rows.completions[place])
        if parts and (len(parts[-1]) + 1) * (prompt + completion) <= max_tokens:
            parts[-1].append(place)
        else:
            parts.append([place])
            prompt, completion = rows.prompts[place], rows.completions[place]
    return parts


def _cost(parts: Sequence[Sequence[int]], rows: _Rows) -> int:
    """Tokens, padding included, that go through the model."""
    cost = 0
    for part in parts:
        runs = 1 + sum(rows.runs[a] != rows.runs[b] for a, b in pairwise(part))
        cost += runs * max(rows.prompts[i] for i in part) + len(part) * max(rows.completions[i] for i in part)
    return cost
