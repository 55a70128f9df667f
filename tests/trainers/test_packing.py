"""Shared prompts, packed rows and the chunked head are plain torch to rounding, forward and backward.

The pass over the prompts that sampling leaves to the loss: the same gradients, used once, only while it is true.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from tabular import buffer
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedModel

from rlenv import Definition, ListTasks, Task
from rlenv.core.policy import Sampling
from rlenv.core.verifier import FunctionVerifier
from rlenv.policies import linear
from rlenv.policies.generation import Sampled, sample_tokens
from rlenv.policies.linear import FastLinear, product, use_fast_products
from rlenv.policies.model_state import PROMPTS
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import TrainConfig, train
from rlenv.trainers.networks import logprobs as head
from rlenv.trainers.networks import packing
from rlenv.trainers.networks.logprobs import completion_logprobs, head_logprobs
from rlenv.trainers.networks.models import prepare_model
from rlenv.trainers.networks.packing import Packing
from rlenv.trainers.rollouts.rollout import micro_batches
from rlenv.trainers.settings.config import EngineConfig

ASKED = [[5, 6, 7, 8, 9], [5, 6, 7, 8, 9], [3, 4], [3, 4], [3, 4], [11]]
SAID = [[1, 2, 3], [4], [5, 6], [7, 8, 9], [1], [2, 2]]


def _model(family: str) -> PreTrainedModel:
    torch.manual_seed(0)
    model: PreTrainedModel
    if family == "learned positions":
        model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=64, n_embd=32, n_layer=2, n_head=4))
    else:
        shape: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
        model = LlamaForCausalLM(LlamaConfig(**shape, vocab_size=64, intermediate_size=64, num_key_value_heads=2))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    model.eval()  # type: ignore[no-untyped-call]
    return model


def _tensors() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    front, width = max(map(len, ASKED)), max(map(len, SAID))
    ids, attended, mask = [], [], []
    for prompt, said in zip(ASKED, SAID, strict=True):
        before, after = front - len(prompt), width - len(said)
        ids.append([0] * before + prompt + said + [0] * after)
        attended.append([0] * before + [1] * (len(prompt) + len(said)) + [0] * after)
        mask.append([1.0] * len(said) + [0.0] * after)
    return torch.tensor(ids), torch.tensor(attended), torch.tensor(mask)


def _scored(model: PreTrainedModel, packing: Packing) -> tuple[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
    model.zero_grad()
    logprobs, entropy = completion_logprobs(model, *_tensors(), 0.8, entropy_gradient=True, packing=packing)
    (logprobs.sum() + 0.3 * (entropy**2).sum()).backward()
    gradients = {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
    return logprobs.detach(), entropy.detach(), gradients


@pytest.mark.parametrize("family", ["rope", "learned positions"])
@pytest.mark.parametrize("packing", ["prefix", "packed"])
def test_packing_changes_neither_logprobs_nor_gradients(family: str, packing: Packing) -> None:
    model = _model(family)
    expected, found = _scored(model, "none"), _scored(model, packing)
    torch.testing.assert_close(found[0], expected[0], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(found[1], expected[1], atol=1e-5, rtol=1e-5)
    assert found[2].keys() == expected[2].keys()
    for name, gradient in expected[2].items():
        torch.testing.assert_close(found[2][name], gradient, atol=2e-5, rtol=1e-4)


def test_a_shared_prompt_is_forwarded_once() -> None:
    model = _model("rope")
    seen: list[tuple[int, ...]] = []
    hook = model.base_model.register_forward_pre_hook(
        lambda _, __, given: seen.append(tuple(given["input_ids"].shape)), with_kwargs=True
    )
    completion_logprobs(model, *_tensors(), packing="prefix")
    hook.remove()
    assert seen == [(3, 5), (6, 2)]  # three prompts, then six completions without their last token


def test_checkpointing_changes_no_gradient_and_leaves_the_model_in_evaluation_mode() -> None:
    model = _model("rope")
    expected = _scored(model, "none")
    prepare_model(model, EngineConfig(gradient_checkpointing=True, fast_products=False))
    found = _scored(model, "prefix")
    assert any(getattr(module, "gradient_checkpointing", False) for module in model.modules())
    torch.testing.assert_close(found[2], expected[2], atol=2e-5, rtol=1e-4)
    assert not any(module.training for module in model.modules())


def test_groups_stay_together_and_no_micro_batch_is_too_large() -> None:
    ids, attended, mask = _tensors()
    rollout = buffer(mask, ids=ids, attention_mask=attended)
    parts = [part.tolist() for part in micro_batches(rollout, 16)]
    assert sorted(i for part in parts for i in part) == list(range(6))
    assert all(len(p) == 1 or len(p) * int(attended[p].sum(1).max()) <= 16 for p in parts)
    order = [i for part in parts for i in part]
    assert {0, 1} == set(order[:2])
    assert order.index(2) < 5


PROMPTS_SAID = [[5, 6, 7], [8, 9, 10, 11, 12], [13, 14]]
MEMBERS, NEW = 3, 6


def sampled(model: PreTrainedModel, *, graph: bool = True) -> list[Sampled]:
    draw = torch.Generator().manual_seed(3)
    return sample_tokens(model, PROMPTS_SAID, MEMBERS, Sampling(max_new_tokens=NEW), [1], draw, NEW, graph=graph)


def batch(samples: list[Sampled], groups: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    width = max(len(PROMPTS_SAID[g]) for g in groups)
    rows = [
        [1] * (width - len(PROMPTS_SAID[g])) + PROMPTS_SAID[g] + samples[g * MEMBERS + i].token_ids
        for g in groups
        for i in range(MEMBERS)
    ]
    real = [
        [0] * (width - len(PROMPTS_SAID[g])) + [1] * (len(PROMPTS_SAID[g]) + NEW)
        for g in groups
        for _ in range(MEMBERS)
    ]
    return torch.tensor(rows), torch.tensor(real), torch.ones(len(rows), NEW)


def gradients(model: PreTrainedModel, rows: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> list[torch.Tensor]:
    model.zero_grad()
    logprobs, _ = completion_logprobs(model, *rows)
    (logprobs * torch.linspace(-1, 1, logprobs.numel()).view_as(logprobs)).sum().backward()
    return [p.grad.clone() for p in model.parameters() if p.grad is not None]


@pytest.fixture
def forwards(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of the rows that scoring passes through the model."""
    seen: list[tuple[int, ...]] = []
    inner: Callable[..., torch.Tensor] = packing._forward

    def forward(model: PreTrainedModel, ids: torch.Tensor, *rest: Any) -> torch.Tensor:
        seen.append(tuple(ids.shape))
        return inner(model, ids, *rest)

    monkeypatch.setattr(packing, "_forward", forward)
    return seen


