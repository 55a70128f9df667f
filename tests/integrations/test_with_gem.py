"""The real gem, both ways: our environments in it, and its environments as ours."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conformity import SOURCES, cases, differences, differences_of_games, games, needs

gem = needs("gem")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import rlenv  # noqa: E402
from rlenv.core.completion import Completion  # noqa: E402
from rlenv.core.errors import MachineryError  # noqa: E402
from rlenv.core.task import Task  # noqa: E402
from rlenv.foreign.gem import from_gem  # noqa: E402
from rlenv.integrations.gem_out import to_gem  # noqa: E402

GUESS, LETTERS = "game:GuessTheNumber-v0-easy", "rg:letter_counting"
ODD = """
import os, time
import gem
from gem import Env

class Odd(Env):
    count = 0
    def reset(self, seed=None):
        return "What?", {}
    def step(self, action):
        Odd.count += 1
        print("the environment talks")
        if action == "break":
            raise OSError("the disk is full")
        if action == "hang":
            time.sleep(60)
        if action == "exit":
            os._exit(3)
        if action == "number":
            return 7, 1.0, True, False, {}
        reward = {"nan": float("nan"), "nothing": None}.get(action, 1.0)
        return (str(Odd.count) if action == "odd" else ""), reward, action not in ("odd", "on"), False, {}

