"""What the passes of a run hold at most, counted on tensors without data: no weights are needed, no memory is taken.

The model, its networks and the passes are the trainer's own; only the tensors are fake, and every storage is counted
from when an operation makes it until nothing holds it. What a library takes inside of one operation is not seen, but
for the weights that oneDNN copies on a processor.
"""

from __future__ import annotations

import copy
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from transformers import AutoModelForCausalLM, DynamicCache, PreTrainedConfig, PreTrainedModel

from rlenv.policies.decoding import Decoder, can_decode
from rlenv.policies.generation import draw
from rlenv.policies.kv_cache import is_plain, repeated
from rlenv.policies.policy import Sampling
from rlenv.policies.wrapped import autocast_of, inner_model
from rlenv.trainers.config import TrainConfig
from rlenv.trainers.networks.critic import Critic
from rlenv.trainers.networks.engine import prepare_model, with_adapter
from rlenv.trainers.networks.logprobs import _of_rows
from rlenv.trainers.networks.networks import Networks
from rlenv.trainers.networks.optimiser import OptimiserConfig
from rlenv.trainers.networks.packing import _forward, trunk_of
from rlenv.trainers.planning.heap import Heap

DEPTHS = (12, 24)
"""Layers of the models that are counted; what holds most in a shallow one is not what holds most in a deep one."""
GIVEN_BACK = 32 << 20
"""glibc gives larger blocks back to the system at once (DEFAULT_MMAP_THRESHOLD_MAX), smaller ones hardly ever."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What goes through the model at once: so many prompts, each with so many completions."""

    prompts: int
    completions: int
    prompt_tokens: int
    new_tokens: int

    @property
    def rows(self) -> int:
        return self.prompts * self.completions


@dataclass(frozen=True, slots=True)
class Held:
    """Bytes that one process holds, all weights in it."""

    policy: int
    trained: int
    """Of the weights that are trained, critic included: gradients take as much."""
    trained_numbers: int
    reference: int
    critic: int
    largest_block: int
    """Of the embedding or one layer, the most that is gathered at once where weights are sharded."""
    update: int
    """At most over the weights in a forward and backward pass, gradients included."""
    generation: int
    """At most over the weights while tokens are drawn, the cache included."""


def held(
    model_config: PreTrainedConfig,
    config: TrainConfig,
    update: Shape,
    passes: int,
    generation: Shape,
    *,
    processor: bool = False,
) -> Held:
    """Count a run: `passes` of the shape `update` to an optimiser step, and `generation` at once.

    Layers are alike: a deep model is counted at two depths, and the rest follows on a straight line. On a `processor`
    what is held is what the system has given: memory of small blocks that are free again counts.
    """
    depth, shapes = int(model_config.num_hidden_layers), (update, passes, generation)
    if depth <= DEPTHS[1]:
        return _counted(model_config, config, *shapes, processor=processor)
    few, more = (_counted(_of_depth(model_config, n), config, *shapes, processor=processor) for n in DEPTHS)
    share = (depth - DEPTHS[0]) / (DEPTHS[1] - DEPTHS[0])
    line = {f.name: round((1 - share) * getattr(few, f.name) + share * getattr(more, f.name)) for f in fields(Held)}
    return Held(**line)


def _of_depth(model_config: PreTrainedConfig, layers: int) -> PreTrainedConfig:
    cut = copy.deepcopy(model_config)
    cut.num_hidden_layers = layers
    if getattr(cut, "layer_types", None):
        cut.layer_types = cut.layer_types[:layers]
    return cut


