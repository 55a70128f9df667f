"""From a judged rollout to advantages: reference log-probs, values, KL in the reward, the row's advantage."""

from __future__ import annotations

import torch
from transformers import PreTrainedModel

from rlenv.trainers.advantages import gae, group_standardised, leave_one_out, returns_to_go, whiten
from rlenv.trainers.algorithm import Algorithm
from rlenv.trainers.critic import Critic
from rlenv.trainers.logprobs import completion_logprobs
from rlenv.trainers.losses import kl_penalty
from rlenv.trainers.micro_batches import micro_batches
from rlenv.trainers.rollout import Rollout


def prepared(
    rollout: Rollout,
    row: Algorithm,
    group_size: int,
    *,
    reference: PreTrainedModel | None,
    critic: Critic | None,
    temperature: float,
    micro_batch_tokens: int,
) -> Rollout:
    """The rollout with `advantages` and what the loss needs besides; pure, given the networks."""
    if reference is not None:
        ref = torch.zeros_like(rollout.old_logprobs)
        for index in micro_batches(rollout, micro_batch_tokens):
            part = rollout.rows(index)
            with torch.no_grad():
                found, _ = completion_logprobs(reference, part.ids, part.attention_mask, part.mask, temperature)
            ref[index, : found.shape[1]] = found
        rollout = rollout.with_(ref_logprobs=ref)
    if critic is not None:
        values = torch.zeros_like(rollout.old_logprobs)
        for index in micro_batches(rollout, micro_batch_tokens):
            part = rollout.rows(index)
            with torch.no_grad():
                found = critic(part.ids, part.attention_mask, part.mask)
            values[index, : found.shape[1]] = found
        rollout = rollout.with_(values=values)
    return with_advantages(rollout, row, group_size)


def with_advantages(rollout: Rollout, row: Algorithm, group_size: int) -> Rollout:
    """The row's advantages, broadcast to tokens. Ungraded completions get 0."""
    mask = rollout.mask
    token_rewards, rewards = rollout.token_rewards, rollout.rewards
    if row.kl_place == "reward" and row.kl_beta > 0:
        penalty = kl_penalty(rollout.old_logprobs, rollout.ref_logprobs, row.kl_estimator) * mask
        token_rewards = token_rewards - row.kl_beta * penalty
        rewards = rewards - row.kl_beta * penalty.sum(1)
    if row.advantage == "gae":
        advantages, returns = gae(token_rewards, rollout.values, mask, row.gamma, row.gae_lambda)
        return rollout.with_(advantages=whiten(advantages, mask), returns=returns)
    if row.advantage == "return_whitened":
        return rollout.with_(advantages=whiten(returns_to_go(token_rewards, mask, row.gamma), mask))
    function = group_standardised if row.advantage == "group_standardised" else leave_one_out
    return rollout.with_(advantages=function(rewards, rollout.graded, group_size)[:, None] * mask)
