"""`rlenv tasks FOLDER`: what task folders in Harbor's format pay, and what is wrong with them.

    $ rlenv tasks tasks/ --base python:3.12-slim=rlenv/agents-base:latest
    median       1.00  boxed       carried work, 1 file      twin refused      nothing 0.00
    wordcount    1.00  boxed       carried work, 2 files     twin no runner    nothing 0.00
      makefile ...

The reference solution of each task is played, nothing is, and each exploit of the catalogue; with `--script FILE` that
file is, as the agent's one command. Exit code 1 where there is a finding, 2 where a task cannot be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo

if TYPE_CHECKING:
    from rlenv.core.jsontypes import Json
    from rlenv.envs.containers.findings import Finding
    from rlenv.envs.containers.judging import Grader, Outcome
    from rlenv.envs.containers.reader import Folder


def command(
    folder: Annotated[
        Path, typer.Argument(help="A task folder, a folder of such, or a JSONL file of rows with SWE-bench's fields.")
    ],
    script: Annotated[Path | None, typer.Option(help="Played as the agent's one command, in each task.")] = None,
    json_: Annotated[Path | None, typer.Option("--json", help="Where the report is written as JSON.")] = None,
    base: Annotated[
        list[str] | None, typer.Option(help="NAME=LOCAL: a local image for one that is named; may be given again.")
    ] = None,
    network: Annotated[bool, typer.Option(help="Give the network to tasks that ask for it.")] = False,
    exploits: Annotated[bool, typer.Option(help="Play the catalogue of exploits, where no script is given.")] = True,
) -> None:
    """What task folders in Harbor's format pay, and what is wrong with them: no model is asked."""
    from rlenv.envs.containers.judging import Grader
    from rlenv.envs.containers.rows import read_tasks
    from rlenv.envs.containers.workshop import Workshop
    from rlenv.sandbox.containers import docker_boxes

    mapped = dict(_pair(each) for each in base or ())
    text = None if script is None else script.read_bytes()
    grader = Grader(Workshop(docker_boxes(), mapped, network), in_process=True)
    rows = []
    for each in read_tasks(folder):
        row, lines = _judged(grader, each, text, exploits)
        rows.append(row)
        echo("\n  ".join(lines))
    if json_ is not None:
        json_.write_text(json.dumps({"tasks": rows}, indent=2) + "\n", encoding="utf-8")
    if any(row["findings"] or row["verdict"] == "error" for row in rows):
        raise typer.Exit(1)


def _pair(said: str) -> tuple[str, str]:
    name, sign, local = said.partition("=")
    if not (name and sign and local):
        raise typer.BadParameter(f"expected NAME=LOCAL, got {said!r}", param_hint="--base")
    return name, local


def _judged(grader: Grader, folder: Folder, script: bytes | None, exploits: bool) -> tuple[dict[str, Json], list[str]]:
    """What is told of one task, as JSON and in lines. What the machine could not do is an error, and no reward."""
    from rlenv.envs.containers.findings import play
    from rlenv.envs.containers.judging import Outcome
    from rlenv.sandbox.errors import SandboxError

    found: list[Finding] = []
    nothing: float | None = None
    try:
        nothing = grader.reference(folder).nothing.reward
        outcome = grader.of_reference(folder) if script is None else play(grader, folder, script)
        found = list(_findings(grader, folder, script is None and exploits))
    except SandboxError as error:
        outcome = Outcome("error", None, reason=f"{type(error).__name__}: {error}")
    lines = [_line(folder, outcome, nothing), *([outcome.reason] if outcome.reason else [])]
    lines += [f"{each.name}: {each.detail}; {each.mend}" for each in found]
    return _told(folder, outcome, nothing, found, "solution" if script is None else "script"), lines


def _findings(grader: Grader, folder: Folder, exploits: bool) -> Iterator[Finding]:
    from rlenv.envs.containers.findings import exploited, in_image, of_task

    reference = grader.reference(folder)
    yield from of_task(reference)
    yield from in_image(grader, folder, reference)
    if exploits and not reference.problem:
        yield from exploited(grader, folder)


def _told(
    folder: Folder, outcome: Outcome, nothing: float | None, found: list[Finding], played: str
) -> dict[str, Json]:
    return {
        "task": folder.name,
        "digest": folder.digest,
        "played": played,
        "reward": outcome.reward,
        "components": dict(outcome.components),
        "verdict": outcome.kind,
        "carried": {"level": outcome.level, "files": outcome.files, "bytes": outcome.bytes},
        "twin": outcome.twin,
        "reason": outcome.reason,
        "nothing": nothing,
        "findings": [asdict(each) for each in found],
    }


def _line(folder: Folder, outcome: Outcome, nothing: float | None) -> str:
    paid, idle = ("none" if value is None else f"{value:.2f}" for value in (outcome.reward, nothing))
    carried = f"carried {outcome.level or 'nothing'}, {outcome.files} files"
    twin = f"twin {outcome.twin or 'not asked'}"
    return f"{folder.name:<24} {paid:>5}  {outcome.kind:<10}  {carried:<28}  {twin:<24}  nothing {idle}"
