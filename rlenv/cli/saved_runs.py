"""What saved runs are asked, without a model: `rlenv report`, `compare`, `rescore`, `import`, `convert` and `pairs`.

$ rlenv report runs/check --k 1,8 --maj --by level
$ rlenv compare GRPO=runs/g1,runs/g2,runs/g3 RLOO=runs/r1,runs/r2,runs/r3
$ rlenv import runs/trl/completions --env mine/reverse-v0 --out runs/imported
$ rlenv rescore runs/imported
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Annotated

import typer

from rlenv.cli.echo import echo
from rlenv.cli.environments import Data, Imports, Set, environment_kwargs, find_modules_here, import_modules
from rlenv.cli.eval import numbers
from rlenv.comparison import compare
from rlenv.comparison.pairs import MOST_FLIPS
from rlenv.core.errors import ConfigError
from rlenv.evaluation.rescoring import rescore
from rlenv.store.files import replace_text
from rlenv.text.escaping import shown_json

FORMS = ("rlenv", "parquet", "inspect")


def report(
    run: Annotated[Path, typer.Argument(help="The folder of an evaluation or a training run, or a file of episodes.")],
    k: Annotated[str, typer.Option("--k", "-k", help="The k of pass@k, maj@k and best-of-k, between commas.")] = "",
    by: Annotated[list[str] | None, typer.Option(help="Report by this column of the tasks too, such as level.")] = None,
    maj: Annotated[
        bool, typer.Option("--maj", help="maj@k: the most frequent answer of k completions is right.")
    ] = False,
    best_of: Annotated[
        list[str] | None,
        typer.Option(help="best-of-k by logprob, logprob-mean, a score of the verdicts, or a scorer."),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="A completion passes at this reward or more.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write it as Markdown too.")] = None,
    imports: Imports = None,
) -> None:
    """Analyse a saved run: pass@k for any k, by level, majority vote, best-of-n, difficulty.

    For example: rlenv report runs/check --k 1,8 --maj --best-of logprob --by level
    """
    from rlenv.analysis import analyse

    import_modules(imports)
    find_modules_here()  # for --best-of MODULE:FUNCTION
    found = analyse(
        run,
        k=numbers(k) if k else (),
        by=by or (),
        maj=maj,
        best_of=best_of or (),
        threshold=threshold,
    )
    echo(found)
    if out is not None:
        replace_text(out, found.markdown())
        echo(f"saved in {out}")


def compare_runs(
    sides: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C...]",
            help="Each a folder of `rlenv eval --out`, or NAME=FOLDER,FOLDER: the training seeds of one recipe.",
        ),
    ],
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="The k of pass@k.")] = 1,
    threshold: Annotated[
        float | None, typer.Option(help="A completion passes at this reward or more; by default as evaluated.")
    ] = None,
    flips: Annotated[int, typer.Option(min=0, help="How many of the most changed tasks are listed.")] = MOST_FLIPS,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write everything as JSON.")] = None,
) -> None:
    """Test whether saved evaluations differ, pair by pair and task by task."""
    found = compare(*sides, k=k, threshold=threshold, flips=flips)
    echo(found)
    if json_file is not None:
        replace_text(json_file, shown_json(found.to_json(), indent=1) + "\n")


def rescore_run(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Of `rlenv eval --out` or `rlenv import --out`.")],
    env: Annotated[str | None, typer.Argument(metavar="[ENV]", help="Another environment that judges them.")] = None,
    data: Data = None,
    settings: Set = None,
    imports: Imports = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Judge a saved run again, and list every verdict that changed."""
    import_modules(imports)
    done = rescore(folder, env, env_kwargs=environment_kwargs(data, settings), quiet=quiet)
    echo(done)
    echo(f"saved in {done.folder}; the run itself is as it was")


def import_run(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files of one run, or folders of them.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="A new folder for the episodes.")],
    env: Annotated[
        str | None, typer.Option(help="The environment of the log; not needed where the log holds rows of rlenv.")
    ] = None,
    data: Data = None,
    settings: Set = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="NAME", help="trl, verl, inspect or verifiers; by default it is read from each file."
        ),
    ] = None,
    reward: Annotated[str | None, typer.Option(help="The column of the log that holds the reward.")] = None,
    reference: Annotated[
        str | None, typer.Option(help="Make the tasks from the log: this column is the right answer.")
    ] = None,
    threshold: Annotated[float, typer.Option(help="A completion passes at this reward or more.")] = 1.0,
    imports: Imports = None,
) -> None:
    """Save completions that another library logged as episodes; `rlenv rescore` judges them again."""
    from rlenv.logs import import_logs

    import_modules(imports)
    kwargs = environment_kwargs(data, settings)
    done = import_logs(
        list(paths), out, env=env, env_kwargs=kwargs, form=form, reward=reward, reference=reference, threshold=threshold
    )
    echo(done)
    modules = [word for name in imports or () for word in ("--import", name)]
    echo(f"now: {shlex.join(['rlenv', 'rescore', str(out), *modules])}")


def convert_run(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run or of an evaluation.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="The copy that is converted, or the file of another form."),
    ] = None,
    to: Annotated[str, typer.Option(metavar="FORM", help="rlenv, parquet or inspect (a log that it views).")] = "rlenv",
) -> None:
    """Write the episodes of a run in another form.

    rlenv: those of an older rlenv as episodes.jsonl.gz and tasks.jsonl.gz, in the folder itself or a copy.
    For example: rlenv convert runs/first --to inspect --out first.eval
    """
    if to not in FORMS:
        raise ConfigError(f"expected --to out of {', '.join(FORMS)}, got {to!r}")
    from rlenv.store.saved_episodes import convert, read_episodes

    if to == "rlenv":
        folder = run if out is None else Path(shutil.copytree(run, out, symlinks=True))
        echo(f"{convert(folder)} episodes in {folder}")
        return
    if out is None:
        raise ConfigError(f"expected --out FILE with --to {to}; for example run.{'eval' if to == 'inspect' else to}")
    if to == "parquet":
        count = read_episodes(run).to_parquet(out)
    else:
        from rlenv.integrations.inspect_log import to_inspect_log

        count = to_inspect_log(run, out)
    echo(f"{count} episodes in {out}")


def pairs(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a training run or of an evaluation.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The JSONL file to write.")] = Path("pairs.jsonl"),
    per_group: Annotated[
        int, typer.Option(min=0, help="Pairs a group: the i-th best with the i-th worst; 0 for all that differ.")
    ] = 1,
    chat: Annotated[bool, typer.Option("--chat", help="Write text prompts as chat messages.")] = False,
) -> None:
    """Write preference pairs from the episodes of a run, in TRL's format.

    Ties and failures of the checker give no pair. For example:
    rlenv pairs runs/first --out pairs.jsonl && rlenv train ENV --algorithm dpo --set pairs=pairs.jsonl --group-size 2
    """
    from rlenv.store.saved_episodes import read_episodes
    from rlenv.trainers.branches.preference import pairs_of, write_pairs

    count = write_pairs(out, pairs_of(read_episodes(run), per_group), chat=chat)
    echo(f"{count} pairs in {out}")
