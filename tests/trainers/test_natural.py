"""The natural step is what linear algebra says it is: F^-1 g on a model small enough to write F down."""

from dataclasses import replace
from math import inf, nan

import pytest
import torch
from tabular import buffer
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils import parameters_to_vector
from transformers import LlamaConfig, LlamaForCausalLM

from rlenv.core.errors import ConfigError
from rlenv.trainers import ALGORITHMS, with_changes
from rlenv.trainers.networks.logprobs import hidden_states, vocabulary_logprobs
from rlenv.trainers.networks.models import SKIPPED
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.updates.natural import Surrogate, conjugate_gradient, line_search, natural_step
from rlenv.trainers.updates.update import Step

PROMPT, LENGTH, VOCABULARY = 3, 4, 7
TOLERANCE = 1e-7
"""Weights are float64, but the model takes its norms and its attention in float32."""


def small_model() -> LlamaForCausalLM:
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            hidden_size=4,
            intermediate_size=4,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            vocab_size=VOCABULARY,
            max_position_embeddings=16,
            pad_token_id=0,
        )
    )
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    model.double()
    model.eval()
    return model


def rollout(episodes: int = 6) -> Rollout:
    generator = torch.Generator().manual_seed(1)
    mask = torch.ones(episodes, LENGTH)
    mask[0, -1] = mask[1, 1] = 0
    return buffer(
        mask,
        advantages=torch.randn(episodes, LENGTH, generator=generator) * mask,
        ids=torch.randint(1, VOCABULARY, (episodes, PROMPT + LENGTH), generator=generator),
        attention_mask=torch.ones(episodes, PROMPT + LENGTH, dtype=torch.long),
    )


def step(**control: object) -> Step:
    settings = {f"control.{name}": value for name, value in {"fisher_share": 1.0, **control}.items()}
    row = with_changes(ALGORITHMS["trpo"], settings)  # type: ignore[arg-type]
    return Step(row=row, max_new_tokens=LENGTH)


def distributions(model: LlamaForCausalLM, data: Rollout) -> torch.Tensor:
    """Log-probs of the vocabulary at every chosen token. (N, V)"""
    hidden = hidden_states(model, data.ids, data.attention_mask)[:, -LENGTH - 1 : -1]
    return vocabulary_logprobs(model, hidden[data.mask > 0])


def dense_fisher(model: LlamaForCausalLM, data: Rollout) -> torch.Tensor:
    """The mean over states of sum_a p(a) grad log p(a) grad log p(a)^T, gradient by gradient."""
    parameters = list(model.parameters())
    logprobs = distributions(model, data)
    total = torch.zeros(1)
    for state in logprobs:
        for value in state:
            gradients = torch.autograd.grad(value, parameters, retain_graph=True)
            vector = torch.cat([g.reshape(-1) for g in gradients])
            total = total + value.detach().exp() * torch.outer(vector, vector)
    return total / len(logprobs)


def problem(model: LlamaForCausalLM, data: Rollout, how: Step) -> Surrogate:
    return Surrogate(model, list(model.parameters()), data, torch.arange(len(data)), how)


@pytest.mark.parametrize("micro_batch_tokens", [1, 10_000])
def test_fisher_products_equal_those_of_the_matrix(micro_batch_tokens: int) -> None:
    model, data = small_model(), rollout()
    fisher = dense_fisher(model, data)
    how = replace(step(), micro_batch_tokens=micro_batch_tokens)
    generator = torch.Generator().manual_seed(2)
    vectors = torch.randn(3, len(fisher), generator=generator, dtype=torch.float64)
    with sdpa_kernel(SDPBackend.MATH):
        surrogate = problem(model, data, how)
        for vector in vectors:
            torch.testing.assert_close(surrogate.fisher_product(vector), fisher @ vector, atol=TOLERANCE, rtol=1e-4)


def test_the_direction_is_the_inverse_fisher_times_the_gradient() -> None:
    model, data, damping = small_model(), rollout(), 0.1
    fisher = dense_fisher(model, data)
    with sdpa_kernel(SDPBackend.MATH):
        surrogate = problem(model, data, step())
        gradient = surrogate.gradient()
        found = conjugate_gradient(lambda v: surrogate.fisher_product(v) + damping * v, gradient, 200, 1e-20)
    exact = torch.linalg.solve(fisher + damping * torch.eye(len(fisher), dtype=torch.float64), gradient)
    torch.testing.assert_close(found, exact, atol=1e-7, rtol=1e-5)


def test_the_gradient_is_that_of_the_score_function() -> None:
    model, data = small_model(), rollout()
    with sdpa_kernel(SDPBackend.MATH):
        found = problem(model, data, step()).gradient()
    chosen = data.mask > 0
    logprobs = distributions(model, data).gather(1, data.ids[:, -LENGTH:][chosen][:, None]).squeeze(1)
    objective = (logprobs * data.advantages[chosen]).sum() / chosen.sum()
    exact = torch.cat([g.reshape(-1) for g in torch.autograd.grad(objective, list(model.parameters()))])
    torch.testing.assert_close(found, exact, atol=TOLERANCE, rtol=1e-4)


