"""Weights and optimisers that are sharded, written by torch.distributed.checkpoint: each process writes its part.

A folder `shards-STEPS-TOKEN` beside checkpoint.pt, which names it and is replaced only once the folder is whole. Any
number of processes reads it, one alone too. Its list of tensors, which torch writes and reads as a pickle, is read
without running code.
"""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.distributed.checkpoint.filesystem import FileSystemReader
from torch.distributed.checkpoint.metadata import Metadata, StorageMeta, TensorStorageMetadata
from torch.distributed.checkpoint.state_dict_loader import load
from torch.distributed.checkpoint.state_dict_saver import save

from rlenv.core.errors import RunError
from rlenv.door.files import leads_within, opened
from rlenv.trainers.networks.processes import Processes

_METADATA = (
    "Metadata TensorStorageMetadata BytesStorageMetadata TensorProperties ChunkStorageMetadata MetadataIndex "
    "StorageMeta _MEM_FORMAT_ENCODING"
)
_WRITTEN = frozenset(
    {
        *(("torch.distributed.checkpoint.metadata", name) for name in _METADATA.split()),
        ("torch.distributed.checkpoint.filesystem", "_StorageInfo"),
        ("torch", "Size"),
        ("torch.serialization", "_get_layout"),
        ("pathlib", "PosixPath"),
    }
)
"""What torch names in the pickle that lists the tensors of a folder, types of numbers aside."""


class _Plain(pickle.Unpickler):
    """Makes nothing but what torch writes there: the folder may be a stranger's."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _WRITTEN or (module == "torch" and isinstance(vars(torch).get(name), torch.dtype)):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it names {module}.{name}")


class PlainReader(FileSystemReader):
    """Reads the tensors of a folder, and nothing outside of it."""

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        with opened(Path(self.path) / ".metadata", "rb") as file:
            found: Any = _Plain(file).load()
        if not all(leads_within(Path(self.path), str(place.relative_path)) for place in found.storage_data.values()):
            raise ValueError("it names files elsewhere")
        found.storage_meta = StorageMeta(load_id=self.load_id)
        return found  # type: ignore[no-any-return]


def write(out: Path, steps: int, parts: Mapping[str, Any], processes: Processes) -> str:
    """Write the networks and optimisers after so many optimiser steps; returns the name of the folder in `out`."""
    name = f"shards-{steps:08d}-{processes.gathered([secrets.token_hex(4)])[0]}"
    save(_tensors(parts), checkpoint_id=out / name, no_dist=processes.count == 1)
    return name


def read(folder: Path, parts: Mapping[str, Any], processes: Processes) -> None:
    """Give networks and optimisers what was written there, by however many processes. Raises RunError."""
    from rlenv.trainers.networks.sharded_checkpoint import PlainReader

    try:
        known = PlainReader(folder).read_metadata().state_dict_metadata
        into = _tensors(parts)
        optimizers = {name: part for name, part in parts.items() if isinstance(part, torch.optim.Optimizer)}
        for name, optimizer in optimizers.items():
            parameters = [p for group in optimizer.param_groups for p in group["params"]]
            for key, told in known.items():
                if key.startswith(f"{name}.") and isinstance(told, TensorStorageMetadata):
                    like = parameters[int(key.split(".")[1])]
                    same = told.size == like.shape
                    into[key] = torch.zeros_like(like) if same else torch.zeros(told.size, dtype=told.properties.dtype)
        load(into, storage_reader=PlainReader(folder), no_dist=processes.count == 1)
    except Exception as error:  # of torch and of pickle: any
        said = f"{type(error).__name__}: {error}"
        raise RunError(f"{folder} is not a readable checkpoint ({said:.300}); start in a new folder") from error
    for name, part in parts.items():
        own = {key.removeprefix(f"{name}."): value for key, value in into.items() if key.startswith(f"{name}.")}
        if isinstance(part, nn.Module):
            part.load_state_dict(own)
        else:
            states: dict[int, dict[str, torch.Tensor]] = {}
            for key, value in own.items():
                number, _, what = key.partition(".")
                states.setdefault(int(number), {})[what] = value
            part.load_state_dict({**part.state_dict(), "state": states})


def _tensors(parts: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Every tensor by the name of its part and its own; of an optimiser by the number of the parameter."""
    found: dict[str, torch.Tensor] = {}
    for name, part in parts.items():
        state = part.state_dict()
        if isinstance(part, torch.optim.Optimizer):
            state = {f"{number}.{key}": value for number, of in state["state"].items() for key, value in of.items()}
        found |= {f"{name}.{key}": value for key, value in state.items()}
    return found
