"""Audits of registered environments, for `rlenv audit`: one here, or many in several processes.

The processes are new ones: nothing of one audit is in another's way, and a checker that ends its process takes one
of them down. Each judges in one worker, so that `jobs` of them keep as many cores busy.
"""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from rlenv.cli.audit_subject import solutions_in, solved
from rlenv.cli.environments import import_modules
from rlenv.core.errors import ConfigError, RlenvError
from rlenv.core.jsontypes import Json
from rlenv.env.registry import list_envs, load, needed
from rlenv.sandbox.errors import SandboxError
from rlenv.text.escaping import shown_line
from rlenv.workers.pool import WorkerPool

if TYPE_CHECKING:
    from rlenv.audit import Attack, Audit
    from rlenv.core.definition import Definition
    from rlenv.core.task import TaskSet

WHY_CHARS = 160
NAMES = frozenset({"data", "family", "seed", "show", "solution", "solutions", "style", "tasks", "train"})
"""Settings of the audit that an environment's keyword may be called as, too."""


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """An environment to audit, and how."""

    id: str
    kwargs: dict[str, Json]
    tasks: int | None
    seed: int
    against: dict[str, Json]
    """Keywords of the same environment with another verifier; empty for none."""
    solutions: Path | None = None
    """A file with right completions, for an environment that brings none."""
    named: str = ""
    """What the user called it, where that is not the id."""
    imports: tuple[str, ...] = ()
    """Modules that register it."""
    train: Path | None = None
    """A file with the rows that are trained on, which should share none with those that are audited."""
    search: float = 0.0
    """Seconds to search."""

    @property
    def command(self) -> str:
        """What plays the same again on the command line."""
        words = ["rlenv", "audit", self.named or self.id]
        for table, kwargs in (("kwargs.", self.kwargs), ("against.", self.against)):
            for key, value in kwargs.items():
                where = "" if table == "kwargs." and (key == "data" or key not in NAMES) else table
                words += ["--set", f"{where}{key}={value if isinstance(value, str) else json.dumps(value)}"]
        words += ["--set", f"solutions={self.solutions}"] if self.solutions else []
        words += ["--set", f"train={self.train}"] if self.train else []
        words += ["--search", f"{self.search:g}"] if self.search else []
        words += [word for module in self.imports for word in ("--import", module)]
        return shlex.join([*words, *drawing(self.tasks, self.seed)])


def drawing(tasks: int | None, seed: int) -> list[str]:
    """The options that say which tasks are drawn."""
    return [*([] if tasks is None else ["--tasks", str(tasks)]), *(["--set", f"run.seed={seed}"] if seed else [])]


def audited(asked: AuditRequest, pool: WorkerPool | None = None, quiet: bool = False) -> Audit:
    """The audit of one environment, with its splits and our cheats beside the catalogue."""
    from rlenv.audit import audit
    from rlenv.audit.splits import splits_of

    definition = load(asked.id, **asked.kwargs)
    if asked.solutions is not None:
        definition = solved(definition, solutions_in(asked.solutions))
    against = load(asked.id, **{**asked.kwargs, **asked.against}) if asked.against else None
    done = audit(
        definition,
        tasks=asked.tasks,
        seed=asked.seed,
        attacks=_cheats(definition),
        splits=splits_of(asked.id, asked.kwargs) if asked.train is None else trained_on(definition, asked),
        against=against,
        search=asked.search,
        pool=pool,
        quiet=quiet,
    )
    return replace(done, command=asked.command)


def trained_on(definition: Definition, asked: AuditRequest) -> dict[str, TaskSet]:
    """The audited tasks as the split 'test', and those of the training file as 'train'.

    Raises ConfigError for an environment that reads no file.
    """
    from rlenv.audit.splits import takes

    if not takes(asked.id, "data"):
        raise ConfigError(
            f"expected train=FILE with an environment that reads its rows from --data, and {asked.id} does not"
        )
    train = load(asked.id, **{**asked.kwargs, "data": str(asked.train)})
    return {"test": definition.tasks, "train": train.tasks}


def all_audited(
    asked: Sequence[AuditRequest], jobs: int | None = None, imports: Sequence[str] | None = None
) -> Iterator[tuple[str, Audit | str]]:
    """Each id with its audit, or with why it has none, as they come; `jobs` at a time (default: one a core)."""
    count = min(jobs or os.cpu_count() or 1, len(asked))
    if count < 2:
        yield from ((one.id, _tried(one, quiet=False)) for one in asked)
        return
    size = Counter(_family(one) for one in asked)
    dear_first = sorted(asked, key=lambda one: size[_family(one)])  # families of many have small environments
    executor = ProcessPoolExecutor(count, get_context("spawn"), _prepare, (list(imports or ()),))
    try:
        told = {executor.submit(_in_one_worker, one): one.id for one in dear_first}
        yield from ((told[future], _outcome(future)) for future in as_completed(told))
    finally:
        executor.shutdown(cancel_futures=True)


def _family(asked: AuditRequest) -> str:
    return asked.id.partition("/")[0]


def _prepare(imports: list[str]) -> None:
    import_modules(imports)
    list_envs()


def _in_one_worker(asked: AuditRequest) -> Audit | str:
    return _tried(asked, _pool(), quiet=True)


@lru_cache(maxsize=1)
def _pool() -> WorkerPool:
    return WorkerPool(1)


def lacking(asked: AuditRequest) -> str:
    """Why it cannot be made, where it needs a keyword that nobody gave; else empty.

    >>> lacking(AuditRequest("safety/rm-v0", {}, None, 0, {}))
    'it needs --set safety/rm-v0:scorer=VALUE; `rlenv show safety/rm-v0` says what to give'
    """
    names = [name for name in needed(asked.id) if asked.kwargs.get(name) is None]
    options = " ".join(f"--set {asked.id}:{name}=VALUE" for name in names)
    return f"it needs {options}; `rlenv show {asked.id}` says what to give" if names else ""


def _tried(asked: AuditRequest, pool: WorkerPool | None = None, *, quiet: bool) -> Audit | str:
    why = lacking(asked)
    if why:
        return why
    try:
        return audited(asked, pool, quiet)
    except (RlenvError, SandboxError) as error:
        return shown_line(str(error), WHY_CHARS)


def _outcome(future: Future[Audit | str]) -> Audit | str:
    try:
        return future.result()
    except BrokenProcessPool:
        return "a process that audits has died; try --set jobs=1"


def _cheats(definition: Definition) -> list[Attack]:
    """The cheats that our own code environments are tested with."""
    from rlenv.audit import Attack, Body, Scene
    from rlenv.envs.code.cheats import cheats
    from rlenv.evidence.exploits.texts import function_name

    if not type(definition.verifier).__module__.startswith("rlenv.envs.code"):
        return []

    def bodies(scene: Scene) -> list[Body]:
        found = cheats(function_name(scene.prompt))
        return [Body(name, f"```python\n{source}\n```") for name, source in found.items()]

    return [Attack("cheat", "is a program that forges its outcome", bodies, framed=False)]
