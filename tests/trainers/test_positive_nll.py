"""Likelihood of right answers beside a policy gradient: VAPO's L + mu * (mean NLL over the tokens of right answers)."""

import pytest
import torch
from digits import config, digits
from scripted import LONGEST, ScriptedPolicy
from tabular import same

from rlenv.core.errors import ConfigError
from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS, changed
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.rollouts.collect import collect
from rlenv.trainers.updates.prepare import Judges, prepared
from rlenv.trainers.updates.update import Step, policy_step

MU, RATE, SIZE = 0.5, 0.3, 2


def _pay(text: str) -> float:
    return (0.0, 0.3, 1.0)[sum(map(ord, text)) % 3]


def _moved(row: Algorithm, tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
    """How far one step of SGD moves the weights, and the gradient of the mean NLL of right answers before it."""
    policy = tiny_policy(0)
    environment = digits(lambda completion, answer: _pay(completion))
    settings = config(algorithm=row, groups=4, group_size=SIZE, max_new_tokens=LONGEST)
    scripted = ScriptedPolicy(policy, _pay, SIZE)
    rollout = collect(BatchEnvironment(environment, group_size=SIZE), scripted, settings, 0).rollout
    judges = Judges(policy=policy.model, temperature=1.0, micro_batch_tokens=tokens)
    ready, _ = prepared(rollout, row, SIZE, judges)
    parameters = list(policy.model.parameters())
    kept = torch.tensor([reward == 1.0 for reward in rollout.rewards.tolist()])
    assert 0 < int(kept.sum()) < len(kept)
    spoken, _ = completion_logprobs(policy.model, ready.ids, ready.attention_mask, ready.mask)
    nll = -spoken[kept].sum() / ready.mask[kept].sum()
    gradient = torch.cat([g.flatten() for g in torch.autograd.grad(nll, parameters)])
    before = torch.cat([p.detach().flatten() for p in parameters]).clone()
    step = Step(row=row, micro_batch_tokens=tokens, max_new_tokens=LONGEST, group_size=SIZE, max_grad_norm=1e9)
    policy_step(policy.model, torch.optim.SGD(parameters, RATE), ready, torch.arange(len(ready)), step)
    return torch.cat([p.detach().flatten() for p in parameters]) - before, gradient


@pytest.mark.parametrize("tokens", [100_000, 1], ids=["at once", "one by one"])
@pytest.mark.parametrize("name", ["grpo", "pass-at-k"])
def test_it_adds_the_gradient_of_the_mean_likelihood_of_right_answers(name: str, tokens: int) -> None:
    plain, _ = _moved(ALGORITHMS[name], tokens)
    found, gradient = _moved(changed(ALGORITHMS[name], "positive_nll", MU), tokens)
    assert gradient.abs().max() > 1e-3
    same(found - plain, -RATE * MU * gradient, 1e-6)


@pytest.mark.parametrize("name", ["dpo", "raft", "trpo"])
def test_a_row_that_has_no_place_for_it_refuses_it(name: str) -> None:
    with pytest.raises(ConfigError, match=r"positive_nll (stands|does nothing)"):
        changed(ALGORITHMS[name], "positive_nll", MU)
