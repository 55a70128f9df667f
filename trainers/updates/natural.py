"""The natural step of TRPO: as far up the surrogate as a bound on the KL allows. Schulman et al. 2015, appendix C.

    maximise  E[pi/pi_old A]   subject to   E[KL(pi_old || pi)] <= bound

With g the gradient of the surrogate and F the Fisher matrix (the Hessian of the KL at pi_old), the step is
sqrt(2 bound / x F x) x with F x = g. F is never made: conjugate gradient needs its products with vectors only, and
each is a second derivative through the KL on the rollout's states, over the whole vocabulary. The KL is quadratic
only nearby, so a line search halves the step until the surrogate rises and the true KL keeps the bound.

Deviation: a token is a state, and the KL its mean over the chosen tokens of the rollout. Curvature is measured on
`control.fisher_share` of the episodes (the paper takes a tenth), the bound is checked on all of them. For models that
fit: `control.max_parameters`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from transformers import PreTrainedModel

from rlenv.core.errors import ConfigError
from rlenv.trainers.algorithms.losses import distribution_kl
from rlenv.trainers.networks.logprobs import hidden_states, vocabulary_logprobs
from rlenv.trainers.networks.models import SKIPPED
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.updates.update import Step

CURVATURE_FLOOR = 1e-20
"""A direction along which the policy does not change is not worth a step."""


def natural_step(model: PreTrainedModel, rollout: Rollout, rows: torch.Tensor, step: Step) -> dict[str, float]:
    """Take one step on the episodes at `rows`; returns metrics.

    Without any signal, and where gradient or curvature is not finite, the weights stay as they are.
    """
    parameters = [p for p in model.parameters() if p.requires_grad]
    size, control = sum(p.numel() for p in parameters), step.row.control
    if size > control.max_parameters:
        raise ConfigError(
            f"a natural step holds about eight vectors of the model's size and differentiates twice: {size:,} "
            f"parameters, {control.max_parameters:,} allowed; take ppo, or raise control.max_parameters"
        )
    if not bool((rollout.advantages[rows] != 0).any()):
        return {"loss": 0.0, "grad_norm": 0.0}
    problem = Surrogate(model, parameters, rollout, rows, step)
    with sdpa_kernel(SDPBackend.MATH):  # the fused kernels have no second derivative
        gradient = problem.gradient()
        norm = float(gradient.norm())
        if not math.isfinite(norm):
            return {"loss": 0.0, "grad_norm": norm, SKIPPED: 1.0}
        direction = conjugate_gradient(
            lambda v: problem.fisher_product(v) + control.cg_damping * v, gradient, control.cg_iterations
        )
        curvature = float(direction @ problem.fisher_product(direction))
        problem.slope = None  # no further product is needed: let go of its graph
        if not curvature > CURVATURE_FLOOR:
            return {"loss": 0.0, "grad_norm": norm} | ({} if math.isfinite(curvature) else {SKIPPED: 1.0})
        longest = (2 * control.kl_bound / curvature) ** 0.5 * direction
        taken, kl, gain = line_search(problem, longest, control.kl_bound, control.backtracks)
    return {
        "loss": -gain,
        "grad_norm": norm,
        "trust_region/kl": kl,
        "trust_region/step": taken,
        "trust_region/step_norm": float((taken * longest).norm()),
    }


class Surrogate:
    """The objective and the constraint on one set of episodes, as functions of the weights."""

    def __init__(
        self,
        model: PreTrainedModel,
        parameters: list[nn.Parameter],
        rollout: Rollout,
        rows: torch.Tensor,
        step: Step,
    ) -> None:
        self.model, self.parameters, self.rollout, self.rows, self.step = model, parameters, rollout, rows, step
        self.old = copy.deepcopy(model)
        self.start = parameters_to_vector(parameters).detach().clone()
        self._weights = step.token_weights(rollout.mask, rows)
        spoken = rows[(rollout.mask[rows] > 0).any(1)]
        self._curved = spoken[:: max(1, round(1 / step.row.control.fisher_share))]
        self.slope: torch.Tensor | None = None

    def gradient(self) -> torch.Tensor:
        """Of the surrogate at the old policy, where the ratio is 1: that of the score function. (N,)"""
        total = torch.zeros_like(self.start)
        for part, weights in self._parts():
            logprobs = _chosen(self._distribution(self.model, part), part)
            value = (logprobs * (part.advantages * weights)[part.mask > 0]).sum()
            total += self._flat(torch.autograd.grad(value, self.parameters, allow_unused=True))
        return self.step.processes.summed(total)

    def fisher_product(self, vector: torch.Tensor) -> torch.Tensor:
        """The Fisher matrix at the old policy times a vector. (N,)"""
        parts = [index for index, _ in self.step.shares(self.rollout, self._curved)]
        total = torch.zeros_like(vector)
        for index in parts:
            slope = self.slope if self.slope is not None else self._kl_slope(index)
            if len(parts) == 1:
                self.slope = slope  # the graph is kept: every product but the first is one backward pass
            along = (slope * vector).sum()
            again = torch.autograd.grad(along, self.parameters, retain_graph=len(parts) == 1, allow_unused=True)
            total += self._flat(again)
        return self.step.processes.summed(total)

    def _kl_slope(self, index: torch.Tensor) -> torch.Tensor:
        """Gradient, with a graph of its own, of the mean KL at the episodes `index`: 0 at the old policy. (N,)"""
        part = self.rollout.rows(index)
        now = self._distribution(self.model, part)
        kl = distribution_kl(now.detach(), now).sum() / self.rollout.mask[self._curved].sum()
        return self._flat(torch.autograd.grad(kl, self.parameters, create_graph=True, allow_unused=True))

    @torch.no_grad()
    def at(self, weights: torch.Tensor) -> tuple[float, float]:
        """The surrogate's gain over the old policy and the KL from it, with these weights in the model."""
        vector_to_parameters(weights, self.parameters)
        states = self.rollout.mask[self.rows].sum()
        found = torch.zeros(2, dtype=torch.float64, device=self.rollout.mask.device)
        for part, token_weights in self._parts():
            before, now = self._distribution(self.old, part), self._distribution(self.model, part)
            ratio = torch.exp(_chosen(now, part) - _chosen(before, part))
            gain = ((ratio - 1) * (part.advantages * token_weights)[part.mask > 0]).sum()
            found += torch.stack([gain.double(), distribution_kl(before, now).sum().double() / states])
        gain, kl = self.step.processes.summed(found).tolist()
        return gain, kl

    def _parts(self) -> Iterator[tuple[Rollout, torch.Tensor]]:
        """This process's micro-batches with their weights."""
        for index, _ in self.step.shares(self.rollout, self.rows):
            part = self.rollout.rows(index)
            if bool(part.mask.any()):
                yield part, self._weights[index, : part.mask.shape[1]]

    def _distribution(self, model: PreTrainedModel, part: Rollout) -> torch.Tensor:
        """Log-probs of the whole vocabulary at each chosen token. (N, V)"""
        hidden = hidden_states(model, part.ids, part.attention_mask)[:, -part.mask.shape[1] - 1 : -1]
        return vocabulary_logprobs(model, hidden[part.mask > 0], self.step.temperature)

    def _flat(self, gradients: tuple[torch.Tensor | None, ...]) -> torch.Tensor:
        pairs = zip(gradients, self.parameters, strict=True)
        return torch.cat([(torch.zeros_like(p) if g is None else g).reshape(-1) for g, p in pairs])


