"""A character-level Llama of a fraction of a million parameters, made in code: it learns in seconds on a CPU.

Every printable ASCII character is a token, and so is `\\boxed{`. It knows nothing until it is trained.
"""

from __future__ import annotations

import string
from typing import Literal, TypeAlias

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from rlenv.policies.transformers import TransformersPolicy

Size: TypeAlias = Literal["0.1m", "0.4m", "0.8m"]
SIZES: dict[str, tuple[int, int]] = {"0.1m": (64, 2), "0.4m": (128, 2), "0.8m": (128, 4)}
"""Hidden width and layers."""
BOXED = "\\boxed{"
CONTEXT = 512
TEMPLATE = (
    "{{ bos_token }}{% for t in tools or [] %}{{ t['function']['name'] }}("
    "{{ t['function']['parameters']['properties'] | join(',') }}) {% endfor %}"
    "{% for m in messages %}{% if m['role'] == 'assistant' %}{{ sep_token + m['content'] + eos_token }}"
    "{% else %}{{ m['content'] }}{% endif %}{% endfor %}{% if messages[-1]['role'] != 'assistant' %}{{ sep_token }}"
    "{% endif %}"
)
"""`<bos>prompt<sep>words<eos>observation<sep>`; tools come first, in a few characters: `calculate(expression) `."""


def tiny_policy(
    seed: int = 0, size: Size = "0.1m", initializer_range: float = 0.02, rope_theta: float = 10_000.0
) -> TransformersPolicy:
    """A fresh model with random weights drawn from `seed`; nothing else sees the random state.

    `initializer_range` is the standard deviation of the weights, by default that of large models, at which a model of
    this width attends almost evenly at first. With 0.05, and a `rope_theta` of 100, which tells near positions better
    apart, it copies digits that it reads after a hundred supervised steps.
    """
    tokenizer = tiny_tokenizer()
    hidden, layers = SIZES[size]
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=3 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        initializer_range=initializer_range,
        rope_parameters={"rope_type": "default", "rope_theta": rope_theta},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    return TransformersPolicy(model, tokenizer, f"tiny-{size}")


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """One token a character, `\\boxed{` one token; a prompt stands between bos and sep, what is heard before sep."""
    special = ["<pad>", "<bos>", "<sep>", "<eos>", "<unk>"]
    characters = [c for c in string.printable if c not in "\r\x0b\x0c"]
    vocabulary = {token: i for i, token in enumerate([*special, *characters])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    core.decoder = decoders.Fuse()
    core.add_tokens([AddedToken(BOXED, normalized=False)])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token="<pad>",
        bos_token="<bos>",
        sep_token="<sep>",
        eos_token="<eos>",
        unk_token="<unk>",
        padding_side="left",
        clean_up_tokenization_spaces=False,
        chat_template=TEMPLATE,
    )
