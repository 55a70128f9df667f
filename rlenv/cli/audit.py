"""`rlenv audit ENV`: can the reward be had without doing the task? No model is needed.

    $ rlenv audit math/arithmetic-v1 --set level=5
    $ rlenv audit --all --set sandbox=namespaces
    $ rlenv audit rewards.py:my_reward --rows rows.jsonl --fail-on low --set certificate=audit.json

Exit code 0, 1 where there is a finding of `--fail-on` or above, 2 where nothing could be audited.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

import typer

from rlenv.cli.audit_subject import (
    INSPECT,
    file_of,
    files_named,
    foreign_id,
    function_named,
    rows_with,
    solution_as,
)
from rlenv.cli.auditing import AuditRequest, all_audited, audited, drawing
from rlenv.cli.echo import echo
from rlenv.cli.environments import keywords, keywords_of
from rlenv.cli.given import OnEnvironment
from rlenv.cli.settings import CommandSettings, Schema, configured, said_as
from rlenv.core import VERSION
from rlenv.core.errors import ConfigError, UnknownEnvironment
from rlenv.core.jsontypes import Json
from rlenv.env.registry import list_envs
from rlenv.env.reward_functions import STYLES, Style
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_line

if TYPE_CHECKING:
    from rlenv.audit import Audit, Severity


def style_named(name: str) -> Style:
    """The style of this name. Raises ConfigError where there is none."""
    for style in STYLES:
        if style == name:
            return style
    raise ConfigError(f"expected style out of {', '.join(STYLES)}, got {name!r}")


@dataclass(frozen=True, kw_only=True)
class AuditSettings(OnEnvironment):
    """Which reward is attacked, by what, and where the findings go."""

    env: str = ""
    """An id; FILE.py:FUNCTION with --rows; a URL of OpenEnv, verifiers:TASKSET or gem:ID with solutions;
    inspect:FILE.py@TASK."""
    every: bool = said_as("--all", default=False)
    """Audit every environment of `rlenv list`, and sum up."""
    family: str | None = None
    """With --all, only this part before the slash."""
    against: Mapping[str, object] = field(default_factory=dict)
    """Also judge with these keywords changed (--set against.KEY=VALUE), and list where the two differ."""
    jobs: int | None = None
    """With --all, how many at a time; by default one a core."""
    rows: str | None = None
    """Rows for a reward function: a file .jsonl, .json, .csv or .parquet."""
    style: str = "auto"
    """How the function is called: trl, plain, named; auto reads its parameters."""
    solution: str | None = None
    """How a right completion is written, such as '<answer>{answer}</answer>'."""
    solutions: str | None = None
    """A file of rows with id and solution, for an environment that brings no solutions."""
    reference: str | None = None
    """The column of the rows with the right answer."""
    train: str | None = None
    """The rows that are trained on: which of them are audited, nearly or exactly?"""
    tasks: int | None = None
    """How many tasks to try; by default 32, and 8 where completions are programs."""
    seed: int = 0
    """The random seed that draws tasks."""
    search: float = 0.0
    """Seconds to search for texts that are paid and stand in no catalogue."""
    fail_on: str = "medium"
    """critical, high, medium, low or info: a finding of this severity or above ends with exit code 1."""
    show: str = "info"
    """Print findings of this severity and above."""
    json: str | None = None
    """Write everything as JSON into this file."""
    sarif: str | None = None
    """Write SARIF 2.1.0 into this file."""
    certificate: str | None = None
    """Write a certificate into this file: what was tried and what it earned, as JSON."""
    replay: str | None = None
    """Show the whole text of the finding of this id."""


SHOWN = ("every", "imports", "rows", "reference", "solution", "tasks", "search", "fail_on", "json", "replay")


@configured(Schema(AuditSettings, shown=SHOWN, argument="env"))
def command(given: CommandSettings[AuditSettings]) -> None:
    """Attack a reward with known hacks and wrong answers; exit code 1 when one earns too much.

    rlenv audit math/arithmetic-v1, or rlenv audit rewards.py:my_reward --rows rows.jsonl
    """
    from rlenv.audit import Severity, sarif, table
    from rlenv.audit.certificate import certificate, write_certificate
    from rlenv.audit.splits import takes

    own = given.own
    Severity.named(own.fail_on)
    shown = Severity.named(own.show)
    _check(own)
    failed: list[tuple[str, str]] = []

    def asked(id: str, kwargs: dict[str, Json]) -> AuditRequest:
        judged_too = (
            cast("dict[str, Json]", dict(own.against))
            if not own.every or all(takes(id, key) for key in own.against)
            else {}
        )
        train = None if own.train is None else Path(own.train)
        return AuditRequest(
            id, kwargs, own.tasks, own.seed, judged_too, imports=own.imports, train=train, search=own.search
        )

    files: tuple[Path, ...] = ()
    if own.env:
        one, files = _environment_audited(own, asked) if own.rows is None else _function_audited(own)
        if own.replay is not None:
            _replay(one, own.replay)
            return
        done = [one]
        echo(one.text(shown))
    else:
        done, failed = _all(own, asked, max(shown, Severity.LOW))
        echo(table(done, failed))
    if own.json is not None:
        _write(own.json, [audit.to_json() for audit in done] if own.every else done[0].to_json())
    if own.certificate is not None:
        today = datetime.now(UTC).date().isoformat()
        made = certificate(done[0], rlenv_version=VERSION, fail_on=own.fail_on, files=files, date=today)
        write_certificate(Path(own.certificate), made)
    if own.sarif is not None:
        _write(own.sarif, sarif(done, VERSION))
    if not done:
        raise typer.Exit(2)
    if any(audit.at_least(own.fail_on) for audit in done):
        raise typer.Exit(1)


def _check(own: AuditSettings) -> None:
    if bool(own.env) == own.every:
        raise ConfigError("expected the id of an environment, or --all")
    if own.rows is not None and own.against:
        raise ConfigError("expected against.KEY without --rows: a reward function has no other verifier")
    if own.every and own.train is not None:
        raise ConfigError("expected a training file for one environment, not with --all")
    if own.every and own.certificate is not None:
        raise ConfigError("expected a certificate for one environment, not with --all; use --json for all of them")
    for name, least in (("tasks", 1), ("seed", 0), ("jobs", 1)):
        if getattr(own, name) is not None and getattr(own, name) < least:
            raise ConfigError(f"expected {name} of at least {least}, got {getattr(own, name)}")
    if not 0 <= own.search < float("inf"):
        raise ConfigError(f"expected --search SECONDS of 0 or more, got {own.search:g}")


def _environment_audited(
    own: AuditSettings, asked: Callable[[str, dict[str, Json]], AuditRequest]
) -> tuple[Audit, tuple[Path, ...]]:
    """The audit of an environment, ours or another's, and the files that it was made from."""
    env, solutions = own.env, None if own.solutions is None else Path(own.solutions)
    theirs, targets = foreign_id(env), env.startswith(INSPECT)
    if theirs is not None and solutions is None and not targets:
        raise ConfigError(f"{env} brings no right completions to measure by; give --set solutions=FILE")
    kwargs = own.keywords
    kwargs |= {"solution": own.solution} if targets and own.solution is not None else {}
    one = replace(asked(theirs or env, kwargs), solutions=solutions, named=env if theirs else "")
    return audited(one), (*files_named(env), *(() if solutions is None else (solutions,)))


