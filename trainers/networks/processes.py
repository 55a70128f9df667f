"""Several processes that train one policy (accelerate launch, torchrun): who does what, and how it is put together.

Every process holds the whole rollout, and so the same advantages, weights and denominators. Generation, verdicts and
the passes of an update are divided among the processes; what comes back is gathered or summed in their order, so that
all of them take the same step. Only the main process writes files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import nn

from rlenv.trainers.settings.config import EngineConfig

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Processes:
    """This process among the others."""

    rank: int = 0
    count: int = 1
    sharded: bool = False
    """Whether models are sharded, and torch's engine sums gradients (rlenv.trainers.networks.sharding)."""

    @property
    def is_main(self) -> bool:
        """True for the one process that writes."""
        return self.rank == 0

    def share(self, items: Sequence[T]) -> Sequence[T]:
        """Every count-th of the items, from this rank on."""
        return items[self.rank :: self.count]

    def share_of(self, rows: torch.Tensor) -> torch.Tensor:
        """Every count-th of the rows of a tensor, from this rank on."""
        return rows[self.rank :: self.count]

    def block_of(self, rows: torch.Tensor) -> torch.Tensor:
        """This process's part of the rows of a tensor, neighbours together."""
        return rows.tensor_split(self.count)[self.rank]

    def gathered(self, part: Sequence[T]) -> list[T]:
        """The items whose shares the processes hold, in their first order."""
        if self.count == 1:
            return list(part)
        parts: list[list[T]] = [[] for _ in range(self.count)]
        dist.all_gather_object(parts, list(part))
        total = sum(map(len, parts))
        return [parts[i % self.count][i // self.count] for i in range(total)]

    def summed(self, tensor: torch.Tensor) -> torch.Tensor:
        """The sum of the tensors of all processes, the same everywhere."""
        if self.count > 1:
            dist.all_reduce(tensor)
        return tensor

    def sum_of(self, totals: Mapping[str, float]) -> dict[str, float]:
        """The sums, by name, of what the processes counted."""
        if self.count == 1:
            return dict(totals)
        every: list[dict[str, float]] = [{} for _ in range(self.count)]
        dist.all_gather_object(every, dict(totals))
        found: dict[str, float] = {}
        for name, value in (item for part in every for item in part.items()):
            found[name] = found.get(name, 0.0) + value
        return found

    def aligned(self, parts: Iterable[T], spare: T) -> Iterator[tuple[T, bool]]:
        """This process's parts with True; where models are sharded, then `spare` with False until all had as many.

        A pass over a part gathers weights from every process.
        """
        own = list(parts)
        if self.count > 1 and self.sharded:
            most = torch.tensor(len(own), device="cuda" if dist.get_backend() == "nccl" else "cpu")
            dist.all_reduce(most, op=dist.ReduceOp.MAX)
        yield from ((part, True) for part in own)
        if self.count > 1 and self.sharded:
            yield from [(spare, False)] * (int(most) - len(own))

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Give every process the gradient that all of them together have accumulated.

        A process without an episode has no gradient of its own; a parameter without one anywhere keeps none.
        """
        if self.count == 1 or self.sharded:
            return
        trained = [p for p in parameters if p.requires_grad]
        present = torch.tensor([p.grad is not None for p in trained], dtype=torch.int32, device=trained[0].device)
        dist.all_reduce(present, op=dist.ReduceOp.MAX)
        used = [p for p, there in zip(trained, present.tolist(), strict=True) if there]
        for parameter in used:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            dist.all_reduce(parameter.grad)

    def barrier(self) -> None:
        """Wait until every process is here."""
        if self.count > 1:
            dist.barrier()


ALONE = Processes()


def this_process(device: torch.device, engine: EngineConfig | None = None) -> Processes:
    """This process as its launcher says (RANK, WORLD_SIZE); alone where there is none.

    Joins the process group through accelerate: gloo for a model on the CPU, else what its kind of device has; where the
    engine offloads, gloo too, which gathers and clips what lies in the processor's memory.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) < 2:
        return ALONE
    if engine is not None and engine.cpu_offload and device.type == "cuda" and not dist.is_initialized():
        dist.init_process_group("cpu:gloo,cuda:nccl")
    from accelerate import PartialState  # type: ignore[import-untyped]

    state = PartialState(cpu=device.type == "cpu")
    return Processes(state.process_index, state.num_processes, engine is not None and engine.sharding == "full")


def is_main() -> bool:
    """Whether this process is the one that writes, as its launcher says."""
    return int(os.environ.get("RANK", "0")) == 0


def local_device(name: str) -> str:
    """The device of this process: where `auto` finds several GPUs, each process of a machine takes its own."""
    place = os.environ.get("LOCAL_RANK")
    return f"cuda:{place}" if name == "auto" and place is not None and torch.cuda.is_available() else name
