"""The real OpenEnv, both ways: it serves our environments, and its servers are environments of ours."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boxes_in_memory import median_boxes
from conformity import GAME, SOURCES, cases, differences, differences_of_games, expected_of_games, games, needs

needs("openenv.core")
needs("uvicorn")

import uvicorn  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from openenv.core.env_server.http_server import create_app  # noqa: E402
from openenv.core.env_server.interfaces import Environment as OpenEnvironment  # noqa: E402
from openenv.core.env_server.types import Action, Observation, State  # noqa: E402
from openenv.core.generic_client import GenericEnvClient  # noqa: E402

import rlenv  # noqa: E402
from rlenv.core.errors import MachineryError  # noqa: E402
from rlenv.foreign.openenv import from_openenv  # noqa: E402
from rlenv.integrations.openenv_server import RlenvAction, RlenvOpenEnv, to_openenv  # noqa: E402


def made(id: str, **kwargs: Any) -> Any:
    return rlenv.make(id, **kwargs).unwrapped


def served_app(env: str, kwargs: dict[str, Any]) -> Any:
    return to_openenv(env, **kwargs)


class Served:
    """An application on a port of its own."""

    def __init__(self, app: Any) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.02)

    def stop(self) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(20)


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """A server an environment."""
    assert cases()  # registers the last of them
    wanted = [(env, kwargs) for env, kwargs, _ in SOURCES] + [(GAME, {})]
    served = {env: Served(served_app(env, dict(kwargs))) for env, kwargs in wanted}
    yield {env: one.url for env, one in served.items()}
    for one in served.values():
        one.stop()


def test_openenv_pays_what_the_environment_pays(urls: dict[str, str]) -> None:
    rewards: list[float | None] = []
    for env, kwargs, _ in SOURCES:
        tasks = rlenv.load(env, **kwargs).tasks
        mine = [case for case in cases() if json.loads(case.row)["env"] == env]
        index = {tasks[i].id: i for i in range(len(mine) // 4)}
        with GenericEnvClient(base_url=urls[env]).sync() as client:
            for case in mine:
                asked = client.reset(index=index[case.task.id])
                assert asked.observation["task_id"] == case.task.id
                answer = client.step({"text": case.text, "finished": case.finished})
                assert answer.done
                assert answer.reward == answer.observation["verdict"]["reward"]
                rewards.append(answer.reward)
    assert differences(rewards) == []


def played(client: Any, index: int, turns: tuple[str, ...], finished: bool) -> float | None:
    client.reset(index=index)
    total = 0.0
    for number, text in enumerate(turns, start=1):
        answer = client.step({"text": text, "finished": finished or number < len(turns)})
        if answer.reward is None:
            return None
        total += float(answer.reward)
        if answer.done:
            return total
    raise AssertionError("the game did not end")


def test_openenv_plays_games_as_the_environment_does(urls: dict[str, str]) -> None:
    with GenericEnvClient(base_url=urls[GAME]).sync() as client:
        paid = [played(client, place, game.turns, game.finished) for place, game in enumerate(games())]
    assert differences_of_games(paid) == []


def test_an_index_that_is_none_is_refused_in_a_line(urls: dict[str, str]) -> None:
    with (
        GenericEnvClient(base_url=urls[GAME]).sync() as client,
        pytest.raises(RuntimeError, match="expected an index"),
    ):
        client.reset(index={"prompt": "1+1=?", "answer": "3"})


def test_a_server_is_an_environment_of_ours(urls: dict[str, str]) -> None:
    id = from_openenv(urls[GAME], size=20)
    env = rlenv.make(id).unwrapped
    check_env(env, skip_render_check=True)
    first, _ = env.reset(seed=3)
    assert env.reset(seed=3)[0] == first
    assert len({env.reset(seed=seed)[0] for seed in range(8)}) > 1


def test_games_through_a_server_and_back_pay_the_same(urls: dict[str, str]) -> None:
    """The tasks are those that the server draws, so that the games are other ones than in the list of all adapters."""
    inner = made(GAME)
    id = from_openenv(urls[GAME], size=20)
    definition, outer = rlenv.load(id), made(id)
    for index in range(6):
        task = definition.tasks[index]
        prompt, _ = inner.reset(seed=task.metadata["seed"])
        assert prompt == task.prompt
        returns, turns = {}, games()[index].turns if index % 2 else ("[1]",) * 9
        for name, env in (("inner", inner), ("outer", outer)):
            env.reset(seed=task.metadata["seed"]) if env is inner else env.reset(options={"task": task})
            total, ended, info, said = 0.0, False, dict[str, Any](), iter((*turns, *("[1]",) * 20))
            while not ended:
                _, reward, ended, _, info = env.step(next(said))
                total += float(reward)
            assert info["graded"], info["verdict"].reason
            returns[name] = total
        assert returns["inner"] == returns["outer"]
        verdict = rlenv.judge_row(rlenv.to_row(id, task), outer.completion)  # played again in a session of its own
        assert verdict.reward == pytest.approx(returns["outer"])
    assert expected_of_games()


class Say(Action):  # type: ignore[misc]
    text: str


class Heard(Observation):  # type: ignore[misc]
    text: str = ""


class Odd(OpenEnvironment):  # type: ignore[misc]
    """Breaks, hangs, pays NaN, pays nothing, or says something else each time, as it is told."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    resets = 0

    def reset(self, seed: int | None = None, **_: Any) -> Heard:
        return Heard(text="What?")

    def step(self, action: Say, **_: Any) -> Heard:
        Odd.resets += 1
        if action.text == "break":
            raise OSError("the disk is full")
        if action.text == "hang":
            time.sleep(3)
        reward = {"nan": float("nan"), "nothing": None}.get(action.text, 1.0)
        return Heard(text=str(Odd.resets) if action.text == "odd" else "", done=action.text != "odd", reward=reward)

    @property
    def state(self) -> State:
        return State()


