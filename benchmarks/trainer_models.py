"""The models and prompts of the benchmarks of trainers."""

from __future__ import annotations

from pathlib import Path

from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel, Qwen2Config, Qwen2ForCausalLM

import rlenv
from rlenv.policies.tiny import tiny_tokenizer

INSTRUCTION = "Add the digits below, one after the other, and give only the sum, in a box, without any words. "


def checkpoint(hidden: int, layers: int, folder: Path) -> int:
    """Save a fresh character-level model; returns how many parameters it has."""
    tokenizer = tiny_tokenizer()
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=3 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=512,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return _save(LlamaForCausalLM(config), folder)


def large_checkpoint(folder: Path, hidden: int = 896, layers: int = 24, vocabulary: int = 151_936) -> int:
    """Save a random model of the shape of Qwen2-0.5B, with the character tokenizer in front."""
    tokenizer = tiny_tokenizer()
    config = Qwen2Config(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=hidden * 38 // 7,
        num_hidden_layers=layers,
        num_attention_heads=14 if hidden == 896 else 4,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return _save(Qwen2ForCausalLM(config), folder)


def _save(model: PreTrainedModel, folder: Path) -> int:
    model.save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return sum(p.numel() for p in model.parameters())


def prompts(instruction: str, count: int = 512) -> tuple[str, ...]:
    """The demo's sums, in order, behind an instruction."""
    tasks = rlenv.load("math/arithmetic-v0", level=4).tasks
    return tuple(instruction + str(tasks[i].prompt) for i in range(count))
