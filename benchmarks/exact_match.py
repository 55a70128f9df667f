"""One task, 8 rows and an exact match, as each library has it: what benchmarks/environment.py measures.

Every contender takes the ExitStack that ends what it starts, and gives a function that runs episodes.
"""

from __future__ import annotations

import functools
import importlib
import string
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeAlias

import gymnasium
import numpy as np

import rlenv

ROWS = [{"prompt": f"{i} + {i} = ?", "answer": str(2 * i)} for i in range(8)]
SAID = "4"
"""Right for one of the eight rows."""

Run: TypeAlias = "Callable[[int], float]"
"""Runs that many episodes and returns the sum of their rewards."""


def by_hand(stack: ExitStack) -> Run:
    """The least that gymnasium asks for, through gymnasium.make."""

    class ByHand(gymnasium.Env[str, str]):
        observation_space = gymnasium.spaces.Text(100, min_length=0, charset=string.printable)
        action_space = observation_space

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
            super().reset(seed=seed)
            self.row = ROWS[int(self.np_random.integers(len(ROWS)))]
            return self.row["prompt"], {}

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            return "", float(action.strip() == self.row["answer"]), True, False, {}

    gymnasium.register("benchmark/ByHand-v0", lambda **_: ByHand())
    return stepped(gymnasium.make("benchmark/ByHand-v0"))


def register_ours() -> None:
    def exact(completion: str, answer: str) -> bool:
        return completion.strip() == answer

    rlenv.register("benchmark/exact-v0", tasks=ROWS, verifier=exact, cheap=True)


def ours(stack: ExitStack) -> Run:
    return stepped(rlenv.make("benchmark/exact-v0"))


def ours_isolated(stack: ExitStack) -> Run:
    return stepped(rlenv.make("benchmark/exact-v0", isolation="process"))


def ours_batch(stack: ExitStack, isolation: str = "inline") -> Run:
    """32 groups of 8."""
    batch = rlenv.make_batch("benchmark/exact-v0", group_size=8, isolation=isolation)

    def run(count: int) -> float:
        total = 0.0
        for _ in range(max(1, count // 256)):
            batch.reset(32)
            total += sum(episode.verdict.reward or 0.0 for episode in batch.step([SAID] * 256))
        return total

    return run


def stepped(env: Any) -> Run:
    """Episodes of anything with gymnasium's reset and step."""
    env.reset(seed=0)

    def run(count: int) -> float:
        total = 0.0
        for _ in range(count):
            env.reset()
            total += env.step(SAID)[1]
        return total

    return run


def gem_shipped(stack: ExitStack) -> Run:
    """The exact-match environment that gem ships; it reads a `datasets` table and wants answer tags."""
    datasets = importlib.import_module("datasets")
    datasets.disable_progress_bars()
    dataset = datasets.Dataset.from_list([{"question": row["prompt"], "answer": row["answer"]} for row in ROWS])
    env = importlib.import_module("gem.envs.qa_env").QaEnv(dataset=dataset)
    tagged = f"<answer>{SAID}</answer>"

    def run(count: int) -> float:
        total = 0.0
        for _ in range(count):
            env.reset()
            total += env.step(tagged)[1]
        return total

    return run


def gem_by_hand(stack: ExitStack) -> Run:
    """gem's abstract base class with the same few lines as above: it checks nothing, seeds nothing."""
    base: Any = importlib.import_module("gem.core").Env
    registration = importlib.import_module("gem.envs.registration")

    class ByHand(base):  # type: ignore[misc]
        def __init__(self) -> None:
            self.rng = np.random.default_rng(0)

        def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
            super().reset(seed)
            self.row = ROWS[int(self.rng.integers(len(ROWS)))]
            return self.row["prompt"], {}

        def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
            return "", float(action.strip() == self.row["answer"]), True, True, {}

    registration.register("benchmark:ByHand", ByHand)
    return stepped(registration.make("benchmark:ByHand"))


@functools.cache
def openenv_classes() -> tuple[Any, Any, Any]:
    """Environment, action and observation as `openenv init` lays them out."""
    types = importlib.import_module("openenv.core.env_server.types")
    base: Any = importlib.import_module("openenv.core.env_server.interfaces").Environment
    action_base: Any = types.Action
    observation_base: Any = types.Observation
    state: Any = types.State

    class Answer(action_base):  # type: ignore[misc]
        text: str

    class Question(observation_base):  # type: ignore[misc]
        prompt: str

    class Exact(base):  # type: ignore[misc]
        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self) -> None:
            super().__init__()
            self.rng = np.random.default_rng(0)
            self._state = state(episode_id=str(uuid.uuid4()), step_count=0)

        def reset(self, seed: int | None = None, episode_id: str | None = None, **options: Any) -> Any:
            self._state = state(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
            self.row = ROWS[int(self.rng.integers(len(ROWS)))]
            return Question(prompt=self.row["prompt"])

        def step(self, action: Any, timeout_s: float | None = None, **options: Any) -> Any:
            self._state.step_count += 1
            return Question(prompt="", done=True, reward=float(action.text.strip() == self.row["answer"]))

        @property
        def state(self) -> Any:
            return self._state

    return Exact, Answer, Question


def openenv_in_process(stack: ExitStack) -> Run:
    environment, action, _ = openenv_classes()
    env = environment()

    def run(count: int) -> float:
        total = 0.0
        for _ in range(count):
            env.reset()
            total += env.step(action(text=SAID)).reward
        return total

    return run


def openenv_served(stack: ExitStack) -> Run:
    """OpenEnv as it is meant to be used: a server process on this machine, a websocket client here."""
    client = importlib.import_module("openenv.core").GenericEnvClient(base_url=stack.enter_context(openenv_server()))
    env = stack.enter_context(client.sync())

    def run(count: int) -> float:
        total = 0.0
        for _ in range(count):
            env.reset()
            total += env.step({"text": SAID}).reward
        return total

    return run


@contextmanager
def openenv_server() -> Iterator[str]:
    """This very file, run as a program, until the context ends; gives its address."""
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            yield str(server.stdout and server.stdout.readline()).strip()
        finally:
            server.terminate()


def serve() -> None:
    import socket

    uvicorn = importlib.import_module("uvicorn")
    create_app = importlib.import_module("openenv.core.env_server.http_server").create_fastapi_app
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(create_app(*openenv_classes()), log_level="error")).run(sockets=[listener])


if __name__ == "__main__":
    serve()
