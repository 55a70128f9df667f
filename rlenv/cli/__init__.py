"""The command `rlenv`. Each command is a module with a `command`, or with an `app` of several; COMMANDS is the list.

Every error of rlenv and of its sandbox becomes one line on standard error and exit code 2; Ctrl-C exits with 130.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, cast

import typer
from typer.core import TyperGroup

from rlenv.errors import RlenvError
from rlenv.sandbox.errors import SandboxError

COMMANDS = {
    "list": "rlenv.cli.list",
    "show": "rlenv.cli.show",
    "eval": "rlenv.cli.eval",
    "algorithms": "rlenv.cli.algorithms",
    "train": "rlenv.cli.train",
    "pairs": "rlenv.cli.pairs",
    "judge-pairs": "rlenv.cli.judge_pairs",
    "train-rm": "rlenv.cli.train_rm",
    "train-prm": "rlenv.cli.train_prm",
    "prm-labels": "rlenv.cli.prm_labels",
    "demo": "rlenv.cli.demo",
    "smollm2": "rlenv.cli.smollm2",
    "hackbench": "rlenv.cli.hackbench",
    "verify": "rlenv.cli.verify",
    "audit": "rlenv.cli.audit",
    "sandbox": "rlenv.cli.sandbox",
    "hacks": "rlenv.cli.hacks",
}
"""Command to module. The modules import what is heavy inside their functions, so that `--help` is quick."""


class _OneLineErrors(TyperGroup):
    """Tells errors in one line. Errors that are not the user's to mend keep their traceback."""

    def invoke(self, ctx: Any) -> Any:  # the context's type belongs to the click that typer brings
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # `rlenv list | head`: typer ends quietly
        except (RlenvError, SandboxError, OSError) as error:
            typer.echo(f"error: {one_line(error)}", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as interrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(130) from interrupt


def one_line(error: BaseException) -> str:
    """The text of an error without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__


def make_app() -> typer.Typer:
    """The application with every command of COMMANDS."""
    app = typer.Typer(
        name="rlenv",
        cls=_OneLineErrors,
        help="Checkable tasks as reinforcement-learning environments for language models.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    @app.callback()
    def root() -> None:  # keeps `rlenv list` a command even if it were the only one
        pass

    for name, module in COMMANDS.items():
        imported = importlib.import_module(module)
        if hasattr(imported, "app"):
            app.add_typer(imported.app, name=name)
        else:
            app.command(name)(cast("Callable[..., None]", imported.command))
    return app


app = make_app()


def main() -> None:
    """The entry point of the command `rlenv`."""
    app()
