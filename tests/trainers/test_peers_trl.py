"""Our losses and their gradients beside TRL's own code, called on the same tensors.

Where the two differ on purpose, the test sets the difference to nothing and docs/peers.md says why it is there.
"""

from dataclasses import replace
from typing import Any

import pytest
import torch
from tabular import same
from trl_peer import Tensors, gmpo_loss, grpo_loss, rloo_loss

from rlenv.trainers import ALGORITHMS, with_changes
from rlenv.trainers.algorithms.advantages import group_standardised, leave_one_out
from rlenv.trainers.algorithms.choices import Averaging, Control
from rlenv.trainers.algorithms.losses import averaging_weights, entropy_bonus, kl_penalty, policy_terms, uncertain
from rlenv.trainers.loop.learner import Adaptive

pytest.importorskip("trl", reason="needs the extra: trl")
pytestmark = pytest.mark.slow

LONGEST = 16
CLIP = Control(ratio="token", bound="clip")
LOSSES: dict[str, tuple[Averaging, Control, dict[str, Any]]] = {
    "GRPO": ("response", CLIP, {"loss_type": "grpo"}),
    "DAPO": ("token", replace(CLIP, clip_high=0.28), {"loss_type": "dapo", "epsilon_high": 0.28}),
    "Dr. GRPO": ("constant", CLIP, {"loss_type": "dr_grpo", "max_completion_length": LONGEST}),
    "GSPO": (
        "response",
        Control(ratio="sequence", bound="clip", clip_low=3e-2, clip_high=4e-2),
        {"loss_type": "grpo", "importance_sampling_level": "sequence", "epsilon_low": 3e-2, "epsilon_high": 4e-2},
    ),
    # TRL's epsilon_high is the cap itself; ours is its distance from 1.
    "CISPO": (
        "token",
        Control(ratio="token", bound="weight", clip_low=1.0, clip_high=0.5),
        {"loss_type": "cispo", "epsilon_high": 1.5},
    ),
    "GRPO, dual clip": ("response", replace(CLIP, ratio_cap=1.5), {"loss_type": "grpo"}),
}


@pytest.fixture
def given() -> Tensors:
    """Six completions with a gap that the policy did not choose, and ratios past every clip."""
    generator = torch.Generator().manual_seed(3)

    def normal(scale: float) -> torch.Tensor:
        return scale * torch.randn(6, 7, generator=generator, dtype=torch.float64)

    lengths = torch.tensor([7, 4, 6, 1, 2, 5])
    mask = (torch.arange(7)[None] < lengths[:, None]).to(torch.float64)
    mask[2, 1:3] = 0
    logprobs = -1.2 + normal(0.4)
    return {
        "mask": mask,
        "logprobs": logprobs,
        "old_logprobs": logprobs + normal(0.8),
        "ref_logprobs": logprobs + normal(0.3),
        "advantages": torch.tensor([1.3, -0.7, 0.4, -1.1, 0.9, -0.8], dtype=torch.float64),
    }


def _ours(given: Tensors, control: Control, averaging: Averaging, beta: float = 0.0) -> tuple[torch.Tensor, ...]:
    mask, logprobs = given["mask"], given["logprobs"].clone().requires_grad_()
    spread = given["advantages"][:, None] * mask
    terms = policy_terms(logprobs, given["old_logprobs"], spread, mask, control)
    if beta:
        terms = terms + beta * kl_penalty(logprobs, given["ref_logprobs"], "k3")
    loss = (averaging_weights(mask, averaging, LONGEST) * terms).sum()
    return loss.detach(), torch.autograd.grad(loss, logprobs)[0]


@pytest.mark.parametrize("beta", [0.0, 0.04])
@pytest.mark.parametrize("name", [name for name in LOSSES if "dual" not in name])
def test_losses_and_gradients_are_those_of_trl(given: Tensors, name: str, beta: float) -> None:
    averaging, control, settings = LOSSES[name]
    loss, gradient = grpo_loss(given, **settings, beta=beta, use_bias_correction_kl=False)
    found, found_gradient = _ours(given, control, averaging, beta)
    assert gradient.abs().max() > 1e-3
    same(found, loss, 1e-6)
    same(found_gradient, gradient, 1e-6)


def test_gmpo_is_trls(given: Tensors) -> None:
    loss, gradient = gmpo_loss(given, 0.4, 0.4)
    found, found_gradient = _ours(given, ALGORITHMS["gmpo"].control, ALGORITHMS["gmpo"].averaging)
    assert gradient.abs().max() > 1e-3
    same(found, loss, 1e-6)
    same(found_gradient, gradient, 1e-6)


def test_masking_to_the_tokens_of_high_entropy_is_trls(given: Tensors) -> None:
    """TRL masks the loss a token, we the advantage; the denominators are those of all tokens in both."""
    mask = given["mask"]
    entropies = torch.rand(mask.shape, generator=torch.Generator().manual_seed(6)).double()
    settings = {"loss_type": "dapo", "epsilon_high": 0.28, "top_entropy_quantile": 0.2}
    loss, gradient = grpo_loss({**given, "entropies": entropies}, **settings)  # type: ignore[arg-type]
    row, logprobs = ALGORITHMS["high-entropy"], given["logprobs"].clone().requires_grad_()
    spread = given["advantages"][:, None] * uncertain(entropies, mask, row.advantage.entropy_share)
    terms = policy_terms(logprobs, given["old_logprobs"], spread, mask, row.control)
    found = (averaging_weights(mask, row.averaging) * terms).sum()
    same(found.detach(), loss, 1e-6)
    same(torch.autograd.grad(found, logprobs)[0], gradient, 1e-6)


