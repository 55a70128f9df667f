"""The model behind a scorer: where it lies, loaded on first use, left behind when the scorer travels.

Hidden states of any places of any texts are read in batches of so many tokens, whatever the padding side and
whether or not there is a padding token; heads run in float32.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias, TypeVar

import torch
from torch import nn
from torch.nn.functional import linear
from transformers import AutoConfig, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from rlenv.core.completion import Completion
from rlenv.core.errors import ScorerError
from rlenv.core.verdict import OVER_LIMIT, Flag
from rlenv.door.models import loading
from rlenv.policies.load import check_device
from rlenv.scorers.scorer import Job, Stepped

MAX_BATCH_TOKENS = {"cpu": 16_384, "cuda": 131_072}
"""How many tokens, padding included, are read at once."""
BLOCK = 1 << 16
BLOCKS = 64
"""Of a weight file above BLOCK * BLOCKS bytes so many blocks, spread evenly, make the fingerprint."""
HEADS = ("score", "classifier", "lm_head")

LoadModel: TypeAlias = "Callable[..., object]"
"""`from_pretrained` of a class, asked with `output_loading_info=True`."""
JobT = TypeVar("JobT", Job, Stepped)
RowT = TypeVar("RowT")
ScoreT = TypeVar("ScoreT")


class Batch(NamedTuple):
    """Rows of tokens padded to one width."""

    ids: torch.Tensor  # (B, T)
    mask: torch.Tensor  # (B, T)
    starts: list[int]
    """Where each row's first real token stands."""


@dataclass(eq=False)
class LoadedModel:
    """A model in evaluation mode with its tokenizer, and its head in float32."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    max_batch_tokens: int
    head: nn.Module = field(init=False)

    def __post_init__(self) -> None:
        self.model.eval()
        head: Any = next((getattr(self.model, name) for name in HEADS if hasattr(self.model, name)), None)
        if head is None:
            raise ScorerError(f"expected a model with a head ({', '.join(HEADS)}), got {type(self.model).__name__}")
        # the rows of a vocabulary that are asked for become float32 when they are
        self.head = head if hasattr(self.model, "lm_head") else copy.deepcopy(head).float()
        trunk: Any = self.model.base_model
        self._positions = "position_ids" in inspect.signature(trunk.forward).parameters

    @property
    def pad_id(self) -> int:
        """What fills up rows; hidden by the mask, so that any id will do."""
        known = (self.tokenizer.pad_token_id, self.tokenizer.eos_token_id)
        return next((int(i) for i in known if i is not None), 0)

    @torch.no_grad()
    def states(self, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]]) -> list[torch.Tensor]:
        """The last hidden states at the places of each row, in float32: (places, H) a row."""
        states: dict[int, torch.Tensor] = {}
        for chosen in self.batches(rows):
            batch = padded([rows[i] for i in chosen], self.pad_id, self.tokenizer.padding_side, self.model.device)
            hidden = self._hidden(batch)
            for row, i in enumerate(chosen):
                at = [batch.starts[row] + (place % len(rows[i])) for place in places[i]]
                states[i] = hidden[row, at].float()
        return [states[i] for i in range(len(rows))]

    def batches(self, rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """The indices of the rows, those of like length together, as many as fit with padding or one alone."""
        batch: list[int] = []
        for i in sorted(range(len(rows)), key=lambda i: len(rows[i])):
            if batch and len(rows[i]) * (len(batch) + 1) > self.max_batch_tokens:
                yield batch
                batch = []
            batch.append(i)
        if batch:
            yield batch

    def _hidden(self, batch: Batch) -> torch.Tensor:
        """(B, T, H), of the trunk alone: padding never moves a token's position."""
        trunk: Any = self.model.base_model
        positions = {"position_ids": (batch.mask.cumsum(-1) - 1).clamp(min=0)} if self._positions else {}
        out: Any = trunk(input_ids=batch.ids, attention_mask=batch.mask, use_cache=False, **positions)
        hidden: torch.Tensor = out.last_hidden_state
        return hidden


@dataclass(eq=False)
class ModelFiles:
    """A folder or hub id, and how its model is loaded; what is loaded is not pickled."""

    path: str
    load_model: LoadModel
    device: str = "auto"
    dtype: str = "auto"
    """`auto` is bfloat16 on CUDA and float32 on a CPU; heads are float32 in any case."""
    max_batch_tokens: int | None = None
    trust_remote_code: bool = False
    _loaded: LoadedModel | None = field(default=None, init=False, repr=False)
    _version: str = field(default="", init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __getstate__(self) -> dict[str, object]:
        left = ("_loaded", "_version", "_lock")
        return {key: value for key, value in vars(self).items() if key not in left}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _loaded=None, _version="", _lock=threading.Lock())

    @property
    def loaded(self) -> LoadedModel:
        """The model, read from disk the first time. Raises ScorerError when it cannot be."""
        with self._lock:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    @property
    def version(self) -> str:
        """A fingerprint of the files in the folder, or the commit of the hub; and the precision, where one is set."""
        with self._lock:
            if not self._version:
                self._version = _fingerprint(Path(self.path)) if Path(self.path).is_dir() else self._commit()
            return self._version if self.dtype == "auto" else f"{self._version}:{self.dtype}"

    def _load(self) -> LoadedModel:
        with loading(self.path, lambda said: ScorerError(f"cannot load the scorer {self.path!r}: {said}")):
            check_device(self.device, self.dtype)
            device = torch.device(
                ("cuda" if torch.cuda.is_available() else "cpu") if self.device == "auto" else self.device
            )
            precision = ("bfloat16" if device.type == "cuda" else "float32") if self.dtype == "auto" else self.dtype
            tokenizer = AutoTokenizer.from_pretrained(self.path, trust_remote_code=self.trust_remote_code)
            found: Any = self.load_model(
                self.path,
                dtype=getattr(torch, precision),
                trust_remote_code=self.trust_remote_code,
                output_loading_info=True,
            )
        model, info = found
        missing = sorted(info["missing_keys"])
        if missing:
            raise ScorerError(
                f"{self.path} has no weights for {', '.join(missing[:3])}: "
                "scores of a head that nobody trained are noise; give a folder that holds a trained scorer"
            )
        model.to(device)
        size = self.max_batch_tokens or MAX_BATCH_TOKENS.get(device.type, MAX_BATCH_TOKENS["cpu"])
        return LoadedModel(model, tokenizer, size)

    def _commit(self) -> str:
        with loading(self.path, lambda said: ScorerError(f"cannot find the scorer {self.path!r}: {said}")):
            config = AutoConfig.from_pretrained(self.path, trust_remote_code=self.trust_remote_code)
        return f"{self.path}@{getattr(config, '_commit_hash', None)}"


