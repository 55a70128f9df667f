"""What a taskset package that `rlenv.integrations.verifiers` wrote is made of (verifiers 0.4.0).

A task is a row (docs/rows.md); its reward is the verifier's word on the trace. An episode of several turns is judged by
playing the policy's messages again. A failed checker raises, so that the trace carries a typed error and no reward.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from rlenv.foreign.versions import check_version

check_version("verifiers", known="0.4.0", below="0.5")

import verifiers.v1 as vf  # noqa: E402

from rlenv.core.completion import Completion  # noqa: E402
from rlenv.core.errors import ConfigError, TaskError  # noqa: E402
from rlenv.core.jsontypes import Json  # noqa: E402
from rlenv.core.reading import ReadAs  # noqa: E402
from rlenv.core.task import Task, prompt_messages, prompt_text  # noqa: E402
from rlenv.env.rows import RowJudge  # noqa: E402
from rlenv.integrations.adapter import export, graded_reward, message_completion  # noqa: E402
from rlenv.turns.live import Live  # noqa: E402
from rlenv.turns.play import reference_completion  # noqa: E402
from rlenv.turns.tool_prompt import with_tools_in_system  # noqa: E402


class RlenvData(vf.TaskData):  # type: ignore[misc]  # verifiers is not there when types are checked
    """A task on the wire."""

    row: str


class RlenvTask(vf.Task[RlenvData]):  # type: ignore[misc]
    """A task that our verifier scores."""

    @property
    def key(self) -> str:
        return str(self.data.id)

    @vf.reward(weight=1.0)  # type: ignore[untyped-decorator]
    async def rlenv(self, trace: vf.Trace) -> float:
        """Raises MachineryError, with the reason, where the checker failed."""
        said = await asyncio.to_thread(completion_of, self.data.row, trace)
        [episode] = await asyncio.to_thread(_judge().judge, [self.data.row], [said])
        trace.info["rlenv_verdict"] = episode.verdict.to_json()
        return graded_reward(episode.verdict)

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the reference solution passes; None for a task without one."""
        definition, task = _judge().read(self.data.row)
        try:
            said = await asyncio.to_thread(reference_completion, definition, task)
        except TaskError:
            return None
        [episode] = await asyncio.to_thread(_judge().judge, [self.data.row], [said])
        return episode.verdict.reward is not None and episode.verdict.reward >= 1


class RlenvConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Which tasks; a package sets the defaults, and `--env.taskset.size 50` changes them."""

    env: str = ""
    settings: dict[str, Any] = {}  # noqa: RUF012, pydantic copies it
    size: int | None = None
    seed: int = 0


class RlenvEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The one seat, under `--env.player.*`."""

    player: vf.AgentConfig = vf.AgentConfig()


class RlenvEnv(vf.Env[RlenvEnvConfig]):  # type: ignore[misc]
    """Plays environments of several turns: our interaction is the user. Tools are told in words."""

    async def run(self, task: RlenvTask, agents: Any) -> None:
        definition, ours = _judge().read(task.data.row)
        live = await asyncio.to_thread(Live.of, definition, ours)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                trace = interaction.trace
                said = _said(trace.assistant_messages[-1], not trace.is_truncated, definition.read_as)
                reply = await asyncio.to_thread(live.step, said)
                if live.ended:
                    break
                segment = await interaction.turn(prompt_text(reply.observation))


def tasks_of(config: RlenvConfig) -> list[RlenvTask]:
    """The tasks of a taskset. Raises ConfigError where no environment is named."""
    if not config.env:
        raise ConfigError("expected an environment; set --env.taskset.env math/arithmetic-v1")
    rows = export(config.env, config.settings, config.size, config.seed, training=False).rows
    return [task_of(row, config.task) for row in rows]


def task_of(row: str, config: vf.TaskConfig | None = None) -> RlenvTask:
    """The task of a row. Raises TaskError for what is no row."""
    definition, task = _judge().read(row)
    return RlenvTask(RlenvData(id=task.id, row=row, **_prompt(definition.tools, task)), config)


def completion_of(row: str, trace: vf.Trace) -> Completion:
    """What the policy said in a trace; of several turns, played again, with what answers them."""
    definition, task = _judge().read(row)
    last = len(trace.assistant_messages) - 1
    said = [
        _said(message, not (trace.is_truncated and turn == last), definition.read_as)
        for turn, message in enumerate(trace.assistant_messages)
    ]
    if definition.interaction is None:
        return said[-1] if said else Completion("", finished=not trace.is_truncated)
    live = Live.of(definition, task)
    for turn in said:
        live.step(turn)
    if not live.ended and trace.is_truncated:
        live.end_cut()
    live.abandon()
    return live.completion()


def _said(message: vf.AssistantMessage, finished: bool, read_as: ReadAs) -> Completion:
    parts = {"content": message.content or "", "reasoning_content": message.reasoning_content or ""}
    return message_completion(parts, finished=finished, read_as=read_as)


def _prompt(tools: Sequence[Mapping[str, Json]], task: Task) -> dict[str, Any]:
    """The prompt as harnesses take it: the system's words apart, and one user message as text."""
    messages = with_tools_in_system(prompt_messages(task.prompt), tools)
    system = {}
    if messages[0]["role"] == "system" and len(messages) > 1:
        system = {"system_prompt": messages.pop(0)["content"]}
    alone = len(messages) == 1 and messages[0]["role"] == "user"
    return {**system, "prompt": messages[0]["content"] if alone else messages}


@lru_cache(maxsize=1)
def _judge() -> RowJudge:
    return RowJudge(wrappers=False)