def _all(
    own: AuditSettings, made: Callable[[str, dict[str, Json]], AuditRequest], least: Severity
) -> tuple[list[Audit], list[tuple[str, str]]]:
    """The audits of all that can be made, and why the others cannot; findings from `least` up are printed."""
    from rlenv.audit.splits import takes

    ids = list_envs(own.family)
    if not ids:
        raise UnknownEnvironment(f"no environment of the family {own.family!r}; see `rlenv list`")
    of, shared = keywords_of(own.of), keywords("", own.data, own.kwargs, {})
    asked = []
    for id in ids:
        kwargs = {key: value for key, value in shared.items() if takes(id, key)}
        asked.append(made(id, kwargs | of.get(id, {})))
    done: list[Audit] = []
    failed: list[tuple[str, str]] = []
    for id, outcome in all_audited(asked, own.jobs, own.imports):
        if isinstance(outcome, str):
            failed.append((id, outcome))
            continue
        done.append(outcome)
        if outcome.at_least(least):
            echo(outcome.text(least))
        echo(f"{id}: {outcome.worst.word if outcome.findings else 'nothing'}", err=True)
    return sorted(done, key=lambda audit: audit.env_id), sorted(failed)


def _function_audited(own: AuditSettings) -> tuple[Audit, tuple[Path, ...]]:
    """The audit of a reward function, and the files that were read for it."""
    from rlenv.audit import audit_reward

    function, rows = function_named(own.env), Path(own.rows or "")
    done = audit_reward(
        function,
        rows_with(rows, own.reference),
        style=style_named(own.style),
        reference=own.reference,
        solution=solution_as(own.solution),
        tasks=own.tasks,
        seed=own.seed,
        search=own.search,
        train=[] if own.train is None else rows_with(Path(own.train), own.reference),
        name=own.env,
        quiet=False,
    )
    words = ["rlenv", "audit", own.env, "--rows", str(rows)]
    for option, value in (("--reference", own.reference), ("--solution", own.solution)):
        words += [option, value] if value else []
    words += ["--set", f"train={own.train}"] if own.train else []
    words += ["--search", f"{own.search:g}"] if own.search else []
    words += [] if own.style == "auto" else ["--set", f"style={own.style}"]
    return replace(done, command=shlex.join([*words, *drawing(own.tasks, own.seed)])), (*file_of(function), rows)


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


def _write(file: str, content: object) -> None:
    replace_text(Path(file), json.dumps(content, indent=1, ensure_ascii=True) + "\n")