@pytest.mark.parametrize("groups", [[0, 1, 2], [2, 0], [2], [1, 2]])
def test_its_gradients_are_those_of_a_pass_of_its_own(groups: list[int], forwards: list[tuple[int, ...]]) -> None:
    model = tiny_policy().model.eval()
    rows = batch(sampled(model), groups)
    taken = gradients(model, rows)
    assert len(forwards) == 1  # the completions alone
    own = gradients(model, rows)  # the pass has served: the prompts are read again
    assert len(forwards) == 3
    for one, other in zip(taken, own, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def test_what_is_drawn_is_the_same() -> None:
    model = tiny_policy().model.eval()
    assert [s.token_ids for s in sampled(model)] == [s.token_ids for s in sampled(model, graph=False)]


def test_other_weights_and_other_prompts_are_read_anew(forwards: list[tuple[int, ...]]) -> None:
    model = tiny_policy().model.eval()
    rows = batch(sampled(model), [0, 1])
    with torch.no_grad():
        next(model.parameters()).mul_(1.01)
    gradients(model, rows)
    assert len(forwards) == 2
    sampled(model)
    ids, real, mask = rows
    changed = ids.clone()
    changed[:, 4] = 20
    gradients(model, (changed, real, mask))
    assert len(forwards) == 4


def test_a_pass_without_gradients_leaves_it(forwards: list[tuple[int, ...]]) -> None:
    model = tiny_policy().model.eval()
    rows = batch(sampled(model), [0, 1, 2])
    with torch.no_grad():
        completion_logprobs(model, *rows)
    assert PROMPTS in vars(model)
    gradients(model, rows)
    assert PROMPTS not in vars(model)
    assert len(forwards) == 3


@pytest.mark.parametrize(("epochs", "again"), [(1, False), (2, True)])
def test_a_run_of_one_step_a_rollout_reads_its_prompts_once(
    tmp_path: Path, forwards: list[tuple[int, ...]], epochs: int, again: bool
) -> None:
    policy: TransformersPolicy = tiny_policy()
    verifier = FunctionVerifier(lambda completion: float(len(set(completion))), cheap=True)
    env = Definition(tasks=ListTasks([Task("1+1="), Task("12+1=")]), verifier=verifier)
    config = TrainConfig(
        algorithm="grpo", steps=2, groups=2, group_size=4, max_new_tokens=8, measure_all=False, epochs=epochs
    )
    train(config, env, policy, tmp_path, quiet=True)
    assert forwards
    assert any(rows <= 2 for rows, _ in forwards) is again  # a pass over prompts has a row for each of the two
    assert PROMPTS not in vars(policy.model)
    assert not policy.keeps_graph


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
