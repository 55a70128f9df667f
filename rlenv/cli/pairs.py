"""`rlenv pairs RUN`: the completions of a run that the environment ranked, as pairs for preference training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run or of an evaluation.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The JSONL file to write.")] = Path("pairs.jsonl"),
    per_group: Annotated[
        int, typer.Option(min=0, help="Pairs a group: the i-th best with the i-th worst; 0 for all that differ.")
    ] = 1,
    chat: Annotated[bool, typer.Option("--chat", help="Write text prompts as chat messages.")] = False,
) -> None:
    """Write preference pairs from the episodes of a run, in TRL's format.

    Ties and failures of the checker give no pair. For example:
    rlenv pairs runs/first --out pairs.jsonl && rlenv train ENV --algorithm dpo --pairs pairs.jsonl --group-size 2
    """
    from rlenv.store.saved_episodes import read_episodes
    from rlenv.trainers.branches.preference import pairs_of, write_pairs

    count = write_pairs(out, pairs_of(read_episodes(run), per_group), chat=chat)
    echo(f"{count} pairs in {out}")
