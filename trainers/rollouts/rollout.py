"""The rollout buffer: judged episodes as padded tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import torch

from rlenv.core.episode import Episode
from rlenv.core.turn import Turn
from rlenv.core.verdict import StepReward

TOKENWISE = ("old_logprobs", "ref_logprobs", "token_rewards", "advantages", "values", "returns")
"""What a rollout holds a token, (B, T), or not at all, (B, 0)."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One batch of B episodes: prompts padded on the left to P, completions on the right to T."""

    ids: torch.Tensor  # (B, P + T)
    attention_mask: torch.Tensor  # (B, P + T)
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

    def rows(self, index: torch.Tensor) -> Rollout:
        """The episodes at these places, cut to the longest of them."""
        picked = {field.name: getattr(self, field.name)[index] for field in fields(self)}
        width = self.mask.shape[1]
        prompt = picked["attention_mask"][:, :-width]
        front = int(prompt.any(0).int().argmax()) if prompt.any() else prompt.shape[1]
        longest = int(picked["attention_mask"][:, -width:].sum(1).max())
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
    """The buffer of a batch of episodes, on CPU. `offsets` are as of token_offsets."""
    said = [e.completion for e in episodes]
    front = max(len(e.prompt_ids) for e in episodes)
    width = max(1, *(len(completion.token_ids) for completion in said))
    ids, attention_mask, mask, old_logprobs, token_rewards = [], [], [], [], []
    for episode, completion, spans in zip(episodes, said, offsets, strict=True):
        before, after = front - len(episode.prompt_ids), width - len(completion.token_ids)
        tokens = [*episode.prompt_ids, *completion.token_ids]
        graded = episode.verdict.graded
        chosen = [m * graded for m in completion.mask or (1,) * len(completion.token_ids)]
        ids.append([pad_id] * before + tokens + [pad_id] * after)
        attention_mask.append([0] * before + [1] * len(tokens) + [0] * after)
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


def _token_rewards(episode: Episode, chosen: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[float]:
    """The reward at the tokens that earned it; nothing for an episode that was not graded. (T,)"""
    verdict, rewards = episode.verdict, [0.0] * len(chosen)
    if verdict.reward is None or not any(chosen):
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
