"""The same rollouts through TRL's trainers and through ours: the same weights after three rollouts of SGD.

From text to weights: tokens, masks, advantages, ratios, KL, averaging, gradient norm. TRL's epsilon of 1e-4 in the
group's std is set on our side; docs/peers.md lists what else differs by default.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import config, digits
from scripted import LONGEST, ScriptedPolicy
from tabular import same
from trl_peer import trained_by_trl

from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, Trainer
from rlenv.trainers.settings.changes import with_changes

pytest.importorskip("trl", reason="needs the extra: trl")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:`(is_)?gradient_checkpointing` is deprecated:FutureWarning"),
]
ROLLOUTS, GROUPS, GROUP_SIZE = 3, 3, 4
LEARNING_RATE = 0.2


@dataclass(frozen=True)
class Case:
    """One algorithm as we and as TRL write it."""

    row: str
    theirs: dict[str, Any]
    changes: dict[str, Any] = field(default_factory=dict)
    ours: dict[str, Any] = field(default_factory=dict)
    trainer: str = "GRPO"
    interrupted: bool = False
    """The environment writes a token into some completions."""


EPSILON = {"advantage.epsilon": 1e-4}
CASES = {
    "grpo with a KL": Case(
        "grpo",
        {"loss_type": "grpo", "num_iterations": 2, "beta": 0.3, "use_bias_correction_kl": False},
        {**EPSILON, "kl.beta": 0.3},
        {"epochs": 2},
    ),
    "dapo": Case(
        "dapo",
        {"loss_type": "dapo", "epsilon_high": 0.28, "num_iterations": 2},
        {
            **EPSILON,
            "drawing.refill": False,
            "drawing.overlong_buffer": 0.0,
            "drawing.drop_constant_groups": False,
        },
        {"epochs": 2},
    ),
    "dapo, interrupted": Case("grpo", {"loss_type": "dapo"}, {**EPSILON, "averaging": "token"}, interrupted=True),
    "dr-grpo": Case("dr-grpo", {"loss_type": "dr_grpo", "scale_rewards": "none"}),
    "gspo": Case(
        "gspo",
        {
            "loss_type": "grpo",
            "importance_sampling_level": "sequence",
            "epsilon": 3e-4,
            "epsilon_high": 4e-4,
            "num_iterations": 2,
        },
        EPSILON,
        {"epochs": 2},
    ),
    "cispo": Case("cispo", {"loss_type": "cispo", "epsilon_high": 5.0, "num_iterations": 2}, EPSILON, {"epochs": 2}),
    "rloo with a KL": Case("rloo", {"beta": 0.3}, {"kl.beta": 0.3}, trainer="RLOO"),
}


def _pay(text: str) -> float:
    """Three rewards that have nothing to do with the prompt; 0.3 is no sum of powers of two."""
    return (0.0, 0.3, 1.0)[sum(map(ord, text)) % 3]


def _paid(completion: str, answer: str) -> float:
    return _pay(completion)


def _weights(policy: TransformersPolicy) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in policy.model.parameters()])


def _trained_by_us(policy: ScriptedPolicy, case: Case, folder: Path) -> torch.Tensor:
    settings = config(
        algorithm=with_changes(ALGORITHMS[case.row], case.changes),
        steps=ROLLOUTS,
        groups=GROUPS,
        group_size=GROUP_SIZE,
        max_new_tokens=LONGEST,
        warmup_steps=0,
        learning_rate=LEARNING_RATE,
        **case.ours,
    )
    trainer = Trainer(settings, digits(_paid), policy, folder, quiet=True)
    trainer.learner.networks.optimizer = torch.optim.SGD(policy.model.parameters(), LEARNING_RATE)
    for _ in range(ROLLOUTS):
        trainer.step()
    trainer.close()
    return _weights(policy)


def _both(case: Case, folder: Path) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The weights before, after our training, and after TRL's."""
    policy = ScriptedPolicy(tiny_policy(0), _pay, GROUP_SIZE, interrupted=case.interrupted)
    policy.save(folder / "start")  # TRL reads its reference model from the folder again
    start = _weights(policy).clone()
    ours = _trained_by_us(policy, case, folder / "ours")
    theirs = trained_by_trl(
        TransformersPolicy.load(str(folder / "start"), device="cpu"),
        policy.script,
        folder / "theirs",
        learning_rate=LEARNING_RATE,
        trainer=case.trainer,
        max_completion_length=LONGEST,
        **case.theirs,
    )
    return start, ours, theirs


@pytest.mark.parametrize("name", CASES)
def test_scripted_rollouts_leave_the_weights_that_trl_leaves(name: str, tmp_path: Path) -> None:
    start, ours, theirs = _both(CASES[name], tmp_path)
    assert (ours - start).abs().max() > 1e-2
    same(ours, theirs, 1e-6)


def test_the_comparison_sees_an_epsilon(tmp_path: Path) -> None:
    _, ours, theirs = _both(Case("grpo", {"loss_type": "grpo"}), tmp_path)
    assert (ours - theirs).abs().max() > 1e-6
