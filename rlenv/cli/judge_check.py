"""`rlenv judge-check FILE`: what a judge agrees with, what moves it and what fools it, on rows with labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rlenv.cli.echo import echo
from rlenv.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rlenv.core.jsontypes import Json
    from rlenv.judges.check import Checked, Labelled, LabelledText
    from rlenv.judges.client import Client


Judge: TypeAlias = Annotated[
    str,
    typer.Option("--judge", metavar="MODEL", help="http://HOST/v1#MODEL, or a folder, read by log-probs."),
]
Cache: TypeAlias = Annotated[
    Path | None,
    typer.Option("--cache", metavar="FILE", help="Save answers here; the same command continues from them."),
]


def command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="JSONL: prompt, chosen, rejected; or prompt, text, label (1 for right, 0 for wrong)."
        ),
    ],
    judge: Judge,
    criterion: Annotated[str, typer.Option(help="The rubric, or what decides between two; by default ours.")] = "",
    cache: Cache = None,
    again: Annotated[bool, typer.Option("--again", help="Ask all rows twice: agreement with itself.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="How many rows.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the figures as JSON, and as a page.")] = None,
) -> None:
    """Measure a judge on labelled rows, and play the catalogue's exploits of judges against it.

    For example: rlenv judge-check pairs.jsonl --judge http://localhost:8000/v1#MODEL --again
    """
    client = judge_named(judge, cache)
    rows = [read_row(row, file, number) for number, row in enumerate(_read(file, limit), start=1)]
    checked = _checked(client, rows, criterion, again)
    echo(checked)
    if out is not None:
        from rlenv.judges.page import write_page

        out.write_text(json.dumps(checked.to_json(), indent=1) + "\n", encoding="utf-8")
        page = out.with_suffix(".html")
        write_page(page, checked)
        echo(f"page: {page}")


def judge_named(judge: str, cache: Path | None) -> Client:
    """Whom to ask. A model of this process is asked anew each time: its answers are never kept. Raises ConfigError."""
    from rlenv.judges.client import judge_client

    url, sharp, model = judge.partition("#")
    if sharp and model:
        return judge_client(url, model, None if cache is None else str(cache))
    if not Path(judge).is_dir():
        raise ConfigError(f"expected the judge as http://HOST:PORT/v1#MODEL or a model's folder, got {judge!r}")
    if cache is not None:
        raise ConfigError("expected --cache with an endpoint alone; leave it out")
    from rlenv.judges.logprobs import LogprobClient

    return LogprobClient(path=judge)


def _read(file: Path, limit: int | None) -> list[dict[str, Json]]:
    from itertools import islice

    from rlenv.door.reading import json_objects

    rows = [dict(row) for row in islice(json_objects(file), limit)]
    if not rows:
        raise ConfigError(f"expected rows in {file}, got none; write prompt, chosen, rejected or prompt, text, label")
    return rows


def read_row(row: Mapping[str, object], file: Path, number: int) -> Labelled | LabelledText:
    """A row of pairs or of texts. Raises ConfigError for what is neither."""
    from rlenv.judges.check import Labelled, LabelledText

    own, label, id = row.get("own", 0), row.get("label"), str(row.get("id", number))
    if not isinstance(own, int) or own not in (-1, 0, 1):
        raise ConfigError(f"{file} row {number}: expected own of -1, 0 or 1, got {own!r:.80}; mend it or leave it out")
    prompt, better, worse, text = (row.get(name) for name in ("prompt", "chosen", "rejected", "text"))
    if isinstance(prompt, str) and isinstance(better, str) and isinstance(worse, str):
        return Labelled(prompt, better, worse, own, id)
    if isinstance(prompt, str) and isinstance(text, str) and isinstance(label, int) and label in (0, 1):
        return LabelledText(prompt, text, int(label), own, id)
    raise ConfigError(
        f"{file} row {number}: expected prompt, chosen, rejected as texts, or prompt, text and a label of 0 or 1, "
        f"got {sorted(row)}; mend the row"
    )


def _checked(client: Client, rows: list[Labelled | LabelledText], criterion: str, again: bool) -> Checked:
    """The figures; the second time is asked past the cache, with another seed."""
    from rlenv.judges.check import Labelled, LabelledText, check_pairs, check_texts
    from rlenv.judges.client import again_by
    from rlenv.judges.pairs import CRITERION, PairJudge
    from rlenv.judges.rubric import JudgeScorer, Rubric

    other = again_by(client)
    pairs = [row for row in rows if isinstance(row, Labelled)]
    texts = [row for row in rows if isinstance(row, LabelledText)]
    if pairs and texts:
        raise ConfigError(f"expected pairs or texts, got {len(pairs)} pairs and {len(texts)} texts; give two files")
    if pairs:
        judge = PairJudge(client, criterion or CRITERION)
        return check_pairs(judge, pairs, again=replace(judge, client=other) if again else None)
    scorer = JudgeScorer(client, Rubric({"quality": criterion}) if criterion else Rubric())
    return check_texts(scorer, texts, again=replace(scorer, client=other) if again else None)
