"""Writes records of others as the folder of an evaluation, which `rlenv rescore` judges again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RunError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict
from rlenv.env.batch import EnvLike
from rlenv.env.batch import definition as definition_of
from rlenv.env.registry import load
from rlenv.env.rows import read_row
from rlenv.evaluation.report import Report
from rlenv.evaluation.savedrun import SavedRun
from rlenv.logs.forms import records
from rlenv.logs.matching import Matcher
from rlenv.logs.record import Record
from rlenv.store.folder_lock import run_folder
from rlenv.text.escaping import shown_line

CHUNK_TASKS = 64
REASONS = 5


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
    found = list(records(paths, form, reward))
    id, kwargs = _environment(found) if env is None else (env, dict(env_kwargs or {}))
    definition = load(id, **kwargs) if isinstance(id, str) else definition_of(id)
    matcher = Matcher(definition, reference)
    left_out: Counter[str] = Counter()
    groups: dict[tuple[int, str], list[Episode]] = {}
    for record in found:
        episode = _episode(record, matcher, definition.id)
        if isinstance(episode, str):
            left_out[episode] += 1
            continue
        groups.setdefault((record.step, episode.task.id), []).append(episode)
    if not groups:
        why = left_out.most_common(1)[0][0] if left_out else "the log is empty"
        raise ConfigError(
            f"none of {len(found)} completions can be judged again: {why}; another env, or reference=...?"
        )
    policies = sorted({record.policy for record in found if record.policy})
    policy = ", ".join(policies) or f"imported from {Path(paths[0]).name}"
    report, size = _written(Path(out), definition, kwargs, groups.values(), policy, threshold)
    return Imported(Path(out), report, size, left_out)


def _environment(found: Iterable[Record]) -> tuple[str, dict[str, Json]]:
    """The environment that the rows name. Raises ConfigError where there is none, or several."""
    named = {record.row for record in found if record.row}
    asked = {(row.env, str(sorted(row.kwargs.items()))): row for row in map(read_row, named)}
    if len(asked) != 1:
        what = "its completions name none" if not asked else "it has " + ", ".join(sorted(env for env, _ in asked))
        raise ConfigError(f"expected a log of one environment, and {what}; say env=ID")
    row = next(iter(asked.values()))
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
        verdict = Verdict.of(("imported", record.reward))
    return Episode(task, record.completion, verdict, step=record.step, env_id=env_id, verifier_version="imported")


def _written(
    out: Path,
    definition: Definition,
    kwargs: dict[str, Json],
    groups: Iterable[list[Episode]],
    policy: str,
    threshold: float,
) -> tuple[Report, int]:
    ordered = list(groups)
    sizes = {len(group) for group in ordered}
    size = sizes.pop() if len(sizes) == 1 else 1
    if size == 1:
        ordered = [[episode] for group in ordered for episode in group]
    settings: dict[str, Json] = {
        "env": definition.id,
        "env_kwargs": kwargs,
        "policy": policy,
        "n": size,
        "k": [1] if size == 1 else [1, size],
        "threshold": threshold,
        "tasks": len(ordered),
        "chunk_tasks": CHUNK_TASKS,
        "verifier_version": "imported",
        "imported": True,
    }
    with run_folder(out, "import it again"):
        if (out / "config.json").exists() or SavedRun(out).has_episodes:
            raise RunError(f"{out} holds a run already; give another folder")
        saved = SavedRun.start_or_resume(out, settings)
        report = Report(definition.id, policy, settings, cast("list[int]", settings["k"]))
        for start in range(0, len(ordered), CHUNK_TASKS):
            chunk = _numbered(ordered[start : start + CHUNK_TASKS], start, size)
            saved.append(chunk, None)
            report.add(chunk)
        saved.finish(report)
        return report, size


def _numbered(groups: Sequence[Sequence[Episode]], start: int, size: int) -> list[Episode]:
    return [
        replace(episode, group=start + place, index=(start + place) * size + i)
        for place, group in enumerate(groups)
        for i, episode in enumerate(group)
    ]
