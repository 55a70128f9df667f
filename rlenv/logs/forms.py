"""Which form a log has, and the records of files and folders of it.

- TRL 1.16 writes OUTPUT_DIR/completions/completions_00001.parquet with the columns step, prompt, completion, one a
  reward function, those of log_extra, and advantage. A table saved as .csv or .jsonl does as well.
- verl 0.9.1 writes N.jsonl a step with input, output, gts, score, step and what else the reward manager said.
- verifiers 0.4.0 writes `traces.jsonl`, by vf-eval and by prime-rl.
- Inspect: rlenv.logs.inspect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.env.tasksets import Located, read_rows
from rlenv.logs.inspect import inspect_records
from rlenv.logs.record import SEVERAL_TURNS, Record, completion_of, logged, number, parsed, prompt_of, text_of

TRL_OWN = frozenset({"step", "prompt", "completion", "advantage", "rlenv_row", "rlenv_task"})
REWARD = "reward"
CUT = "length"
"""Why a completion ended that was cut, in a trace of verifiers."""


def _trl_records(file: Path, reward: str | None) -> Iterator[Record]:
    """The rows of a table of TRL. Raises ConfigError where it is not said which column is the reward."""
    rows = read_rows(file)
    paid = _reward_column(file, rows, reward)
    for where, row in rows:
        with logged(f"{file} {where}"):
            said = _messages(row.get("completion"))
            completion = Completion(said) if isinstance(said, str) else None
            if isinstance(said, list) and len(said) == 1 and isinstance(said[0], Mapping):
                completion = completion_of(said[0])
            problem = SEVERAL_TURNS if isinstance(said, list) else f"its completion is a {type(said).__name__}, no text"
            given = number(row.get(paid))
            record = _row_record(f"{file} {where}", row, row.get("prompt"), completion, given, problem)
        yield record


def _verl_records(file: Path, reward: str | None) -> Iterator[Record]:
    """The rows of a dump of verl; a row whose `graded` is 0 had no verdict of ours, and has no reward."""
    for where, row in read_rows(file):
        with logged(f"{file} {where}"):
            failed = "graded" in row and number(row["graded"]) == 0.0
            paid = None if failed else number(row.get(reward or "score"))
            said = Completion(text_of(row.get("output")))
            record = _row_record(f"{file} {where}", row, row.get("input"), said, paid)
        yield record


def _row_record(
    where: str,
    row: Mapping[str, Json],
    prompt: Json,
    completion: Completion | None,
    reward: float | None,
    problem: str = "",
) -> Record:
    return Record(
        where,
        prompt_of(_messages(prompt)),
        completion,
        reward,
        problem,
        row=text_of(row.get("rlenv_row")),
        step=int(number(row.get("step")) or 0),
        columns=row,
    )


def _reward_column(file: Path, rows: Sequence[Located], name: str | None) -> str:
    columns = list(rows[0][1])
    if name is not None:
        if name not in columns:
            raise ConfigError(f"{file}: expected a column {name!r} with the reward, got {', '.join(columns)}")
        return name
    of_numbers = [
        column
        for column in columns
        if column not in TRL_OWN and any(number(row.get(column)) is not None for _, row in rows)
    ]
    if REWARD in of_numbers:
        return REWARD
    if len(of_numbers) != 1:
        raise ConfigError(
            f"{file}: expected one column of rewards, got {', '.join(of_numbers) or 'none'}; say --reward NAME"
        )
    return of_numbers[0]


def _messages(value: Json) -> Json:
    """Messages that a table of text holds as JSON are messages again."""
    if isinstance(value, str) and value.startswith('[{"'):  # [{"role": "user", "content": "2+2=?"}]
        try:
            return parsed(value, len(value))
        except ValueError:
            return value
    return value


def _verifiers_records(file: Path, reward: str | None) -> Iterator[Record]:
    """Every trace of every episode; `reward` names one of its rewards, without it their weighted sum counts."""
    with file.open("rb") as lines:
        for place, line in enumerate(lines, start=1):
            if line.strip():
                with logged(f"{file} line {place}"):
                    episode: Any = parsed(line, len(line))
                    traces = [_trace_record(f"{file} line {place}", trace, reward) for trace in episode["traces"]]
                yield from traces


def _trace_record(where: str, trace: Mapping[str, Any], reward: str | None) -> Record:
    data, calls = trace["task"]["data"], trace.get("calls") or [{}]
    said = [node["message"] for node in trace["nodes"] if node.get("sampled")]
    cut = any(call.get("finish_reason") == CUT for call in calls)
    return Record(
        where,
        prompt_of(data.get("prompt")),
        completion_of(said[0], finished=not cut) if len(said) == 1 else None,
        _trace_reward(trace, reward),
        SEVERAL_TURNS if said else "the model said nothing",
        row=text_of(data.get("row")),
        task_id=text_of(data.get("id") or trace["task"].get("key")),
        columns=data,
        policy=text_of(calls[-1].get("model")),
    )


def _trace_reward(trace: Mapping[str, Any], name: str | None) -> float | None:
    """The rewards times their weights; None where one was not given, or the trace has an error."""
    rewards = [value for key, value in (trace.get("rewards") or {}).items() if name in (None, key)]
    if not rewards or trace.get("errors") or any(value is None for value in rewards):
        return None
    scores = [number(value["score"]) for value in rewards]
    weights = [number(value.get("weight", 1.0)) or 0.0 for value in rewards]
    paid = [score * weight for score, weight in zip(scores, weights, strict=True) if score is not None]
    return number(sum(paid)) if len(paid) == len(scores) else None


class Form(NamedTuple):
    """One kind of log."""

    records: Callable[[Path, str | None], Iterator[Record]]
    """Of a file; the text names the reward."""
    keys: frozenset[str]
    """What tells it: the keys of its first object."""
    suffixes: tuple[str, ...] = ()
    """What tells it without a look inside."""


FORMS: Mapping[str, Form] = {
    "trl": Form(_trl_records, frozenset({"prompt", "completion"}), (".parquet", ".csv")),
    "verl": Form(_verl_records, frozenset({"input", "output"})),
    "inspect": Form(inspect_records, frozenset({"eval", "plan"}), (".eval",)),
    "verifiers": Form(_verifiers_records, frozenset({"traces"})),
}
"""The forms by name."""
SUFFIXES = (".parquet", ".csv", ".jsonl", ".json", ".eval")


def records(paths: Sequence[str | Path], form: str | None = None, reward: str | None = None) -> Iterator[Record]:
    """The records of files, and of those in folders, in the order of their names.

    Raises ConfigError where a form is not known and cannot be told, or nothing is there.
    """
    if form is not None and form not in FORMS:
        raise ConfigError(f"expected a form out of {', '.join(FORMS)}, got {form!r}")
    files = list(chain.from_iterable(_files(Path(path)) for path in paths))
    if not files:
        raise ConfigError(
            f"expected a file or folder that holds {', '.join(SUFFIXES)}, got {', '.join(map(str, paths))}"
        )
    for file in files:
        yield from FORMS[form or form_of(file)].records(file, reward)


def form_of(file: Path) -> str:
    """The form that the name or the first object of a file tells. Raises ConfigError where they tell none."""
    for name, form in FORMS.items():
        if file.suffix in form.suffixes:
            return name
    with file.open(encoding="utf-8", errors="replace") as lines:
        first = lines.readline() if file.suffix == ".jsonl" else lines.read()
    try:
        row = parsed(first, len(first))
    except ValueError:
        row = None
    told = [name for name, form in FORMS.items() if isinstance(row, dict) and form.keys <= row.keys()]
    if told:
        return told[-1]
    raise ConfigError(f"{file}: cannot tell whose log this is; say --from {' or '.join(FORMS)}")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path] if path.is_file() else []
    files = [file for file in path.iterdir() if file.suffix in SUFFIXES and file.is_file()]
    outside = next((file for file in files if not file.resolve().is_relative_to(path.resolve())), None)
    if outside is not None:
        raise ConfigError(f"{outside} is a link out of its folder; remove it, or give the file that it leads to")
    return sorted(files, key=lambda file: (len(file.name), file.name))  # 2.jsonl before 10.jsonl
