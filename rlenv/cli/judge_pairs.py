"""`rlenv judge-pairs RUN`: the completions of a run that a judge compared, as pairs for preference training."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from rlenv.cli.echo import echo
from rlenv.cli.judge_check import Cache, judge_named
from rlenv.core.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rlenv.core.completion import Completion
    from rlenv.core.task import Task
    from rlenv.judges.pairs import Standing
    from rlenv.trainers.branches.preference import Pair

    Groups = Sequence[tuple[Task, Sequence[Completion]]]


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run or of an evaluation.")],
    judge: Annotated[
        str, typer.Option(metavar="MODEL", help="The judge: http://HOST/v1#MODEL, or a folder, read by log-probs.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The JSONL file to write.")] = Path("pairs.jsonl"),
    draw: Annotated[
        Literal["neighbours", "all"], typer.Option(help="Compare each completion of a group with the next, or all.")
    ] = "neighbours",
    criterion: Annotated[str, typer.Option(help="What decides; by default correct, then complete, then clear.")] = "",
    cache: Cache = None,
    limit: Annotated[int | None, typer.Option(min=1, help="How many groups.")] = None,
    chat: Annotated[bool, typer.Option("--chat", help="Write text prompts as chat messages.")] = False,
) -> None:
    """Write preference pairs that a model judged (RLAIF), in TRL's format.

    Every pair is asked about in both orders; only one that wins from both places is written. For example:
    rlenv judge-pairs runs/first --judge http://localhost:8000/v1#MODEL --out pairs.jsonl &&
    rlenv train-rm pairs.jsonl --model BASE --out runs/rm
    """
    from rlenv.judges.pairs import CRITERION, PairJudge, play
    from rlenv.trainers.branches.preference import write_pairs

    groups = _groups(run, limit)
    pair_judge = PairJudge(judge_named(judge, cache), criterion or CRITERION)
    standings = play(pair_judge, groups, draw)
    pairs = list(_pairs(groups, standings))
    if not pairs:
        problem = next((standing.problem for standing in standings if standing.problem), "compare more completions")
        raise RunError(f"no pair was decided: {_rest(standings)}; {problem}")
    echo(f"{write_pairs(out, pairs, chat=chat)} pairs in {out}; {_rest(standings)}")


def _groups(run: Path, limit: int | None) -> Groups:
    """The completions of each group of two or more, whatever their verdicts: the judge has its own."""
    from itertools import groupby, islice

    from rlenv.store.saved_episodes import read_episodes

    together = (list(members) for _, members in groupby(read_episodes(run), key=lambda e: (e.step, e.group)))
    several = (members for members in together if len(members) > 1)
    found = [(members[0].task, [e.completion for e in members]) for members in islice(several, limit)]
    if not found:
        raise RunError(f"{run} has no group of two completions or more; sample with --n 2 or more")
    return found


def _pairs(groups: Groups, standings: Sequence[Standing]) -> Iterator[Pair]:
    from rlenv.trainers.branches.preference import Pair

    for (task, completions), standing in zip(groups, standings, strict=True):
        for better, worse in standing.wins:
            chosen, rejected = completions[better], completions[worse]
            yield Pair(task.prompt, chosen.text, rejected.text, chosen.finished, rejected.finished)


def _rest(standings: Sequence[Standing]) -> str:
    ties, failed = sum(standing.ties for standing in standings), sum(standing.failed for standing in standings)
    inconsistent = sum(standing.inconsistent for standing in standings)
    return f"{ties} ties, {inconsistent} of them because the orders contradict each other; {failed} not judged"
