"""Our losses and advantages beside what verl 0.9.1 said about the same tensors (golden/verl.json).

golden/record_verl.py made the recording. Where the two differ on purpose, the test sets the difference to nothing
and docs/peers.md says why it is there.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tabular import same

from rlenv.trainers.algorithms.advantages import (
    gae,
    group_centred,
    group_standardised,
    leave_one_out,
    returns_to_go,
    whiten,
)
from rlenv.trainers.algorithms.choices import Averaging, Control, KlEstimator
from rlenv.trainers.algorithms.losses import averaging_weights, kl_penalty, policy_terms, value_loss

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "verl.json").read_text())
SETTINGS = RECORDED["settings"]
CLIP = Control(ratio="token", bound="clip", clip_low=SETTINGS["low"], clip_high=SETTINGS["high"])
CONTROLS = {
    "vanilla": replace(CLIP, ratio_cap=SETTINGS["dual"]),
    "gspo": replace(CLIP, ratio="sequence", allow_length_weighting=True),
    "cispo": replace(CLIP, bound="weight"),
}
AVERAGES: tuple[Averaging, ...] = ("token", "response", "sequence", "constant")


@pytest.fixture
def given() -> dict[str, torch.Tensor]:
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in RECORDED["inputs"].items()}


def _tensor(value: object) -> torch.Tensor:
    return torch.tensor(value, dtype=torch.float64)


@pytest.mark.parametrize("averaging", AVERAGES)
@pytest.mark.parametrize("name", CONTROLS)
def test_losses_and_gradients_are_those_of_verl(
    given: dict[str, torch.Tensor], name: str, averaging: Averaging
) -> None:
    """GRPO (vanilla/response), DAPO (vanilla/token), Dr. GRPO (vanilla/constant), GSPO and CISPO, each average."""
    expected = RECORDED["losses"][f"{name}/{averaging}"]
    mask, logprobs = given["mask"], given["logprobs"].requires_grad_()
    terms = policy_terms(logprobs, given["old_logprobs"], given["advantages"], mask, CONTROLS[name])
    loss = (averaging_weights(mask, averaging, SETTINGS["constant"]) * terms).sum()
    (gradient,) = torch.autograd.grad(loss, logprobs)
    assert _tensor(expected["gradient"]).abs().max() > 1e-3
    same(loss.detach(), _tensor(expected["loss"]), 1e-6)
    same(gradient, _tensor(expected["gradient"]), 1e-6)


def test_the_recording_meets_every_clip(given: dict[str, torch.Tensor]) -> None:
    """Without ratios past each bound, with either sign of the advantage, the equality would say little."""
    advantages, chosen = given["advantages"], given["mask"] > 0
    ratio = (given["logprobs"] - given["old_logprobs"]).exp()
    for past in (
        (ratio < 1 - SETTINGS["low"]) & (advantages < 0),
        (ratio > 1 + SETTINGS["high"]) & (advantages > 0),
        (ratio > 1 + SETTINGS["high"]) & (advantages < 0),
        (ratio > SETTINGS["dual"]) & (advantages < 0),
    ):
        assert bool((past & chosen).any())


def test_group_advantages_are_those_of_verl(given: dict[str, torch.Tensor]) -> None:
    rewards, mask, size = given["token_rewards"].sum(1), given["mask"], SETTINGS["group_size"]
    graded = torch.ones(len(rewards), dtype=torch.bool)
    found = {
        "group_standardised": group_standardised(rewards, graded, size, 1e-6, ddof=1),
        "group_centred": group_centred(rewards, graded, size),
        "leave_one_out": leave_one_out(rewards, graded, size),
    }
    for name, value in found.items():
        same(value[:, None] * mask, _tensor(RECORDED["advantages"][name]), 1e-6)


def test_advantages_over_the_whole_batch_are_those_of_verl(given: dict[str, torch.Tensor]) -> None:
    rewards, mask = given["token_rewards"], given["mask"]
    graded = torch.ones(len(rewards), dtype=torch.bool)
    centred = group_centred(rewards.sum(1), graded, SETTINGS["group_size"])[:, None] * mask
    estimated, returns = gae(rewards, given["values"], mask, 0.95, 0.8)
    found = {
        "reinforce++": whiten(returns_to_go(rewards, mask, 0.9), mask, 1e-8, ddof=1),
        "reinforce++-baseline": whiten(centred, mask, 1e-8, ddof=1),
        "gae": whiten(estimated, mask, 1e-8, ddof=1),
        "gae_returns": returns,
    }
    for name, value in found.items():
        same(value, _tensor(RECORDED["advantages"][name]), 1e-6)


def test_kl_estimators_and_the_value_loss_are_those_of_verl(given: dict[str, torch.Tensor]) -> None:
    estimators: tuple[KlEstimator, ...] = ("k1", "k2", "k3")
    for name in estimators:
        found = kl_penalty(given["logprobs"], given["ref_logprobs"], name)
        same(found, _tensor(RECORDED["terms"][name]), 1e-6)
    terms = value_loss(given["new_values"], given["values"], given["returns"], 0.5)
    loss = (averaging_weights(given["mask"], "token") * terms).sum()
    same(loss, _tensor(RECORDED["terms"]["value_loss"]), 1e-6)
