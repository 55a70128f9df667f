"""A small Llama made in code, with a byte-level BPE tokenizer learned from the training file itself.

It knows nothing until it is trained, and learns in seconds on a CPU. A prompt stands between `<bos>` and `<sep>`, and
a completion ends with `<eos>`; padding has a token of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, PreTrainedTokenizerBase, PreTrainedTokenizerFast

VOCABULARY = 2048
"""At most; the 256 bytes are in it, so that every text can be written."""
HIDDEN, LAYERS, HEADS = 64, 2, 4
CONTEXT = 2048
SPECIAL = ("<pad>", "<bos>", "<sep>", "<eos>")
TEMPLATE = (
    "{{ bos_token }}"
    "{% for m in messages %}"
    "{% if m['role'] == 'assistant' %}{{ sep_token }}{{ m['content'] }}{{ eos_token }}"
    "{% else %}{{ m['content'] }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ sep_token }}{% endif %}"
)


def tokenizer_of(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A tokenizer whose merges are the commonest of these texts; the same texts give the same tokenizer."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(  # digits one by one: numbers are read in place values
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        min_frequency=2,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    core.train_from_iterator(texts, trainer)
    return wrapped(core)


def wrapped(core: Tokenizer, *, unk_token: str | None = None, chat_template: str = TEMPLATE) -> PreTrainedTokenizerFast:
    """The tokenizer in the clothes of transformers: special tokens, chat template, padding on the right."""
    pad, bos, sep, eos = SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=pad,
        bos_token=bos,
        sep_token=sep,
        eos_token=eos,
        padding_side="right",
        clean_up_tokenization_spaces=False,
        unk_token=unk_token,
        chat_template=chat_template,
    )


def tiny_config(tokenizer: PreTrainedTokenizerBase, *, num_labels: int) -> LlamaConfig:
    """The shape of the model."""
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=HIDDEN,
        intermediate_size=3 * HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        max_position_embeddings=CONTEXT,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    config.num_labels = num_labels
    config.classifier_dropout = 0.0  # a tenth by default, on a head of 64 numbers
    return config
