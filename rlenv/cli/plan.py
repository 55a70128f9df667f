"""`rlenv plan --model 7b --gpus 8`: what a run takes a process, which settings fit, how long a step is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rlenv.cli.echo import echo
from rlenv.cli.settings import CommandSettings, Schema, configured, said_as
from rlenv.core.errors import ConfigError
from rlenv.trainers.settings.config import TrainConfig

if TYPE_CHECKING:
    from rlenv.trainers.planning.plan import Plan


@dataclass(frozen=True, kw_only=True)
class PlanSettings:
    """The model and the machine."""

    model: str = said_as("--model", "-m", default="")
    """0.5b, 7b or 32b (Qwen2.5), tiny, a folder, config.json or hub id."""
    gpus: int = 1
    """Processes, one a GPU."""
    chip: str = "h100"
    """a100, h100, h200, b200, l40s, or cpu: this machine's."""
    memory: float | None = None
    """GiB of each GPU, where it is not the chip's; of a cpu, what is free."""
    sharded: bool = said_as("--sharded", default=False)
    """Share weights and optimiser out (FSDP2)."""
    prompt_tokens: int = 256
    """Tokens of a prompt."""


SHOWN = (
    "model",
    "gpus",
    "chip",
    "memory",
    "sharded",
    "prompt_tokens",
    "algorithm",
    "groups",
    "group_size",
    "max_new_tokens",
)


SCHEMA = Schema(PlanSettings, TrainConfig, SHOWN)


@configured(SCHEMA)
def command(given: CommandSettings[PlanSettings]) -> None:
    """Compute the memory and time of a training run from the shapes of the model, without loading it.

    rlenv plan --model 7b --gpus 8 --sharded --set engine.precision=bf16
    """
    own, config = given.own, given.config
    model, gpus, chip, memory, sharded = own.model, own.gpus, own.chip, own.memory, own.sharded
    prompt_tokens = own.prompt_tokens
    if not model:
        raise ConfigError("expected --model: 0.5b, 7b or 32b (Qwen2.5), tiny, a folder, config.json or hub id")
    if prompt_tokens < 1:
        raise ConfigError(f"expected prompt_tokens of at least 1, got {prompt_tokens}")
    from rlenv.trainers.planning.plan import ERROR, GIB, Machine, fitted, model_config_named, options, planned

    found, machine = model_config_named(model), Machine(gpus, chip, memory, sharded)
    lines = [f"computed for {gpus} x {chip}, a process:"]
    for name, asked, machines in options(config, machine):
        plan = planned(found, asked, machines, prompt_tokens)
        tokens = fitted(plan, machines)
        if name == "as asked":
            parts = ("policy", "reference", "critic", "optimiser", "gradients", "activations", "generation", "saving")
            lines += [f"  {part:<12}{getattr(plan, part) / GIB:8.2f} GiB" for part in parts if getattr(plan, part)]
            lines += [
                f"  {'peak':<12}{plan.peak / GIB:8.2f} GiB of {machine.room / GIB:.0f} that may be planned with",
                "  {:<12}runs on a CPU have taken {:g} to {:g} times the peak computed".format("error", *ERROR),
                *_step(plan),
                "what fits:",
            ]
        fits = f"fits with --set micro_batch_tokens={tokens}" if tokens else "does not fit"
        lines.append(f"  {name}: {plan.kept / GIB:.1f} GiB kept, {plan.peak / GIB:.1f} at most, {fits}")
    echo("\n".join(lines))


def _step(plan: Plan) -> list[str]:
    """The line about time, where it is known."""
    if math.isnan(plan.update_seconds):
        return []
    return [f"  {'a step':<12}{plan.generation_seconds:8.1f} s to generate, {plan.update_seconds:.1f} s to update"]
