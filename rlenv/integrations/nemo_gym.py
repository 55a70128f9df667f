"""An environment's tasks as the JSONL of NeMo Gym; `rlenv serve` answers its `/verify` (docs/integrations/nemo_gym.md).

>>> from rlenv.core.task import Task
>>> nemo_gym_row("math/arithmetic-v1", Task("3+8=?", "11"), {"level": 1})["responses_create_params"]
{'input': [{'role': 'user', 'content': '3+8=?'}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_messages
from rlenv.env.rows import to_row
from rlenv.integrations.adapter import ROW as ROW
from rlenv.integrations.adapter import export, write_jsonl

ONE_TURN = "NeMo Gym calls each tool at a server of its own; train it with to_trl, to_verl, to_openrlhf or Tinker"


def to_nemo_gym(
    env: str, path: str | Path, *, size: int | None = None, seed: int = 0, agent: str = "", **kwargs: Json
) -> int:
    """Write tasks as NeMo Gym reads them, one JSON line each; how many.

    `size` tasks are drawn by `seed`; None takes every task of a set of up to 20,000. `agent` is the name of the agent
    server that plays them, where the file is to say it (`agent_ref`). Raises ConfigError when a size
    must be given, for an environment of several turns, and for one that is for evaluation only.
    """
    tasks = export(env, kwargs, size, seed, one_turn=ONE_TURN).tasks
    by: dict[str, Json] = {"agent_ref": {"type": "responses_api_agents", "name": agent}} if agent else {}
    write_jsonl(path, [{**nemo_gym_row(env, task, kwargs), **by} for task in tasks])
    return len(tasks)


def nemo_gym_row(env: str, task: Task, kwargs: Mapping[str, Json]) -> dict[str, Json]:
    """One line: what the model is asked, and the row that judges; NeMo Gym sends every field back to `/verify`."""
    messages: list[Json] = [dict(message) for message in prompt_messages(task.prompt)]
    return {"responses_create_params": {"input": messages}, ROW: to_row(env, task, kwargs)}
