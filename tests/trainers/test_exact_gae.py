"""Advantages from a critic against dynamic programming on five states; and numbers of the literature, derived again."""

import itertools
from dataclasses import dataclass

import pytest
import torch
from tabular import same

from rlenv.trainers.algorithms.advantages import gae, returns_to_go
from rlenv.trainers.algorithms.losses import kl_penalty, score_function

STATES, ACTIONS, HORIZON, GAMMA = 5, 2, 3, 0.9


@dataclass(frozen=True)
class Mdp:
    """A policy on a process; whatever is done leads to one of two states."""

    policy: torch.Tensor  # (STATES, ACTIONS)
    rewards: torch.Tensor  # (STATES, ACTIONS)
    successors: torch.Tensor  # (STATES, ACTIONS, 2)
    chances: torch.Tensor  # (STATES, ACTIONS, 2)
    at_the_end: torch.Tensor  # (STATES,), what the state after the last step is worth
    values: torch.Tensor  # (HORIZON + 1, STATES)
    action_values: torch.Tensor  # (HORIZON, STATES, ACTIONS)


def _mdp(worth: float = 0.0) -> Mdp:
    """Solved backwards from the horizon, where a state is worth `worth` times a random number."""
    generator = torch.Generator().manual_seed(4)

    def numbers(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=generator, dtype=torch.float64)

    policy, chances = numbers(STATES, ACTIONS).softmax(1), numbers(STATES, ACTIONS, 2).softmax(2)
    rewards, successors = numbers(STATES, ACTIONS), torch.randint(STATES, (STATES, ACTIONS, 2), generator=generator)
    values, action_values = [worth * numbers(STATES)], list[torch.Tensor]()
    for _ in range(HORIZON):
        action_values.insert(0, rewards + GAMMA * (chances * values[0][successors]).sum(2))
        values.insert(0, (policy * action_values[0]).sum(1))
    at_the_end = values[-1]
    return Mdp(policy, rewards, successors, chances, at_the_end, torch.stack(values), torch.stack(action_values))


@dataclass(frozen=True)
class Episodes:
    """Every episode from one state, with its probability."""

    chances: torch.Tensor  # (E,)
    states: torch.Tensor  # (E, HORIZON + 1)
    actions: torch.Tensor  # (E, HORIZON)
    rewards: torch.Tensor  # (E, HORIZON)
    values: torch.Tensor  # (E, HORIZON)


def _episodes(mdp: Mdp, start: int = 0) -> Episodes:
    chances, states, actions = [], [], []
    for acts in itertools.product(range(ACTIONS), repeat=HORIZON):
        for turns in itertools.product(range(2), repeat=HORIZON):
            path, chance = [start], 1.0
            for act, turn in zip(acts, turns, strict=True):
                chance *= float(mdp.policy[path[-1], act] * mdp.chances[path[-1], act, turn])
                path.append(int(mdp.successors[path[-1], act, turn]))
            chances.append(chance)
            states.append(path)
            actions.append(acts)
    visited, acted = torch.tensor(states), torch.tensor(actions)
    values = torch.stack([mdp.values[t][visited[:, t]] for t in range(HORIZON)], 1)
    rewards = mdp.rewards[visited[:, :-1], acted]
    return Episodes(torch.tensor(chances, dtype=torch.float64), visited, acted, rewards, values)