gem.register("odd:Odd-v0", Odd)
"""


def paid(env: Any, task: Task, turns: Sequence[str], finished: bool) -> float | None:
    """The return of an episode in gem; None where it says that it is not graded."""
    env.reset(task=task)
    total = 0.0
    for number, text in enumerate(turns, start=1):
        try:
            _, reward, ended, _, _ = env.step(Completion(text, finished=finished or number < len(turns)))
        except MachineryError:
            return None
        total += float(reward)
        if ended:
            return total
    raise AssertionError("the episode did not end")


def test_gem_pays_what_the_environment_pays() -> None:
    assert cases()
    envs = {env: gem.make(to_gem(env, **kwargs)) for env, kwargs, _ in SOURCES}
    rewards = [paid(envs[json.loads(case.row)["env"]], case.task, [case.text], case.finished) for case in cases()]
    assert differences(rewards) == []


def test_gem_plays_games_as_the_environment_does() -> None:
    env = gem.make(to_gem("games/guess-v0"))
    returns = [paid(env, game.task, game.turns, game.finished) for game in games()]
    assert differences_of_games(returns) == []


def test_gems_vector_takes_our_environments() -> None:
    id = to_gem("math/arithmetic-v0", level=2)
    vector = gem.make_vec([id] * 3, seed=5)
    observations, _ = vector.reset()
    assert len(set(observations)) > 1
    before = random.getstate()
    _, rewards, terminated, truncated, _ = vector.step(["1"] * 3)
    assert (len(rewards), all(terminated), any(truncated)) == (3, True, False)
    assert random.getstate() == before


@pytest.mark.parametrize("id", [GUESS, LETTERS])
def test_gems_environments_pass_the_checker(id: str) -> None:
    env = rlenv.make(from_gem(id), size=20).unwrapped
    check_env(env, skip_render_check=True)
    first, _ = env.reset(seed=3)
    assert env.reset(seed=3)[0] == first


def made(id: str, **kwargs: Any) -> Any:
    return rlenv.make(id, **kwargs).unwrapped


def at_home(id: str, seed: int, turns: Sequence[str]) -> tuple[str, float]:
    """The prompt and the return in gem itself."""
    env = gem.make(id)
    prompt, _ = env.reset(seed=seed)
    total = 0.0
    for text in turns:
        _, reward, terminated, truncated, _ = env.step(text)
        total += float(reward)
        if terminated or truncated:
            break
    return prompt, total


def scripts(id: str, number: int) -> list[str]:
    if id == LETTERS:
        return [rf"\boxed{{{number}}}"]
    return [rf"\boxed{{{guess}}}" for guess in range(1, 21)] if number % 2 else ["I do not know."] * 20


@pytest.mark.parametrize("id", [GUESS, LETTERS])
def test_gems_rewards_are_kept(id: str) -> None:
    ours = from_gem(id)
    definition, env = rlenv.load(ours), made(ours)
    returns = []
    for number in range(10):
        task, turns = definition.tasks[number], scripts(id, number)
        env.reset(options={"task": task})
        total, ended, info = 0.0, False, dict[str, Any]()
        for text in turns:
            _, reward, ended, _, info = env.step(text)
            total += float(reward)
            if ended:
                break
        assert ended
        assert info["graded"], info["verdict"].reason
        prompt, home = at_home(id, int(str(task.metadata["seed"])), turns)
        assert task.prompt == prompt
        assert total == pytest.approx(home)
        again = rlenv.judge_row(rlenv.to_row(ours, task), env.completion)  # another session plays it again
        assert again.reward == pytest.approx(total)
        returns.append(total)
    assert len(set(returns)) > 1


def test_episodes_side_by_side_do_not_disturb_one_another() -> None:
    definition = rlenv.load(from_gem(GUESS))
    interaction = definition.interaction
    assert interaction is not None
    tasks = [definition.tasks[number] for number in range(3)]
    alone = []
    for task in tasks:
        state, heard = interaction.start(task), []
        for guess in (5, 8, 3):
            reply = interaction.respond(state, Completion(rf"\boxed{{{guess}}}"))
            state = reply.state
            heard.append(reply.observation)
            if reply.ended:
                break
        alone.append(heard)
    states = [interaction.start(task) for task in tasks]
    together: list[list[object]] = [[] for _ in tasks]
    for turn, guess in enumerate((5, 8, 3)):
        for place, state in enumerate(states):
            if turn < len(alone[place]):
                reply = interaction.respond(state, Completion(rf"\boxed{{{guess}}}"))
                states[place] = reply.state
                together[place].append(reply.observation)
    assert together == alone


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An environment that does wrong what it is told to."""
    (tmp_path / "odd_gem.py").write_text(ODD)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    env = rlenv.make(from_gem("odd:Odd-v0", imports=["odd_gem"]), answer_limit_s=5).unwrapped
    env.reset(seed=0)
    return env


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("break", "the disk is full"),
        ("hang", "no answer in 5 s"),
        ("exit", "it ended with 3"),
        ("nan", "paid nan"),
        ("nothing", "without a reward"),
        ("number", "expected an observation of text, got int"),
    ],
)
def test_what_an_environment_does_wrong_is_never_a_0(said: str, why: str, odd: Any) -> None:
    *_, info = odd.step(said)
    assert (info["status"], info["graded"]) == ("verifier_error", False)
    assert why in info["verdict"].reason
    odd.reset(seed=0)
    assert odd.step("well")[1] == 1.0  # in a new process where the old one was ended


def test_an_episode_goes_on_in_another_process(odd: Any) -> None:
    interaction = odd.definition.interaction
    state = interaction.start(odd.task)
    state = interaction.respond(state, Completion("on")).state
    other = interaction.start(odd.task)
    with pytest.raises(MachineryError, match="no answer"):
        interaction.respond(other, Completion("hang"))
    assert interaction.respond(state, Completion("well")).reward == 1.0


def test_an_episode_that_comes_out_otherwise_is_never_a_0(odd: Any) -> None:
    interaction = odd.definition.interaction
    after = interaction.respond(interaction.start(odd.task), Completion("odd")).state
    interaction.close(after)
    with pytest.raises(MachineryError, match="not deterministic"):
        interaction.respond(after, Completion("well"))


def test_an_environment_that_is_not_there_is_named() -> None:
    with pytest.raises(MachineryError, match="nowhere:Nothing-v0 not found"):
        rlenv.make(from_gem("nowhere:Nothing-v0")).reset(seed=0)
