"""The rollout buffer: judged episodes as padded tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import torch

from rlenv.episode import Episode
from rlenv.verdict import StepReward


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


def rollout_of(episodes: Sequence[Episode], pad_id: int, offsets: Sequence[Sequence[tuple[int, int]]]) -> Rollout:
    """The buffer of a batch of episodes, on CPU. `offsets` are as of token_offsets."""
    prompt_width = max(len(e.prompt_ids) for e in episodes)
    width = max(1, *(len(e.completion.token_ids) for e in episodes))
    count = len(episodes)
    ids = torch.full((count, prompt_width + width), pad_id, dtype=torch.long)
    attention_mask = torch.zeros_like(ids)
    mask = torch.zeros(count, width)
    old_logprobs = torch.zeros(count, width)
    token_rewards = torch.zeros(count, width)
    rewards = torch.zeros(count)
    graded = torch.zeros(count, dtype=torch.bool)
    for i, episode in enumerate(episodes):
        said, verdict = episode.completion, episode.verdict
        length = len(said.token_ids)
        row = torch.tensor([*episode.prompt_ids, *said.token_ids], dtype=torch.long)
        start = prompt_width - len(episode.prompt_ids)
        ids[i, start : start + len(row)] = row
        attention_mask[i, start : start + len(row)] = 1
        old_logprobs[i, :length] = torch.tensor(said.logprobs)
        if verdict.reward is None:
            continue
        graded[i] = True
        rewards[i] = verdict.reward
        chosen = torch.tensor(said.mask or (1,) * length, dtype=torch.float32)
        mask[i, :length] = chosen
        steps = verdict.step_rewards or (StepReward(verdict.reward, 0, len(said.text)),)
        for value, place in zip([s.value for s in steps], reward_places(steps, offsets[i], chosen), strict=True):
            token_rewards[i, place] += value
    empty = torch.zeros(count, 0)
    return Rollout(
        ids=ids,
        attention_mask=attention_mask,
        mask=mask,
        old_logprobs=old_logprobs,
        rewards=rewards,
        graded=graded,
        token_rewards=token_rewards,
        advantages=torch.zeros_like(mask),
        ref_logprobs=empty,
        values=empty,
        returns=empty,
    )


def reward_places(steps: Sequence[StepReward], offsets: Sequence[tuple[int, int]], chosen: torch.Tensor) -> list[int]:
    """The token each step's reward lands on: the last chosen one that overlaps its character span.

    The last step, or one whose span reaches the end of the text, lands on the last chosen token: where the
    policy ended the sequence, that is the end-of-sequence token.
    """
    places = [int(i) for i in chosen.nonzero().flatten()]
    if not places:
        return [0] * len(steps)
    end = max((stop for _, stop in offsets), default=0)
    found = []
    for step in steps:
        before = [i for i in places if i < len(offsets) and offsets[i][0] < step.end]
        found.append(places[-1] if step.end >= end or not before else before[-1])
    return found
