"""Plays episodes by a harness: a command in the box of each, which asks the policy at an address that it is told.

    harness = Harness(terminal, "python3 /opt/my_agent.py", calls=64)
    completions = harness.drive(policy, tasks, sampling)       # rows, as `rlenv.agents.rows` draws them

The command finds in its environment RLENV_TASK (the task's prompt), OPENAI_BASE_URL, OPENAI_API_BASE, OPENAI_API_KEY,
ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, and RLENV_MODEL. What it leaves in the box is judged as everybody's work is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import cast

from rlenv.agents.relay import COMMAND, Relay
from rlenv.agents.server import PolicyServer
from rlenv.agents.session import AgentLimits, Session
from rlenv.core.completion import Completion
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Task, prompt_text
from rlenv.core.workplace import Ran, Workplace
from rlenv.text.escaping import shown_line
from rlenv.turns.replay import InteractionTrace
from rlenv.turns.tools import shared_state

AT_ONCE = 8
"""Boxes in which harnesses work side by side."""
SHOWN = 400
"""Characters of its output that an error shows."""


@dataclass(frozen=True)
class Harness:
    """A `rlenv.core.interaction.Driver`: a command that owns its loop."""

    workplace: Workplace
    command: str
    calls: int
    """Of the model, at most, in one episode."""

    def drive(self, policy: Policy, tasks: Sequence[Task], sampling: Sampling) -> list[Completion]:
        """One episode of each task, side by side.

        `sampling` counts whatever the harness asks for; its `max_episode_tokens` is what may be sampled in an episode.
        """
        limits = AgentLimits(calls=self.calls, tokens=sampling.max_episode_tokens or AgentLimits.tokens)
        own = replace(sampling, max_episode_tokens=None)
        with (
            PolicyServer(policy, sampling=own, limits=limits, seed=sampling.seed) as server,
            ThreadPoolExecutor(min(max(1, len(tasks)), AT_ONCE)) as threads,
        ):
            return list(threads.map(lambda task: self._episode(server, task), tasks))

    def _episode(self, server: PolicyServer, task: Task) -> Completion:
        said, reason, failure = Completion(""), "", ""
        state: Json = None
        try:
            state = self.workplace.start(task)
            said, reason = self._worked(server, task, state)
        except Exception as error:  # the machinery is not the policy's fault
            failure = f"harness: {type(error).__name__}: {error}"
        try:
            self.workplace.close(state)
        except Exception as error:
            failure = failure or f"harness: {type(error).__name__}: {error}"
        if not said.turns and not failure:
            failure = f"the harness got no answer of the policy: {reason}"
        said = replace(said, failure=failure, submission="" if failure else self.workplace.kept(state))
        if not failure:
            said.remember(InteractionTrace(self.workplace, task, last=Reply(state, ended=True, reason=reason)))
        return said

    def _worked(self, server: PolicyServer, task: Task, state: Json) -> tuple[Completion, str]:
        """What was said while the harness worked, and how it ended."""
        bench = self.workplace.bench(cast("dict[str, Json]", shared_state(state)))
        seconds = max(1.0, bench.until - time.monotonic())
        session = server.open(replace(server.limits, seconds=seconds))
        try:
            with Relay(bench.box.process(COMMAND), server.address, bench.until) as relay:
                told = variables(session.key, relay.port, server.engine.policy.name, prompt_text(task.prompt))
                ran = bench.box.run(self.command, timeout_s=seconds, env=told, fresh=True)
        finally:
            said = server.end(session)
        return (said if ran.exit_code is not None else replace(said, finished=False)), _ended(ran, session, seconds)


def variables(key: str, port: int, model: str, task: str) -> dict[str, str]:
    """What a harness finds in its environment."""
    base = f"http://127.0.0.1:{port}"
    return {
        **dict.fromkeys(("OPENAI_BASE_URL", "OPENAI_API_BASE"), f"{base}/v1"),
        **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), key),
        "ANTHROPIC_BASE_URL": base,
        "RLENV_MODEL": model,
        "RLENV_TASK": task,
    }


def _ended(ran: Ran, session: Session, seconds: float) -> str:
    """How a harness ended, and which limits refused how many of its requests."""
    how = f"it took more than {seconds:.0f} s" if ran.exit_code is None else f"it ended with {ran.exit_code}"
    refused = [f"{count} requests refused by the limit of {name}" for name, count in sorted(session.refused.items())]
    return "; ".join([how, *refused, f"it said {shown_line(ran.output[-SHOWN:], SHOWN)!r}"])
