"""`rlenv prm-labels RUN`: the completions of a run with a label a step, for `rlenv train-prm`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environment_options import Data, Imports, Set, environment_kwargs, import_modules
from rlenv.core.errors import ConfigError

if TYPE_CHECKING:
    from rlenv.core.episode import Episode
    from rlenv.core.jsontypes import Json
    from rlenv.scorers.monte_carlo import Split
    from rlenv.scorers.scorer import StepScorer

CHUNK = 64
"""Completions that are labelled together; the file grows by as many."""


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run or of an evaluation.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The JSONL file to write.")] = Path("labels.jsonl"),
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="The policy that continues from each step; by default RUN/model."),
    ] = None,
    env: Annotated[str | None, typer.Option(help="The environment that judges; by default that of the run.")] = None,
    scorer: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Another step scorer instead: a folder, a name, or JSON.")
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option(
            help="How completions are cut: auto, paragraphs, lines, numbered, separators; by default as an "
            "environment that rewards steps cuts them, else auto."
        ),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="How many continuations of each step.")] = 8,
    above: Annotated[float, typer.Option(help="A step counts as right when its value is above this.")] = 0.0,
    max_continuations: Annotated[
        int, typer.Option(min=1, help=f"The budget of {CHUNK} completions; beyond it estimates are coarser.")
    ] = 4096,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="The length of a whole completion.")] = 256,
    limit: Annotated[int, typer.Option(min=0, help="Label this many of the run's last completions; 0 for all.")] = 0,
    seed: Annotated[int, typer.Option(help="The random seed of the continuations.")] = 0,
    data: Data = None,
    settings: Set = None,
    imports: Imports = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Write step labels from the episodes of a run, in the format of TRL's PRM trainer.

    By default the labels are Monte-Carlo estimates: a step is right where any continuation from behind it is. For
    example: rlenv prm-labels runs/first --out labels.jsonl && rlenv train-prm labels.jsonl --out runs/prm
    """

    from rlenv.scorers.load import load_step_scorer

    import_modules(imports)
    episodes = _episodes(run, limit)
    kwargs = environment_kwargs(data, settings)
    if scorer is not None:
        judge = _named(scorer)
    else:
        spec: dict[str, Json] = {"policy": model or _model_of(run), "env": env or _env_of(episodes)}
        spec |= {"env_kwargs": kwargs, "max_new_tokens": max_new_tokens, "seed": seed}
        spec |= {"kind": "monte_carlo", "samples": samples, "max_continuations": max_continuations}
        judge = load_step_scorer(spec)
    cut = _cut_of(env or _env_of(episodes), kwargs) if steps is None and scorer is None else _cut(steps or "auto")
    _write(out, episodes, judge, cut, above, quiet)


def _cut_of(env: str, kwargs: dict[str, Json]) -> Split:
    """As the environment cuts a text, where it rewards steps."""
    from rlenv.env.registry import load
    from rlenv.envs.process.verifier import ProcessVerifier

    verifier = load(env, **kwargs).verifier
    if not isinstance(verifier, ProcessVerifier):
        return _cut("auto")
    reader = verifier.reader
    return lambda text: reader.read(text).spans


def _cut(steps: str) -> Split:
    from functools import partial
    from typing import cast

    from rlenv.envs.process.steps import Kind, split

    return partial(split, kind=cast("Kind", steps))


def _write(out: Path, episodes: list[Episode], judge: StepScorer, cut: Split, above: float, quiet: bool) -> None:
    """Label chunk by chunk, and say what became of the completions."""
    from rlenv.core.jsontypes import line
    from rlenv.evaluation.progress import progress
    from rlenv.scorers.monte_carlo import LabelCounts, labelled

    counts = LabelCounts()
    with out.open("w", encoding="ascii") as file, progress("labelling steps", len(episodes), quiet=quiet) as advance:
        for start in range(0, len(episodes), CHUNK):
            chunk = episodes[start : start + CHUNK]
            file.writelines(line(row) for row in labelled(chunk, judge, cut, above, counts))
            file.flush()
            advance(len(chunk), f"{counts.right} of {counts.steps} steps right")
    drawn = getattr(judge, "spent", None)
    echo(f"{counts}" + (f"; {drawn} continuations" if drawn is not None else ""))
    echo(f"labels: {out}")


def _episodes(run: Path, limit: int) -> list[Episode]:
    from rlenv.store.saved_episodes import read_episodes

    return list(read_episodes(run))[-limit:]


def _named(spec: str) -> StepScorer:
    from rlenv.core.jsontypes import read_json
    from rlenv.scorers.load import load_step_scorer

    if not spec.startswith("{"):
        return load_step_scorer(spec)
    try:
        return load_step_scorer(read_json(spec))
    except ValueError as error:
        raise ConfigError(f"--scorer: {error}") from error


def _env_of(episodes: list[Episode]) -> str:
    ids = sorted({episode.env_id for episode in episodes})
    if len(ids) != 1 or not ids[0]:
        raise ConfigError(f"expected episodes of one environment, got {ids}; say which: --env ID")
    return ids[0]


def _model_of(run: Path) -> str:
    for folder in (run / "model", run / "train" / "model"):
        if folder.is_dir():
            return str(folder)
    raise ConfigError(f"{run} holds no model; say who goes on from each step: --model FOLDER")
