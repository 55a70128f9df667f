"""Options of what a policy is asked, and of the requests to an endpoint."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, read_json

PANEL = "Endpoints"
Stop: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="TEXT", help=r"End a completion before this text; \n is a new line. May be given again."),
]
SystemPrompt: TypeAlias = Annotated[str, typer.Option(help="A system message before each prompt.")]
Concurrency: TypeAlias = Annotated[
    int | None, typer.Option(help="How many requests run at the same time.", rich_help_panel=PANEL, show_default="8")
]
ExtraBody: TypeAlias = Annotated[
    str,
    typer.Option(metavar="JSON", help='More fields of each request, such as {"top_k": 20}.', rich_help_panel=PANEL),
]
LogProbs: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--logprobs", help="Ask for log-probs, which `rlenv report --best-of logprob` needs.", rich_help_panel=PANEL
    ),
]
MaxContext: TypeAlias = Annotated[
    int | None,
    typer.Option(help="The server's context length: prompt and completion together.", rich_help_panel=PANEL),
]


def stop_texts(given: list[str] | None) -> tuple[str, ...]:
    r"""The texts, with their escapes read.

    >>> stop_texts([r"\n\nQ:", "###"])
    ('\n\nQ:', '###')
    """
    return tuple(text.replace(r"\n", "\n").replace(r"\t", "\t") for text in given or ())


def endpoint_settings(
    concurrency: int | None, extra_body: str, logprobs: bool, max_context: int | None
) -> dict[str, Json]:
    """What was asked for; nothing where nothing was. Raises ConfigError for a body that is no object of JSON."""
    settings: dict[str, Json] = {"concurrency": concurrency, "logprobs": logprobs or None, "max_context": max_context}
    if extra_body:
        try:
            settings["extra_body"] = read_json(extra_body)
        except ValueError as error:
            raise ConfigError(f"--extra-body: {error}; give an object of JSON, such as '{{\"top_k\": 20}}'") from error
        if not isinstance(settings["extra_body"], dict):
            raise ConfigError(f"--extra-body: expected an object of JSON, got {extra_body:.100}")
    return {name: value for name, value in settings.items() if value is not None}
