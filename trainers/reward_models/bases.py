"""The model that a training starts from: a folder or hub id of the transformers library, or `tiny`, made in code.

Its head is new, with weights drawn from the seed: one number at the last token, or two classes at every token. `tiny`
is a small Llama with a byte-level BPE tokenizer learned from the training file itself: it knows nothing until it is
trained, and learns in seconds on a CPU. A prompt stands between `<bos>` and `<sep>`; a completion ends with `<eos>`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, cast

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
    LlamaConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging

from rlenv.core.errors import ConfigError, MissingExtra, PolicyError
from rlenv.door.models import loading
from rlenv.trainers.reward_models.config import FitConfig

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
    pad, bos, sep, eos = SPECIAL
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=pad,
        bos_token=bos,
        sep_token=sep,
        eos_token=eos,
        padding_side="right",
        clean_up_tokenization_spaces=False,
        chat_template=TEMPLATE,
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


Head: TypeAlias = Literal["sequence", "token"]
AUTO: dict[Head, Any] = {"sequence": AutoModelForSequenceClassification, "token": AutoModelForTokenClassification}
LABELS: dict[Head, int] = {"sequence": 1, "token": 2}
TINY = "tiny"
PAD = "<|pad|>"


def load_tokenizer(name: str, texts: Iterable[str]) -> PreTrainedTokenizerBase:
    """The tokenizer of this base, padding on the right with a token of its own; `tiny` learns one from the texts.

    Padding that is the end of text as well would hide where a text ends. Raises PolicyError where there is none.
    """
    if name == TINY:
        return tokenizer_of(texts)
    with _told_in_one_line(name):
        tokenizer = cast("PreTrainedTokenizerBase", AutoTokenizer.from_pretrained(name, trust_remote_code=False))
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        tokenizer.add_special_tokens({"pad_token": PAD})
    tokenizer.padding_side = "right"
    return tokenizer


def load_model(name: str, head: Head, tokenizer: PreTrainedTokenizerBase, config: FitConfig) -> PreTrainedModel:
    """The model of this base in float32, with a new head and, where asked for, adapters.

    Raises PolicyError where there is no such model, ConfigError where the settings do not fit it.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        if name == TINY:
            model = AUTO[head].from_config(tiny_config(tokenizer, num_labels=LABELS[head]))
        else:
            with _told_in_one_line(name):
                model = AUTO[head].from_pretrained(
                    name, num_labels=LABELS[head], dtype=torch.float32, trust_remote_code=False
                )
        embedding = cast("torch.nn.Embedding", model.get_input_embeddings())
        if len(tokenizer) > embedding.num_embeddings:
            model.resize_token_embeddings(len(tokenizer), mean_resizing=False)
        if not hasattr(model, "score"):
            raise ConfigError(f"expected a decoder, whose head reads the last token, got {type(model).__name__}")
        model.config.get_text_config().pad_token_id = tokenizer.pad_token_id
        return _with_adapters(model, head, config.lora_rank)


@contextmanager
def _told_in_one_line(name: str) -> Iterator[None]:
    """One line about a model that cannot be loaded, and none about its head, which is new."""
    level = logging.get_verbosity()
    logging.set_verbosity_error()

    def failure(said: str) -> PolicyError:
        return PolicyError(f"no model {name!r} to start from: {said}; give tiny, a folder or a hub id")

    try:
        with loading(name, failure):
            yield
    finally:
        logging.set_verbosity(level)


def _with_adapters(model: PreTrainedModel, head: Head, rank: int) -> PreTrainedModel:
    if not rank:
        return model
    try:
        from peft import LoraConfig, get_peft_model
    except ModuleNotFoundError as error:
        raise MissingExtra("peft", "lora") from error
    kind = {"sequence": "SEQ_CLS", "token": "TOKEN_CLS"}[head]
    adapters = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type=kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers by an older name
        return cast("PreTrainedModel", get_peft_model(model, adapters))
