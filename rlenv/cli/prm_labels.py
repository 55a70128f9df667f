"""`rlenv prm-labels RUN`: the completions of a run with a label a step, for `rlenv train-prm`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rlenv.cli.echo import echo
from rlenv.cli.given import OnEnvironment
from rlenv.cli.settings import CommandSettings, Schema, configured, said_as
from rlenv.core.errors import ConfigError

if TYPE_CHECKING:
    from rlenv.core.episode import Episode
    from rlenv.core.jsontypes import Json
    from rlenv.scorers.monte_carlo import Split
    from rlenv.scorers.scorer import StepScorer

CHUNK = 64
"""Completions that are labelled together; the file grows by as many."""


@dataclass(frozen=True, kw_only=True)
class LabelSettings(OnEnvironment):
    """Which steps are labelled, by whom."""

    run: str = ""
    """The folder of a training run or of an evaluation."""
    out: str = "labels.jsonl"
    """The JSONL file to write."""
    model: str | None = said_as("--model", "-m")
    """The policy that continues from each step; by default RUN/model."""
    env: str = ""
    """The environment that judges; by default that of the run."""
    scorer: str | None = None
    """Another step scorer instead: a folder, a name, or JSON."""
    steps: str | None = None
    """How completions are cut: auto, paragraphs, lines, numbered, separators; by default as an environment that
    rewards steps cuts them, else auto."""
    samples: int = 8
    """How many continuations of each step."""
    above: float = 0.0
    """A step counts as right when its value is above this."""
    max_continuations: int = 4096
    """The budget of 64 completions; beyond it estimates are coarser."""
    max_new_tokens: int = 256
    """The length of a whole completion."""
    limit: int = 0
    """Label this many of the run's last completions; 0 for all."""
    seed: int = 0
    """The random seed of the continuations."""


SHOWN = ("out", "model", "env", "data", "imports", "scorer", "steps", "samples", "limit", "quiet")


@configured(Schema(LabelSettings, shown=SHOWN, argument="run"))
def command(given: CommandSettings[LabelSettings]) -> None:
    """Write step labels from the episodes of a run, in the format of TRL's PRM trainer.

    By default the labels are Monte-Carlo estimates: a step is right where any continuation from behind it is.

    rlenv prm-labels runs/first --out labels.jsonl && rlenv train-prm labels.jsonl --out runs/prm
    """
    from rlenv.scorers.load import load_step_scorer

    own = given.own
    if min(own.samples, own.max_continuations, own.max_new_tokens) < 1 or own.limit < 0 or not own.run:
        raise ConfigError(
            "expected RUN, samples, max_continuations and max_new_tokens of at least 1, limit of 0 or more"
        )
    episodes = _episodes(Path(own.run), own.limit)
    env, kwargs = own.env, own.keywords
    if own.scorer is not None:
        judge = _named(own.scorer)
    else:
        spec: dict[str, Json] = {"policy": own.model or _model_of(Path(own.run)), "env": env or _env_of(episodes)}
        spec |= {"env_kwargs": kwargs, "max_new_tokens": own.max_new_tokens, "seed": own.seed}
        spec |= {"kind": "monte_carlo", "samples": own.samples, "max_continuations": own.max_continuations}
        judge = load_step_scorer(spec)
    as_judged = own.steps is None and own.scorer is None
    cut = _cut_of(env or _env_of(episodes), kwargs) if as_judged else _cut(own.steps or "auto")
    _write(Path(own.out), episodes, judge, cut, own.above, own.quiet)


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
