"""The audit itself: draws tasks, plays everything on them, and puts the findings in order."""

from __future__ import annotations

import hashlib
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rlenv.audit.calibration import (
    guess_findings,
    last_turn_findings,
    reference_findings,
    trouble_findings,
)
from rlenv.audit.causes import by_cause
from rlenv.audit.company import determinism_findings, grouping_findings
from rlenv.audit.functions import reward_definition
from rlenv.audit.judge import by_value
from rlenv.audit.leaks import leak_findings
from rlenv.audit.playing import (
    COSTLY,
    Play,
    attack_findings,
    attacks_on,
    disagreements,
    first_tasks,
    played,
    plays_of,
)
from rlenv.audit.report import Audit
from rlenv.audit.search import search_findings
from rlenv.audit.subject import Subject
from rlenv.core.definition import Definition, reference_text
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import canonical
from rlenv.core.task import Task, TaskSet
from rlenv.core.verifier import BatchVerifier
from rlenv.env.batch import EnvLike
from rlenv.env.batch import definition as definition_of
from rlenv.env.reward_functions import RewardFunction, Style
from rlenv.env.tasksets import Row
from rlenv.evaluation.progress import progress
from rlenv.evidence.exploits.attack import Attack
from rlenv.evidence.exploits.finding import Finding
from rlenv.workers.pool import Pool

TASKS = 32
TASKS_OF_PROGRAMS = 8
"""How many tasks are played on, where completions are programs that have to be run."""
TASKS_OF_TURNS = 16
"""How many, where an episode has several turns: a text is then said up to as many times."""


def audit(
    env: EnvLike,
    *,
    tasks: int | None = None,
    seed: int = 0,
    attacks: Sequence[Attack] = (),
    splits: Mapping[str, TaskSet] | None = None,
    against: EnvLike | None = None,
    search: float = 0.0,
    pool: Pool | None = None,
    quiet: bool = True,
) -> Audit:
    """Look for ways to earn the reward of an environment without its task; no model is needed.

    `tasks` of the set are drawn by `seed` (default: 32, 16 where episodes have several turns, 8 where completions are
    programs). `attacks` are played beside the catalogue. `splits` are task sets that should share no prompt, by name.
    `search` seconds more are spent on texts that stand in no catalogue (`rlenv.audit.search`). `against` is the same
    environment with another verifier: the report lists where the two pay differently, and which of them is right.

    Raises ConfigError for fewer than one task, and what making a task raises.
    """
    definition = definition_of(env)
    count = _count(definition) if tasks is None else tasks
    if count < 1:
        raise ConfigError(f"expected at least 1 task, got {count}")
    with by_value(definition):
        start = time.monotonic()
        subject = Subject(definition, count, seed, pool)
        chosen = attacks_on(subject, attacks)
        plays = {attack: plays_of(subject, attack, first_tasks(subject, attack)) for attack in chosen}
        total = len({play.said for of_attack in plays.values() for play in of_attack})
        with progress(f"audit {definition.id or 'reward function'}", total, quiet=quiet) as advance:
            subject.judge.tell = lambda judged: advance(judged, "")
            found = _findings(subject, plays, splits or {}, search, seed)
        report = _report(subject, found, seed, time.monotonic() - start)
        told = [play for attack in chosen if not attack.gains for play in plays[attack]]
        other = [] if against is None else disagreements(subject, definition_of(against))
        return replace(report, played=played(subject, told), disagreements=tuple(other))


def _count(definition: Definition) -> int:
    """How many tasks are drawn."""
    if isinstance(definition.verifier, BatchVerifier):
        return TASKS_OF_PROGRAMS
    return TASKS if definition.interaction is None else TASKS_OF_TURNS


