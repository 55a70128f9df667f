"""Log-probs are those of the model, whatever the padding, the chunk or the family's way with its logits."""

from typing import Any

import pytest
import torch
from transformers import (
    CohereConfig,
    CohereForCausalLM,
    Gemma2Config,
    Gemma2ForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    GraniteConfig,
    GraniteForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
)

from rlenv.policies import Sampling
from rlenv.policies.generation import left_padded, sample_tokens
from rlenv.trainers.networks import logprobs as module
from rlenv.trainers.networks.logprobs import completion_logprobs

SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 64,
    "pad_token_id": 0,
}
LLAMA_LIKE: dict[str, Any] = {**SMALL, "intermediate_size": 64, "num_key_value_heads": 2, "max_position_embeddings": 64}


def _models() -> dict[str, PreTrainedModel]:
    torch.manual_seed(0)
    models: dict[str, PreTrainedModel] = {
        "llama": LlamaForCausalLM(LlamaConfig(**LLAMA_LIKE)),
        "gpt2": GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=64, n_embd=32, n_layer=2, n_head=4)),
        "granite": GraniteForCausalLM(GraniteConfig(**LLAMA_LIKE, logits_scaling=3.0)),
        "cohere": CohereForCausalLM(CohereConfig(**LLAMA_LIKE, logit_scale=0.3)),
        "gemma2": Gemma2ForCausalLM(Gemma2Config(**LLAMA_LIKE, head_dim=8, final_logit_softcapping=5.0)),
    }
    for model in models.values():
        model.eval()
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
    return models


MODELS = _models()
PROMPTS = [[5, 6, 7, 8, 9], [3], [11, 12, 13]]
EOS = 1


def _naive(model: PreTrainedModel, row: list[int], length: int, temperature: float) -> torch.Tensor:
    """One row at a time, without padding."""
    with torch.no_grad():
        logits = model(torch.tensor([row])).logits[0].float() / temperature
    logprobs = logits.log_softmax(-1)
    return torch.stack([logprobs[i - 1, row[i]] for i in range(len(row) - length, len(row))])


@pytest.mark.parametrize("family", MODELS)
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_recomputed_logprobs_equal_a_naive_loop_and_those_of_sampling(family: str, temperature: float) -> None:
    model = MODELS[family]
    generator = torch.Generator().manual_seed(1)
    sampling = Sampling(max_new_tokens=9, temperature=temperature)
    samples = sample_tokens(model, PROMPTS, 2, sampling, [EOS], generator)
    assert len(samples) == 6
    for i, sample in enumerate(samples):
        row = [*PROMPTS[i // 2], *sample.token_ids]
        expected = _naive(model, row, len(sample.token_ids), temperature)
        torch.testing.assert_close(torch.tensor(sample.logprobs), expected, atol=2e-4, rtol=1e-4)
        ids, attention_mask = left_padded([row, [2] * 20], 0, torch.device("cpu"))
        mask = torch.ones(2, len(sample.token_ids))
        found, entropy = completion_logprobs(model, ids, attention_mask, mask, temperature)
        torch.testing.assert_close(found[0], expected, atol=2e-4, rtol=1e-4)
        assert (entropy > 0).all()


def test_greedy_equals_transformers_own_generation() -> None:
    model = MODELS["llama"]
    for prompt in PROMPTS:
        with torch.no_grad():
            expected = model.generate(  # type: ignore[operator]
                torch.tensor([prompt]),
                attention_mask=torch.ones(1, len(prompt)),
                max_new_tokens=8,
                do_sample=False,
                eos_token_id=EOS,
                pad_token_id=0,
            )[0, len(prompt) :].tolist()
        sampling = Sampling(max_new_tokens=8, temperature=0)
        (sample,) = sample_tokens(model, [prompt], 1, sampling, [EOS], torch.Generator())
        assert sample.token_ids == expected
        assert sample.finished == (EOS in expected)


def test_samples_follow_the_distribution() -> None:
    model = MODELS["llama"]
    with torch.no_grad():
        probabilities = model(torch.tensor([PROMPTS[0]])).logits[0, -1].softmax(-1)
    samples = sample_tokens(
        model, PROMPTS[:1], 4000, Sampling(max_new_tokens=1), [EOS], torch.Generator().manual_seed(0)
    )
    counts = torch.zeros(64).index_add(0, torch.tensor([s.token_ids[0] for s in samples]), torch.ones(4000))
    assert float((counts / 4000 - probabilities).abs().max()) < 0.03


def test_top_p_keeps_the_nucleus_only() -> None:
    model = MODELS["llama"]
    with torch.no_grad():
        probabilities = model(torch.tensor([PROMPTS[0]])).logits[0, -1].softmax(-1)
    ordered, order = probabilities.sort(descending=True)
    size = int((ordered.cumsum(0) < 0.3).sum()) + 1
    sampling = Sampling(max_new_tokens=1, top_p=0.3)
    samples = sample_tokens(model, PROMPTS[:1], 300, sampling, [EOS], torch.Generator().manual_seed(0))
    assert {s.token_ids[0] for s in samples} <= set(order[:size].tolist())


def test_chunks_change_neither_values_nor_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MODELS["llama"]
    ids, attention_mask = left_padded([[5, 6, 7, 8], [9, 8, 7, 6]], 0, torch.device("cpu"))
    mask = torch.tensor([[1.0, 1, 0], [1, 1, 1]])

    def gradients() -> tuple[torch.Tensor, list[torch.Tensor]]:
        model.zero_grad()
        logprobs, _ = completion_logprobs(model, ids, attention_mask, mask)
        logprobs.sum().backward()
        return logprobs.detach(), [p.grad.clone() for p in model.parameters() if p.grad is not None]

    whole, whole_gradients = gradients()
    monkeypatch.setattr(module, "CHUNK_ELEMENTS", 64 * 2)
    parts, part_gradients = gradients()
    torch.testing.assert_close(parts, whole)
    torch.testing.assert_close(part_gradients, whole_gradients)
    assert whole[0, 2] == 0