@pytest.mark.parametrize("gae_lambda", [0.0, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("worth", [0.0, 1.0], ids=["ends", "is cut"])
def test_with_true_values_the_expected_advantage_is_that_of_dynamic_programming(
    gae_lambda: float, worth: float
) -> None:
    """E[A_t | s_t, a_t] = Q - V at every step; where the environment cuts the episode, its value goes on."""
    mdp = _mdp(worth)
    lived = _episodes(mdp)
    assert float(lived.chances.sum()) == pytest.approx(1, abs=1e-12)
    last = mdp.at_the_end[lived.states[:, -1]]
    found, returns = gae(lived.rewards, lived.values, torch.ones_like(lived.rewards), GAMMA, gae_lambda, last)
    for t, state, action in itertools.product(range(HORIZON), range(STATES), range(ACTIONS)):
        here = (lived.states[:, t] == state) & (lived.actions[:, t] == action)
        if here.any():
            chance = lived.chances[here]
            expected = (mdp.action_values[t] - mdp.values[t][:, None])[state, action]
            same((chance * found[here, t]).sum() / chance.sum(), expected)
            value = (chance * returns[here, t]).sum() / chance.sum()
            same(value, mdp.action_values[t, state, action])


def _wrong_values(lived: Episodes) -> torch.Tensor:
    return lived.values + torch.randn(lived.values.shape, generator=torch.Generator().manual_seed(5)).double()


def test_lambda_one_is_the_return_minus_the_value_and_lambda_zero_one_step() -> None:
    lived = _episodes(_mdp())
    values, mask = _wrong_values(lived), torch.ones_like(lived.rewards)
    found, returns = gae(lived.rewards, values, mask, GAMMA, 1.0)
    later = returns_to_go(lived.rewards, mask, GAMMA)
    same(found, later - values)
    same(returns, later)
    one_step, _ = gae(lived.rewards, values, mask, GAMMA, 0.0)
    following = torch.cat([values[:, 1:], torch.zeros(len(values), 1, dtype=torch.float64)], 1)
    same(one_step, lived.rewards + GAMMA * following - values)


def test_any_lambda_is_the_geometric_mixture_of_returns_of_every_length() -> None:
    """Schulman et al. 2016, equation 16, written out."""
    lived, gae_lambda = _episodes(_mdp()), 0.7
    values, mask = _wrong_values(lived), torch.ones_like(lived.rewards)
    padded = torch.cat([values, torch.zeros(len(values), 1, dtype=torch.float64)], 1)

    def after(t: int, steps: int) -> torch.Tensor:
        paid = sum(GAMMA**i * lived.rewards[:, t + i] for i in range(steps))
        return paid + GAMMA**steps * padded[:, t + steps] - values[:, t]

    found, _ = gae(lived.rewards, values, mask, GAMMA, gae_lambda)
    for t in range(HORIZON):
        left = HORIZON - t
        shares = [(1 - gae_lambda) * gae_lambda**i for i in range(left - 1)] + [gae_lambda ** (left - 1)]
        by_hand = torch.stack([share * after(t, i + 1) for i, share in enumerate(shares)]).sum(0)
        same(found[:, t], by_hand)


@pytest.mark.parametrize("reward_at", ["action", "observation"])
def test_observation_tokens_between_the_actions_change_nothing(reward_at: str) -> None:
    """Text that the environment wrote takes no time; a reward on it belongs to the action before it."""
    lived, gae_lambda = _episodes(_mdp()), 0.8
    values, mask = _wrong_values(lived), torch.ones_like(lived.rewards)
    bare, bare_returns = gae(lived.rewards, values, mask, GAMMA, gae_lambda)
    count, width = len(values), 3 * HORIZON + 2
    places = torch.tensor([1, 4, 7])  # an observation before, two after each action, and padding
    spread = {name: torch.zeros(count, width, dtype=torch.float64) for name in ("rewards", "values", "mask")}
    spread["values"] += 99.0  # what a critic says of a token that is no state must not matter
    spread["rewards"][:, places + (reward_at == "observation")] = lived.rewards
    spread["values"][:, places], spread["mask"][:, places] = values, 1.0
    found, returns = gae(spread["rewards"], spread["values"], spread["mask"], GAMMA, gae_lambda)
    same(found[:, places], bare)
    same(returns[:, places], bare_returns)
    assert float(found.abs().sum()) == pytest.approx(float(found[:, places].abs().sum()))
    later = returns_to_go(spread["rewards"], spread["mask"], GAMMA)
    same(later[:, places], returns_to_go(lived.rewards, mask, GAMMA))


PRIOR = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
REWARDS = torch.tensor([5.0, 2.0, 1.0], dtype=torch.float64)


@pytest.mark.parametrize(
    ("beta", "expected"),
    [
        (1.0, [0.9641356, 0.0288009, 0.0070635]),
        (0.1, [1.0, 0.0, 0.0]),
        (5.0, [0.6626824, 0.2182127, 0.1191050]),
    ],
)
def test_the_tilted_distribution_is_where_reward_and_kl_balance(beta: float, expected: list[float]) -> None:
    """pi* = prior exp(r/beta) / Z: the policy at which the score function of r - beta k1 has no expectation left."""
    weights = PRIOR * torch.exp(REWARDS / beta)
    tilted = weights / weights.sum()
    assert tilted.tolist() == pytest.approx(expected, abs=1e-7)
    logits = tilted.log().requires_grad_()
    chosen = logits.log_softmax(-1)
    returns = (REWARDS - beta * kl_penalty(chosen, PRIOR.log(), "k1")).detach()
    (gradient,) = torch.autograd.grad((tilted * score_function(chosen, returns)).sum(), logits)
    same(gradient, torch.zeros_like(gradient), 1e-12)