def _findings(
    subject: Subject, plays: Mapping[Attack, Sequence[Play]], splits: Mapping[str, TaskSet], search: float, seed: int
) -> list[Finding]:
    """All findings, those of one cause as one."""
    found = [*reference_findings(subject), *guess_findings(subject)]
    for attack, first in plays.items():
        found += [] if attack.name in COSTLY else attack_findings(subject, attack, first)
    for look in (last_turn_findings, determinism_findings, grouping_findings):
        found += look(subject)
    found += leak_findings(subject, splits)
    subject.judge.slow_on_plain = subject.judge.stopped
    for attack, first in plays.items():  # last of all: a checker that has been too slow is asked no more
        found += attack_findings(subject, attack, first) if attack.name in COSTLY else []
    found += search_findings(subject, search, seed) if search > 0 else []
    return by_cause(subject, [*found, *trouble_findings(subject)])


def audit_reward(
    function: RewardFunction,
    rows: Sequence[Row],
    *,
    style: Style = "auto",
    reference: str | None = None,
    solution: Callable[[Task], str] = reference_text,
    time_limit_s: float = 5.0,
    name: str = "",
    tasks: int | None = None,
    seed: int = 0,
    attacks: Sequence[Attack] = (),
    train: Sequence[Row] = (),
    search: float = 0.0,
    pool: Pool | None = None,
    quiet: bool = True,
) -> Audit:
    """The same for a plain reward function or one of TRL, with rows to play it on (see reward_definition).

    `train` are rows that a policy is trained on: those among `rows`, word for word or nearly, are a finding.
    """
    made = reward_definition(
        function, rows, style=style, reference=reference, solution=solution, time_limit_s=time_limit_s
    )
    made = replace(made, id=name or made.id)
    splits: dict[str, TaskSet] = {"test": made.tasks}
    if train:
        splits["train"] = reward_definition(function, train, style=style, reference=reference).tasks
    return audit(made, tasks=tasks, seed=seed, attacks=attacks, splits=splits, search=search, pool=pool, quiet=quiet)


def _report(subject: Subject, found: Sequence[Finding], seed: int, seconds: float) -> Audit:
    definition = subject.definition
    rewards = [verdict.reward for verdict in subject.right if verdict.reward is not None]
    source, line = _source(definition)
    return Audit(
        env_id=definition.id,
        verifier_version=definition.verifier.version,
        findings=tuple(
            replace(one, reward=definition.id) for one in sorted(found, key=lambda f: (-f.severity, -f.mean))
        ),
        tasks=len(subject.samples),
        of_tasks=len(definition.tasks),
        plays=subject.judge.verifications,
        seconds=seconds,
        seed=seed,
        reference_reward=sum(rewards) / len(rewards) if rewards else 0.0,
        guess_rate=0.0 if subject.programs else subject.guess_rate()[0],
        notes=tuple(_notes(subject)),
        canaries=subject.canaries,
        tasks_sha256=_hashed([sample.task for sample in subject.samples]),
        source=source,
        line=line,
    )


def _notes(subject: Subject) -> list[str]:
    judge, notes = subject.judge, []
    if judge.batch:
        notes.append("the verifier isolates by itself: not played in another process, costs not measured")
    elif not judge.isolated:
        notes.append("the verifier cannot be sent to another process: played in this one, without a time limit")
    if judge.stopped:
        notes.append("the checker ran past its time limit too often: not everything was played")
    if not any(sample.answer.known for sample in subject.samples) and not subject.programs:
        notes.append(
            "the answer of a solution is not its reference: wrong references and two answers at once were not tried"
        )
    return notes


def _hashed(tasks: Sequence[Task]) -> str:
    return hashlib.sha256(canonical([task.to_json() for task in tasks]).encode()).hexdigest()


def _source(definition: Definition) -> tuple[str, int]:
    """The file and line of the verifier, where it lies below the current folder."""
    verifier = definition.verifier
    target = getattr(verifier, "function", type(verifier))
    try:
        file, (_, line) = inspect.getsourcefile(target), inspect.getsourcelines(target)
        return Path(file or "").resolve().relative_to(Path.cwd()).as_posix(), max(1, line)
    except (TypeError, OSError, ValueError):
        return "", 1
