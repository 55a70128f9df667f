"""`rlenv card ENV`: measures an environment and writes its card for a hub page.

$ rlenv card math/arithmetic-v0 --policy tiny --n 8 --out card.md
$ rlenv card math/gsm8k-v0 --data test.jsonl --run runs/smollm2 --run runs/trained
"""

from __future__ import annotations

import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

import rlenv
from rlenv.cli.auditing import Asked, audited, drawing
from rlenv.cli.echo import echo
from rlenv.cli.environment_options import Data, Imports, Set, environment_kwargs, find_modules_here, import_modules
from rlenv.core.errors import TaskError
from rlenv.core.policy import DEFAULT_SAMPLING, Sampling
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_json


def command(
    env: Annotated[str, typer.Argument(metavar="ENV", help="The id of an environment; see `rlenv list`.")],
    policies: Annotated[
        list[str] | None,
        typer.Option("--policy", "-p", help="Measure this policy too, as in `rlenv eval`; repeatable."),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option("--run", metavar="DIR", help="Add the figures of this saved evaluation; repeatable."),
    ] = None,
    n: Annotated[int, typer.Option("--n", "-n", min=1, help="Completions of each task by each policy.")] = 8,
    limit: Annotated[int, typer.Option(min=1, help="How many tasks, at most.")] = 100,
    tasks: Annotated[int | None, typer.Option(min=1, help="How many tasks the audit tries.")] = None,
    max_new_tokens: Annotated[
        int, typer.Option(help="The most tokens of a completion.")
    ] = DEFAULT_SAMPLING.max_new_tokens,
    data: Data = None,
    settings: Set = None,
    imports: Imports = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed of tasks and sampling.")] = 0,
    device: Annotated[str, typer.Option(help="Where a model runs: auto, cpu, cuda, cuda:1 ...")] = "auto",
    license: Annotated[str, typer.Option(help="The licence, in the hub's spelling: apache-2.0.")] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page here instead of printing it.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Measure an environment and write its card: rewards, audit, pass rates and cost, as Markdown for a hub."""
    import_modules(imports)
    find_modules_here()
    kwargs = environment_kwargs(data, settings)
    try:
        audit = audited(Asked(env, kwargs, tasks, seed, {}), quiet=quiet)
    except TaskError:  # of tasks without a solution; the card says so
        audit = None
    made = rlenv.card(
        env,
        policies=policies or (),
        runs=runs or (),
        n=n,
        limit=limit,
        sampling=Sampling(max_new_tokens=max_new_tokens),
        seed=seed,
        env_kwargs=kwargs,
        audit=audit,
        device=device,
        quiet=quiet,
    )
    words = ["rlenv", "card", env, *(part for key, value in kwargs.items() for part in ("--set", f"{key}={value}"))]
    for policy in policies or ():
        words += ["--policy", policy]
    words += ["--n", str(n), "--limit", str(limit)] if policies else []
    again = shlex.join([*words, *drawing(tasks, seed)])
    page = made.markdown(license=license, command=again, date=datetime.now(UTC).date().isoformat())
    if json_file is not None:
        replace_text(json_file, shown_json(made.to_json(), indent=1) + "\n")
    if out is None:
        echo(page, nl=False)
    else:
        replace_text(out, page)
        echo(f"saved in {out}")
