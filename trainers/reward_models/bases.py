"""The model that a training starts from: `tiny`, made in code, or a folder or hub id of the transformers library.

Its head is new, with weights drawn from the seed: one number at the last token, or two classes at every token.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias, cast

import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from rlenv.core.errors import ConfigError, MissingExtra, PolicyError
from rlenv.door.models import loading
from rlenv.trainers.reward_models.config import FitConfig
from rlenv.trainers.reward_models.tiny import tiny_config, tokenizer_of

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
    """The model of this base in float32, with a new head and, where asked for, adapters or frozen layers.

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
        return _with_adapters(model, head, config)


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


def _with_adapters(model: PreTrainedModel, head: Head, config: FitConfig) -> PreTrainedModel:
    if config.frozen_layers or config.frozen_embedding:
        _freeze(model, config.frozen_layers)
    if not config.lora_rank:
        return model
    try:
        from peft import LoraConfig, get_peft_model
    except ModuleNotFoundError as error:
        raise MissingExtra("peft", "lora") from error
    kind = {"sequence": "SEQ_CLS", "token": "TOKEN_CLS"}[head]
    adapters = LoraConfig(
        r=config.lora_rank, lora_alpha=2 * config.lora_rank, target_modules="all-linear", task_type=kind
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers by an older name
        return cast("PreTrainedModel", get_peft_model(model, adapters))


def _freeze(model: PreTrainedModel, count: int) -> None:
    """Leave the input embedding and the lowest `count` layers out of the training."""
    layers = next((part for part in model.base_model.modules() if isinstance(part, torch.nn.ModuleList)), None)
    if layers is None or count > len(layers):
        have = 0 if layers is None else len(layers)
        raise ConfigError(f"expected at most {have} frozen_layers for this model, got {count}")
    for part in (model.get_input_embeddings(), *layers[:count]):
        cast("torch.nn.Module", part).requires_grad_(False)
