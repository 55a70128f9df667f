"""The divergence between two policies, estimated from samples, and the rule that adapts its coefficient."""

from __future__ import annotations

import torch

from rlenv.trainers.algorithms.choices import KlEstimator

SMALLEST, LARGEST = 2.0**-20, 2.0**20
"""Where the adaptive coefficient ends: past these it says nothing, and powers of two come back exactly."""


def kl_penalty(logprobs: torch.Tensor, ref_logprobs: torch.Tensor, estimator: KlEstimator) -> torch.Tensor:
    """An estimate of KL(pi || ref) a token, from samples of pi. Schulman 2020, "Approximating KL divergence".

    k1 = log(pi/ref) in the reward has exactly the gradient of the KL. In the loss its expected gradient is 0;
    there k2 = log(pi/ref)^2 / 2 and k3 = ref/pi - 1 - log(ref/pi) have expectations of their own.
    """
    log_ratio = logprobs - ref_logprobs
    if estimator == "k1":
        return log_ratio
    if estimator == "k2":
        return log_ratio**2 / 2
    return torch.expm1(-log_ratio) + log_ratio


def trust_region_penalty(logprobs: torch.Tensor, old_logprobs: torch.Tensor) -> torch.Tensor:
    """KL(pi_old || pi) a token, from samples of pi_old: never negative, and its expected gradient is exact.

    The samples do not depend on pi, so that k3 with the policies in this order has no term left out.
    """
    return kl_penalty(old_logprobs, logprobs, "k3")


def proportional_coefficient(beta: float, kl: float, target: float) -> float:
    """beta * (1 + 0.1 e), e = kl / target - 1 within +-0.2. Ziegler et al. 2019, arXiv 1909.08593, section 2.2.

    >>> [round(proportional_coefficient(1.0, kl, 6.0), 3) for kl in (0.0, 6.0, 6.6, 60.0)]
    [0.98, 1.0, 1.01, 1.02]
    """
    return beta * (1 + 0.1 * min(max(kl / target - 1, -0.2), 0.2))


def adapted_coefficient(coefficient: float, kl: float, target: float) -> float:
    """Halved where the policy moved less than target / 1.5, doubled above 1.5 target. Schulman et al. 2017, section 4.

    >>> [adapted_coefficient(1.0, kl, 0.01) for kl in (0.001, 0.01, 0.1)]
    [0.5, 1.0, 2.0]
    """
    if kl < target / 1.5:
        coefficient /= 2
    elif kl > target * 1.5:
        coefficient *= 2
    return min(max(coefficient, SMALLEST), LARGEST)
