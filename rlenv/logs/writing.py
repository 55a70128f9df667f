"""Writes records of others as the folder of an evaluation, which `rlenv rescore` judges again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RunError, VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Verdict
from rlenv.env.batch import EnvLike
from rlenv.env.batch import definition as definition_of
from rlenv.env.registry import load
from rlenv.env.rows import read_row
from rlenv.env.tasksets import ListTasks
from rlenv.evaluation.report import Report
from rlenv.evaluation.savedrun import SavedRun
from rlenv.logs.forms import records
from rlenv.logs.record import Record
from rlenv.store.folder_lock import run_folder
from rlenv.text.escaping import shown_line

CHUNK_TASKS = 64
REASONS = 5
SEARCHED = 20_000
"""Tasks of a set that are looked through for a prompt."""
SHORTEST = 8
"""Characters of a prompt that may be looked for inside another: '2' stands in many."""


@dataclass(frozen=True)
class Imported:
    """What was written, and what could not be."""

    folder: Path
    report: Report
    """By the rewards that the log holds."""
    group_size: int
    """Completions of one task in one step; 1 where the log has groups of unequal size."""
    left_out: Counter[str]
    """Why completions were left out, each with how many."""

    def __str__(self) -> str:
        lines = [f"left out {count}: {shown_line(why)}" for why, count in self.left_out.most_common(REASONS)]
        return "\n".join([str(self.report), *lines, f"groups of {self.group_size}; saved in {self.folder}"])


class Matcher:
    """Finds the task that a record was about.

    In this order: the row of rlenv that travelled along, the id of the task, the prompt as it stands, the longest
    prompt of the environment that stands in the record's (a chat template writes around it).
    """

    def __init__(self, definition: Definition, reference: str | None = None) -> None:
        self._reference = reference
        tasks = definition.tasks
        searched = reference is None and (isinstance(tasks, ListTasks) or len(tasks) <= SEARCHED)
        known = [tasks[i] for i in range(min(len(tasks), SEARCHED))] if searched else []
        self._by_id = {task.id: task for task in known}
        self._by_prompt: dict[str, list[Task]] = {}
        for task in known:
            self._by_prompt.setdefault(prompt_text(task.prompt).strip(), []).append(task)
        self._longest_first = sorted((p for p in self._by_prompt if len(p) >= SHORTEST), key=len, reverse=True)
        self._seen: dict[str, list[Task]] = {}

    def task(self, record: Record) -> Task | str:
        """The task, or why there is none."""
        if record.row:
            try:
                return read_row(record.row).task
            except ConfigError as error:
                return str(error)
        if self._reference is not None:
            if self._reference not in record.columns:
                return f"it has no column {self._reference!r}"
            return Task(record.prompt, record.columns[self._reference])
        if record.task_id in self._by_id:
            return self._by_id[record.task_id]
        prompt = record.prompt.strip()
        if prompt not in self._seen:
            part = next((known for known in self._longest_first if known in prompt), "")
            self._seen[prompt] = self._by_prompt.get(prompt) or self._by_prompt.get(part, [])
        tasks = self._seen[prompt]
        if len(tasks) == 1:
            return tasks[0]
        return "several tasks have its prompt" if tasks else "no task of the environment has its prompt"


def import_logs(
    paths: Sequence[str | Path],
    out: str | Path,
    *,
    env: EnvLike | None = None,
    env_kwargs: Mapping[str, Json] | None = None,
    form: str | None = None,
    reward: str | None = None,
    reference: str | None = None,
    threshold: float = 1.0,
) -> Imported:
    """Write the completions of `paths` (files or folders of one run) to the folder `out`, with the rewards they got.

    `env`, made with `env_kwargs` where it is an id, may be left out where the rows of rlenv travelled along, as they do
    with our adapters of Inspect and verifiers.
    `form` is one of FORMS; without it each file tells. `reward` names the column, scorer or reward function that paid.
    With `reference`, the tasks are made from the log itself: its prompt, and this column as the right answer.

    Raises ConfigError where nothing of it can be judged again, RunError where `out` holds something.
    """
    logged = list(records(paths, form, reward))
    id, kwargs = _environment(logged) if env is None else (env, dict(env_kwargs or {}))
    definition = load(id, **kwargs) if isinstance(id, str) else definition_of(id)
    matcher = Matcher(definition, reference)
    left_out: Counter[str] = Counter()
    groups: dict[tuple[int, str], list[Episode]] = {}
    for record in logged:
        episode = _episode(record, matcher, definition.id)
        if isinstance(episode, str):
            left_out[episode] += 1
        else:
            groups.setdefault((record.step, episode.task.id), []).append(episode)
    if not groups:
        why = left_out.most_common(1)[0][0] if left_out else "the log is empty"
        raise ConfigError(
            f"none of {len(logged)} completions can be judged again: {why}; another env, or reference=...?"
        )
    policies = sorted({record.policy for record in logged if record.policy})
    policy = ", ".join(policies) or f"imported from {Path(paths[0]).name}"
    report, size = _written(Path(out), definition, kwargs, list(groups.values()), policy, threshold)
    return Imported(Path(out), report, size, left_out)


def _environment(logged: Iterable[Record]) -> tuple[str, dict[str, Json]]:
    """The environment that the rows name. Raises ConfigError where there is none, or several."""
    rows = map(read_row, {record.row for record in logged if record.row})
    named = {(row.env, str(sorted(row.kwargs.items()))): row for row in rows}
    if len(named) != 1:
        what = "it has " + ", ".join(sorted(env for env, _ in named)) if named else "its completions name none"
        raise ConfigError(f"expected a log of one environment, and {what}; say env=ID")
    row = next(iter(named.values()))
    return row.env, dict(row.kwargs)


def _episode(record: Record, matcher: Matcher, env_id: str) -> Episode | str:
    if record.completion is None:
        return record.problem
    task = matcher.task(record)
    if isinstance(task, str):
        return task
    if record.reward is None:
        verdict = Verdict.error("the log has no reward for it")
    else:
        try:
            verdict = Verdict.of(("imported", record.reward))
        except VerifierContractError as error:
            return str(error)
    return Episode(task, record.completion, verdict, step=record.step, env_id=env_id, verifier_version="imported")


def _written(
    out: Path,
    definition: Definition,
    kwargs: dict[str, Json],
    groups: list[list[Episode]],
    policy: str,
    threshold: float,
) -> tuple[Report, int]:
    """The report, and the size of the groups: that of all of them, or 1."""
    size = len(groups[0]) if len(set(map(len, groups))) == 1 else 1
    if size == 1:
        groups = [[episode] for group in groups for episode in group]
    ks = [1] if size == 1 else [1, size]
    settings: dict[str, Json] = {
        "env": definition.id,
        "env_kwargs": kwargs,
        "policy": policy,
        "n": size,
        "k": ks,
        "threshold": threshold,
        "tasks": len(groups),
        "chunk_tasks": CHUNK_TASKS,
        "verifier_version": "imported",
        "imported": True,
    }
    episodes = [
        replace(episode, group=place, index=place * size + i)
        for place, group in enumerate(groups)
        for i, episode in enumerate(group)
    ]
    with run_folder(out, "import it again"):
        if (out / "config.json").exists() or SavedRun(out).has_episodes:
            raise RunError(f"{out} holds a run already; give another folder")
        saved = SavedRun.start_or_resume(out, settings)
        for start in range(0, len(episodes), CHUNK_TASKS * size):
            saved.append(episodes[start : start + CHUNK_TASKS * size], None)
        report = Report(definition.id, policy, settings, ks).add(episodes)
        saved.finish(report)
        return report, size
