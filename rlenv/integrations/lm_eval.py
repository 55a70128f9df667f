"""An environment as a task folder of lm-evaluation-harness (lm-eval 0.4.13).

    print(to_lm_eval("math/arithmetic-v1", "tasks", size=200, repeats=4, pass_at=(1, 2), level=2))

The harness shows us text only: that a completion was cut is not seen, and there is one turn. A failed checker is in no
mean: its values are NaN, which the harness's `nanmean` leaves out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rlenv.core.errors import ConfigError, MissingExtra, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_text
from rlenv.door.posting import sendable
from rlenv.env.rows import RowJudge
from rlenv.evaluation.passk import pass_at_k
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import ROW, check_lists, export, reference_text, row_in, template, text_completion

if TYPE_CHECKING:
    from datasets import Dataset

SPLIT, ROWS_FILE = "test", "rows.jsonl"
_MEAN = '  - {{metric: "{}", aggregation: nanmean, higher_is_better: true}}\n'
ONE_TURN = "lm-eval asks once; evaluate it with `rlenv eval` or Inspect"
Document: TypeAlias = "Mapping[str, str]"


class FolderTask(NamedTuple):
    """What the task's YAML names."""

    load: Callable[..., dict[str, Dataset]]
    process_results: Callable[[Document, Sequence[object]], dict[str, float]]


def to_lm_eval(
    env: str,
    folder: str | Path,
    *,
    size: int | None = None,
    seed: int = 0,
    repeats: int = 1,
    pass_at: Sequence[int] = (1,),
    max_gen_toks: int = 1024,
    **kwargs: Json,
) -> str:
    """Write the task's files; its name, `rlenv_math_arithmetic_v0` for example.

    `size` tasks are drawn by `seed`; None takes all of a set of up to 20,000. Each is asked `repeats` times, sampled at
    temperature 1 where that is more than once.

    Raises ConfigError when a size must be given, for an environment of several turns, and for a pass@k of more than
    `repeats`.
    """
    name = "rlenv_" + re.sub(r"\W+", "_", env)  # the slash and the dash of `math/arithmetic-v1`
    rows = export(env, kwargs, size, seed, training=False, one_turn=ONE_TURN).rows
    write_rows(rows, folder, name, repeats, pass_at, max_gen_toks)
    return name


def write_rows(
    rows: Sequence[str],
    folder: str | Path,
    name: str,
    repeats: int = 1,
    pass_at: Sequence[int] = (1,),
    max_gen_toks: int = 1024,
) -> None:
    """Write the files of a task of any rows (docs/rows.md) of one turn.

    Raises ConfigError for a pass@k of more than `repeats`.
    """
    if max(pass_at, default=1) > repeats:
        raise ConfigError(f"expected repeats of at least {max(pass_at)} for pass@{max(pass_at)}, got {repeats}")
    settings = template("lm_eval.yaml").format(
        name=name,
        split=SPLIT,
        repeats=repeats,
        sampling="do_sample: true, temperature: 1.0" if repeats > 1 else "do_sample: false",
        max_gen_toks=max_gen_toks,
        means="".join(_MEAN.format(metric) for metric in ["reward", *(f"pass@{k}" for k in pass_at)]),
    )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ROWS_FILE).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    (folder / f"{name}.py").write_text(template("lm_eval.py").format(pass_at=[*pass_at]), encoding="utf-8")
    (folder / f"{name}.yaml").write_text(settings, encoding="utf-8")


def folder_task(file: str, pass_at: Sequence[int] = (1,)) -> FolderTask:
    """What the files of a task folder say, beside `file`. Raises ConfigError for a version of lm-eval nobody tried."""
    check_version("lm-eval", known="0.4.13", below="0.5")
    judge = RowJudge(wrappers=False)

    def load(**_: object) -> dict[str, Dataset]:
        try:
            from datasets import Dataset
        except ImportError as error:
            raise MissingExtra("datasets", "lm-eval") from error
        rows, tasks = _read(Path(file).with_name(ROWS_FILE), judge)
        prompts = [sendable(prompt_text(task.prompt)) for task in tasks]
        targets = [sendable(reference_text(task)) for task in tasks]
        return {SPLIT: Dataset.from_dict({"prompt": prompts, "target": targets, ROW: rows})}

    def process_results(document: Document, results: Sequence[object]) -> dict[str, float]:
        check_lists(results=results)
        texts = results[0] if results and isinstance(results[0], (list, tuple)) else results
        episodes = judge.judge([row_in(document)] * len(texts), [text_completion(text) for text in texts])
        return values([episode.verdict.reward for episode in episodes], pass_at)

    return FolderTask(load, process_results)


def _read(file: Path, judge: RowJudge) -> tuple[list[str], list[Task]]:
    """The rows and their tasks. Raises TaskError, with the line, for what is no row."""
    rows = file.read_bytes().decode("utf-8", "surrogateescape").split("\n")[:-1]
    tasks = []
    for number, row in enumerate(rows, start=1):
        try:
            row.encode()  # the harness keeps its data in Arrow, which holds no other
            tasks.append(judge.read(row)[1])
        except (TaskError, UnicodeError) as error:
            raise TaskError(f"{file} line {number}: {error}; write the file with to_lm_eval again") from error
    return rows, tasks


def values(rewards: Sequence[float | None], pass_at: Sequence[int]) -> dict[str, float]:
    """The metrics of one task's completions; NaN where too few were graded, for `nanmean` to leave out.

    >>> values([1.0, None], pass_at=[1])
    {'reward': 1.0, 'verifier_errors': 0.5, 'pass@1': 1.0}
    """
    graded = [reward for reward in rewards if reward is not None]
    passed = sum(reward >= 1 for reward in graded)
    return {
        "reward": math.fsum(graded) / len(graded) if graded else math.nan,
        "verifier_errors": 1 - len(graded) / max(len(rewards), 1),
        **{f"pass@{k}": pass_at_k(len(graded), passed, k) if len(graded) >= k else math.nan for k in pass_at},
    }