def test_the_step_goes_as_far_as_the_bound_and_no_farther() -> None:
    """Nearby the KL is quadratic: the full step's KL is the bound, but for terms of higher order."""
    model, data, bound = small_model(), rollout(), 1e-6
    before = distributions(model, data).detach()
    metrics = natural_step(model, data, torch.arange(len(data)), step(kl_bound=bound, cg_iterations=100))
    after = distributions(model, data).detach()
    kl = float((before.exp() * (before - after)).sum(-1).mean())
    assert metrics["trust_region/kl"] == pytest.approx(kl, rel=1e-6)
    assert kl <= bound
    full = metrics["trust_region/step"]  # 1, or a half of it where the third order lies above the bound
    assert full in (1.0, 0.5)
    assert kl == pytest.approx(bound * full**2, rel=0.02)
    assert metrics["loss"] < 0


def test_a_bound_that_is_too_wide_for_the_quadratic_is_kept_by_the_line_search() -> None:
    for bound in (0.01, 0.1, 1.0):
        model, data = small_model(), rollout()
        before = distributions(model, data).detach()
        metrics = natural_step(model, data, torch.arange(len(data)), step(kl_bound=bound))
        after = distributions(model, data).detach()
        assert float((before.exp() * (before - after)).sum(-1).mean()) <= bound
        assert metrics["loss"] <= 0


def test_without_a_step_that_helps_the_weights_stay() -> None:
    model, data = small_model(), rollout()
    start = parameters_to_vector(model.parameters()).detach().clone()
    still = natural_step(model, data.with_(advantages=torch.zeros(6, LENGTH)), torch.arange(6), step())
    assert still == {"loss": 0.0, "grad_norm": 0.0}
    assert torch.equal(parameters_to_vector(model.parameters()), start)
    natural_step(model, data, torch.arange(6), step(kl_bound=1e6, backtracks=1))
    assert torch.equal(parameters_to_vector(model.parameters()), start)


def test_a_model_that_does_not_fit_is_refused_with_its_size() -> None:
    with pytest.raises(ConfigError, match="parameters, 100 allowed; take ppo"):
        natural_step(small_model(), rollout(), torch.arange(6), step(max_parameters=100))


class Told:
    """A problem that answers the line search from a list of (gain, kl), and notes the steps that it was asked about."""

    def __init__(self, *answers: tuple[float, float]) -> None:
        self.parameters = [torch.nn.Parameter(torch.zeros(2))]
        self.start = torch.zeros(2)
        self.answers, self.asked = list(answers), []  # type: ignore[var-annotated]

    def at(self, weights: torch.Tensor) -> tuple[float, float]:
        torch.nn.utils.vector_to_parameters(weights, self.parameters)
        self.asked.append(weights.tolist())
        return self.answers[len(self.asked) - 1]

    def searched(self, bound: float = 0.1, backtracks: int = 3) -> tuple[float, float, float]:
        return line_search(self, torch.tensor([4.0, -8.0]), bound, backtracks)  # type: ignore[arg-type]

    def weights(self) -> list[float]:
        return parameters_to_vector(self.parameters).tolist()


def test_a_step_within_the_bound_that_loses_is_halved_until_one_gains() -> None:
    problem = Told((-0.5, 0.01), (0.0, 0.01), (0.2, 0.01))
    assert problem.searched() == (0.25, 0.01, 0.2)
    assert problem.asked == [[4.0, -8.0], [2.0, -4.0], [1.0, -2.0]]
    assert problem.weights() == [1.0, -2.0]


def test_a_step_that_gains_beyond_the_bound_is_halved_and_one_on_the_bound_is_taken() -> None:
    problem = Told((0.9, 0.2), (0.5, 0.1))
    assert problem.searched(bound=0.1) == (0.5, 0.1, 0.5)
    assert problem.weights() == [2.0, -4.0]


@pytest.mark.parametrize("answer", [(-1.0, 0.0), (0.0, 0.0), (1.0, 0.2), (nan, 0.0), (inf, 0.0), (1.0, nan)])
def test_where_no_step_gains_within_the_bound_the_weights_return_to_where_they_were(
    answer: tuple[float, float],
) -> None:
    problem = Told(*[answer] * 3)
    assert problem.searched() == (0.0, 0.0, 0.0)
    assert len(problem.asked) == 3
    assert problem.weights() == [0.0, 0.0]


def test_the_loss_is_the_gain_with_its_sign_turned_and_the_step_is_what_was_taken() -> None:
    model, data = small_model(), rollout()
    start = parameters_to_vector(model.parameters()).detach().clone()
    metrics = natural_step(model, data, torch.arange(len(data)), step(kl_bound=0.01))
    moved = parameters_to_vector(model.parameters()).detach()
    surrogate = problem(small_model(), data, step())
    gain, kl = surrogate.at(moved)
    assert (metrics["loss"], metrics["trust_region/kl"]) == pytest.approx((-gain, kl), rel=1e-6)
    assert metrics["loss"] < 0
    assert metrics["trust_region/step_norm"] == pytest.approx(float((moved - start).norm()), rel=1e-6)


@pytest.mark.parametrize("bad", [nan, inf])
def test_a_natural_step_without_a_finite_gradient_or_curvature_leaves_the_weights_and_says_so(
    bad: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gradient", "fisher_product"):
        model, data = small_model(), rollout()
        start = parameters_to_vector(model.parameters()).detach().clone()
        with monkeypatch.context() as patch:
            own = getattr(Surrogate, name)
            patch.setattr(Surrogate, name, lambda *args, own=own: own(*args) * bad)
            metrics = natural_step(model, data, torch.arange(len(data)), step())
        assert metrics[SKIPPED] == 1.0
        assert torch.equal(parameters_to_vector(model.parameters()), start)
