"""`rlenv plan --model 7b --gpus 8`: what a run takes a process, which settings fit, how long a step is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.algorithm_options import change_algorithm
from rlenv.cli.echo import echo
from rlenv.cli.options import with_options
from rlenv.trainers.settings.config import TrainConfig

if TYPE_CHECKING:
    from rlenv.trainers.planning.plan import Plan


@with_options(TrainConfig, before=change_algorithm)
def command(
    config: TrainConfig,
    model: Annotated[
        str, typer.Option("--model", "-m", help="0.5b, 7b or 32b (Qwen2.5), tiny, a folder, config.json or hub id.")
    ],
    gpus: Annotated[int, typer.Option(help="Processes, one a GPU.")] = 1,
    chip: Annotated[str, typer.Option(help="a100, h100, h200, b200, l40s, or cpu: this machine's.")] = "h100",
    memory: Annotated[
        float | None, typer.Option(help="GiB of each GPU, where it is not the chip's; of a cpu, what is free.")
    ] = None,
    sharded: Annotated[bool, typer.Option("--sharded", help="Share weights and optimiser out (FSDP2).")] = False,
    prompt_tokens: Annotated[int, typer.Option(min=1, help="Tokens of a prompt.")] = 256,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="As in `rlenv train`: engine.precision=bf16.")
    ] = None,
) -> None:
    """Compute the memory and time of a training run from the shapes of the model, without loading it.

    For example: rlenv plan --model 7b --gpus 8 --sharded --set engine.precision=bf16
    """
    from rlenv.trainers.planning.plan import ERROR, GIB, Machine, fitted, model_config_named, options, planned

    found, machine = model_config_named(model), Machine(gpus, chip, memory, sharded)
    lines = [f"computed for {gpus} x {chip}, a process:"]
    for name, asked, given in options(config, machine):
        plan = planned(found, asked, given, prompt_tokens)
        tokens = fitted(plan, given)
        if name == "as asked":
            parts = ("policy", "reference", "critic", "optimiser", "gradients", "activations", "generation", "saving")
            lines += [f"  {part:<12}{getattr(plan, part) / GIB:8.2f} GiB" for part in parts if getattr(plan, part)]
            lines += [
                f"  {'peak':<12}{plan.peak / GIB:8.2f} GiB of {machine.room / GIB:.0f} that may be planned with",
                "  {:<12}runs on a CPU have taken {:g} to {:g} times the peak computed".format("error", *ERROR),
                *_step(plan),
                "what fits:",
            ]
        fits = f"fits with --micro-batch-tokens {tokens}" if tokens else "does not fit"
        lines.append(f"  {name}: {plan.kept / GIB:.1f} GiB kept, {plan.peak / GIB:.1f} at most, {fits}")
    echo("\n".join(lines))


def _step(plan: Plan) -> list[str]:
    """The line about time, where it is known."""
    if math.isnan(plan.update_seconds):
        return []
    return [f"  {'a step':<12}{plan.generation_seconds:8.1f} s to generate, {plan.update_seconds:.1f} s to update"]
