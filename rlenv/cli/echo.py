"""How commands print: control characters are shown, whoever wrote the text (rlenv.text.escaping)."""

from __future__ import annotations

import typer

from rlenv.text.escaping import shown


def echo(text: object, *, err: bool = False, nl: bool = True, bold: bool | None = None, fg: str | None = None) -> None:
    """Print to standard output, or to standard error with `err`; the style is ours and stands around what is shown."""
    said = shown(str(text))
    if bold is not None or fg is not None:
        said = typer.style(said, fg=fg, bold=bold)
    typer.echo(said, err=err, nl=nl)  # noqa: TID251, the one place
