"""The short way through a decoder gives what the model itself gives, and is left where it would not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM, PreTrainedModel, Qwen2Config, Qwen2ForCausalLM

from rlenv.core.policy import Sampling
from rlenv.policies import generation
from rlenv.policies.decoding import can_decode
from rlenv.policies.generation import Sampled, sample_tokens
from rlenv.policies.model_state import AUTOCAST

SHAPE: dict[str, Any] = {
    "vocab_size": 24,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
}
PROMPTS = ([3, 4, 5, 6], [7, 8], [9, 10, 11], [3, 4, 5, 7])


def llama(heads: int = 4, **more: Any) -> PreTrainedModel:
    torch.manual_seed(0)
    model: PreTrainedModel = LlamaForCausalLM(LlamaConfig(**SHAPE, num_key_value_heads=heads, **more)).eval()
    return model


def qwen() -> PreTrainedModel:
    torch.manual_seed(0)
    model: PreTrainedModel = Qwen2ForCausalLM(Qwen2Config(**SHAPE, num_key_value_heads=2)).eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter)
    return model


def sampled(model: PreTrainedModel, prompts: Any = PROMPTS, eos: tuple[int, ...] = (1, 2, 5)) -> list[Sampled]:
    return sample_tokens(model, prompts, 3, Sampling(max_new_tokens=12), eos, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("model", [llama(2), llama(1, attention_bias=True), qwen()])
@pytest.mark.parametrize("prompts", [PROMPTS, PROMPTS[::3]], ids=["padded", "equal"])
def test_the_short_way_gives_what_the_model_gives(
    model: PreTrainedModel, prompts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert can_decode(model, DynamicCache(config=model.config))
    short = sampled(model, prompts)
    monkeypatch.setattr(generation, "can_decode", lambda *_: False)
    whole = sampled(model, prompts)

    assert [s.token_ids for s in short] == [s.token_ids for s in whole]
    assert len({len(s.token_ids) for s in short}) > 1, "rows must be dropped while others go on"
    for one, other in zip(short, whole, strict=True):
        assert one.logprobs == pytest.approx(other.logprobs, abs=2e-6)


def test_a_model_that_was_changed_is_called_as_it_is() -> None:
    def decodable(model: PreTrainedModel) -> bool:
        return can_decode(model, DynamicCache(config=model.config))

    hooked, cast, half, other = llama(), llama(), llama().double(), llama()
    hooked.model.layers[0].mlp.register_forward_hook(lambda *_: None)
    setattr(cast, AUTOCAST, torch.bfloat16)
    other.model.layers[1].self_attn.forward = lambda *_: None
    moving = llama(rope_parameters={"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0})

    assert not any(decodable(model) for model in (hooked, cast, half, other, moving))
