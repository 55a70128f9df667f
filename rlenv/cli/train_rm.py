"""`rlenv train-rm PAIRS --model BASE`: train a reward model on pairs of completions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.options import with_options
from rlenv.core.errors import MissingExtra
from rlenv.trainers.reward_models.config import RewardModelConfig


@with_options(RewardModelConfig)
def command(
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="JSONL with prompt, chosen, rejected (and margin).")],
    config: RewardModelConfig,
    model: Annotated[str, typer.Option("--model", "-m", help="What to start from: tiny, a folder, a hub id.")] = "tiny",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the run.")] = Path("runs/reward-model"),
    eval_pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Held-out pairs; without it a share of the prompts is held out.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the run in this folder.")] = False,
    device: Annotated[str, typer.Option(help="Where the model runs: auto or cpu.")] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Train a reward model on pairs (Bradley-Terry). Environments take DIR/model as a scorer.

    For example: rlenv train-rm pairs.jsonl --model tiny --epochs 10 --learning-rate 1e-3 --out runs/rm
    """
    from rlenv.trainers.reward_models.rows import read_preferences

    rows = read_preferences(pairs, margin=config.margin)
    held_out = None if eval_pairs is None else read_preferences(eval_pairs)
    try:
        from rlenv.trainers.reward_models.reward_model import train_reward_model
    except ModuleNotFoundError as error:
        raise MissingExtra(str(error.name), "trl") from error
    folder = train_reward_model(config, rows, model, out, held_out=held_out, resume=resume, device=device, quiet=quiet)
    echo(f"report: {out / 'report.md'}\nscorer: {folder}")
