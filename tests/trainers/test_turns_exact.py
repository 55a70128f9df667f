"""Two turns, every episode played: the trainer's own loss has exactly the gradient of what is wanted."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from turn_bandit import all_episodes, bandit_policy, chosen_logprobs

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, with_changes
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.rollouts.collect import tensors
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.updates.prepare import FrozenModels, prepared, with_advantages
from rlenv.trainers.updates.update import Step, policy_step


class Caught(torch.optim.SGD):
    """Keeps the gradient in place of taking a step."""

    gradient: torch.Tensor

    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        self.gradient = flat([p.grad for group in self.param_groups for p in group["params"]], self)


def flat(tensors: list[torch.Tensor | None], like: Caught) -> torch.Tensor:
    parameters = [p for group in like.param_groups for p in group["params"]]
    pairs = zip(tensors, parameters, strict=True)
    return torch.cat([(torch.zeros_like(p) if t is None else t.clone()).flatten() for t, p in pairs])


def precise(policy: TransformersPolicy, episode: Episode) -> Rollout:
    """The trainer's rollout of one episode, with log-probs that are not rounded to float32."""
    rollout = tensors(policy, [episode])
    old = torch.zeros(rollout.mask.shape, dtype=torch.float64)
    old[rollout.mask > 0] = chosen_logprobs(policy.model, episode).detach()
    return rollout.with_(old_logprobs=old, mask=rollout.mask.double(), token_rewards=rollout.token_rewards.double())


def expected(policy: TransformersPolicy, row: Algorithm, advantages: Any) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Minus the loss's gradient, summed over all episodes by how probable they are; and the probabilities."""
    caught = Caught(policy.model.parameters(), lr=0.0)
    total, chances = torch.zeros(()), []
    for episode in all_episodes(policy):
        chances.append(chosen_logprobs(policy.model, episode).sum().exp())
        rollout = advantages(precise(policy, episode))
        caught.gradient = torch.zeros(())
        step = Step(row=row, max_grad_norm=math.inf, on_policy=True)
        policy_step(policy.model, caught, rollout, torch.tensor([0]), step)
        total = total - float(chances[-1].detach()) * caught.gradient
    return total, chances


def gradient(value: torch.Tensor, policy: TransformersPolicy) -> torch.Tensor:
    parameters = list(policy.model.parameters())
    found = torch.autograd.grad(value, parameters, allow_unused=True)
    return flat(list(found), Caught(parameters, lr=0.0))


def rewards(policy: TransformersPolicy) -> list[float]:
    return [float(e.verdict.reward or 0.0) for e in all_episodes(policy)]


def test_all_episodes_are_there_and_each_is_paid_where_it_was_earned() -> None:
    policy = bandit_policy()
    episodes = all_episodes(policy)
    chances = torch.stack([chosen_logprobs(policy.model, e).sum().exp() for e in episodes])
    assert len(episodes) == 16 + 5 * 21
    assert float(chances.detach().sum()) == pytest.approx(1.0, abs=1e-12)
    rollout = tensors(policy, episodes)
    assert rollout.token_rewards.sum(1).tolist() == rewards(policy)
    assert not rollout.token_rewards[rollout.mask == 0].any()
    for row, episode in enumerate(episodes):
        steps = [step for step in episode.verdict.step_rewards if step.value]
        own = [turn for turn in episode.completion.turns if turn.by_policy]
        ends = {turn.start: turn.end_token - 1 for turn in own}
        assert rollout.token_rewards[row].nonzero().flatten().tolist() == [ends[step.start] for step in steps]


@pytest.mark.parametrize("kind", ["return", "gae"])
def test_the_loss_has_exactly_the_gradient_of_the_expected_reward(kind: str) -> None:
    policy = bandit_policy()
    name = "ppo" if kind == "gae" else "reinforce"
    plain: dict[str, Json] = {
        "averaging": "sequence",
        "kl.beta": 0.0,
        "advantage.whiten": False,
        "advantage.gae_lambda": 1.0,
    }
    row = with_changes(ALGORITHMS[name], plain)

    def advantages(rollout: Rollout) -> Rollout:
        return with_advantages(rollout.with_(values=torch.zeros_like(rollout.mask)), row, 1)

    found, chances = expected(policy, row, advantages)
    wanted = gradient(sum((p * r for p, r in zip(chances, rewards(policy), strict=True)), torch.zeros(())), policy)
    assert float(wanted.norm()) > 1e-3
    torch.testing.assert_close(found, wanted, atol=1e-10, rtol=0.0)


def test_the_penalty_is_the_divergence_of_what_the_policy_said_alone() -> None:
    policy, reference, beta = bandit_policy(), bandit_policy(1), 0.25
    row = with_changes(ALGORITHMS["reinforce"], {"kl.beta": beta})
    judges = FrozenModels(policy=policy.model, temperature=1.0, micro_batch_tokens=1000, reference=reference.model)
    found, chances = expected(policy, row, lambda rollout: prepared(rollout, row, 1, judges)[0])
    value = torch.zeros((), dtype=torch.float64)
    for chance, reward, episode in zip(chances, rewards(policy), all_episodes(policy), strict=True):
        ratio = (chosen_logprobs(policy.model, episode) - chosen_logprobs(reference.model, episode).detach()).sum()
        value = value + chance * (reward - beta * ratio)
    torch.testing.assert_close(found, gradient(value, policy), atol=1e-10, rtol=0.0)
