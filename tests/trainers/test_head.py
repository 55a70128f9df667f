"""The chunked head equals plain torch, forward and backward, in every type that it is given."""

import pytest
import torch
from torch import nn

from rlenv.policies import linear
from rlenv.policies.linear import FastLinear, product, use_fast_products
from rlenv.trainers.networks import head
from rlenv.trainers.networks.head import head_logprobs

N, H, V = 37, 24, 50


def _data(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(N, H, generator=generator).to(dtype).requires_grad_()
    weight = torch.randn(V, H, generator=generator).to(dtype).requires_grad_()
    return hidden, weight, torch.randint(0, V, (N,), generator=generator)


def _loss(logprobs: torch.Tensor, entropy: torch.Tensor, part: str) -> torch.Tensor:
    weights = torch.linspace(-1, 1, N, dtype=logprobs.dtype)
    total = torch.zeros((), dtype=logprobs.dtype)
    if part in ("logprobs", "both"):
        total = total + (weights * logprobs).sum()
    if part in ("entropy", "both"):
        total = total + (weights.flip(0) * entropy**2).sum()
    return total


@pytest.mark.parametrize("block", [H * 7, H * V])
@pytest.mark.parametrize("chunk", [V * 5, V * 1000])
@pytest.mark.parametrize("part", ["logprobs", "entropy", "both"])
def test_values_and_gradients_are_those_of_a_log_softmax(
    monkeypatch: pytest.MonkeyPatch, chunk: int, part: str, block: int
) -> None:
    monkeypatch.setattr(head, "CHUNK_ELEMENTS", chunk)
    monkeypatch.setattr(head, "WEIGHT_ELEMENTS", block)
    found, expected = _data(torch.float64), _data(torch.float64)
    logprobs, entropy = head_logprobs(*found, 0.7)
    distribution = (0.7 * expected[0] @ expected[1].t()).log_softmax(-1)
    plain = distribution.gather(1, expected[2][:, None]).squeeze(1)
    of_plain = -(distribution.exp() * distribution).sum(-1)
    torch.testing.assert_close(logprobs, plain)
    torch.testing.assert_close(entropy, of_plain)
    _loss(logprobs, entropy, part).backward()
    _loss(plain, of_plain, part).backward()
    torch.testing.assert_close(found[0].grad, expected[0].grad)
    torch.testing.assert_close(found[1].grad, expected[1].grad)


def test_bfloat16_states_give_float32_logprobs_and_gradients_of_their_own_type() -> None:
    hidden, weight, targets = _data(torch.bfloat16)
    logprobs, entropy = head_logprobs(hidden, weight, targets)
    logprobs.sum().backward()
    assert logprobs.dtype == entropy.dtype == torch.float32
    assert hidden.grad is not None
    assert weight.grad is not None
    assert hidden.grad.dtype == weight.grad.dtype == torch.bfloat16


def test_an_autocast_around_does_not_reach_the_head() -> None:
    hidden, weight, targets = _data(torch.float32)
    plain = head_logprobs(hidden, weight, targets)[0]
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(head_logprobs(hidden, weight, targets)[0], plain)


def test_fast_products_are_products_to_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "SMALLEST", 1)
    monkeypatch.setattr(linear, "LONGEST_SUM", 8)
    plain, fast = nn.Linear(H, V), nn.Linear(H, V)
    fast.load_state_dict(plain.state_dict())
    fast = FastLinear.like(fast)
    x = torch.randn(3, 9, H, generator=torch.Generator().manual_seed(0))
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    (plain(a) ** 2).sum().backward()
    (fast(b) ** 2).sum().backward()
    torch.testing.assert_close(fast(b), plain(a))
    torch.testing.assert_close([b.grad, fast.weight.grad, fast.bias.grad], [a.grad, plain.weight.grad, plain.bias.grad])


def test_plain_layers_of_a_model_give_way_to_fast_ones_that_hold_their_very_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(linear, "onednn_is_faster", lambda: True)
    model = nn.Sequential(nn.Linear(H, H), nn.Sequential(nn.Linear(H, V, bias=False))).eval()
    before = dict(model.named_parameters())
    use_fast_products(model)
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    assert [type(layer) for layer in layers] == [FastLinear, FastLinear]
    assert not any(layer.training for layer in layers)
    after = dict(model.named_parameters())
    assert list(after) == list(before)
    assert all(after[name] is parameter for name, parameter in before.items())


def test_fast_products_can_be_differentiated_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "SMALLEST", 1)
    x, w = torch.randn(4, H, requires_grad=True), torch.randn(V, H, requires_grad=True)
    (gradient,) = torch.autograd.grad((product(x, w) ** 3).sum(), w, create_graph=True)
    (second,) = torch.autograd.grad(gradient.sum(), x)
    (plain,) = torch.autograd.grad(((x @ w.t()) ** 3).sum(), w, create_graph=True)
    (expected,) = torch.autograd.grad(plain.sum(), x)
    torch.testing.assert_close(second, expected, rtol=1e-4, atol=1e-3)
