"""A taskset of verifiers as an environment of ours (verifiers 0.4.0), for tasksets whose rewards read the trace alone.

    from rlenv.foreign.verifiers import from_verifiers

    env = rlenv.make(from_verifiers("my-taskset", size=100))

Its own rewards judge, in a process that can be ended; each is a part of the verdict, its metrics are scores. A reward
that raises or is no number is a `verifier_error`. What needs more than a trace (a runtime, tools, an Env of its own)
is refused in one line, because scoring without it would pay something else.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError, MachineryError
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Message, Task
from rlenv.core.verdict import Verdict
from rlenv.env.tasksets import ListTasks
from rlenv.foreign.sessions import refuse_problems, register_foreign, within
from rlenv.foreign.versions import check_version

INDEX = "idx"
START_S = 60.0
"""The first verification of a process imports verifiers and loads the taskset, which no completion is to blame for."""


def from_verifiers(taskset: str, *, id: str = "", **settings: Any) -> str:
    """Register an installed taskset as an environment; its id, `verifiers/my-taskset-v0` unless one is given.

    The settings are those of `taskset_environment`, and may be changed in `rlenv.make`.
    """
    kwargs = {"taskset": taskset, **settings}
    return register_foreign("verifiers", taskset, id, f"{__name__}:taskset_environment", kwargs)


def taskset_environment(
    taskset: str, config: dict[str, Json] | None = None, size: int = 1000, answer_limit_s: float = 60.0
) -> Definition:
    """The definition behind `from_verifiers`: the first `size` tasks; `config` is that of the taskset.

    Its rewards have `answer_limit_s` seconds for a completion; beyond, the episode is a `verifier_error`.

    Raises ConfigError for a taskset that needs more than a trace, and where verifiers is missing or of an unknown
    version.
    """
    check_version("verifiers", known="0.4.0", below="0.5")
    verifier = TasksetVerifier(taskset, canonical(config or {}), size, answer_limit_s)
    theirs = verifier.tasks()
    if not theirs:
        raise ConfigError(f"expected a taskset with tasks, got none from {taskset}")
    _check(taskset, theirs[0])
    tasks = [Task(_prompt(one.data), id=str(one.key), metadata={INDEX: index}) for index, one in enumerate(theirs)]
    return Definition(
        tasks=ListTasks(tasks),
        verifier=verifier,
        description=f"the taskset {taskset} of verifiers",
        time_limit_s=START_S + answer_limit_s,
    )


@dataclass(frozen=True)
class TasksetVerifier:
    """Asks the rewards of a taskset; loads it again in the process that it is sent to."""

    taskset: str
    config: str
    size: int
    answer_limit_s: float
    cheap = False

    @property
    def version(self) -> str:
        return f"verifiers {self.taskset} {self.config}"

    def tasks(self) -> tuple[Any, ...]:
        return _loaded(self.taskset, self.config, self.size)

    def verify(self, task: Task, completion: Completion) -> Verdict:
        """Raises MachineryError where the taskset has other tasks than before, and what its rewards raise."""
        tasks, index = self.tasks(), cast("int", task.metadata[INDEX])
        if index >= len(tasks) or str(tasks[index].key) != task.id:
            raise MachineryError(
                f"task {index} of {self.taskset} is another one than before; make the environment again"
            )
        trace = _trace(tasks[index], completion)
        within(self.answer_limit_s, self.taskset, lambda: asyncio.run(tasks[index].score(trace)))
        if missing := [name for name, reward in trace.rewards.items() if reward is None]:
            raise MachineryError(f"{self.taskset} did not score {', '.join(missing)}")
        parts = [(name, float(reward.value)) for name, reward in trace.rewards.items()]
        scores = {name: float(value) for name, value in trace.metrics.items() if value is not None}
        return Verdict.of(*parts, scores=scores)


@lru_cache(maxsize=8)
def _loaded(taskset: str, config: str, size: int) -> tuple[Any, ...]:
    import verifiers.v1 as vf

    made = vf.taskset_config_type(taskset).model_validate({**json.loads(config), "id": taskset})
    return tuple(vf.load_taskset(made).take(size))


def _check(taskset: str, task: Any) -> None:
    """Raise ConfigError for what a trace alone does not score."""
    import verifiers.v1 as vf

    hooks = [*task.hooks("reward"), *task.hooks("metric")]
    runtimes = {hook.__name__: inspect.signature(hook).parameters.get("runtime") for hook in hooks}
    needs = [name for name, one in runtimes.items() if one is not None and one.default is inspect.Parameter.empty]
    changed = [name for name in ("setup", "finalize") if getattr(type(task), name) is not getattr(vf.Task, name)]
    problems = {
        f"its {', '.join(needs)} ask for a runtime": bool(needs),
        "its tasks need a container": task.NEEDS_CONTAINER,
        "its tasks are set up or finished in a runtime": bool(changed),
        "it has tools": bool(type(task).toolsets(task.config)),
        "it has an Env of its own": vf.environment_class(taskset) is not vf.SingleAgentEnv,
        "it has no rewards": not task.hooks("reward") and not task.plugged_judges(),
    }
    refuse_problems(taskset, problems, "; run it with vf-eval")


def _trace(task: Any, completion: Completion) -> Any:
    """What a harness of one turn would have left."""
    import verifiers.v1 as vf

    about = vf.TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash)
    trace = vf.Trace(task=about, agent=vf.AgentInfo(config=vf.AgentConfig()))
    for message in _prompt(task.data):
        kind = {"system": vf.SystemMessage, "user": vf.UserMessage}.get(message["role"], vf.AssistantMessage)
        trace.nodes.append(vf.MessageNode(message=kind(content=message["content"]), parent=_last(trace)))
    said = vf.AssistantMessage(content=completion.content.text, reasoning_content=completion.reasoning.text or None)
    trace.nodes.append(vf.MessageNode(message=said, sampled=True, parent=_last(trace)))
    trace.calls.append(vf.ModelCall(node=_last(trace), finish_reason="stop" if completion.finished else "length"))
    return trace


def _last(trace: Any) -> int | None:
    return len(trace.nodes) - 1 if trace.nodes else None


def _prompt(data: Any) -> tuple[Message, ...]:
    """Raises ConfigError for a prompt that is not made of text."""
    system = [{"role": "system", "content": data.system_prompt}] if data.system_prompt else []
    if isinstance(data.prompt, str):
        return (*system, {"role": "user", "content": data.prompt})
    messages = [{"role": one.role, "content": one.content} for one in data.prompt or []]
    if not messages or not all(isinstance(message["content"], str) for message in messages):
        raise ConfigError(f"expected a prompt of text, got {data.prompt!r:.200}; run this taskset with vf-eval")
    return (*system, *messages)
