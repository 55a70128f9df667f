"""Judge the saved episodes of an evaluation again, with the verifier as it is now.

    rescored = rlenv.rescore("runs/gsm8k")
    for change in rescored.changes: print(change)

The saved run stays as it is; DIR/rescored/ gets the episodes with their new verdicts, a report and
changes.jsonl. No policy is asked. The tasks are those saved with the episodes.
"""

from __future__ import annotations

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
from rlenv.evaluation.mean_change import PairedRewards
from rlenv.evaluation.passk import Estimate
from rlenv.evaluation.progress import progress
from rlenv.evaluation.report import Report, Tally
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
        said = f"task {shown_line(self.task_id)} episode {self.index}: {rewards}"
        if self.old_flags != self.new_flags:
            said += f", flags {_names(self.old_flags)} -> {_names(self.new_flags)}"
        said += f" ({shown_line(self.reason)})" if self.reason else ""
        return said if self.disagreement is None else f"{said}\n  {self.disagreement}"


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
            mean = (
                f"mean reward {self.mean_change.value:+.3f} [{self.mean_change.low:+.3f}, {self.mean_change.high:+.3f}]"
            )
            lines.append(f"{self.won} pass now and did not, {self.lost} did and do not; {mean} over tasks")
        found = [change.disagreement for change in self.changes if change.disagreement is not None]
        return "\n".join([*lines, *([counted(found)] if found else []), str(self.report)])


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
    asked: dict[str, Json] = {"k": None if k is None else list(k), "threshold": threshold}
    settings = saved.settings() | {key: value for key, value in asked.items() if value is not None}
    before = _before(settings, env) if env_kwargs else None
    definition = _definition(settings, env, env_kwargs or {})
    settings["env_kwargs"] = {**cast("dict[str, Json]", settings["env_kwargs"]), **(env_kwargs or {})}
    other = None if before is None or _same_kind(before, definition) else before.verifier
    flags_too = other is None and not settings.get("imported")
    n = cast("int", settings["n"]) if definition.wrappers else 1  # only wrappers look at whole groups
    at_once = max(1, cast("int", settings["chunk_tasks"]) * cast("int", settings["n"]) // n)
    tally = Tally(cast("float", settings["threshold"]))
    with run_folder(saved.folder, "judge again"):
        target = SavedRun.emptied(saved.folder / "rescored")
        none_drawn = UniformSampler(1, seed=0)  # the tasks are the saved ones, and those of a hub are not asked for
        batch = BatchEnvironment(definition, group_size=n, sampler=none_drawn, pool=pool)
        changes: list[Change] = []
        rewards = PairedRewards(tally.threshold)
        total = cast("int", settings["tasks"]) * cast("int", settings["n"])
        with progress(f"rescoring {definition.id}", total, quiet=quiet) as advance:
            for chunk in _chunks(saved.episodes(), n, at_once):
                judged = _judge(batch, chunk)
                target.append(judged, None)
                tally.add(judged)
                pairs = [(old, new) for old, new in zip(chunk, judged, strict=True) if _differ(old, new, flags_too)]
                changes += [_change(old, new, other, definition.verifier) for old, new in pairs]
                rewards.add((o.task.id, o.verdict.reward, e.verdict.reward) for o, e in zip(chunk, judged, strict=True))
                advance(len(chunk), tally.note())
        settings = {**settings, "verifier_version": recorded(definition.verifier)}
        report = tally.report(definition.id, str(settings["policy"]), cast("list[int]", settings["k"]), settings)
        target.finish(report)
        replace_text(target.folder / "changes.jsonl", "".join(line(asdict(change)) for change in changes))
        return Rescored(
            report,
            tuple(changes),
            target.folder,
            str(saved.settings()["verifier_version"]),
            str(settings["verifier_version"]),
            rewards.estimate(),
            rewards.won,
            rewards.lost,
        )


def _before(settings: Mapping[str, Json], env: EnvLike | None) -> Definition | None:
    """What judged the run; None where its folder names what only the operator may."""
    try:
        return _definition(settings, env, {})
    except ConfigError:
        return None


def _definition(settings: Mapping[str, Json], env: EnvLike | None, given: Mapping[str, Json]) -> Definition:
    if env is not None and env != settings["env"]:
        return definition_of(env)
    id = str(settings["env"])
    try:
        kwargs = without_source(cast("dict[str, Json]", settings["env_kwargs"]))
        return load_for_row(id, **admitted(id, kwargs, {**operators_given(), id: given} if given else None))
    except UnknownEnvironment as error:
        raise RunError(f"the run's environment cannot be made: {error}; register it first, or give env") from error


def _chunks(episodes: Iterator[Episode], n: int, tasks: int) -> Iterator[list[Episode]]:
    """Whole groups, up to `tasks` of them at a time; a last group that was cut short is left out."""
    while chunk := list(islice(episodes, n * tasks)):
        whole = len(chunk) - len(chunk) % n
        if whole:
            yield chunk[:whole]


def _judge(batch: BatchEnvironment, episodes: Sequence[Episode]) -> list[Episode]:
    batch.reset(tasks=[episode.task for episode in episodes[:: batch.group_size]])
    judged = batch.step([episode.completion for episode in episodes])
    version = batch.definition.verifier.version
    return [
        replace(old, verdict=new.verdict, verifier_version=version) for old, new in zip(episodes, judged, strict=True)
    ]


def _flags(episode: Episode) -> tuple[str, ...]:
    return tuple(sorted({flag.name for flag in episode.verdict.flags}))


def _same_kind(before: Definition, after: Definition) -> bool:
    return type(before.verifier) is type(after.verifier)


def _differ(old: Episode, new: Episode, flags_too: bool) -> bool:
    """Flags are compared only where one verifier gave both: another one has others."""
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


def _reward(reward: float | None) -> str:
    return "verifier error" if reward is None else f"{reward:g}"


def _names(flags: tuple[str, ...]) -> str:
    return shown_line("+".join(flags)) or "none"
