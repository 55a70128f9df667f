"""`rlenv sandbox build|check|bench`: make the image, attack the sandbox, measure it."""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo

if TYPE_CHECKING:
    from rlenv.sandbox import Sandbox
    from rlenv.sandbox.hostile import Outcome
    from rlenv.sandbox.hostile.session_runner import SessionOutcome

app = typer.Typer(
    help="Build, check and measure the sandbox that runs untrusted programs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


class Backend(enum.StrEnum):
    """Where programs run."""

    AUTO = "auto"
    DOCKER = "docker"
    NAMESPACES = "namespaces"


class Source(enum.StrEnum):
    """What an image is made from."""

    AUTO = "auto"
    HOST = "host"
    REGISTRY = "registry"


Where = Annotated[Backend, typer.Option("--backend", help="The sandbox; auto takes the first that works here.")]
Cells = Annotated[int | None, typer.Option("--cells", min=1, help="How many cells; by default one for each core.")]


@app.command()
def build(
    source: Annotated[Source, typer.Option(help="The host's own Python, or an image from a registry.")] = Source.AUTO,
    package: Annotated[list[str] | None, typer.Option(help="A distribution to put in; may be given again.")] = None,
) -> None:
    """Make the image that the cells of the docker backend start from, and print its name."""
    from rlenv.sandbox.image import build_image

    start = time.perf_counter()
    name = build_image(source.value, packages=package or ())
    echo(name)
    echo(f"ready after {time.perf_counter() - start:.1f} s", err=True)


@app.command()
def check(
    backend: Where = Backend.AUTO,
    honest: Annotated[int, typer.Option(min=0, help="Honest programs to run after the suite.")] = 1000,
    family: Annotated[list[str] | None, typer.Option(help="Only this family of attacks; may be given again.")] = None,
    cells: Cells = None,
) -> None:
    """Say what is guaranteed on this machine, and attack it with the hostile suite.

    Exits with 1 when any verdict is wrong or anything is left behind.
    """
    from rlenv.sandbox.hostile import CASES, run_honest, run_suite
    from rlenv.sandbox.hostile.residue import residue
    from rlenv.sandbox.hostile.session_cases import FAMILY, SESSION_CASES
    from rlenv.sandbox.hostile.session_runner import run_sessions
    from rlenv.workers.worker_process import what_ends_processes

    cases = [case for case in CASES if not family or case.family in family]
    sessions = SESSION_CASES if not family or FAMILY in family else ()
    if not cases and not sessions:
        known = ", ".join(sorted({FAMILY, *(case.family for case in CASES)}))
        raise typer.BadParameter(f"expected one of {known}", param_hint="--family")
    with_engine = backend is not Backend.NAMESPACES
    before = residue(engine=with_engine)
    with _opened(backend, cells) as box:
        echo(guaranteed(box))
        echo(f"workers of verifiers: {what_ends_processes()}", err=True)
        outcomes = run_suite(box, cases, cells=box.cells, tell=_tell)
        hostile_sessions = run_sessions(box, sessions, tell=_tell_session)
        wrong_honest = run_honest(box, honest)
    left = sorted(residue(engine=with_engine) - before)
    echo(table(outcomes))
    wrong_sessions = [outcome for outcome in hostile_sessions if outcome.problems]
    echo(f"{FAMILY}: {len(hostile_sessions)} hostile ones, {len(wrong_sessions)} wrong")
    for title, lines in (("honest programs judged wrong", wrong_honest), ("left behind", left)):
        echo(f"{title}: {len(lines)}")
        echo("".join(f"  {line}\n" for line in lines[:20]), nl=False)
    if any(outcome.problems for outcome in outcomes) or wrong_sessions or wrong_honest or left:
        raise typer.Exit(1)


@app.command()
def bench(
    backend: Where = Backend.AUTO,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long to run each kind of program.")] = 5.0,
    cells: Cells = None,
) -> None:
    """Measure programs a second, the time that one takes while all cells are busy, and the start of a sandbox."""
    from rlenv.sandbox.speed import measure, one_print, ten_calls

    start = time.perf_counter()
    with _opened(backend, cells) as box:
        box.run(one_print(1))
        boot_ms = 1e3 * (time.perf_counter() - start)
        echo(f"{'program':<14}{'a second':>10}{'p50 ms':>9}{'p95 ms':>9}")
        for name, make in (("one print", one_print), ("ten calls", ten_calls)):
            speed = measure(box.run, make, seconds=seconds, at_once=box.cells)
            echo(f"{name:<14}{speed.per_second:>10.0f}{speed.median_ms:>9.1f}{speed.percentile_ms(0.95):>9.1f}")
        echo(f"from open to the first result: {boot_ms:.0f} ms; {box.cells} cells on {os.cpu_count()} cores")


def _opened(backend: Backend, cells: int | None) -> Sandbox:
    from rlenv.sandbox import open_sandbox

    box = open_sandbox(backend.value, cells=cells)
    echo(f"{box.guarantees}; {box.cells} cells", err=True)
    return box


def guaranteed(box: Sandbox) -> str:
    """One line for each guarantee: what holds it, or why it is none here."""
    from rlenv.sandbox.promises import cage_of, promises

    return f"{box.backend} on this machine\n" + "".join(f"  {promise}\n" for promise in promises(cage_of(box)))


def _tell(outcome: Outcome) -> None:
    for problem in outcome.problems:
        echo(f"{outcome.case.family}/{outcome.case.name}: {problem}", fg="red", err=True)


def _tell_session(outcome: SessionOutcome) -> None:
    for problem in outcome.problems:
        echo(f"sessions/{outcome.case.name}: {problem}", fg="red", err=True)


def table(outcomes: Sequence[Outcome]) -> str:
    """One line for each family: how many cases, how many right, the slowest."""
    lines = [f"{'family':<14}{'cases':>7}{'right':>7}{'wrong':>7}   slowest"]
    for family in dict.fromkeys(outcome.case.family for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.case.family == family]
        lines.append(_row(family, mine))
    return "\n".join([*lines, _row("all", outcomes)])


def _row(name: str, outcomes: Sequence[Outcome]) -> str:
    wrong = sum(bool(outcome.problems) for outcome in outcomes)
    slowest = max(outcomes, key=lambda outcome: outcome.elapsed_s)
    right = len(outcomes) - wrong
    return (
        f"{name:<14}{len(outcomes):>7}{right:>7}{wrong:>7}   {slowest.elapsed_s:.2f} s of "
        f"{slowest.case.limits.wall_s:g} s, {slowest.case.name}"
    )