def conjugate_gradient(
    product: Callable[[torch.Tensor], torch.Tensor], right: torch.Tensor, iterations: int, tolerance: float = 1e-10
) -> torch.Tensor:
    """x with A x = right for a positive definite A given by its products, ended early once it is met."""
    x, residual = torch.zeros_like(right), right.clone()
    along, square = residual.clone(), residual @ residual
    for _ in range(iterations):
        if float(square) <= tolerance * float(right @ right):
            break
        image = product(along)
        length = square / (along @ image)
        x, residual = x + length * along, residual - length * image
        before, square = square, residual @ residual
        along = residual + (square / before) * along
    return x


def line_search(problem: Surrogate, longest: torch.Tensor, bound: float, backtracks: int) -> tuple[float, float, float]:
    """Halve the step until the surrogate rises and the KL keeps the bound; the weights end where that is, or stay.

    Returns the share of the step that was taken, the KL and the gain.
    """
    share = 1.0
    for _ in range(backtracks):
        gain, kl = problem.at(problem.start + share * longest)
        if 0 < gain < math.inf and kl <= bound:
            return share, kl, gain
        share /= 2
    vector_to_parameters(problem.start, problem.parameters)
    return 0.0, 0.0, 0.0


def _chosen(distribution: torch.Tensor, part: Rollout) -> torch.Tensor:
    """Log-probs of the chosen tokens. (N,)"""
    targets = part.ids[:, -part.mask.shape[1] :][part.mask > 0]
    return distribution.gather(1, targets[:, None]).squeeze(1)
