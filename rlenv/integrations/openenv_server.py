"""An environment of ours as an OpenEnv server (openenv 0.10): several turns, and a reward of None for a failed checker.

    app = to_openenv("math/arithmetic-v1", level=2)      # in server.py; start it with `uvicorn server:app`

The rewards of an episode sum to its verdict's, which the last observation carries whole. The server has no key: keep it
on 127.0.0.1 or behind something that has.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from rlenv.foreign.versions import check_version

check_version("openenv", known="0.10.0", below="0.11")

from openenv.core.env_server.http_server import create_app  # noqa: E402
from openenv.core.env_server.interfaces import Environment as OpenEnvironment  # noqa: E402
from openenv.core.env_server.types import Action, Observation, State  # noqa: E402

from rlenv.core.completion import Completion  # noqa: E402
from rlenv.core.definition import Definition, check_trainable  # noqa: E402
from rlenv.core.errors import TaskError  # noqa: E402
from rlenv.core.jsontypes import Json  # noqa: E402
from rlenv.core.task import prompt_messages  # noqa: E402
from rlenv.env.environment import Environment  # noqa: E402
from rlenv.env.registry import load  # noqa: E402


class RlenvAction(Action):  # type: ignore[misc]  # OpenEnv is not there when types are checked
    """What the policy says."""

    text: str
    finished: bool = True


class RlenvObservation(Observation):  # type: ignore[misc]
    """The prompt, then what answers; with the last one the verdict."""

    text: str = ""
    messages: list[dict[str, str]] = []  # noqa: RUF012, pydantic copies it
    task_id: str = ""
    verdict: dict[str, Any] | None = None


def to_openenv(env: str, *, max_sessions: int = 64, **kwargs: Json) -> Any:
    """The FastAPI application that serves an environment to `max_sessions` clients at once.

    Raises ConfigError for an environment that is for evaluation only, and what it raises when it cannot be made.
    """
    definition = load(env, **kwargs)
    check_trainable(definition)
    make = partial(RlenvOpenEnv, definition)
    return create_app(make, RlenvAction, RlenvObservation, env_name="rlenv", max_concurrent_envs=max_sessions)


class RlenvOpenEnv(OpenEnvironment):  # type: ignore[misc]
    """One session."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, definition: Definition) -> None:
        super().__init__()
        self._env = Environment(definition)
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, index: int | None = None, **_: Any
    ) -> RlenvObservation:
        """Raises TaskError for an index that is none."""
        options = None if index is None else {"task": self._index(index)}
        text, info = self._env.reset(seed=seed, options=options)
        self._state = State(episode_id=episode_id)
        task = self._env.task
        messages = [] if task is None else prompt_messages(task.prompt)
        return RlenvObservation(text=text, messages=messages, task_id=info["task_id"])

    def step(self, action: RlenvAction, timeout_s: float | None = None, **_: Any) -> RlenvObservation:
        """Raises ResetNeeded where no episode is under way."""
        text, reward, ended, _truncated, info = self._env.step(Completion(action.text, finished=action.finished))
        self._state.step_count += 1
        return RlenvObservation(
            text=text,
            done=ended,
            reward=float(reward) if info["graded"] else None,
            task_id=info["task_id"],
            verdict=info["verdict"].to_json() if ended else None,
        )

    @property
    def state(self) -> State:
        return self._state

    def close(self) -> None:
        self._env.close()

    def _index(self, index: object) -> int:
        """A client sends JSON, and a task of its own would bring its own reference."""
        if isinstance(index, int) and not isinstance(index, bool):
            return index
        raise TaskError(f"expected an index below {len(self._env.definition.tasks)}, got {index!r:.80}")
