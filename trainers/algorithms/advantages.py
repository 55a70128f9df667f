"""What multiplies the score function: pure functions from rewards to advantages.

Rewards of completions are (B,) with B = groups * group_size, group by group; token tensors are (B, T).
`graded` says which completions have a reward at all: a failure of the checker is left out of its group.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from rlenv.trainers.algorithms.choices import AdvantageRule


def group_standardised(
    rewards: torch.Tensor, graded: torch.Tensor, group_size: int, epsilon: float = 0.0, ddof: int = 1
) -> torch.Tensor:
    """GRPO: (R - group mean) / (group std + epsilon). Shao et al. 2024, section 4.1.

    Groups whose rewards are all equal get exactly 0, decided by max == min: the rounding error of a mean
    divided by a small std is not a signal. ddof 1 is the sample std.

    >>> group_standardised(torch.tensor([0.0, 0.0, 1.0, 0.0]), torch.ones(4, dtype=torch.bool), 4)
    tensor([-0.5000, -0.5000,  1.5000, -0.5000])
    """
    centred, weights = _centred(rewards, graded, group_size)
    count = weights.sum(1, keepdim=True)
    variance = (centred**2 * weights).sum(1, keepdim=True) / (count - ddof).clamp(min=1)
    scaled = centred / (variance.sqrt() + epsilon).masked_fill(variance == 0, 1.0)
    return scaled.flatten()


def group_centred(rewards: torch.Tensor, graded: torch.Tensor, group_size: int) -> torch.Tensor:
    """Dr. GRPO: R - group mean, (G-1)/G of the unbiased advantage. Liu et al. 2025.

    >>> group_centred(torch.tensor([0.0, 0.0, 1.0, 0.0]), torch.ones(4, dtype=torch.bool), 4)
    tensor([-0.2500, -0.2500,  0.7500, -0.2500])
    """
    return _centred(rewards, graded, group_size)[0].flatten()


def leave_one_out(rewards: torch.Tensor, graded: torch.Tensor, group_size: int) -> torch.Tensor:
    """RLOO: R minus the mean of the others, G/(G-1) times the centred reward. Ahmadian et al. 2024.

    >>> leave_one_out(torch.tensor([0.0, 0.0, 1.0, 0.0]), torch.ones(4, dtype=torch.bool), 4)
    tensor([-0.3333, -0.3333,  1.0000, -0.3333])
    """
    centred, weights = _centred(rewards, graded, group_size)
    count = weights.sum(1, keepdim=True)
    return (centred * count / (count - 1).clamp(min=1)).flatten()


def pass_at_k(rewards: torch.Tensor, graded: torch.Tensor, group_size: int, k: int) -> torch.Tensor:
    """k times what a completion adds to the best of k - 1 others, averaged over all choices of them from its group.

    Its mean over a group, times the scores, is an unbiased gradient of E[max of k rewards]: pass@k where rewards are 0
    and 1. What the others reach without it is the baseline. Walder and Karkhanis 2025, arXiv 2505.15201.

    >>> pass_at_k(torch.tensor([0.0, 1.0, 0.0, 0.0]), torch.ones(4, dtype=torch.bool), 4, 2)
    tensor([0., 2., 0., 0.])
    """
    out = torch.zeros_like(rewards)
    sizes: list[int] = graded.view(-1, group_size).sum(1).tolist()
    for members in graded.nonzero().flatten().split(sizes):
        others = len(members) - 1
        if others < k - 1:
            continue
        values = rewards[members].sort().values
        places = range(k - 2, others)  # the best of k - 1 others stands at one of these places among them
        chances = rewards.new_tensor([math.comb(place, k - 2) / math.comb(others, k - 1) for place in places])
        for member in members.tolist():
            at = int((values == rewards[member]).nonzero()[0])
            rest = torch.cat([values[:at], values[at + 1 :]])[k - 2 :]
            out[member] = k * (chances * (rewards[member] - rest).clamp(min=0)).sum()
    return out


def group_advantages(rewards: torch.Tensor, graded: torch.Tensor, group_size: int, rule: AdvantageRule) -> torch.Tensor:
    """Each completion against its group; the raw reward where a group is one completion and that is allowed. (B,)"""
    if group_size == 1:
        return rewards * graded
    if rule.kind == "group_standardised":
        return group_standardised(rewards, graded, group_size, rule.epsilon, rule.ddof)
    if rule.kind == "group_centred":
        return group_centred(rewards, graded, group_size)
    if rule.kind == "leave_one_out":
        return leave_one_out(rewards, graded, group_size)
    return pass_at_k(rewards, graded, group_size, rule.k)


def varied(rewards: torch.Tensor, graded: torch.Tensor, group_size: int) -> torch.Tensor:
    """Which groups hold two different rewards, and so a signal. (groups,)"""
    r, g = rewards.view(-1, group_size), graded.view(-1, group_size)
    highest = r.masked_fill(~g, -torch.inf).amax(1)
    lowest = r.masked_fill(~g, torch.inf).amin(1)
    return highest > lowest


def _centred(rewards: torch.Tensor, graded: torch.Tensor, group_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rewards minus the mean of their group's graded members, 0 without a signal; and who is graded."""
    r = rewards.view(-1, group_size)
    weights = graded.view(-1, group_size).to(r.dtype)
    mean = (r * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True).clamp(min=1)
    centred = (r - mean) * weights
    return centred.masked_fill(~varied(rewards, graded, group_size)[:, None], 0.0), weights


