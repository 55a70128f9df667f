"""A training loop of one's own: batched episodes, a loss written by hand, nothing else of the trainers.

    python examples/own_loop.py

The task: name the sum; the closer the more. The loss: REINFORCE with the mean of the group as baseline.
"""

import torch

import rlenv
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import completion_logprobs, tensors

GROUPS, GROUP_SIZE = 8, 16


def closeness(completion: str, answer: str) -> float:
    """1 for the answer, less for each digit that lies between, 0 for what is no digit."""
    if completion not in set("0123456789"):
        return 0.0
    return 1.0 - abs(int(completion) - int(answer)) / 9


rlenv.register(
    "example/successor-v0",
    tasks=[{"prompt": f"{n}+1=?", "answer": str(n + 1)} for n in range(9)],
    verifier=closeness,
    cheap=True,
)


def train(steps: int = 150, seed: int = 0) -> list[float]:
    """Mean reward of each step."""
    batch = rlenv.make_batch("example/successor-v0", group_size=GROUP_SIZE, seed=seed)
    policy = tiny_policy(seed)
    optimizer = torch.optim.AdamW(policy.model.parameters(), lr=2e-3)
    curve = []
    for step in range(steps):
        prompts = batch.reset(groups=GROUPS)
        completions = policy.generate(prompts, GROUP_SIZE, Sampling(max_new_tokens=2, seed=seed + step))
        episodes = [episode for episode in batch.step(completions) if episode.verdict.graded]
        data = tensors(policy, episodes)
        group = torch.tensor([episode.group for episode in episodes])
        baseline = torch.bincount(group, data.rewards) / torch.bincount(group)
        advantages = data.rewards - baseline[group]  # (B,)
        logprobs, _ = completion_logprobs(policy.model, data.ids, data.attention_mask, data.mask)  # (B, T)
        loss = -(advantages[:, None] * logprobs).sum() / len(episodes)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        curve.append(float(data.rewards.mean()))
        if step % 25 == 0:
            print(f"step {step:3d}  reward {curve[-1]:.3f}")
    return curve


if __name__ == "__main__":
    train()