def _counted(
    model_config: PreTrainedConfig,
    config: TrainConfig,
    update: Shape,
    passes: int,
    generation: Shape,
    *,
    processor: bool,
) -> Held:
    engine = config.engine if processor else replace(config.engine, fast_products=False)
    with torch.device("meta"):
        model: PreTrainedModel = AutoModelForCausalLM.from_config(model_config, dtype=torch.float32)
        if engine.lora_rank:
            model = with_adapter(model, engine)
    with _Fake(), _Live(GIVEN_BACK if processor else 0) as live, warnings.catch_warnings():
        # copying a fake tensor asks where its data lies: it has none, and is then copied as it should be
        warnings.filterwarnings("ignore", "Accessing the data pointer of FakeTensor", UserWarning)
        _give_tensors(model)
        prepare_model(model, engine)
        networks = Networks(model, replace(config, optimiser=OptimiserConfig()))  # its state is not made here
        shared = {id(p) for p in model.parameters()}
        critic, reference = networks.critic, networks.reference
        trained = [p for p in model.parameters() if p.requires_grad]
        trained += [] if critic is None else critic.trained_parameters()
        at_most = _most_in_updates(live, model, critic, update, min(passes, 2))
        with torch.no_grad(), live.peak() as of_generation:
            _generate(model, generation)
        return Held(
            policy=_bytes(list(model.parameters())),
            trained=_bytes(trained),
            trained_numbers=sum(p.numel() for p in trained),
            reference=0 if reference is None else _bytes([p for p in reference.parameters() if id(p) not in shared]),
            critic=0 if critic is None else _bytes(list(critic.parameters())),
            largest_block=max(_bytes(list(block.parameters())) for block in _blocks(model)),
            update=at_most,
            generation=of_generation(),
        )


def _most_in_updates(live: _Live, model: PreTrainedModel, critic: Critic | None, shape: Shape, passes: int) -> int:
    """What so many passes of the policy, or then of the critic, hold at most over the weights."""
    with live.peak() as of_policy:
        for _ in range(passes):
            _update(model, shape)
    model.zero_grad()
    if critic is None:
        return of_policy()
    with live.peak() as of_critic:
        for _ in range(passes):
            _values(critic, shape)
    critic.zero_grad()
    return max(of_policy(), of_critic())


def _give_tensors(model: PreTrainedModel) -> None:
    """Put tensors of the present mode in the place of those without a device; tied weights stay tied."""
    made: dict[int, nn.Parameter] = {}
    for module in model.modules():
        for name, own in list(module.named_parameters(recurse=False)):
            if id(own) not in made:
                made[id(own)] = nn.Parameter(torch.empty(own.shape, dtype=own.dtype), own.requires_grad)
            setattr(module, name, made[id(own)])
        for name, buffer in list(module.named_buffers(recurse=False)):
            setattr(module, name, torch.empty(buffer.shape, dtype=buffer.dtype))


class _Fake(FakeTensorMode):
    """Fake tensors whose copies, a critic's weights for example, stay in the same mode."""

    def __deepcopy__(self, memo: object) -> _Fake:
        return self