@dataclass(frozen=True, kw_only=True)
class ScoringModel:
    """A scorer with a model of its own: the settings that all kinds share."""

    load_model: ClassVar[LoadModel]
    path: str
    """A folder or a hub id."""
    max_length: int | None = None
    """Tokens of prompt and completion together; None takes what tokenizer and model allow."""
    device: str = "auto"
    dtype: str = "auto"
    max_batch_tokens: int | None = None
    trust_remote_code: bool = False
    files: ModelFiles = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        files = ModelFiles(
            self.path, self.load_model, self.device, self.dtype, self.max_batch_tokens, self.trust_remote_code
        )
        object.__setattr__(self, "files", files)

    @property
    def limit(self) -> int | None:
        """How many tokens are read at once: the setting, or what the tokenizer and the model's positions allow."""
        if self.max_length is not None:
            return self.max_length
        loaded = self.files.loaded
        sizes = (loaded.tokenizer.model_max_length, getattr(loaded.model.config, "max_position_embeddings", None))
        return min((int(size) for size in sizes if isinstance(size, (int, float)) and 0 < size < 10**9), default=None)


def scored(
    jobs: Sequence[JobT],
    read: Callable[[JobT], RowT],
    score: Callable[[list[RowT]], list[ScoreT]],
    failure: Callable[[str, tuple[Flag, ...]], ScoreT],
) -> list[ScoreT]:
    """One score a job, in order: those that can be read are scored together, a ScorerError fails its job alone."""
    rows: dict[int, RowT] = {}
    scores: dict[int, ScoreT] = {}
    for i, job in enumerate(jobs):
        try:
            rows[i] = read(job)
        except ScorerError as error:
            scores[i] = failure(str(error), _blame(job, read, str(error)))
    scores |= zip(rows, score(list(rows.values())), strict=True)
    return [scores[i] for i in range(len(jobs))]


def _blame(job: JobT, read: Callable[[JobT], RowT], reason: str) -> tuple[Flag, ...]:
    """A flag where a completion of one letter can be read to the same prompt: then this one is the cause."""
    try:
        if isinstance(job, Stepped):
            read(Stepped(job.task, Completion("x"), ((0, 1),)))
        else:
            read((job[0], Completion("x")))
    except ScorerError:
        return ()
    return (Flag(OVER_LIMIT, 0, len(job[1].text), reason),)


def next_token_logits(loaded: LoadedModel, state: torch.Tensor, ids: Sequence[int] | None = None) -> torch.Tensor:
    """Logits of a causal model's next token, (N, len(ids)) behind hidden states (N, H), in float32.

    Without `ids` those of the whole vocabulary, read in the model's own precision: in float32 its head would be copied.
    """
    head: Any = loaded.head
    if ids is None:
        logits: torch.Tensor = head(state.to(head.weight.dtype)).float()
    else:
        bias = None if getattr(head, "bias", None) is None else head.bias[list(ids)].float()
        logits = linear(state, head.weight[list(ids)].float(), bias)
    config = loaded.model.config.get_text_config()  # Gemma 2 caps, Cohere multiplies, Granite divides
    logits = logits * (getattr(config, "logit_scale", None) or 1.0) / (getattr(config, "logits_scaling", None) or 1.0)
    cap = getattr(config, "final_logit_softcapping", None)
    return logits if cap is None else cap * torch.tanh(logits / cap)


def padded(rows: Sequence[Sequence[int]], pad_id: int, side: str, device: torch.device) -> Batch:
    """Rows filled up on the `side` "left" or "right"."""
    width = max(map(len, rows))
    ids = torch.full((len(rows), width), pad_id, dtype=torch.long)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    starts = [width - len(row) if side == "left" else 0 for row in rows]
    for i, (row, start) in enumerate(zip(rows, starts, strict=True)):
        ids[i, start : start + len(row)] = torch.tensor(row)
        mask[i, start : start + len(row)] = 1
    return Batch(ids.to(device), mask.to(device), starts)


def _fingerprint(folder: Path) -> str:
    """Of every file that the scores come from: settings, tokenizer, weights."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(folder.iterdir()):
        if path.suffix in (".json", ".safetensors", ".bin", ".model", ".jinja", ".txt") and path.is_file():
            digest.update(f"{path.name}:{path.stat().st_size}\n".encode())
            for block in _blocks(path):
                digest.update(block)
    return digest.hexdigest()


def _blocks(path: Path) -> Iterator[bytes]:
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= BLOCK * BLOCKS:
            yield file.read()
            return
        for number in range(BLOCKS):
            file.seek(number * (size - BLOCK) // (BLOCKS - 1))
            yield file.read(BLOCK)