@pytest.fixture(scope="module")
def odd() -> Iterator[str]:
    served = Served(create_app(Odd, Say, Heard, env_name="odd", max_concurrent_envs=8))
    yield served.url
    served.stop()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("break", "the disk is full"),
        ("hang", "gave no answer in 1 s"),
        ("nan", "without a reward"),  # JSON holds no NaN
        ("nothing", "without a reward"),
    ],
)
def test_what_a_server_does_wrong_is_never_a_0(said: str, why: str, odd: str) -> None:
    env = rlenv.make(from_openenv(odd), answer_limit_s=1).unwrapped
    env.reset(seed=0)
    *_, info = env.step(said)
    assert (info["status"], info["graded"]) == ("verifier_error", False)
    assert why in info["verdict"].reason
    env.reset(seed=0)
    assert env.step("well")[1] == 1.0


def test_an_episode_that_comes_out_otherwise_is_never_a_0(odd: str) -> None:
    id = from_openenv(odd)
    env = made(id)
    env.reset(seed=0)
    state = env.definition.interaction.start(env.task)
    after = env.definition.interaction.respond(state, rlenv.Completion("odd")).state
    env.definition.interaction.close(after)
    with pytest.raises(MachineryError, match="not deterministic"):
        env.definition.interaction.respond(after, rlenv.Completion("well"))


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(MachineryError, match=r"no OpenEnv server answers at http://127.0.0.1:9"):
        rlenv.make(from_openenv("http://127.0.0.1:9"), answer_limit_s=2).reset(seed=0)


def test_a_field_that_is_not_there_is_named(odd: str) -> None:
    with pytest.raises(MachineryError, match="say observation_field="):
        rlenv.make(from_openenv(odd), observation_field="board").reset(seed=0)


def test_a_task_in_a_box_is_worked_on_through_openenv() -> None:
    folders, backend = Path(__file__).parents[1] / "data" / "containers", median_boxes()
    served = RlenvOpenEnv(rlenv.load("container/tasks-v0", tasks=folders, task="median", backend=backend))
    calls = [{"name": "bash", "arguments": {"command": "#!/bin/bash"}}, {"name": "submit", "arguments": {}}]
    served.reset(seed=0)
    told = [served.step(RlenvAction(text=f"<tool_call>{json.dumps(call)}</tool_call>")) for call in calls]
    assert "[exit code 0]" in told[0].text
    assert [(each.reward, each.done) for each in told] == [(0.0, False), (1.0, True)]
    assert not [box for box in backend.started if box.live]
