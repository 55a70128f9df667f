"""The command `rlenv`. Each command is a module with a `command`, or with an `app` of several; GROUPS lists them.

Every error of rlenv and of its sandbox becomes one line on standard error and exit code 2; Ctrl-C exits with 130.
"""

from __future__ import annotations

import errno
import importlib
import io
import sys
from collections.abc import Callable
from traceback import extract_tb
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from rlenv.cli.echo import echo
from rlenv.cli.settings import nearest
from rlenv.core import VERSION
from rlenv.core.errors import MissingExtra, RlenvError
from rlenv.sandbox.errors import SandboxError
from rlenv.text.escaping import shown_line

GROUPS = {
    "Environments": {
        "list": "rlenv.cli.list",
        "show": "rlenv.cli.show",
        "new": "rlenv.cli.new",
        "card": "rlenv.cli.card",
        "push": "rlenv.cli.card:push_environment",
        "serve": "rlenv.cli.serve",
        "serve-policy": "rlenv.cli.serve_policy",
    },
    "Trust in the reward": {
        "audit": "rlenv.cli.audit",
        "hacks": "rlenv.cli.hacks",
        "hackbench": "rlenv.cli.hackbench",
        "verify": "rlenv.cli.verify",
        "sandbox": "rlenv.cli.sandbox",
        "tasks": "rlenv.cli.tasks",
    },
    "Training": {
        "demo": "rlenv.cli.demo",
        "train": "rlenv.cli.train",
        "plan": "rlenv.cli.plan",
        "algorithms": "rlenv.cli.algorithms",
        "smollm2": "rlenv.cli.smollm2",
    },
    "Runs and evaluation": {
        "eval": "rlenv.cli.eval",
        "report": "rlenv.cli.saved_runs:report",
        "view": "rlenv.cli.view",
        "compare": "rlenv.cli.saved_runs:compare_runs",
        "rescore": "rlenv.cli.saved_runs:rescore_run",
        "import": "rlenv.cli.saved_runs:import_run",
        "convert": "rlenv.cli.saved_runs:convert_run",
    },
    "Learned rewards": {
        "pairs": "rlenv.cli.saved_runs:pairs",
        "judge-pairs": "rlenv.cli.judge_pairs",
        "judge-check": "rlenv.cli.judge_check",
        "prm-labels": "rlenv.cli.prm_labels",
        "train-rm": "rlenv.cli.train_scorer:train_rm",
        "train-prm": "rlenv.cli.train_scorer:train_prm",
    },
}
"""Command to module, or module:function, by what one wants to do. Heavy imports stand in functions: `-h` is quick."""

TRAIN = ("torch", "transformers", "tokenizers", "matplotlib", "accelerate", "tensorboard")
"""Packages of the extra `train`; a command that misses one of them says so."""


USAGE: Any = typer.BadParameter.__base__
"""What typer raises for arguments that it cannot read; it is in no module that users import from."""
MOST = 2_000
"""Characters of an error that are printed: one that quotes a value of a megabyte is no help."""


TO_DO = {
    errno.ENOSPC: "the disk is full: free some space, or choose another place",
    errno.EACCES: "choose a place that you may use",
    errno.EPERM: "choose a place that you may use",
    errno.EROFS: "choose a place that can be written to",
    errno.EEXIST: "choose another place",
    errno.ENOTDIR: "a file stands where a folder is needed: choose another place",
    errno.ENOENT: "choose a place that exists",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
}
"""What to do about an error of the operating system."""


def _told(error: Exception) -> str:
    """An error as its line says it; one of the operating system with its file, and what to do."""
    if not isinstance(error, OSError) or error.strerror is None or error.errno not in TO_DO:
        return str(error) or type(error).__name__
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror}; {TO_DO[error.errno]}"


def _setting(error: Any) -> str:
    """What to write instead of an option that is none, where there is a setting of its name."""
    name = getattr(error, "option_name", "").lstrip("-").replace("-", "_")
    schema = getattr(getattr(getattr(error.ctx, "command", None), "callback", None), "schema", None)
    if schema is None or not name:
        return ""
    error.possibilities = None
    if name in schema.paths:
        return f"; it is a setting: --set {name}=VALUE"
    return nearest(name, schema)


class _OneLineErrors(TyperGroup):
    """Tells errors in one line. Errors that are not the user's to fix keep their traceback."""

    def invoke(self, ctx: Any) -> Any:  # the context's type belongs to the click that typer brings
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # `rlenv list | head`: typer ends quietly
        except (RlenvError, SandboxError, OSError) as error:
            echo(f"error: {shown_line(_told(error), MOST)}", err=True)
            raise typer.Exit(2) from error
        except RecursionError as error:
            if not extract_tb(error.__traceback__)[-1].filename.endswith("json/decoder.py"):
                raise
            echo("error: a file that was read nests more brackets than JSON can; fix it, or give another", err=True)
            raise typer.Exit(2) from error
        except USAGE as error:
            error.message = shown_line(f"{error.message}{_setting(error)}", MOST)
            raise
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in TRAIN:
                raise
            echo(f"error: {MissingExtra(str(error.name), 'train')}", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as interrupt:
            echo("interrupted", err=True)
            raise typer.Exit(130) from interrupt


def _tell_version(wanted: bool) -> None:
    if wanted:
        echo(f"rlenv {VERSION}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version and exit.")
]


def make_app() -> typer.Typer:
    """The application with every command of GROUPS."""
    app = typer.Typer(
        name="rlenv",
        cls=_OneLineErrors,
        help="Checkable tasks as reinforcement-learning environments for language models.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(version: Version = False) -> None:
        pass

    for group, commands in GROUPS.items():
        for name, module in commands.items():
            place, _, function = module.partition(":")
            imported = importlib.import_module(place)
            if hasattr(imported, "app"):
                app.add_typer(imported.app, name=name, rich_help_panel=group)
            else:
                command = cast("Callable[..., None]", getattr(imported, function or "command"))
                app.command(name, rich_help_panel=group)(command)
    return app


app = make_app()


def main() -> None:
    """The entry point of the command `rlenv`."""
    # bytes that are no text, as in a completion on standard input; letters that the terminal's encoding lacks
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    app()
