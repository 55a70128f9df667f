"""One call that judges a row of another library's table: what every adapter is a thin layer over.

>>> row = to_row("math/arithmetic-v1", Task("3+8=?", "11"))
>>> judge_row(row, r"So \\boxed{11}.").reward, judge_row(row, "11").reward
(1.0, 0.0)

A row is JSON text that says which environment judges (`env`, `kwargs`) and holds the task whole, so that a trainer, a
data file or a server needs nothing else. `RowJudge` judges many at once, group by group, with the wrappers.

Rows come from elsewhere, so their keywords are plain values and registered names (`rlenv.env.admission`). What else an
environment needs, the operator gives beside them: `given={"safety/rm-v0": {"scorer": my_scorer}}`, or as a JSON file
whose path stands in the environment variable RLENV_GIVEN.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple, cast

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition, check_trainable
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import MAX_DEPTH, Json, canonical, read_json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env.admission import Given, admissible, admitted, without_source
from rlenv.env.registry import load, load_for_row
from rlenv.judge.judge import Judge
from rlenv.workers.pool import OnVerdict, Pool
from rlenv.workers.protocol import Job

log = logging.getLogger(__name__)
_STRICT = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
"""As `canonical` writes, without the NaN that other readers of JSON stop at."""

MOST_JUDGES = 256
"""Different environments and keywords that a judge of rows holds at once; the oldest goes."""
MAX_ROW_CHARS, MAX_ROW_BRACKETS = 12_000_000, 500_000
"""Of a row, and of its lists and objects, those in texts included: reading the worst takes 190 MB."""


def to_row(env: str, task: Task, kwargs: Mapping[str, Json] | None = None, *, given: Given | None = None) -> str:
    """The row of a task of the environment with this id, made with these keywords; equal tasks give equal text.

    Keywords that only say where tasks come from (`data`, `limit`) are left out: the row holds its task. So are those
    that the operator gives beside the rows (`given`, as for `judge_row`).

    Raises ConfigError for a keyword that `judge_row` would refuse, in the same words; TaskError for a task or keywords
    that JSON cannot hold, NaN among them, and for a row too long to be judged.
    """
    kept = admissible(env, without_source(kwargs or {}), given)
    try:
        row = _STRICT.encode({"env": env, "kwargs": kept, "task": task.to_json()})
        if len(row) > MAX_ROW_CHARS or row.count("[") + row.count("{") > MAX_DEPTH:
            _parsed(row)
        return row
    except (TypeError, ValueError, RecursionError) as error:
        raise TaskError(f"task {task.id}: expected JSON values, {error}; give text in their place") from error


class RowParts(NamedTuple):
    """What a row holds."""

    env: str
    kwargs: Mapping[str, Json]
    task: Task


def read_row(row: str, given: Given | None = None) -> RowParts:
    """What a row holds, its keywords with what the operator gives for its environment.

    Raises ConfigError for what is no row, and for a keyword that a row may not set; UnknownEnvironment for one that
    names none.
    """
    try:
        data = _parsed(row)
        env, kwargs, task = str(data["env"]), data.get("kwargs") or {}, Task.from_json(data["task"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, TaskError) as error:
        raise ConfigError(f"expected a row of to_row(), got {row!r:.80} ({type(error).__name__}: {error})") from error
    return RowParts(env, admitted(env, kwargs, given), task)


def _parsed(row: str) -> Any:
    """What the JSON of a row says. Raises ValueError for what is none, TaskError for what takes too much to be read."""
    brackets = row.count("[") + row.count("{")
    if len(row) > MAX_ROW_CHARS or brackets > MAX_ROW_BRACKETS:
        raise TaskError(
            f"expected a row of at most {MAX_ROW_CHARS} characters and {MAX_ROW_BRACKETS} brackets, got {len(row)} and "
            f"{brackets}; leave out tests, or shorten its texts"
        )
    return json.loads(row) if brackets <= MAX_DEPTH else read_json(row)  # as many as can stand within one another


def rows_of(env: str, indices: Sequence[int] | None = None, **kwargs: Json) -> list[str]:
    """The rows of an environment's tasks, all of them or those at `indices`."""
    tasks = load(env, **kwargs).tasks
    return [to_row(env, tasks[i], kwargs) for i in (range(len(tasks)) if indices is None else indices)]


def judge_row(row: str, text: str | Completion, *, finished: bool = True, given: Given | None = None) -> Verdict:
    """The verdict on one completion, without the environment's wrappers. Never raises for what it is asked to judge.

    `finished` is False where the policy was cut at its token limit. `given` is what the operator gives beside the row,
    keywords by the id of the environment. A row that cannot be read, and whatever else goes wrong on our side, is a
    `verifier_error`, whose reward is None.
    """
    return judge_rows([row], [text], finished=[finished], given=given)[0]


def judge_rows(
    rows: Sequence[str],
    texts: Sequence[str | Completion],
    *,
    finished: Sequence[bool] | None = None,
    given: Given | None = None,
) -> list[Verdict]:
    """The verdicts on many, in order, without wrappers."""
    judge = _plain() if given is None else RowJudge(wrappers=False, given=given)
    return [episode.verdict for episode in judge.judge(rows, texts, finished=finished)]


class GroupJudge(Judge):
    """A judge inside somebody else's training run, which an exception would end: what fails is a `verifier_error`."""

    def verdicts(self, jobs: Sequence[Job], on_verdict: OnVerdict | None = None) -> list[Verdict]:
        verdicts: dict[int, Verdict] = {}

        def tell(index: int, verdict: Verdict) -> None:
            verdicts[index] = verdict
            if on_verdict is not None:
                on_verdict(index, verdict)

        try:
            return super().verdicts(jobs, tell)
        except Exception as error:
            log.exception("not every completion of this call could be judged")
            problem = Verdict.error(f"{type(error).__name__}: {error}")
            return [verdicts.get(index, problem) for index in range(len(jobs))]


