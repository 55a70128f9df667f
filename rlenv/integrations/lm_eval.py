"""An environment as a task folder of lm-evaluation-harness (lm-eval 0.4.13).

    from rlenv.integrations.lm_eval import to_lm_eval

    print(to_lm_eval("math/arithmetic-v0", "tasks", size=200, repeats=4, pass_at=(1, 2), level=2))

It writes three files into the folder and gives the task's name: `lm_eval --include_path tasks --tasks NAME ...`. The
harness shows us text only: that a completion was cut is not seen, and there is one turn. A failed checker is in no
mean: its values are NaN, which the harness's `nanmean` leaves out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import prompt_text
from rlenv.env.rows import RowJudge
from rlenv.evaluation.passk import pass_at_k
from rlenv.integrations.drawn import drawn_rows
from rlenv.integrations.versions import check_version

if TYPE_CHECKING:
    from datasets import Dataset

ROW, PROMPT, TARGET = "rlenv_row", "prompt", "target"
SPLIT, ROWS_FILE = "test", "rows.jsonl"
_CODE = '''"""Made by rlenv.integrations.lm_eval.to_lm_eval: reads the rows beside this file, and judges them."""

from rlenv.integrations.lm_eval import folder_task

load, process_results = folder_task(__file__, pass_at={pass_at})
'''
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
    name = "rlenv_" + re.sub(r"\W+", "_", env)  # the slash and the dash of `math/arithmetic-v0`
    write_rows(drawn_rows(env, size, seed, kwargs), folder, name, repeats, pass_at, max_gen_toks)
    return name


def write_rows(
    rows: Sequence[str],
    folder: str | Path,
    name: str,
    repeats: int = 1,
    pass_at: Sequence[int] = (1,),
    max_gen_toks: int = 1024,
) -> None:
    """Write the files of a task of any rows (docs/rows.md). Raises as `to_lm_eval`."""
    if max(pass_at, default=1) > repeats:
        raise ConfigError(f"expected repeats of at least {max(pass_at)} for pass@{max(pass_at)}, got {repeats}")
    judge, folder = RowJudge(wrappers=False), Path(folder)
    for definition in {id(found): found for found in (judge.read(row)[0] for row in rows)}.values():
        if definition.interaction is not None:
            raise ConfigError(
                f"{definition.id} has several turns, and lm-eval asks once; evaluate it with `rlenv eval` or Inspect"
            )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ROWS_FILE).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    (folder / f"{name}.py").write_text(_CODE.format(pass_at=[*pass_at]), encoding="utf-8")
    (folder / f"{name}.yaml").write_text(_yaml(name, repeats, pass_at, max_gen_toks), encoding="utf-8")


def _yaml(name: str, repeats: int, pass_at: Sequence[int], max_gen_toks: int) -> str:
    sampling = "do_sample: true, temperature: 1.0" if repeats > 1 else "do_sample: false"
    means = ["reward", *(f"pass@{k}" for k in pass_at)]
    lines = [
        f"task: {name}",
        f"custom_dataset: !function {name}.load",
        f"test_split: {SPLIT}",
        "output_type: generate_until",
        f"doc_to_text: {PROMPT}",
        f"doc_to_target: {TARGET}",
        "num_fewshot: 0",
        f"repeats: {repeats}",
        f"generation_kwargs: {{until: [], {sampling}, max_gen_toks: {max_gen_toks}}}",
        f"process_results: !function {name}.process_results",
        "filter_list:",
        f"  - {{name: all, filter: [{{function: take_first_k, k: {repeats}}}]}}",
        "metric_list:",
        *(f'  - {{metric: "{metric}", aggregation: nanmean, higher_is_better: true}}' for metric in means),
        "  - {metric: verifier_errors, aggregation: mean, higher_is_better: false}",
        "metadata: {version: 1.0}",
    ]
    return "\n".join(lines) + "\n"


def folder_task(file: str, pass_at: Sequence[int] = (1,)) -> FolderTask:
    """What the files of a task folder say, beside `file`. Raises ConfigError for a version of lm-eval nobody tried."""
    check_version("lm-eval", known="0.4.13", below="0.5")
    judge = RowJudge(wrappers=False)

    def load(**_: object) -> dict[str, Dataset]:
        return {SPLIT: _dataset(judge, Path(file).parent / ROWS_FILE)}

    def process_results(document: Document, results: Sequence[object]) -> dict[str, float]:
        texts = results[0] if isinstance(results[0], (list, tuple)) else results
        episodes = judge.judge([document[ROW]] * len(texts), [str(text) for text in texts])
        return values([episode.verdict.reward for episode in episodes], pass_at)

    return FolderTask(load, process_results)


def values(rewards: Sequence[float | None], pass_at: Sequence[int]) -> dict[str, float]:
    """The metrics of one task's completions; NaN where too few were graded, for `nanmean` to leave out.

    >>> values([1.0, None], pass_at=[1])
    {'reward': 1.0, 'verifier_errors': 0.5, 'pass@1': 1.0}
    """
    graded = [reward for reward in rewards if reward is not None]
    passed = sum(reward >= 1 for reward in graded)
    found = {
        "reward": math.fsum(graded) / len(graded) if graded else math.nan,
        "verifier_errors": 1 - len(graded) / len(rewards),
    }
    found |= {f"pass@{k}": pass_at_k(len(graded), passed, k) if len(graded) >= k else math.nan for k in pass_at}
    return found


def _dataset(judge: RowJudge, path: Path) -> Dataset:
    try:
        from datasets import Dataset
    except ImportError as error:
        raise MissingExtra("datasets", "lm-eval") from error
    rows = path.read_text(encoding="utf-8").split("\n")[:-1]
    tasks = [judge.read(row)[1] for row in rows]
    references = [task.reference if isinstance(task.reference, str) else canonical(task.reference) for task in tasks]
    return Dataset.from_dict({PROMPT: [prompt_text(task.prompt) for task in tasks], TARGET: references, ROW: rows})