class _Live(TorchDispatchMode):
    """Bytes that are held for the storages there are, now and at most."""

    def __init__(self, on_heap: int = 0) -> None:
        """Storages up to this size lie on a heap, whose holes stay; the memory of others is given back."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._on_heap, self._heap = on_heap, Heap()
        self._now = self._most = 0
        self._seen: dict[int, Any] = {}

    @contextmanager
    def peak(self) -> Iterator[Callable[[], int]]:
        """What is held at most inside, over what is there at the start; ask when it is over."""
        start = self._most = self._now + self._heap.end
        yield lambda: self._most - start

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        copied = [self._take(size) for size in (_copied(func, args) if self._on_heap else ())]
        found = func(*args, **(kwargs or {}))
        for value in tree_leaves(found):
            if isinstance(value, torch.Tensor):
                self._count(value.untyped_storage())
        for free in copied:
            free()
        return found

    def _count(self, storage: torch.UntypedStorage) -> None:
        key = id(storage)
        if key not in self._seen:
            free = self._take(storage.nbytes())
            self._seen[key] = weakref.ref(storage, lambda _: self._forget(key, free))

    def _forget(self, key: int, free: Callable[[], None]) -> None:
        self._seen.pop(key, None)
        free()

    def _take(self, size: int) -> Callable[[], None]:
        """Hold so many bytes; what lets go of them again."""
        if size <= self._on_heap:
            place = self._heap.take(size)
            free = partial(self._heap.free, place, size)
        else:
            self._now += size
            free = partial(self._give_back, size)
        self._most = max(self._most, self._now + self._heap.end)
        return free

    def _give_back(self, size: int) -> None:
        self._now -= size


def _copied(func: Any, args: Any) -> list[int]:
    """Bytes of what oneDNN copies into an order of its own for a product."""
    if func.name() != "mkldnn::_linear_pointwise":
        return []
    rows, weight = args[:2]
    return [int(weight.nbytes), *([] if rows.is_contiguous() else [int(rows.nbytes)])]


def _update(model: PreTrainedModel, shape: Shape) -> None:
    """One forward and backward pass of the policy, with its prompts shared where the trainer shares them."""
    hidden = _shared_states(model, shape) if _shares(model, shape) else _states(model, shape)
    targets = torch.zeros(shape.rows * shape.new_tokens, dtype=torch.long)
    logprobs, _ = _of_rows(model, hidden.flatten(0, 1), targets, 1.0)
    logprobs.sum().backward()


def _values(critic: Critic, shape: Shape) -> None:
    hidden = _states(critic.trunk, shape)
    critic.head.linear(hidden.to(critic.head.linear.weight.dtype)).sum().backward()


def _generate(model: PreTrainedModel, shape: Shape) -> None:
    """The pass over the prompts, then the last two tokens of the completions, which hold the most."""
    cache = DynamicCache(config=model.config)
    inner: Any = inner_model(model)
    ids, positions = _ids(shape.prompts, shape.prompt_tokens)
    sampling, generator = Sampling(max_new_tokens=shape.new_tokens), torch.Generator()
    with autocast_of(model, ids.device):
        out = inner(input_ids=ids, position_ids=positions, past_key_values=cache, use_cache=True, logits_to_keep=1)
        logits = out.logits[:, -1].repeat_interleave(shape.completions, dim=0)
        if can_decode(model, cache):
            decoder = Decoder(model, cache, None, shape.completions, shape.new_tokens)
            decoder._written = max(0, shape.new_tokens - 2)
            for _ in range(2):
                logits = decoder.step(draw(logits, sampling, generator)[0])
            draw(logits, sampling, generator)
            return
        repeated(cache, shape.completions, shape.prompt_tokens + shape.new_tokens)
        tokens = draw(logits, sampling, generator)[0][:, None]
        at = torch.full_like(tokens, shape.prompt_tokens)
        inner(input_ids=tokens, position_ids=at, past_key_values=cache, use_cache=True)


def _shares(model: PreTrainedModel, shape: Shape) -> bool:
    packing = getattr(model, "rlenv_packing", "prefix")
    checkpointed = any(getattr(layer, "gradient_checkpointing", False) for layer in model.modules())
    plain = is_plain(DynamicCache(config=model.config))
    return packing == "prefix" and shape.completions > 1 and shape.new_tokens > 1 and plain and not checkpointed


def _states(model: PreTrainedModel, shape: Shape) -> torch.Tensor:
    """The states that the completions are predicted from, each row by itself. (B, T, H)"""
    ids, positions = _ids(shape.rows, shape.prompt_tokens + shape.new_tokens - 1)
    return _forward(model, ids, None, positions)[:, -shape.new_tokens :]


def _shared_states(model: PreTrainedModel, shape: Shape) -> torch.Tensor:
    """As `_states`, with one pass over each prompt."""
    cache, count = DynamicCache(config=model.config), shape.completions
    ids, positions = _ids(shape.prompts, shape.prompt_tokens)
    states = _forward(model, ids, None, positions, cache)
    layers: list[Any] = cache.layers
    for layer in layers:
        layer.keys, layer.values = _repeated(layer.keys, count), _repeated(layer.values, count)
    ids, positions = _ids(shape.rows, shape.new_tokens - 1)
    keys = shape.prompt_tokens + shape.new_tokens - 1
    mask = torch.ones(shape.new_tokens - 1, keys, dtype=torch.bool).tril(shape.prompt_tokens)[None, None]
    behind = _forward(model, ids, mask, positions, cache)
    return torch.cat([_repeated(states[:, -1:], count), behind], dim=1)


def _repeated(states: torch.Tensor, count: int) -> torch.Tensor:
    return states.unsqueeze(1).expand(-1, count, *states.shape[1:]).flatten(0, 1)


def _ids(rows: int, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.zeros(rows, width, dtype=torch.long), torch.zeros(rows, width, dtype=torch.long)


def _blocks(model: PreTrainedModel) -> list[nn.Module]:
    """The parts that are gathered one after the other: embedding, head and layers."""
    parts = [model.get_input_embeddings(), model.get_output_embeddings()]
    trunk: Any = trunk_of(model)
    layers = trunk.layers if hasattr(trunk, "layers") else getattr(trunk, "h", ())
    return [*parts, *layers]


def _bytes(parameters: list[nn.Parameter]) -> int:
    return sum(p.numel() * p.element_size() for p in parameters)
