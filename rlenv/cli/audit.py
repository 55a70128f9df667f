"""`rlenv audit ENV`: can the reward be had without doing the task? No model is needed.

    $ rlenv audit math/arithmetic-v0 --set level=5
    $ rlenv audit --all --set sandbox=namespaces
    $ rlenv audit rewards.py:my_reward --rows rows.jsonl --fail-on low --certificate audit.json

Exit code 0, 1 where there is a finding of `--fail-on` or above, 2 where nothing could be audited.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

import rlenv
from rlenv.cli.audit_subject import (
    INSPECT,
    file_of,
    files_named,
    foreign_id,
    function_named,
    rows_with,
    solution_as,
)
from rlenv.cli.auditing import Asked, all_audited, audited, drawing
from rlenv.cli.echo import echo
from rlenv.cli.environment_options import (
    Data,
    Imports,
    Set,
    environment_kwargs,
    import_modules,
    kwargs_of,
)
from rlenv.core.errors import ConfigError, UnknownEnvironment
from rlenv.core.jsontypes import Json
from rlenv.env.reward_functions import STYLES, Style
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_line

if TYPE_CHECKING:
    from rlenv.audit import Audit, Severity


class _Function(NamedTuple):
    """A reward function as the user named it."""

    name: str
    rows: Path
    reference: str | None
    style: Style
    solution: str | None


def style_named(name: str) -> Style:
    """The style of this name. Raises ConfigError where there is none."""
    for style in STYLES:
        if style == name:
            return style
    raise ConfigError(f"expected --style out of {', '.join(STYLES)}, got {name!r}")


def command(
    env: Annotated[
        str | None,
        typer.Argument(
            metavar="ENV",
            help="An id; FILE.py:FUNCTION with --rows; a URL of OpenEnv, verifiers:TASKSET or gem:ID with --solutions; "
            "inspect:FILE.py@TASK.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Audit every environment of `rlenv list`, and sum up.")] = False,
    family: Annotated[str | None, typer.Option(help="With --all, only this part before the slash.")] = None,
    data: Data = None,
    data_of: Annotated[
        list[str] | None, typer.Option(metavar="ID=FILE", help="With --all, the data file of an environment.")
    ] = None,
    settings: Set = None,
    set_of: Annotated[
        list[str] | None,
        typer.Option(metavar="ID:KEY=VALUE", help="With --all, a keyword of one environment."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Also judge with this keyword changed, and list where the two differ."),
    ] = None,
    imports: Imports = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="With --all, how many at a time; by default one a core.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rows for a reward function: .jsonl, .json, .csv, .parquet.")
    ] = None,
    style: Annotated[
        str, typer.Option(help="How the function is called: trl, plain, named; auto reads its parameters.")
    ] = "auto",
    solution: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="How a right completion is written, such as '<answer>{answer}</answer>'."),
    ] = None,
    solutions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rows with id and solution, for an environment that brings no solutions."),
    ] = None,
    reference: Annotated[str | None, typer.Option(help="The column of the rows with the right answer.")] = None,
    tasks: Annotated[
        int | None,
        typer.Option(min=1, help="How many tasks to try; by default 32, and 8 where completions are programs."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed that draws tasks.")] = 0,
    fail_on: Annotated[str, typer.Option(help="critical, high, medium, low or info.")] = "medium",
    least: Annotated[str, typer.Option("--show", help="Print findings of this severity and above.")] = "info",
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON.")] = None,
    sarif_file: Annotated[Path | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0.")] = None,
    certificate_file: Annotated[
        Path | None,
        typer.Option(
            "--certificate", metavar="FILE", help="Write a certificate: what was tried and what it earned, as JSON."
        ),
    ] = None,
    replay: Annotated[str | None, typer.Option(metavar="ID", help="Show the whole text of one finding.")] = None,
) -> None:
    """Attack a reward with known hacks and wrong answers; exit code 1 when one earns too much."""
    from rlenv.audit import Severity, sarif, table
    from rlenv.audit.certificate import certificate, write_certificate
    from rlenv.audit.splits import takes

    Severity.named(fail_on)
    shown = Severity.named(least)
    import_modules(imports)
    _check(env, every, rows, against, certificate_file)
    kwargs = environment_kwargs(data, settings)
    other = environment_kwargs(None, against)
    failed: list[tuple[str, str]] = []

    def asked(id: str, given: dict[str, Json]) -> Asked:
        judged_too = other if not every or all(takes(id, key) for key in other) else {}
        return Asked(id, given, tasks, seed, judged_too, imports=tuple(imports or ()))

    files: tuple[Path, ...] = ()
    if env is not None:
        if rows is None:
            one, files = _environment_audited(env, kwargs, solution, solutions, asked)
        else:
            one, files = _function_audited(_Function(env, rows, reference, style_named(style), solution), tasks, seed)
        if replay is not None:
            _replay(one, replay)
            return
        done = [one]
        echo(one.text(shown))
    else:
        done, failed = _all(family, kwargs, kwargs_of(data_of, set_of), asked, max(shown, Severity.LOW), jobs, imports)
        echo(table(done, failed))
    if json_file is not None:
        _write(json_file, done[0].to_json() if every is False else [audit.to_json() for audit in done])
    if certificate_file is not None:
        today = datetime.now(UTC).date().isoformat()
        made = certificate(done[0], rlenv_version=rlenv.__version__, fail_on=fail_on, files=files, date=today)
        write_certificate(certificate_file, made)
    if sarif_file is not None:
        _write(sarif_file, sarif(done, rlenv.__version__))
    if not done:
        raise typer.Exit(2)
    if any(audit.at_least(fail_on) for audit in done):
        raise typer.Exit(1)


def _check(
    env: str | None, every: bool, rows: Path | None, against: list[str] | None, certificate_file: Path | None
) -> None:
    if (env is None) == (not every):
        raise ConfigError("expected the id of an environment, or --all")
    if rows is not None and against:
        raise ConfigError("expected --against without --rows: a reward function has no other verifier")
    if every and certificate_file is not None:
        raise ConfigError("expected --certificate for one environment, not with --all; use --json for all of them")


def _environment_audited(
    env: str,
    kwargs: dict[str, Json],
    solution: str | None,
    solutions: Path | None,
    asked: Callable[[str, dict[str, Json]], Asked],
) -> tuple[Audit, tuple[Path, ...]]:
    """The audit of an environment, ours or another's, and the files that it was made from."""
    theirs, targets = foreign_id(env), env.startswith(INSPECT)
    if theirs is not None and solutions is None and not targets:
        raise ConfigError(f"{env} brings no right completions to measure by; give --solutions FILE")
    given = kwargs | ({"solution": solution} if targets and solution is not None else {})
    one = replace(asked(theirs or env, given), solutions=solutions, named=env if theirs else "")
    return audited(one), (*files_named(env), *(() if solutions is None else (solutions,)))


