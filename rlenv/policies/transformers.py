"""A causal language model of the transformers library as a policy, by hub id or from a local folder.

policy = TransformersPolicy.load("Qwen/Qwen2.5-0.5B-Instruct")
completions = policy.generate(["What is 2 + 2?"], n=4)
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, cast

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from rlenv.core.completion import Completion
from rlenv.core.errors import PolicyError
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.core.reading import MARKS, ReadAs, opens_trace
from rlenv.core.task import Prompt
from rlenv.door.hub import no_progress_bars
from rlenv.door.models import loading
from rlenv.policies.generation import Sampled, sample_tokens
from rlenv.policies.model_state import RowCache, version_of
from rlenv.turns.bridge import Renderer, Tools
from rlenv.turns.live import Live
from rlenv.turns.transcript import Ready, ready

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
        self.renderer = Renderer(tokenizer, self.eos_ids, name)
        """Makes prompts, and what stands between two turns, into tokens."""
        self._special = frozenset(tokenizer.all_special_ids)
        self._marks = _mark_ids(tokenizer)
        self.keeps_graph = False
        """Whether sampling leaves its pass over the prompts to a loss (PromptPass), while a trainer asks for it."""
        self.min_new_tokens = 0
        """Tokens before the end of sequence may be sampled; above 0 the log-probs are those of that distribution."""

    @classmethod
    def load(cls, name: str, *, device: str = "auto", dtype: str = "auto") -> TransformersPolicy:
        """A model by hub id or folder, on CUDA in bfloat16 where there is a GPU, else on CPU in float32.

        Raises PolicyError when it cannot be found or read.
        """
        target = torch.device(("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device)
        precision = ("bfloat16" if target.type == "cuda" else "float32") if dtype == "auto" else dtype

        def failure(said: str) -> PolicyError:
            return PolicyError(f"cannot load the model {name!r}: {said}; give a folder or a hub id")

        with loading(name, failure):
            tokenizer = AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            model = AutoModelForCausalLM.from_pretrained(name, dtype=getattr(torch, precision), trust_remote_code=False)
            model.to(target)  # type: ignore[arg-type]  # torch's own annotation of a wrapped method
            return cls(model, tokenizer, name)

    @property
    def context(self) -> int | None:
        """How many tokens the model was made for, if it says so."""
        positions = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        return int(positions) if positions else None

    def encode(self, prompt: Prompt, tools: Tools = ()) -> list[int]:
        """The token ids of the prompt with its tools, generation prompt included. (P,)"""
        return self.renderer.prompt(prompt, tools)

    def encode_completion(self, text: str) -> list[int]:
        """The token ids of a completion written by somebody else, closed by the end of sequence. (T,)"""
        return [*self.renderer.ids(text), self.eos_ids[0]]

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        """`n` completions of each prompt with token ids and sampling log-probs, prompt by prompt."""
        encoded = self.renderer.prompts(prompts)
        samples = self._sampled(encoded, n, sampling)
        ways = [self.read_as(ids) for ids in encoded]
        return [self._completion(sample, ways[row // n], sampling) for row, sample in enumerate(samples)]

    def continued(self, lives: Sequence[Live], sampling: Sampling) -> list[Completion | None]:
        """The next turn of each episode with its tokens; None where there is no room for one.

        Keys and values are kept from turn to turn (rlenv.policies.model_state says when), but where a chat template
        rewrites history.
        """
        speaking = ready(lives, self.renderer, sampling, self.context)
        rows = [row for row in speaking if row is not None]
        samples = iter(self._turns(rows, sampling) if rows else [])
        return [
            None if row is None else self._completion(next(samples), self.read_as(row.ids), sampling)
            for row in speaking
        ]

    def _turns(self, rows: Sequence[Ready], sampling: Sampling) -> list[Sampled]:
        """One sample of each transcript; copies of one prompt share the pass over it."""
        n, version = _copies(rows), version_of(self.model)
        past = [_kept(row.live.memory, self.model, version) for row in rows]
        limits = [row.room for row in rows]
        keep = sum(len(row.ids) + row.room for row in rows) <= self.max_batch_tokens
        samples = self._sampled([row.ids for row in rows[::n]], n, sampling, limits, past[::n], keep=keep)
        for row, sample in zip(rows, samples, strict=True):
            row.live.memory = None if sample.kept is None else _Memory(self.model, version, sample.kept)
        return samples

    def _sampled(
        self,
        encoded: Sequence[Sequence[int]],
        n: int,
        sampling: Sampling,
        limits: Sequence[int] = (),
        past: Sequence[RowCache | None] = (),
        *,
        keep: bool = False,
    ) -> list[Sampled]:
        """`n` samples of each prompt, as many prompts at once as may be."""
        generator = torch.Generator(self.model.device).manual_seed(sampling.seed)
        width = max(map(len, encoded), default=0) + max(limits, default=sampling.max_new_tokens)
        size = max(1, self.max_batch_tokens // (width * n))
        graph = self.keeps_graph and size >= len(encoded)
        training = self.model.training
        self.model.eval()
        samples: list[Sampled] = []
        try:
            for start in range(0, len(encoded), size):
                part = slice(start, start + size)
                known = [one for one in past[part] if one is not None]
                samples += sample_tokens(
                    self.model,
                    encoded[part],
                    n,
                    sampling,
                    self.eos_ids,
                    generator,
                    self.min_new_tokens,
                    limits=limits[start * n : (start + size) * n],
                    past=known if len(known) == len(encoded[part]) else (),
                    keep=keep,
                    graph=graph,
                )
            return samples
        finally:
            self.model.train(training)

    def token_offsets(self, completion: Completion) -> list[tuple[int, int]]:
        """The character span `[start, end)` in the text of each token that has text. (<= T, 2)

        In an episode of several turns each token has a span: that of what was heard is empty and stands at its start.
        """
        if not completion.turns:
            return self._offsets(completion.text, completion.token_ids)
        spans: list[tuple[int, int]] = []
        for turn in completion.turns:
            tokens = completion.token_ids[turn.first_token : turn.end_token]
            own = self._offsets(completion.text[turn.start : turn.end], tokens) if turn.by_policy else []
            rest = turn.end if turn.by_policy else turn.start
            spans += [(turn.start + first, turn.start + last) for first, last in own]
            spans += [(rest, rest)] * (len(tokens) - len(own))
        return spans

    def _offsets(self, text: str, token_ids: Sequence[int]) -> list[tuple[int, int]]:
        ends = [min(len(self._text(token_ids[:count])), len(text)) for count in range(1, len(token_ids) + 1)]
        return list(pairwise([0, *ends]))

    def save(self, folder: Path) -> None:
        """Write a folder that `load` and transformers read; an adapter is merged into the weights that it adapts."""
        with no_progress_bars():
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

    def _completion(self, sample: Sampled, read_as: ReadAs, sampling: Sampling) -> Completion:
        text = self.text_of(sample.token_ids, finished=sample.finished)
        said = Completion(text, tuple(sample.token_ids), tuple(sample.logprobs), (), sample.finished, read_as)
        return stopped(said, sampling.stop, self._text)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What an episode's last turn left."""

    model: object
    version: int
    """Of the weights."""
    kept: RowCache