def returns_to_go(
    token_rewards: torch.Tensor, mask: torch.Tensor, gamma: float = 1.0, contexts: torch.Tensor | None = None
) -> torch.Tensor:
    """Discounted sum of the rewards from each token on. (B, T)

    Tokens that the policy did not choose (mask 0) take no time, and a reward on one belongs to the chosen
    token before it. Nothing is summed over the border of two `contexts`, the number of each token's own. (B, T)

    >>> returns_to_go(torch.tensor([[0.0, 5.0, 1.0]]), torch.tensor([[1, 0, 1]]), 0.5)
    tensor([[5.5000, 0.0000, 1.0000]])
    """
    out = torch.zeros_like(token_rewards)
    running = torch.zeros_like(token_rewards[:, 0])
    late = torch.zeros_like(running)  # rewards on tokens skipped since the next chosen one
    for t in reversed(range(token_rewards.shape[1])):
        chosen = mask[:, t] > 0
        running, late = _within(contexts, t, running, late)
        late = late + token_rewards[:, t]
        running = torch.where(chosen, late + gamma * running, running)
        late = torch.where(chosen, 0.0, late)
        out[:, t] = torch.where(chosen, running, 0.0)
    return out


def _within(contexts: torch.Tensor | None, t: int, *behind: torch.Tensor) -> Sequence[torch.Tensor]:
    """What stands behind token t where the next token is of the same context, else 0."""
    if contexts is None or t + 1 == contexts.shape[1]:
        return behind
    goes_on = (contexts[:, t] == contexts[:, t + 1]) | (contexts[:, t + 1] == 0)
    return [value * goes_on for value in behind]


