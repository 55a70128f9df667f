"""A causal language model of the transformers library as a policy, by hub id or from a local folder.

policy = TransformersPolicy.load("Qwen/Qwen2.5-0.5B-Instruct")
completions = policy.generate(["What is 2 + 2?"], n=4)
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils import logging

from rlenv.completion import Completion
from rlenv.errors import PolicyError
from rlenv.policies.generation import Sampled, sample_tokens
from rlenv.policies.policy import DEFAULT_SAMPLING, Sampling
from rlenv.reading import MARKS, ReadAs, opens_trace
from rlenv.task import Prompt, prompt_messages, prompt_text

MAX_BATCH_TOKENS = {"cpu": 32_768, "cuda": 524_288}
"""How many tokens, prompts and completions together, are held in the cache at once."""

OPENING_TOKENS = 16
"""An opening tag takes fewer tokens, white space behind it included."""


class TransformersPolicy:
    """A model with its tokenizer. Prompts go through the tokenizer's chat template where it has one."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        name: str = "model",
        max_batch_tokens: int | None = None,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.name = name
        self.max_batch_tokens = max_batch_tokens or MAX_BATCH_TOKENS.get(model.device.type, 32_768)
        self.eos_ids = _eos_ids(model, tokenizer)
        self._special = frozenset(tokenizer.all_special_ids)
        self._marks = _mark_ids(tokenizer)
        self.min_new_tokens = 0
        """Tokens before the end of sequence may be sampled; above 0 the log-probs are those of that distribution."""

    @classmethod
    def load(cls, name: str, *, device: str = "auto", dtype: str = "auto") -> TransformersPolicy:
        """A model by hub id or folder, on CUDA in bfloat16 where there is a GPU, else on CPU in float32.

        Raises PolicyError when it cannot be found or read.
        """
        target = torch.device(("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device)
        precision = ("bfloat16" if target.type == "cuda" else "float32") if dtype == "auto" else dtype
        try:
            with _no_progress_bars():
                tokenizer = AutoTokenizer.from_pretrained(name)
                model = AutoModelForCausalLM.from_pretrained(name, dtype=getattr(torch, precision))
        except (OSError, ValueError) as error:
            first = str(error).strip().splitlines()[0]
            raise PolicyError(f"cannot load the model {name!r}: {first}; give a folder or a hub id") from error
        model.to(target)  # type: ignore[arg-type]  # torch's own annotation of a wrapped method
        return cls(model, tokenizer, name)

    def encode(self, prompt: Prompt) -> list[int]:
        """The prompt's token ids, generation prompt included. (P,)"""
        if self.tokenizer.chat_template is not None:
            text = cast(
                "str",
                self.tokenizer.apply_chat_template(prompt_messages(prompt), add_generation_prompt=True, tokenize=False),
            )
            return self._ids(text, special=False)
        return self._ids(prompt_text(prompt), special=True)

    def encode_completion(self, text: str) -> list[int]:
        """The token ids of a completion written by somebody else, closed by the end of sequence. (T,)"""
        return [*self._ids(text, special=False), self.eos_ids[0]]

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        """`n` completions of each prompt with token ids and sampling log-probs, prompt by prompt."""
        generator = torch.Generator(self.model.device).manual_seed(sampling.seed)
        encoded = [self.encode(prompt) for prompt in prompts]
        width = max(map(len, encoded), default=0) + sampling.max_new_tokens
        size = max(1, self.max_batch_tokens // (width * n))
        training = self.model.training
        self.model.eval()
        try:
            samples = [
                sample
                for start in range(0, len(encoded), size)
                for sample in sample_tokens(
                    self.model, encoded[start : start + size], n, sampling, self.eos_ids, generator, self.min_new_tokens
                )
            ]
        finally:
            self.model.train(training)
        ways = [self.read_as(ids) for ids in encoded]
        return [self._completion(sample, ways[row // n]) for row, sample in enumerate(samples)]

    def token_offsets(self, completion: Completion) -> list[tuple[int, int]]:
        """The character span `[start, end)` in the text of each token that has text. (<= T, 2)"""
        ends = [0]
        for count in range(1, len(completion.token_ids) + 1):
            text = self._text(completion.token_ids[:count])
            ends.append(min(len(text), len(completion.text)))
        return list(pairwise(ends))

    def save(self, folder: Path) -> None:
        """Write a folder that `load` and transformers read; an adapter is merged into the weights that it adapts."""
        with _no_progress_bars():
            self.merged().save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)

    def merged(self) -> PreTrainedModel:
        """The model, or where it has an adapter a copy with the adapter merged into its weights."""
        if not hasattr(self.model, "merge_and_unload"):
            return self.model
        adapted: Any = copy.deepcopy(self.model)
        return cast("PreTrainedModel", adapted.merge_and_unload())

    def text_of(self, token_ids: Sequence[int], *, finished: bool) -> str:
        """The text of a completion, without the end-of-sequence token that finished it."""
        return self._text(token_ids[:-1] if finished else token_ids)

    def read_as(self, prompt_ids: Sequence[int]) -> ReadAs:
        """How completions of this prompt are read: in a trace from their beginning, where the prompt opened one."""
        end = cast("str", self.tokenizer.decode(list(prompt_ids[-OPENING_TOKENS:])))
        return "opened" if opens_trace(end) else "auto"

    def _text(self, token_ids: Sequence[int]) -> str:
        """Without special tokens, but with those that tell thoughts, channels and calls apart."""
        if not self._marks:
            return cast("str", self.tokenizer.decode(list(token_ids), skip_special_tokens=True))
        kept = [i for i in token_ids if i not in self._special or i in self._marks]
        return cast("str", self.tokenizer.decode(kept, skip_special_tokens=False))

    def _ids(self, text: str, *, special: bool) -> list[int]:
        valid = text.encode("utf-8", "replace").decode()  # tokenizers refuse lone surrogates
        encoding: Any = self.tokenizer(valid, add_special_tokens=special)
        return [int(i) for i in encoding["input_ids"]]

    def _completion(self, sample: Sampled, read_as: ReadAs) -> Completion:
        text = self.text_of(sample.token_ids, finished=sample.finished)
        return Completion(text, tuple(sample.token_ids), tuple(sample.logprobs), (), sample.finished, read_as)


@contextmanager
def _no_progress_bars() -> Iterator[None]:
    """Loading and saving a model is one line of ours, not a bar for each of its files."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _mark_ids(tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The special tokens that are marks of a format of completions."""
    pairs = zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True)
    return frozenset(int(i) for token, i in pairs if token in MARKS)


def _eos_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    configured = getattr(model.generation_config, "eos_token_id", None)
    ids = configured if isinstance(configured, list) else [configured]
    ids = [tokenizer.eos_token_id, *ids]
    found = list(dict.fromkeys(int(i) for i in ids if i is not None))
    if not found:
        raise PolicyError("expected a model or tokenizer with an end-of-sequence token; set tokenizer.eos_token")
    return found
