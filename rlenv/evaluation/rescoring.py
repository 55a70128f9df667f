"""Judge the saved episodes of an evaluation again, with the verifier as it is now.

    rescored = rlenv.rescore("runs/gsm8k")
    for change in rescored.changes: print(change)

The saved run stays as it is; DIR/rescored/ gets the episodes with their new verdicts, a report and
changes.jsonl. No policy is asked. The tasks are those saved with the episodes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import cast

from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, RunError, UnknownEnvironment
from rlenv.core.fingerprint import recorded
from rlenv.core.jsontypes import Json, line
from rlenv.core.verifier import Verifier
from rlenv.env.admission import admitted, operators_given, without_source
from rlenv.env.batch import BatchEnvironment, EnvLike
from rlenv.env.batch import definition as definition_of
from rlenv.env.registry import load_for_row
from rlenv.env.sampler import UniformSampler
from rlenv.evaluation.passk import Estimate, mean_interval
from rlenv.evaluation.progress import progress
from rlenv.evaluation.report import Report
from rlenv.evaluation.savedrun import SavedRun
from rlenv.evaluation.second_opinion import Disagreement, Opinion, counted, disagreement
from rlenv.store.files import replace_text
from rlenv.store.folder_lock import run_folder
from rlenv.text.escaping import shown_line
from rlenv.workers.pool import Pool


@dataclass(frozen=True, slots=True)
class Change:
    """One episode whose reward or flags are not what they were."""

    task_id: str
    group: int
    index: int
    old_reward: float | None
    """None stands for a verifier error."""
    new_reward: float | None
    old_flags: tuple[str, ...]
    new_flags: tuple[str, ...]
    reason: str
    """What the verifier says now."""
    disagreement: Disagreement | None = None
    """Which verdict is right, where another verifier gave the old one and either can prove it."""

    def __str__(self) -> str:
        rewards = f"{_reward(self.old_reward)} -> {_reward(self.new_reward)}"
        text = f"task {shown_line(self.task_id)} episode {self.index}: {rewards}"
        if self.old_flags != self.new_flags:
            text += f", flags {_names(self.old_flags)} -> {_names(self.new_flags)}"
        text += f" ({shown_line(self.reason)})" if self.reason else ""
        return text if self.disagreement is None else f"{text}\n  {self.disagreement}"


@dataclass(frozen=True)
class Rescored:
    """The new report and what changed."""

    report: Report
    changes: tuple[Change, ...]
    folder: Path
    """Where the new episodes, report and changes are."""
    old_version: str
    new_version: str
    mean_change: Estimate | None = None
    """How much more the completions earn now, over tasks; None where none has both rewards."""
    won: int = 0
    """Completions that did not pass and now do."""
    lost: int = 0

    def __str__(self) -> str:
        versions = f"verifier {self.old_version} -> {self.new_version}"
        lines = [*map(str, self.changes), f"{len(self.changes)} verdicts changed, {versions}"]
        if self.mean_change is not None:
            mean = self.mean_change
            change = f"mean reward {mean.value:+.3f} [{mean.low:+.3f}, {mean.high:+.3f}]"
            lines.append(f"{self.won} pass now and did not, {self.lost} did and do not; {change} over tasks")
        disputed = [change.disagreement for change in self.changes if change.disagreement is not None]
        return "\n".join([*lines, *([counted(disputed)] if disputed else []), str(self.report)])


def rescore(
    folder: str | Path,
    env: EnvLike | None = None,
    *,
    env_kwargs: Mapping[str, Json] | None = None,
    k: Sequence[int] | None = None,
    threshold: float | None = None,
    pool: Pool | None = None,
    quiet: bool = False,
) -> Rescored:
    """Judge the episodes saved in `folder` with the present verifier of the environment that it names, or of `env`.

    `env_kwargs` change those of the run: `{"verifier": "math-verify"}` asks for a second opinion, and each change says
    which of the two is right where it can be proved. The folder itself may name nothing but registered names and plain
    values; a scorer or tools of your own are given here again. `k` and `threshold` are those of the run unless given.
    An interrupted run is judged as far as it went.
    Raises RunError when the folder is not a run's or its environment cannot be made without `env`.
    """
    saved = SavedRun(Path(folder))
    old_settings = saved.settings()
    before = _before(old_settings, env) if env_kwargs else None
    definition = saved_definition(old_settings, env, env_kwargs)
    saved.keep_submissions(definition)
    settings: dict[str, Json] = {
        **old_settings,
        **({} if k is None else {"k": list(k)}),
        **({} if threshold is None else {"threshold": threshold}),
        "env_kwargs": {**cast("dict[str, Json]", old_settings["env_kwargs"]), **(env_kwargs or {})},
        "verifier_version": recorded(definition.verifier),
    }
    other = None if before is None or type(before.verifier) is type(definition.verifier) else before.verifier
    flags_too = other is None and not settings.get("imported")  # another verifier has other flags
    n, chunk, tasks = (cast("int", settings[name]) for name in ("n", "chunk_tasks", "tasks"))
    group = n if definition.wrappers else 1  # only wrappers look at whole groups
    report = Report(definition.id, str(settings["policy"]), settings, cast("list[int]", settings["k"]))
    with run_folder(saved.folder, "judge again"):
        target = SavedRun.emptied(saved.folder / "rescored")
        none_drawn = UniformSampler(1, seed=0)  # the tasks are the saved ones, and those of a hub are not asked for
        batch = BatchEnvironment(definition, group_size=group, sampler=none_drawn, pool=pool)
        changes: list[Change] = []
        rewards: list[tuple[str, float, float]] = []
        with progress(f"rescoring {definition.id}", tasks * n, quiet=quiet) as advance:
            for old in _chunks(saved.episodes(), group, max(1, chunk * n // group)):
                new = _judge(batch, old)
                target.append(new, None)
                report.add(new)
                for one, again in zip(old, new, strict=True):
                    if _differ(one, again, flags_too):
                        changes.append(_change(one, again, other, definition.verifier))
                    if one.verdict.reward is not None and again.verdict.reward is not None:
                        rewards.append((one.task.id, one.verdict.reward, again.verdict.reward))
                advance(len(old), report.note())
        target.finish(report)
        replace_text(target.folder / "changes.jsonl", "".join(line(asdict(change)) for change in changes))
        return Rescored(
            report,
            tuple(changes),
            target.folder,
            str(old_settings["verifier_version"]),
            str(settings["verifier_version"]),
            _mean_change(rewards),
            won=sum(was < report.threshold <= now for _, was, now in rewards),
            lost=sum(now < report.threshold <= was for _, was, now in rewards),
        )


def _mean_change(rewards: Sequence[tuple[str, float, float]]) -> Estimate | None:
    """The mean over tasks of how much more their completions earn now, of (task id, old reward, new reward)."""
    if not rewards:
        return None
    by_task: dict[str, list[float]] = defaultdict(list)
    for task_id, old, new in rewards:
        by_task[task_id].append(new - old)
    every = [reward for _, *both in rewards for reward in both]
    width = max(every) - min(every)
    return mean_interval([math.fsum(own) / len(own) for own in by_task.values()], bounds=(-width, width))


def saved_definition(
    settings: Mapping[str, Json], env: EnvLike | None = None, given: Mapping[str, Json] | None = None
) -> Definition:
    """The environment of a saved run, or `env`; `given` are keywords of the operator's, who alone may name code.

    Raises RunError where nothing is registered under its id, ConfigError where it names what a folder may not.
    """
    if env is not None and env != settings["env"]:
        return definition_of(env)
    id = str(settings["env"])
    try:
        kwargs = without_source(cast("dict[str, Json]", settings["env_kwargs"]))
        return load_for_row(id, **admitted(id, kwargs, {**operators_given(), id: given} if given else None))
    except UnknownEnvironment as error:
        raise RunError(f"the run's environment cannot be made: {error}; register it first, or give env") from error


def _before(settings: Mapping[str, Json], env: EnvLike | None) -> Definition | None:
    """What judged the run; None where its folder names what only the operator may."""
    try:
        return saved_definition(settings, env)
    except ConfigError:
        return None


def _chunks(episodes: Iterator[Episode], group: int, groups: int) -> Iterator[list[Episode]]:
    """Whole groups, so many at a time; a last group that was cut short is left out."""
    while chunk := list(islice(episodes, group * groups)):
        whole = len(chunk) - len(chunk) % group
        if whole:
            yield chunk[:whole]


def _judge(batch: BatchEnvironment, episodes: Sequence[Episode]) -> list[Episode]:
    batch.reset(tasks=[episode.task for episode in episodes[:: batch.group_size]])
    judged = batch.step([episode.completion for episode in episodes])
    version = batch.definition.verifier.version
    return [
        replace(old, verdict=new.verdict, verifier_version=version) for old, new in zip(episodes, judged, strict=True)
    ]


def _differ(old: Episode, new: Episode, flags_too: bool) -> bool:
    return old.verdict.reward != new.verdict.reward or (flags_too and _flags(old) != _flags(new))


def _change(old: Episode, new: Episode, other: Verifier | None, verifier: Verifier) -> Change:
    between = None
    if other is not None:
        opinions = Opinion(other, old.verdict), Opinion(verifier, new.verdict)
        between = disagreement(old.task, old.completion, *opinions)
    return Change(
        old.task.id,
        old.group,
        old.index,
        old.verdict.reward,
        new.verdict.reward,
        _flags(old),
        _flags(new),
        new.verdict.reason,
        between,
    )


def _flags(episode: Episode) -> tuple[str, ...]:
    return tuple(sorted({flag.name for flag in episode.verdict.flags}))


def _reward(reward: float | None) -> str:
    return "verifier error" if reward is None else f"{reward:g}"


def _names(flags: tuple[str, ...]) -> str:
    return shown_line("+".join(flags)) or "none"