class RowJudge:
    """Judges rows of any environments; equal rows of one call are a group for the wrappers.

    Without `wrappers` the verifiers alone judge. What wrappers learn stays in the object (`state_dict`). With
    `training`, an environment that is for evaluation only is refused: its rows are a `verifier_error` that says so.
    `given` is what the operator gives beside the rows, keywords by the id of the environment.
    """

    def __init__(
        self,
        *,
        wrappers: bool = True,
        training: bool = False,
        pool: Pool | None = None,
        given: Given | None = None,
    ) -> None:
        self.wrappers, self.training, self._pool, self._given = wrappers, training, pool, given
        self._judges: dict[str, GroupJudge] = {}

    def judge(
        self,
        rows: Sequence[str],
        texts: Sequence[str | Completion],
        *,
        finished: Sequence[bool] | None = None,
        groups: Sequence[str] | None = None,
        step: int = 0,
    ) -> list[Episode]:
        """One episode a row, in order, with its whole verdict. Never raises for what it is asked to judge.

        `groups` tells groups of the same row apart, where a call may hold several of them.

        Raises ConfigError where there are not as many texts, flags of `finished` or `groups`, as rows.
        """
        ends = [True] * len(rows) if finished is None else finished
        apart = [""] * len(rows) if groups is None else groups
        if not len(rows) == len(texts) == len(ends) == len(apart):
            given = f"{len(texts)}, {len(ends)} and {len(apart)}"
            raise ConfigError(f"expected {len(rows)} texts, ends and groups, one a row, got {given}")
        rows = [row if isinstance(row, str) else f"no text, but {type(row).__name__}" for row in rows]
        read = {row: self._read(row) for row in dict.fromkeys(rows)}
        found: dict[int, Episode] = {}
        for judge in dict.fromkeys(of_row.judge for of_row in read.values()):
            places = [i for i, row in enumerate(rows) if read[row].judge is judge]
            tasks = [read[rows[i]].task for i in places]
            said = [_said(texts[i], ends[i], judge) for i in places]
            if judge is None:
                problems = [Verdict.error(read[rows[i]].problem) for i in places]
                episodes = [Episode(*each) for each in zip(tasks, said, problems, strict=True)]
            else:
                keys = [f"{apart[i]}\n{rows[i]}" for i in places]
                episodes = judge.judge(tasks, said, keys, step=step, wrappers=self.wrappers)
            found |= dict(zip(places, episodes, strict=True))
        number: dict[tuple[str, str], int] = {}
        of = [number.setdefault(key, len(number)) for key in zip(rows, apart, strict=True)]
        return [_placed(found[i], group, i) for i, group in enumerate(of)]

    def read(self, row: str) -> tuple[Definition, Task]:
        """The environment and the task of a row, for those who play it. Raises RlenvError for one that is no row."""
        found = self._read(row)
        if found.judge is None:
            raise TaskError(f"{found.problem}; give a row of rlenv.rows_of or rlenv.to_row")
        return found.judge.definition, found.task

    def state_dict(self) -> dict[str, Json]:
        """What the wrappers have learned, by environment, as JSON."""
        return {key: judge.state_dict() for key, judge in self._judges.items()}

    def load_state_dict(self, state: Mapping[str, Json]) -> None:
        """Go on from what was learned before. Raises RlenvError where an environment is not there."""
        for key, states in state.items():
            env, kwargs = json.loads(key)
            judge = self._judge_of(env, admitted(env, kwargs, self._given), key)
            judge.load_state_dict(cast("Mapping[str, Json]", states))

    def _read(self, row: str) -> _Row:
        try:
            data = _parsed(row)
            env, kwargs = data["env"], data.get("kwargs") or {}
            task = Task.from_json(data["task"])
            key = canonical([env, kwargs])
            judge = self._judges.get(key) or self._judge_of(env, admitted(env, kwargs, self._given), key)
            return _Row(task, judge)
        except Exception as error:  # rows come from files and networks, and environments are anybody's code
            return _Row(Task("", id="unreadable"), None, f"the row cannot be judged: {type(error).__name__}: {error}")

    def _judge_of(self, id: str, kwargs: Mapping[str, Json], key: str) -> GroupJudge:
        """The judge of rows with this key: their environment and keywords, without what the operator gives."""
        if key not in self._judges:
            definition = load_for_row(id, **kwargs)
            if self.training:
                check_trainable(definition)
            self._judges[key] = GroupJudge(definition, self._pool)
            if len(self._judges) > MOST_JUDGES:
                self._judges.pop(next(iter(self._judges)))
        return self._judges[key]


class _Row(NamedTuple):
    """What a row says; one that nobody can judge says why."""

    task: Task
    judge: GroupJudge | None
    problem: str = ""


def _placed(episode: Episode, group: int, index: int) -> Episode:
    """The episode with its numbers in the whole call: where all rows are of one environment it has them already."""
    same = episode.group == group and episode.index == index
    return episode if same else replace(episode, group=group, index=index)


def _said(text: str | Completion, finished: bool, judge: GroupJudge | None) -> Completion:
    completion = as_completion(text, "auto" if judge is None else judge.definition.read_as)
    return completion if finished else replace(completion, finished=False)


@cache
def _plain() -> RowJudge:
    return RowJudge(wrappers=False)
