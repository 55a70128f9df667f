"""What only changes memory or order changes no weight: micro-batches, padding, the order of the groups.

Each algorithm takes two SGD steps on one rollout, the second one off the policy that sampled it, and the weights are
compared to float32 rounding. Packed and padded passes are compared in test_packing.py, processes in test_processes.py.
"""

from dataclasses import replace
from functools import cache

import pytest
import torch
from digits import config, digits
from scripted import LONGEST, ScriptedPolicy
from tabular import same

from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.algorithms.row import Algorithm
from rlenv.trainers.loop.learner import updated
from rlenv.trainers.networks.models import Networks
from rlenv.trainers.rollouts.collect import collect
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.settings.changes import with_changes
from rlenv.trainers.updates.prepare import FrozenModels, prepared
from rlenv.trainers.updates.update import Step

pytestmark = pytest.mark.slow
GROUPS, GROUP_SIZE = 4, 2
ALL_AT_ONCE, ONE_BY_ONE = 100_000, 1
"""Tokens of a micro-batch; one that is too small for an episode holds one episode."""
ROWS = (
    "reinforce++",
    "grpo",
    "dr-grpo",
    "gspo",
    "kl-cov",
    "vapo",
    "a2c",
    "trpo",
    "kto",
    "orpo",
    "raft",
    "distill",
    "gkd",
)
"""One of each way of weighing tokens, pairs and episodes in a step."""
CONJUGATE = ("trpo",)
"""Ten products with the Fisher matrix, one built on the other, carry rounding further than one gradient does."""


def _row(name: str) -> Algorithm:
    row = ALGORITHMS[name]
    if row.control.bound == "natural":  # a share of the episodes would be another share in another order
        row = with_changes(row, {"control.fisher_share": 1.0})
    held = row.preference is None and row.selection is None and row.advantage.kind != "teacher"
    return with_changes(row, {"kl.beta": 0.1}) if held else row


def _pay(text: str) -> float:
    return (0.0, 0.3, 1.0)[sum(map(ord, text)) % 3]


def _paid(completion: str, answer: str) -> float:
    return _pay(completion)


def _settings(row: Algorithm, tokens: int) -> TrainConfig:
    return config(
        algorithm=row, groups=GROUPS, group_size=GROUP_SIZE, max_new_tokens=LONGEST, micro_batch_tokens=tokens
    )


@cache
def _drawn() -> Rollout:
    """Random words of two to six tokens after prompts of one length; one completion could not be judged."""
    policy = ScriptedPolicy(tiny_policy(0), _pay, GROUP_SIZE)
    settings = _settings(replace(ALGORITHMS["rloo"]), ALL_AT_ONCE)
    rollout = collect(BatchEnvironment(digits(_paid), group_size=GROUP_SIZE), policy, settings, 0).rollout
    graded = rollout.graded.clone()
    graded[5] = False
    mask = rollout.mask * graded[:, None]
    continued = torch.rand(mask.shape, generator=torch.Generator().manual_seed(1)) * mask
    return rollout.with_(graded=graded, mask=mask, values=continued)


def _trained(name: str, rollout: Rollout, tokens: int = ALL_AT_ONCE) -> torch.Tensor:
    """All weights after two steps on the rollout."""
    policy, row = tiny_policy(0), _row(name)
    settings = _settings(row, tokens)
    networks = Networks(policy.model, settings)
    networks.optimizer = torch.optim.SGD([p for group in networks.optimizer.param_groups for p in group["params"]], 0.3)
    if networks.reference is not None:
        networks.reference.load_state_dict(tiny_policy(3).model.state_dict())
    teacher = tiny_policy(4).model if row.advantage.kind == "teacher" else None
    judges = FrozenModels(
        policy=policy.model,
        temperature=1.0,
        micro_batch_tokens=tokens,
        reference=networks.reference,
        teacher=teacher,
        critic=networks.critic,
        value_head=networks.value_head,
    )
    ready, _ = prepared(rollout, row, GROUP_SIZE, judges, baselines={"": 0.2})
    step = Step(
        row=row,
        micro_batch_tokens=tokens,
        max_new_tokens=LONGEST,
        group_size=GROUP_SIZE,
        entropy_coefficient=row.entropy.at(0, 1),
        kl_coefficient=row.control.kl_coefficient,
        teacher=teacher,
    )
    for epoch in range(2):
        updated(networks, ready, torch.arange(len(ready)), step, epoch, 2)
    return torch.cat([parameter.detach().flatten() for parameter in policy.model.parameters()])


def _padded(rollout: Rollout, front: int, back: int) -> Rollout:
    """The rollout with more padding before the prompts and behind the completions."""
    wide = {}
    for field, value in rollout.state().items():
        if field in ("ids", "attention_mask"):
            wide[field] = torch.nn.functional.pad(value, (front, back))
        elif value.dim() == 2 and value.shape[1]:
            wide[field] = torch.nn.functional.pad(value, (0, back))
        else:
            wide[field] = value
    return Rollout(**wide)


def _reordered(rollout: Rollout, groups: list[int]) -> Rollout:
    index = torch.cat([torch.arange(GROUP_SIZE) + GROUP_SIZE * group for group in groups])
    return Rollout(**{field: value[index] for field, value in rollout.state().items()})


@pytest.mark.parametrize("name", ROWS)
def test_micro_batches_padding_and_order_change_no_weight(name: str) -> None:
    rounding = 1e-4 if name in CONJUGATE else 1e-6
    start = torch.cat([parameter.detach().flatten() for parameter in tiny_policy(0).model.parameters()])
    at_once = _trained(name, _drawn())
    assert (at_once - start).abs().max() > 100 * rounding  # without which the equalities would say nothing
    same(_trained(name, _drawn(), ONE_BY_ONE), at_once, rounding)
    same(_trained(name, _padded(_drawn(), 5, 3)), at_once, rounding)
    if name != "kto":  # its KL is measured on completions that are exchanged between neighbours of the batch
        same(_trained(name, _reordered(_drawn(), [2, 0, 3, 1])), at_once, rounding)
