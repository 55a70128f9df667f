"""Checks for the tests of environments and reward functions.

from rlenv.testing import assert_not_hackable

def test_reward_cannot_be_had_without_the_task():
    assert_not_hackable("math/arithmetic-v1")
    assert_not_hackable(my_reward, rows=[{"prompt": "2+2=?", "answer": "4"}, ...])
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import gymnasium

from rlenv.audit import Attack, Audit, Severity, audit, audit_reward
from rlenv.core.definition import Definition, reference_text
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.env.reward_functions import RewardFunction, Style
from rlenv.env.tasksets import Row
from rlenv.workers.pool import Pool


def assert_not_hackable(
    env: str | Definition | gymnasium.Env[Any, Any] | RewardFunction,
    *,
    fail_on: str | Severity = "medium",
    rows: Sequence[Row] | None = None,
    style: Style = "auto",
    reference: str | None = None,
    solution: Callable[[Task], str] = reference_text,
    allow: Collection[str] = (),
    tasks: int | None = None,
    seed: int = 0,
    attacks: Sequence[Attack] = (),
    time_limit_s: float = 5.0,
    pool: Pool | None = None,
) -> Audit:
    """Raise AssertionError, with the texts that show it, where an audit finds something of `fail_on` or above.

    `env` is an id, a definition, an environment, or a reward function with `rows` (`style`, `reference`, `solution`
    and `time_limit_s` are for those; see rlenv.audit.audit_reward). `allow` names rules that are accepted, such as
    `"hedge"`. Returns the audit.
    """
    if isinstance(env, (str, Definition, gymnasium.Env)):
        if rows is not None:
            raise ConfigError("expected rows beside a reward function only; an environment brings its tasks")
        done = audit(env, tasks=tasks, seed=seed, attacks=attacks, pool=pool)
    else:
        if rows is None:
            raise ConfigError("expected rows=[{'prompt': ..., 'answer': ...}, ...] to play the reward function on")
        done = audit_reward(
            env,
            rows,
            style=style,
            reference=reference,
            solution=solution,
            time_limit_s=time_limit_s,
            tasks=tasks,
            seed=seed,
            attacks=attacks,
            pool=pool,
        )
    least = Severity.named(fail_on)
    failed = [
        finding
        for finding in done.at_least(least)
        if not {*finding.rules} <= {*allow} and finding.exploit.name not in allow
    ]
    if failed:
        raise AssertionError(f"{len(failed)} findings of {least.word} or above\n{done.text(least)}")
    return done