def gae(
    token_rewards: torch.Tensor,
    values: torch.Tensor,
    mask: torch.Tensor,
    gamma: float = 1.0,
    gae_lambda: float | torch.Tensor = 1.0,
    bootstrap: torch.Tensor | None = None,
    contexts: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Generalised advantage estimation and the returns that the critic learns. Schulman et al. 2016, eq. 16.

    Tokens that the policy did not choose are skipped: the next state of a token is the next chosen one, and
    a reward on a skipped token belongs to the chosen token before it. `bootstrap` (B,) is the value of the
    state after the last token where the environment, not the policy, ended the episode; default 0. Lambda may be one
    for each episode (B,). Nothing is bootstrapped or summed over the border of two `contexts` (B, T). Returns
    advantages and returns, both (B, T), 0 where mask is 0.
    """
    advantages = torch.zeros_like(values)
    next_value = torch.zeros_like(values[:, 0]) if bootstrap is None else bootstrap.to(values)
    running = torch.zeros_like(next_value)
    late = torch.zeros_like(next_value)  # rewards on tokens skipped since the next chosen one
    for t in reversed(range(values.shape[1])):
        chosen = mask[:, t] > 0
        running, next_value, late = _within(contexts, t, running, next_value, late)
        late = late + token_rewards[:, t]
        delta = late + gamma * next_value - values[:, t]
        running = torch.where(chosen, delta + gamma * gae_lambda * running, running)
        next_value = torch.where(chosen, values[:, t], next_value)
        late = torch.where(chosen, 0.0, late)
        advantages[:, t] = torch.where(chosen, running, 0.0)
    return advantages, (advantages + values) * mask


def length_adapted(mask: torch.Tensor, alpha: float) -> torch.Tensor:
    """Lambda of each completion, 1 - 1 / (alpha * length), at least 0. Yue et al. 2025 (VAPO), arXiv 2504.05118.

    The weights of the TD errors of a long completion then sum to alpha times its length.

    >>> length_adapted(torch.ones(1, 100), 0.05)
    tensor([0.8000])
    """
    return (1 - 1 / (alpha * mask.sum(1)).clamp(min=1e-6)).clamp(min=0)


def step_advantages(rewards: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, step_tokens: int) -> torch.Tensor:
    """What a step of so many tokens changed: the value behind it less that before it. (B, T)

    `values` is that of the state before the step which a token belongs to; behind the last step stands the reward.
    Kazemnejad et al. 2024 (VinePPO), arXiv 2410.01679, with gamma 1. The tokens of a completion stand at its beginning,
    without a gap.

    >>> step_advantages(torch.tensor([1.0]), torch.tensor([[0.2, 0.2, 0.7]]), torch.ones(1, 3), 2)
    tensor([[0.5000, 0.5000, 0.3000]])
    """
    behind = (torch.arange(mask.shape[1], device=mask.device) // step_tokens + 1) * step_tokens
    inside = behind[None] < mask.sum(1, keepdim=True)
    after = torch.where(inside, values[:, behind.clamp(max=mask.shape[1] - 1)], rewards[:, None])
    return (after - values) * mask


def shorter_preferred(
    rewards: torch.Tensor, lengths: torch.Tensor, right: torch.Tensor, group_size: int, weight: float
) -> torch.Tensor:
    """R (1 - weight * sigmoid(z)) for right answers, z their length in std over the right ones of the group. (B,)

    Arora and Zanette 2025, arXiv 2502.04463. Wrong answers keep their reward, whatever their length; where
    the right ones are equally long, z is 0.
    """
    kept = right.view(-1, group_size).to(rewards.dtype)
    long = lengths.view(-1, group_size).to(rewards.dtype)
    count = kept.sum(1, keepdim=True).clamp(min=1)
    centred = (long - (long * kept).sum(1, keepdim=True) / count) * kept
    spread = ((centred**2).sum(1, keepdim=True) / count).sqrt()
    z = centred / spread.masked_fill(spread == 0, 1.0)
    return rewards * (1 - weight * torch.sigmoid(z) * kept).flatten()


def distinct_share(ids: torch.Tensor, mask: torch.Tensor, graded: torch.Tensor, group_size: int) -> torch.Tensor:
    """Of the other graded completions of the group, the share that is another text. (B,)

    Li et al. 2025 (DARLING), arXiv 2509.02534; the same is what has the same tokens, where they ask a classifier.

    >>> said = torch.tensor([[1, 2], [1, 2], [1, 3]])
    >>> distinct_share(said, torch.ones(3, 2), torch.ones(3, dtype=torch.bool), 3)
    tensor([0.5000, 0.5000, 1.0000])
    """
    said = torch.where(mask > 0, ids, -1).view(-1, group_size, ids.shape[1])
    judged = graded.view(-1, group_size)
    differs = (said[:, :, None] != said[:, None]).any(-1) & judged[:, None] & judged[:, :, None]
    return (differs.sum(2) / (judged.sum(1, keepdim=True) - 1).clamp(min=1)).flatten()


def whiten(values: torch.Tensor, mask: torch.Tensor, epsilon: float = 1e-8, ddof: int = 0) -> torch.Tensor:
    """Zero mean and unit variance over all chosen tokens; all 0 where the values do not differ.

    ddof 0 is the population's variance; epsilon is added to it.
    """
    chosen = values[mask > 0]
    if chosen.numel() < 2 or bool(chosen.max() == chosen.min()):
        return torch.zeros_like(values)
    scale = (chosen.var(correction=ddof) + epsilon).rsqrt()
    return (values - chosen.mean()) * scale * mask


def moved_baseline(baseline: float | None, rewards: torch.Tensor, graded: torch.Tensor, decay: float) -> float | None:
    """The moving mean of the rewards after a rollout: decay * old + (1 - decay) * mean. None before the first.

    The rollout itself is judged against the baseline from before it, which does not depend on its samples, so that
    the gradient stays unbiased.

    >>> moved_baseline(0.5, torch.tensor([1.0, 0.0, 9.0]), torch.tensor([True, False, False]), 0.9)
    0.55
    """
    if not bool(graded.any()):
        return baseline
    mean = float(rewards[graded].double().mean())
    return mean if baseline is None else decay * baseline + (1 - decay) * mean