def test_two_sided_clipping_is_trls_where_the_advantage_is_negative(given: Tensors) -> None:
    """TRL's delta caps the ratio before both branches; a positive advantage is clipped below it anyway."""
    averaging, control, settings = LOSSES["GRPO, dual clip"]
    ratio = (given["logprobs"] - given["old_logprobs"]).exp()
    assert bool(((ratio > 1.5) & (given["mask"] > 0)).any())
    for sign in (-1.0, 1.0):
        case = {**given, "advantages": sign * given["advantages"].abs()}
        loss, gradient = grpo_loss(case, **settings, delta=1.5)
        found, found_gradient = _ours(case, control, averaging)
        same(found, loss, 1e-6)
        same(found_gradient, gradient, 1e-6)


def test_the_ratio_that_trl_puts_before_the_kl_is_the_difference_in_its_default(given: Tensors) -> None:
    """use_bias_correction_kl: on the policy that sampled, ratio * k3 has the gradient of k2 and the value of k3."""
    on_policy = {**given, "old_logprobs": given["logprobs"], "advantages": torch.zeros(6, dtype=torch.float64)}
    loss, gradient = grpo_loss(on_policy, loss_type="dapo", beta=0.1, use_bias_correction_kl=True)
    mask, logprobs = given["mask"], given["logprobs"].clone().requires_grad_()
    weights = 0.1 * averaging_weights(mask, "token")
    k2 = (weights * kl_penalty(logprobs, given["ref_logprobs"], "k2")).sum()
    k3 = (weights * kl_penalty(logprobs, given["ref_logprobs"], "k3")).sum()
    same(loss, k3.detach(), 1e-6)
    same(gradient, torch.autograd.grad(k2, logprobs)[0], 1e-6)


def test_the_entropy_bonus_is_trls_under_the_mean_over_tokens(given: Tensors) -> None:
    """TRL averages entropies over tokens whatever the loss; ours have the weights of the loss they stand in."""
    mask = given["mask"]
    entropy = torch.rand(mask.shape, generator=torch.Generator().manual_seed(6)).double()
    loss, _ = grpo_loss({**given, "entropies": entropy}, loss_type="dapo", entropy_coef=0.2)
    found, _ = _ours(given, CLIP, "token")
    found = found + (averaging_weights(mask, "token") * entropy_bonus(entropy, 0.2)).sum()
    same(found, loss, 1e-6)


def test_the_coefficient_that_follows_an_entropy_is_trls(given: Tensors) -> None:
    """Twelve rollouts whose entropy falls below the target and rises again: coefficient, loss and gradient."""
    row = with_changes(ALGORITHMS["entropy-target"], {"entropy.target": 0.5, "entropy.change": 0.1})
    adaptive, mask = Adaptive.first(row), given["mask"]
    learned = {"entropy_coef": 0.0, "_last_world_entropy": 1.0}
    acted = []
    for step in range(12):
        level = 0.2 + 0.1 * abs(step - 6)
        entropy = level + 0.2 * (torch.rand(mask.shape, generator=torch.Generator().manual_seed(step)).double() - 0.5)
        settings = {"loss_type": "dapo", "use_adaptive_entropy": True, "entropy_target": 0.5, **learned}
        bounds = {"entropy_coef_delta": 0.1, "entropy_coef_min": 0.0, "entropy_coef_max": 1.0}
        loss, _ = grpo_loss({**given, "entropies": entropy}, learned=learned, **settings, **bounds)  # type: ignore[arg-type]
        coefficient = adaptive.entropy_at(row, step, 12)
        acted.append(coefficient)
        found, _ = _ours(given, CLIP, "token")
        same(found + (averaging_weights(mask, "token") * entropy_bonus(entropy, coefficient)).sum(), loss, 1e-6)
        adaptive.observe_entropy(row, float((entropy * mask).sum() / mask.sum()))
        assert adaptive.entropy_coefficient == pytest.approx(learned["entropy_coef"], abs=1e-6)
    assert acted[0] == acted[-1] == 0.0
    assert max(acted) > 0.4


def test_on_the_policy_that_sampled_rloo_has_the_gradient_of_trls(given: Tensors) -> None:
    """TRL clips the ratio of whole sequences; we take the plain score function, as the paper does."""
    mask = given["mask"].cumprod(1)  # TRL's RLOO knows no text between chosen tokens
    rewards = torch.tensor([1.0, 0.0, 0.3, 0.0, 0.7, 0.2], dtype=torch.float64)
    advantages = leave_one_out(rewards, torch.ones(6, dtype=torch.bool), 3)
    on_policy = {**given, "mask": mask, "old_logprobs": given["logprobs"], "advantages": advantages}
    _, gradient = rloo_loss(on_policy)
    _, found = _ours(on_policy, Control(), "sequence")
    same(found, gradient, 1e-6)


def test_the_group_std_is_trls_with_its_epsilon() -> None:
    from trl.trainer.utils import nanstd

    rewards = torch.tensor([1.0, 0.0, 0.3, 0.0, 0.7, 0.2], dtype=torch.float64)
    groups = rewards.view(2, 3)
    expected = (groups - groups.mean(1, keepdim=True)) / (nanstd(groups, dim=1)[:, None] + 1e-4)
    found = group_standardised(rewards, torch.ones(6, dtype=torch.bool), 3, epsilon=1e-4, ddof=1)
    same(found, expected.flatten(), 1e-6)
