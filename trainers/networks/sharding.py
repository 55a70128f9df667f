"""Weights sharded over the processes by torch's own engine (`fully_shard`, FSDP2): each process keeps its part.

A pass gathers one block at a time and gives it back; gradients are summed over the processes as they are handed back
in parts. Gathering takes every process, so all of them make as many passes, in the same order (`Processes.aligned`,
`agreed`). Between passes every parameter is a DTensor, and optimisers, clipping and checkpoints work on the parts.

What has no part to play in training (generation, saving, monitors) is given a whole copy for as long as it takes
(`whole`): the memory of one model in every process, beside the parts.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import DTensor
from transformers.modeling_layers import GradientCheckpointingLayer

from rlenv.core.errors import ConfigError

if TYPE_CHECKING:
    from rlenv.policies.transformers import TransformersPolicy
    from rlenv.trainers.settings.config import EngineConfig

P = ParamSpec("P")
R = TypeVar("R")
Module = TypeVar("Module", bound=nn.Module)

SHARDS = "rlenv_shards"
"""The attribute of a module whose weights are sharded."""


@dataclass(frozen=True, slots=True)
class Shards:
    """What a module that is sharded keeps of itself as it was."""

    skeleton: nn.Module
    """The module with weights that hold no memory; buffers are real."""
    device: torch.device
    """Where it computes; with `cpu_offload` its parts lie elsewhere."""


def shard(module: Module, engine: EngineConfig) -> Module:
    """Keep this process's part of every weight of the module from here on, in place; without sharding, do nothing.

    Raises ConfigError for a model whose blocks are not to be told apart, and for one process that is to offload.
    """
    if engine.cpu_offload and not dist.is_initialized():
        raise ConfigError("expected several processes (torchrun) for engine.cpu_offload, got one: leave it out")
    if engine.sharding == "none" or not dist.is_initialized():
        return module
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import (
        CPUOffloadPolicy,
        FSDPModule,
        MixedPrecisionPolicy,
        OffloadPolicy,
        fully_shard,
        register_fsdp_forward_method,
    )

    blocks = _blocks_of(module)
    empty = {id(p): nn.Parameter(torch.empty_like(p, device="meta"), p.requires_grad) for p in module.parameters()}
    device = next(module.parameters()).device
    setattr(module, SHARDS, Shards(copy.deepcopy(module, cast("dict[int, Any]", empty)), device))
    mesh = init_device_mesh(device.type, (dist.get_world_size(),))
    offload = CPUOffloadPolicy(pin_memory=device.type == "cuda") if engine.cpu_offload else OffloadPolicy()
    smaller = MixedPrecisionPolicy(torch.bfloat16, torch.float32, cast_forward_inputs=False)
    for block in blocks:
        precision = smaller if engine.precision == "bf16" else MixedPrecisionPolicy()
        fully_shard(block, mesh=mesh, mp_policy=precision, offload_policy=offload)
    fully_shard(module, mesh=mesh, offload_policy=offload)
    for part in module.modules():
        if isinstance(part, FSDPModule):
            part.set_reshard_after_forward(True, recurse=False)  # the root too: outside of a pass all are parts
            part.set_reduce_scatter_unused_params(True, recurse=False)
            part.set_force_sum_reduction_for_comms(True)  # gloo has no mean
            part.set_gradient_divide_factor(1.0)
    module.rlenv_pass = _pass  # type: ignore[assignment]  # a method, not a tensor or module
    register_fsdp_forward_method(module, "rlenv_pass")
    return module


def _blocks_of(module: nn.Module) -> list[nn.Module]:
    """What a pass gathers one after the other; none of a module without layers, such as a head."""
    blocks: list[nn.Module] = [part for part in module.modules() if isinstance(part, GradientCheckpointingLayer)]
    if not blocks and any(isinstance(part, nn.ModuleList) for part in module.modules()):
        raise ConfigError(
            f"{type(module).__name__} has no blocks of transformers' GradientCheckpointingLayer to share out; set "
            "engine.sharding='none', or take a model whose layers are such blocks"
        )
    return blocks


def passing(module: nn.Module, scored: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """What `scored` gives, with the weights of the module gathered for it where they are sharded."""
    if getattr(module, SHARDS, None) is None:
        return scored(*args, **kwargs)
    through: Any = module.rlenv_pass
    return cast("R", through(scored, *args, **kwargs))


def _pass(scored: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    return scored(*args, **kwargs)


def agreed(module: nn.Module, wish: bool) -> bool:
    """Whether any process wishes it, where the module is sharded; else the wish."""
    shards: Shards | None = getattr(module, SHARDS, None)
    if shards is None:
        return wish
    flag = torch.tensor(int(wish), device=shards.device)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return bool(flag)


def is_sharded(module: nn.Module) -> bool:
    """Whether the weights of the module are sharded."""
    return getattr(module, SHARDS, None) is not None


@torch.no_grad()
def gathered(module: Module) -> Module:
    """A whole copy of a module that is sharded, with no tie to it; any other module itself."""
    shards: Shards | None = getattr(module, SHARDS, None)
    if shards is None:
        return module
    empty = dict(shards.skeleton.named_parameters())
    full: dict[int, Any] = {}
    for name, part in module.named_parameters():  # in the same order everywhere
        there = cast("DTensor", part).full_tensor().to(shards.device)
        weight = nn.Parameter(there, empty[name].requires_grad)
        full[id(empty[name])] = weight
    return cast("Module", copy.deepcopy(shards.skeleton, full))


@contextmanager
def whole(policy: TransformersPolicy) -> Iterator[None]:
    """Let the policy's model be a whole copy inside; every process has to come in."""
    sharded = policy.model
    policy.model = gathered(sharded)
    try:
        yield
    finally:
        policy.model = sharded


@contextmanager
def averaged(module: nn.Module) -> Iterator[None]:
    """Inside, gradients are the mean over the processes: for phases in which all of them do the same."""
    from torch.distributed.fsdp import FSDPModule

    parts = [part for part in module.modules() if isinstance(part, FSDPModule)] if is_sharded(module) else []
    for part in parts:
        part.set_gradient_divide_factor(float(dist.get_world_size()))
    try:
        yield
    finally:
        for part in parts:
            part.set_gradient_divide_factor(1.0)
