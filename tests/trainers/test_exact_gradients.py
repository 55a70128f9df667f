"""Expected gradients by enumeration of a tabular autoregressive policy with two tokens of three symbols."""

import itertools
from collections.abc import Callable

import pytest
import torch

from rlenv.trainers.advantages import group_standardised, leave_one_out, returns_to_go
from rlenv.trainers.algorithm import ALGORITHMS, KlEstimator
from rlenv.trainers.losses import averaging_weights, clipped_objective, kl_penalty, score_function

SYMBOLS = 3
SEQUENCES = list(itertools.product(range(SYMBOLS), range(SYMBOLS)))


def _logits(seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1 + SYMBOLS, SYMBOLS, generator=generator, dtype=torch.float64)


def _logprobs(table: torch.Tensor, sequence: tuple[int, int]) -> torch.Tensor:
    """Row 0 is the first token; row 1 + a the second after a."""
    rows = table.log_softmax(-1)
    return torch.stack([rows[0, sequence[0]], rows[1 + sequence[0], sequence[1]]])


def _gradient(value: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    return torch.autograd.grad(value, table)[0]


def _expected_gradient(
    table: torch.Tensor, loss: Callable[[torch.Tensor, tuple[int, int]], torch.Tensor]
) -> torch.Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for sequence in SEQUENCES:
        logprobs = _logprobs(table, sequence)
        total = total + logprobs.sum().exp().detach() * loss(logprobs, sequence)
    return _gradient(total, table)


def _kl_gradient(table: torch.Tensor, reference: torch.Tensor) -> torch.Tensor:
    terms = [(_logprobs(table, s).sum(), _logprobs(reference, s).sum()) for s in SEQUENCES]
    return _gradient(torch.stack([p.exp() * (p - q) for p, q in terms]).sum(), table)


def _group_gradient(
    table: torch.Tensor, rewards: torch.Tensor, size: int, advantage: Callable[[torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    """Exact expectation over all groups of `size` sequences of the mean of A log pi."""
    total = torch.zeros((), dtype=torch.float64)
    logprobs = torch.stack([_logprobs(table, s).sum() for s in SEQUENCES])
    for members in itertools.product(range(len(SEQUENCES)), repeat=size):
        chosen = logprobs[list(members)]
        total = total + chosen.sum().exp().detach() * (advantage(rewards[list(members)]) * chosen).mean()
    return _gradient(total, table)


@pytest.fixture
def table() -> torch.Tensor:
    return _logits(0).requires_grad_()


@pytest.fixture
def rewards() -> torch.Tensor:
    return torch.rand(len(SEQUENCES), generator=torch.Generator().manual_seed(3), dtype=torch.float64)


def _true_gradient(table: torch.Tensor, rewards: torch.Tensor) -> torch.Tensor:
    probabilities = torch.stack([_logprobs(table, s).sum().exp() for s in SEQUENCES])
    return _gradient((probabilities * rewards).sum(), table)


@pytest.mark.parametrize("size", [2, 3])
def test_leave_one_out_is_unbiased(table: torch.Tensor, rewards: torch.Tensor, size: int) -> None:
    graded = torch.ones(size, dtype=torch.bool)
    found = _group_gradient(table, rewards, size, lambda r: leave_one_out(r, graded, size))
    torch.testing.assert_close(found, _true_gradient(table, rewards), atol=1e-12, rtol=0)


@pytest.mark.parametrize("size", [2, 3])
def test_the_group_mean_as_baseline_gives_g_minus_1_over_g(
    table: torch.Tensor, rewards: torch.Tensor, size: int
) -> None:
    graded = torch.ones(size, dtype=torch.bool)
    found = _group_gradient(table, rewards, size, lambda r: leave_one_out(r, graded, size) * (size - 1) / size)
    torch.testing.assert_close(found, _true_gradient(table, rewards) * (size - 1) / size, atol=1e-12, rtol=0)


def test_standardised_groups_of_two_only_keep_the_order(table: torch.Tensor, rewards: torch.Tensor) -> None:
    """With two members the sample std makes every difference sqrt(2)/2 times its sign."""
    graded = torch.ones(2, dtype=torch.bool)
    found = _group_gradient(table, rewards, 2, lambda r: group_standardised(r, graded, 2))
    signs = _group_gradient(table, rewards, 2, lambda r: torch.sign(r - r.flip(0)) / 2**0.5)
    torch.testing.assert_close(found, signs, atol=1e-12, rtol=0)


def test_k1_in_the_reward_has_exactly_the_gradient_of_the_kl(table: torch.Tensor) -> None:
    reference, ones = _logits(1), torch.ones(1, 2)

    def with_return_to_go(logprobs: torch.Tensor, sequence: tuple[int, int]) -> torch.Tensor:
        k1 = kl_penalty(logprobs, _logprobs(reference, sequence), "k1").detach()
        return -score_function(logprobs, returns_to_go(k1[None], ones)[0]).sum()

    def summed(logprobs: torch.Tensor, sequence: tuple[int, int]) -> torch.Tensor:
        k1 = kl_penalty(logprobs, _logprobs(reference, sequence), "k1").detach()
        return -score_function(logprobs, k1.sum().expand(2)).sum()

    exact = _kl_gradient(table, reference)
    for loss in (with_return_to_go, summed):
        torch.testing.assert_close(_expected_gradient(table, loss), exact, atol=1e-12, rtol=0)


@pytest.mark.parametrize(("estimator", "cosine"), [("k2", 0.99), ("k3", 0.9)])
def test_k2_and_k3_in_the_loss_point_along_the_kl(table: torch.Tensor, estimator: KlEstimator, cosine: float) -> None:
    reference = _logits(1)
    found = _expected_gradient(table, lambda lp, s: kl_penalty(lp, _logprobs(reference, s), estimator).sum())
    exact = _kl_gradient(table, reference)
    assert torch.cosine_similarity(found.flatten(), exact.flatten(), 0) > cosine


def test_k1_in_the_loss_has_no_expected_gradient(table: torch.Tensor) -> None:
    found = _expected_gradient(table, lambda lp, s: kl_penalty(lp, _logprobs(_logits(1), s), "k1").sum())
    torch.testing.assert_close(found, torch.zeros_like(found), atol=1e-12, rtol=0)


def test_k3_in_the_reward_points_the_wrong_way(table: torch.Tensor) -> None:
    reference = _logits(1)

    def loss(logprobs: torch.Tensor, sequence: tuple[int, int]) -> torch.Tensor:
        k3 = kl_penalty(logprobs, _logprobs(reference, sequence), "k3").detach()
        return (k3.flip(0).cumsum(0).flip(0) * logprobs).sum()

    found, exact = _expected_gradient(table, loss), _kl_gradient(table, reference)
    assert torch.cosine_similarity(found.flatten(), exact.flatten(), 0) < 0


def test_on_policy_the_clipped_objective_has_the_gradient_of_the_score_function(table: torch.Tensor) -> None:
    advantages = torch.tensor([0.7, -1.3], dtype=torch.float64)
    for sequence in SEQUENCES:
        logprobs = _logprobs(table, sequence)
        clipped = _gradient(clipped_objective(logprobs, logprobs.detach(), advantages, 0.2, 0.2).sum(), table)
        plain = _gradient(score_function(_logprobs(table, sequence), advantages).sum(), table)
        torch.testing.assert_close(clipped, plain, atol=1e-12, rtol=0)


def test_past_the_clip_the_gradient_is_gone_on_the_side_it_must_be() -> None:
    old = torch.zeros(4)
    logprobs = torch.log(torch.tensor([1.5, 1.5, 0.5, 0.5])).requires_grad_()
    advantages = torch.tensor([1.0, -1.0, 1.0, -1.0])
    clipped_objective(logprobs, old, advantages, 0.2, 0.2).sum().backward()
    assert logprobs.grad is not None
    assert (logprobs.grad != 0).tolist() == [False, True, True, False]


def test_averages_by_token_sequence_and_response() -> None:
    mask = torch.tensor([[1.0, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]])
    terms = torch.tensor([[1.0, 1, 1, 1], [6, 0, 0, 0], [9, 9, 9, 9]])
    found = {kind: float((averaging_weights(mask, kind) * terms).sum()) for kind in ("token", "sequence", "response")}
    assert found == pytest.approx({"token": 10 / 5, "sequence": (4 + 6) / 2, "response": (1 + 6) / 2})


def test_every_row_of_the_table_keeps_the_kl_where_its_gradient_is_right() -> None:
    legal = {"reward": ("k1",), "loss": ("k2", "k3")}
    assert all(row.kl_estimator in legal[row.kl_place] for row in ALGORITHMS.values())
