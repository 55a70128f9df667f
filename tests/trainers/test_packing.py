"""Shared prompts and packed rows are the padded rows to float32 rounding: log-probs and gradients."""

from typing import Any

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedModel

from rlenv.trainers.networks.engine import prepare_model
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.packing import Packing
from rlenv.trainers.rollouts.micro_batches import micro_batches
from rlenv.trainers.rollouts.rollout import Rollout
from rlenv.trainers.settings.engine import EngineConfig

PROMPTS = [[5, 6, 7, 8, 9], [5, 6, 7, 8, 9], [3, 4], [3, 4], [3, 4], [11]]
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
    front, width = max(map(len, PROMPTS)), max(map(len, SAID))
    ids, attended, mask = [], [], []
    for prompt, said in zip(PROMPTS, SAID, strict=True):
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
    none, zeros = torch.zeros(6, 0), torch.zeros(mask.shape)
    one, yes = zeros[:, 0], zeros[:, 0] == 0
    rollout = Rollout(ids, attended, mask, zeros, one, yes, zeros, zeros, none, none, none, one, ~yes)
    parts = [part.tolist() for part in micro_batches(rollout, 16)]
    assert sorted(i for part in parts for i in part) == list(range(6))
    assert all(len(p) == 1 or len(p) * int(attended[p].sum(1).max()) <= 16 for p in parts)
    order = [i for part in parts for i in part]
    assert {0, 1} == set(order[:2])
    assert order.index(2) < 5