def _kept(memory: object, model: object, version: int) -> RowCache | None:
    """The cache of an episode, if it is of this model as it is now."""
    if isinstance(memory, _Memory) and memory.model is model and memory.version == version:
        return memory.kept
    return None


def _copies(rows: Sequence[Ready]) -> int:
    """How many times each transcript comes, one behind the other, where all come equally often and nothing is kept."""
    if any(row.live.memory is not None for row in rows):
        return 1
    runs = [len(list(run)) for _, run in groupby(row.ids for row in rows)]
    return runs[0] if len(set(runs)) == 1 else 1


def _mark_ids(tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The special tokens that are marks of a format of completions."""
    pairs = zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True)
    return frozenset(int(i) for token, i in pairs if token in MARKS)


def _eos_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    configured = getattr(model.generation_config, "eos_token_id", None)
    ids = configured if isinstance(configured, list) else [configured]
    ids = [tokenizer.eos_token_id, *ids]
    unique = list(dict.fromkeys(int(i) for i in ids if i is not None))
    if not unique:
        raise PolicyError("expected a model or tokenizer with an end-of-sequence token; set tokenizer.eos_token")
    return unique


def stopped(completion: Completion, stop: Sequence[str], text_of: Callable[[Sequence[int]], str]) -> Completion:
    """The completion as it ends before the first stop text; its tokens are those up to that which completes it."""
    places = [place for text in stop if (place := completion.text.find(text)) >= 0]
    if not places:
        return completion
    tokens = completion.token_ids
    counts = range(len(tokens) + 1)
    count = bisect_left(counts, True, key=lambda count: any(text in text_of(tokens[:count]) for text in stop))
    return replace(
        completion,
        text=completion.text[: min(places)],
        token_ids=tokens[:count],
        logprobs=completion.logprobs[:count],
        finished=True,
    )
