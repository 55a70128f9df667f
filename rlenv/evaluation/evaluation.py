"""Evaluate a policy in an environment: pass@k with intervals, saved as it goes, resumed when interrupted.

    import rlenv

    report = rlenv.evaluate("math/gsm8k-v0", "smollm2-135m", n=4, k=(1, 4), limit=50)
    print(report)

A model of this process is asked for chunks of tasks. The sampling seed of a chunk follows from the evaluation's seed
and the place of the chunk's first task alone, so a run that was killed and resumed leaves the same episodes as one that
was not. A server is kept busy with single requests (rlenv.evaluation.concurrent_requests), whose episodes are saved as
they come: a run that goes on asks for those that are missing. Either way n may grow, and only what is new is asked for.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from rlenv.cluster.source import judged_at
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.fingerprint import recorded
from rlenv.core.jsontypes import Json
from rlenv.core.policy import DEFAULT_SAMPLING, Policy, Sampling
from rlenv.core.task import Task, TaskSet, prompt_messages
from rlenv.core.wrapper import Wrapper
from rlenv.env.batch import EnvLike
from rlenv.env.batch import definition as definition_of
from rlenv.env.registry import load
from rlenv.env.tasksets import ListTasks
from rlenv.evaluation.evaluation_run import EvaluationRun, by_requests, grown, in_chunks
from rlenv.evaluation.progress import progress
from rlenv.evaluation.report import Report
from rlenv.evaluation.savedrun import SavedRun
from rlenv.policies.endpoint import EndpointPolicy
from rlenv.policies.ledger import FILE, NO_LIMITS, Limits, spending
from rlenv.policies.unknown import unknown_to
from rlenv.store.folder_lock import run_folder
from rlenv.store.trackers import completion_rows, open_trackers, tracker_names
from rlenv.workers.pool import Pool

COMPLETIONS_AT_ONCE = 64
"""How many completions the policy is asked for at once, unless `chunk_tasks` says otherwise."""
MAX_TASKS = 10_000
"""An evaluation without a limit takes every task, of sets up to this size."""
MAX_N = 100_000
"""Completions of one task, which are held in memory together."""


def evaluate(
    env: EnvLike,
    policy: Policy | str,
    *,
    n: int = 1,
    k: int | Sequence[int] = 1,
    limit: int | None = None,
    sampling: Sampling = DEFAULT_SAMPLING,
    seed: int = 0,
    out: str | Path | None = None,
    env_kwargs: Mapping[str, Json] | None = None,
    wrappers: Sequence[Wrapper] = (),
    threshold: float = 1.0,
    max_error_share: float = 0.2,
    chunk_tasks: int | None = None,
    device: str = "auto",
    dtype: str = "auto",
    endpoint: Mapping[str, Json] | None = None,
    system_prompt: str = "",
    command: str = "",
    pool: Pool | None = None,
    verdicts: str | None = None,
    limits: Limits = NO_LIMITS,
    trackers: str = "",
    quiet: bool = False,
) -> Report:
    """Ask the policy for `n` completions of each task and judge them.

    `env` is an id (with `env_kwargs`), an environment or a Definition; `wrappers` go around it; `policy` is one
    or its name (see rlenv.policies.load; `device` and `dtype` are for a model, `endpoint` holds settings of an
    EndpointPolicy such as `concurrency`). `system_prompt` stands before each task's prompt. `limit` tasks
    are drawn by `seed`: the first rows of a file are often its easy ones. `seed` decides the sampling too, whatever
    `sampling.seed` says. A completion passes when its reward is at least `threshold`.

    With `out`, episodes are saved there as they finish, and the same call resumes an interrupted run; with a larger `n`
    it asks for what is missing. `command` is what the report says that made it. `verdicts` has them made elsewhere than
    on this machine: "ray", "ray://HOST:PORT" or the address of `rlenv serve` (rlenv.cluster.source). `limits` says what
    may be spent (rlenv.policies.ledger).

    `trackers` names, between commas, what shows the estimates and completions besides (rlenv.store.trackers).

    Raises ConfigError for k > n and other impossible settings, RunError when `out` holds another run, is in use or is
    on a full disk, TooManyVerifierErrors when the checker fails on more than `max_error_share` of the episodes, and
    LimitReached when a limit is: what is saved by then is whole.
    """
    if limits.given and out is None:
        raise ConfigError("expected a folder for a run with limits, which goes on from there; give out (--out DIR)")
    definition = definition_with(env, env_kwargs)
    if verdicts is not None:
        definition = judged_at(verdicts, definition, env_kwargs or {})
    definition = replace(definition, wrappers=(*definition.wrappers, *wrappers))
    ks = _checked(n, k, seed, sampling)
    if not math.isfinite(threshold) or not 0 <= max_error_share <= 1:
        raise ConfigError(
            f"expected a finite threshold and a max_error_share in [0, 1], got {threshold:g} and {max_error_share:g}"
        )
    _check_limit(definition.tasks, limit)
    if tracker_names(trackers) and out is None:
        raise ConfigError("expected a folder (out, --out) with trackers: it holds what they know the run by")
    if isinstance(policy, str):
        from rlenv.policies.load import load_policy

        policy = load_policy(policy, definition, device=device, dtype=dtype, endpoint=endpoint)
    folder = None if out is None else Path(out)
    with run_folder(folder, "give the same command again: it goes on from there"):
        before = None if folder is None else SavedRun(folder).settings_so_far()
        first = before is not None and "drawn_of" not in before  # of a version that took the first rows
        chosen = choose_tasks(definition.tasks, limit, seed, first)
        tasks = [_with_system(task, system_prompt) for task in chosen]
        ids = grown(before, n, len(tasks), learning=bool(definition.wrappers))
        chunk = chunk_tasks or cast("int", (before or {}).get("chunk_tasks", max(1, COMPLETIONS_AT_ONCE // n)))
        settings: dict[str, Json] = {
            "env": definition.id,
            "env_kwargs": dict(env_kwargs or {}),
            "policy": policy.name,
            "n": n,
            **({"grown": list(ids.widths)} if len(ids.widths) > 1 else {}),
            "seed": seed,
            "chunk_tasks": chunk,
            **_identity(definition, tasks, sampling, policy),
            **({"system_prompt": system_prompt} if system_prompt else {}),
            "k": ks,
            "threshold": threshold,
            **({"drawn_of": len(definition.tasks)} if len(tasks) < len(definition.tasks) and not first else {}),
            **({"command": command} if command else {}),
        }
        saved = None if folder is None else SavedRun.start_or_resume(folder, settings)
        if saved is not None:
            saved.keep_submissions(definition)
        report = Report(definition.id, policy.name, settings, ks)
        with spending(limits) as ledger:
            if folder is not None:
                ledger.keep_in(folder / FILE)
            run = EvaluationRun(
                definition,
                tasks,
                ids,
                report,
                saved=saved,
                seed=seed,
                pool=pool,
                max_error_share=max_error_share,
                ledger=ledger,
            )
            _see_through(run, policy, sampling, chunk, quiet)
            report.spent = ledger.facts()
        report.unknown = str(unknown_to(policy, ListTasks(tasks)) or "")
        if saved is not None:
            saved.finish(report)
            _track(saved, report, trackers)
        return report


def _see_through(run: EvaluationRun, policy: Policy, sampling: Sampling, chunk: int, quiet: bool) -> None:
    """Ask and judge until nothing is missing."""
    if isinstance(policy, EndpointPolicy) and run.definition.driver is None:
        steps = by_requests(run, policy, sampling)
    else:
        steps = in_chunks(run, policy, sampling, chunk)
    with progress(f"{run.definition.id} {policy.name}", run.ids.total, quiet=quiet) as advance:
        for count in steps:
            advance(count, ", ".join(filter(None, (run.report.note(), run.ledger.note()))))
    run.check_errors()


def _track(saved: SavedRun, report: Report, trackers: str) -> None:
    """Show a finished evaluation in the trackers of these names."""
    values = {name: estimate.value for name, estimate in report.estimates().items()}
    values |= {"episodes": float(report.episodes), "verifier_errors": float(report.verifier_errors)}
    values |= {} if report.mean_reward is None else {"reward": report.mean_reward}
    for tracker in open_trackers(tracker_names(trackers), saved.folder, 0, saved.settings()):
        tracker.log(values, 0)
        tracker.table(completion_rows(saved.episodes()), 0)
        tracker.close()


def choose_tasks(tasks: TaskSet, limit: int | None, seed: int, first: bool = False) -> list[Task]:
    """All tasks in order, or `limit` different ones drawn by `seed`; rows that are drawn keep their order.

    `first` takes the first rows instead, as runs of older versions did. Raises ConfigError for a set of more than
    10,000 tasks without a limit.
    """
    _check_limit(tasks, limit)
    size = len(tasks)
    listed = isinstance(tasks, ListTasks)
    if limit is None or limit >= size or (first and listed):
        return [tasks[i] for i in range(min(size, limit or size))]
    chosen = np.random.default_rng(seed).choice(size, size=limit, replace=False)
    return [tasks[int(i)] for i in (np.sort(chosen) if listed else chosen)]


def _check_limit(tasks: TaskSet, limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise ConfigError(f"expected a limit of at least 1 task, got {limit}")
    if limit is None and len(tasks) > MAX_TASKS:
        raise ConfigError(f"this task set has {len(tasks):,} tasks; say how many to evaluate, for example limit=200")


def definition_with(env: EnvLike, env_kwargs: Mapping[str, Json] | None) -> Definition:
    """What an id made with these keywords, an environment or a definition stands for."""
    if not env_kwargs:
        return definition_of(env)
    if not isinstance(env, str):
        raise ConfigError("expected env_kwargs only with an environment's id; this one is made already")
    return load(env, **env_kwargs)


def _with_system(task: Task, system_prompt: str) -> Task:
    """The task with these words before its prompt, as a system message; its id stays."""
    if not system_prompt:
        return task
    messages = prompt_messages(task.prompt)
    if messages[0]["role"] == "system":  # many templates take one alone
        system_prompt = f"{system_prompt}\n\n{messages.pop(0)['content']}"
    return replace(task, prompt=({"role": "system", "content": system_prompt}, *messages))


def _checked(n: int, k: int | Sequence[int], seed: int, sampling: Sampling) -> list[int]:
    ks = sorted({k} if isinstance(k, int) else set(k))
    if n < 1:
        raise ConfigError(f"expected n of at least 1 completion a task, got {n}")
    if n > MAX_N:
        raise ConfigError(f"expected n of at most {MAX_N:,} completions a task, got {n}: they are judged together")
    if seed < 0:
        raise ConfigError(f"expected a seed of 0 or more, got {seed}")
    if not ks or ks[0] < 1:
        raise ConfigError(f"expected k of at least 1, got {ks}")
    if ks[-1] > n:
        raise ConfigError(
            f"expected k of at most n={n}, got k={ks[-1]}: pass@k needs k completions; raise n or lower k"
        )
    if n > 1 and sampling.temperature == 0:
        raise ConfigError(f"expected n=1 at temperature 0, got n={n}: greedy gives one completion; set a temperature")
    return ks


def _identity(definition: Definition, tasks: Sequence[Task], sampling: Sampling, policy: Policy) -> dict[str, Json]:
    """What has to be the same for two runs to be the same, beside their plain settings."""
    ids = "\n".join(task.id for task in tasks)
    told = getattr(getattr(policy, "renderer", None), "template_kwargs", {})
    return {
        "tasks": len(tasks),
        "task_ids": hashlib.blake2b(ids.encode(), digest_size=8).hexdigest(),
        "max_new_tokens": sampling.max_new_tokens,
        **({} if sampling.max_episode_tokens is None else {"max_episode_tokens": sampling.max_episode_tokens}),
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        **({"stop": list(sampling.stop)} if sampling.stop else {}),
        **({"chat_template_kwargs": dict(told)} if told else {}),
        **(policy.identity() if isinstance(policy, EndpointPolicy) else {}),
        "verifier_version": recorded(definition.verifier),
        "wrappers": [wrapper.name for wrapper in definition.wrappers],
    }