def _all(
    family: str | None,
    kwargs: dict[str, Json],
    own: dict[str, dict[str, Json]],
    made: Callable[[str, dict[str, Json]], Asked],
    least: Severity,
    jobs: int | None,
    imports: list[str] | None,
) -> tuple[list[Audit], list[tuple[str, str]]]:
    """The audits of all that can be made, and why the others cannot; findings from `least` up are printed."""
    from rlenv.audit.splits import takes

    ids = rlenv.list_envs(family)
    if not ids:
        raise UnknownEnvironment(f"no environment of the family {family!r}; see `rlenv list`")
    asked = []
    for id in ids:
        given = {key: value for key, value in kwargs.items() if takes(id, key)}
        asked.append(made(id, given | own.get(id, {})))
    done: list[Audit] = []
    failed: list[tuple[str, str]] = []
    for id, outcome in all_audited(asked, jobs, imports):
        if isinstance(outcome, str):
            failed.append((id, outcome))
            continue
        done.append(outcome)
        if outcome.at_least(least):
            echo(outcome.text(least))
        echo(f"{id}: {outcome.worst.word if outcome.findings else 'nothing'}", err=True)
    return sorted(done, key=lambda audit: audit.env_id), sorted(failed)


def _function_audited(one: _Function, tasks: int | None, seed: int) -> tuple[Audit, tuple[Path, ...]]:
    """The audit of a reward function, and the files that were read for it."""
    from rlenv.audit import audit_reward

    function = function_named(one.name)
    found = rows_with(one.rows, one.reference)
    done = audit_reward(
        function,
        found,
        style=one.style,
        reference=one.reference,
        solution=solution_as(one.solution),
        tasks=tasks,
        seed=seed,
        name=one.name,
        quiet=False,
    )
    words = ["rlenv", "audit", one.name, "--rows", str(one.rows)]
    for option, value in (("--reference", one.reference), ("--solution", one.solution)):
        words += [option, value] if value else []
    words += [] if one.style == "auto" else ["--style", one.style]
    return replace(done, command=shlex.join([*words, *drawing(tasks, seed)])), (*file_of(function), one.rows)


def _replay(audit: Audit, finding_id: str) -> None:
    finding = audit.find(finding_id)
    if finding is None:
        known = ", ".join(f"{one.id} ({one.rule})" for one in audit.findings) or "none"
        raise ConfigError(f"no finding {finding_id!r} in this audit; it has {known}")
    echo(shown_line(f"{finding.severity.word}  {finding.rule}: {finding.message}"), bold=True)
    seen = finding.evidence
    if seen is None:
        return
    echo(f"\ntask {seen.index}, {shown_line(seen.task_id)}\n{seen.prompt}")
    echo(f"\ncompletion, as a Python literal\n{seen.text!a}")
    reward = "none: the checker failed" if seen.reward is None else f"{seen.reward:g}"
    echo(f"\nreward {reward}; the right answer {seen.reference_reward:g}\n{seen.reason}")


def _write(file: Path, content: object) -> None:
    replace_text(file, json.dumps(content, indent=1, ensure_ascii=True) + "\n")
