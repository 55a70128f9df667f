"""Small models with chat templates in the styles of the field, on a byte-level BPE tokenizer trained here."""

from __future__ import annotations

import copy
import math
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from rlenv.policies.transformers import TransformersPolicy

TEMPLATES = Path(__file__).parent / "chat_templates"
_CHATML = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_LLAMA = ("<|end_of_text|>", "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
_GEMMA = ("<pad>", "<bos>", "<start_of_turn>", "<end_of_turn>")
MARKS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
"""Added tokens that are not special, as in Qwen3."""
STYLES: dict[str, tuple[tuple[str, ...], str]] = {
    "qwen2": (_CHATML, "<|im_end|>"),
    "qwen3": (_CHATML, "<|im_end|>"),
    "llama3": (_LLAMA, "<|eot_id|>"),
    "smollm2": (_CHATML, "<|im_end|>"),
    "gemma": (_GEMMA, "<end_of_turn>"),
}
"""Special tokens and end of turn by name; the templates stand in files of these names."""
KEEPING = ("qwen2", "llama3", "smollm2")
"""Those that leave earlier turns as they were, with messages of users and of tools."""
CORPUS = ["Guess a number. It is higher than five, or lower; the number is right. 0123456789 user assistant system"] * 4


@cache
def _tokenizer(style: str) -> PreTrainedTokenizerFast:
    special, end = STYLES[style]
    template = (TEMPLATES / f"{style}.jinja").read_text("utf-8")
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=320, initial_alphabet=alphabet, special_tokens=list(special), show_progress=False
    )
    core.train_from_iterator(CORPUS, trainer)
    if style.startswith("qwen"):
        core.add_tokens([AddedToken(mark, normalized=False) for mark in MARKS])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token=end,
        pad_token=special[0],
        bos_token=special[1],
        padding_side="left",
        clean_up_tokenization_spaces=False,
        chat_template=template,
        extra_special_tokens=list(special[2:]),
    )


def chat_tokenizer(style: str) -> PreTrainedTokenizerFast:
    """A tokenizer of its own, which a test may change."""
    return copy.deepcopy(_tokenizer(style))


def chat_policy(style: str, seed: int = 0, context: int = 512) -> TransformersPolicy:
    """A model of random weights that ends its turns after about three tokens."""
    tokenizer = chat_tokenizer(style)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        tie_word_embeddings=False,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    with_ends(model, len(tokenizer), int(tokenizer.eos_token_id))
    return TransformersPolicy(model.eval(), tokenizer, style)


def with_ends(model: Any, vocabulary: int, end: int, chance: float = 0.3) -> None:
    """Give the head a bias by which about this share of all tokens ends the sequence."""
    model.lm_head.bias = torch.nn.Parameter(torch.zeros(vocabulary))
    with torch.no_grad():
        model.lm_head.bias[end] = math.log(chance * vocabulary / (1 - chance))
