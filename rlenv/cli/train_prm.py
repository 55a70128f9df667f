"""`rlenv train-prm LABELS --model BASE`: train a step model (process reward model) on labelled steps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.options import with_options
from rlenv.core.errors import MissingExtra
from rlenv.trainers.reward_models.config import StepModelConfig


@with_options(StepModelConfig)
def command(
    labels: Annotated[Path, typer.Argument(metavar="LABELS", help="JSONL with prompt, completions (steps), labels.")],
    config: StepModelConfig,
    model: Annotated[str, typer.Option("--model", "-m", help="What to start from: tiny, a folder, a hub id.")] = "tiny",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the run.")] = Path("runs/step-model"),
    eval_labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Held-out rows; without it a share of the prompts is held out.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in this folder.")] = False,
    device: Annotated[str, typer.Option(help="Where the model runs: auto or cpu.")] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Train a process reward model on step labels. Environments take DIR/model as a step scorer.

    For example: rlenv train-prm labels.jsonl --model tiny --epochs 10 --learning-rate 1e-3 --out runs/prm
    """
    from rlenv.trainers.reward_models.rows import read_step_labels

    rows = read_step_labels(labels)
    held_out = None if eval_labels is None else read_step_labels(eval_labels)
    try:
        from rlenv.trainers.reward_models.step_model import train_step_model
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "trl") from error
    folder = train_step_model(config, rows, model, out, held_out=held_out, resume=resume, device=device, quiet=quiet)
    echo(f"report: {out / 'report.md'}\nscorer: {folder}")
