"""A stateful environment of others as ours, with one that stands for theirs."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

import pytest

from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError, MachineryError
from rlenv.core.task import Task
from rlenv.env.environment import Environment
from rlenv.foreign.sessions import ForeignInteraction, ForeignTasks, SessionLost, Step, foreign_definition, within

LOG: list[str] = []


@dataclass
class Count:
    """Pays 1 for saying how often it was spoken to, counted from its seed; three turns."""

    moody: bool = False
    said: int = 0
    gone: list[bool] = field(default_factory=list)

    def reset(self, seed: int) -> str:
        LOG.append("reset")
        self.said = seed % 10
        return f"At {self.said}."

    def step(self, text: str) -> Step:
        LOG.append("step")
        if self.gone:
            raise SessionLost("the connection was closed")
        self.said += 1
        rewards = {"nan": float("nan"), "none": None}
        reward = rewards[text] if text in rewards else float(text == str(self.said))
        return Step(f"{len(LOG)}" if self.moody else "Go on.", reward, text in ("end", "nan", "none"))

    def close(self) -> None:
        LOG.append("close")


class Moody(Count):
    def __init__(self) -> None:
        super().__init__(moody=True)


@pytest.fixture(autouse=True)
def _fresh() -> None:
    LOG.clear()


def begun(connect: type[Count] = Count) -> tuple[ForeignInteraction, Task]:
    definition = foreign_definition(connect, name=f"count-{connect.__name__}", version="1")
    assert isinstance(definition.interaction, ForeignInteraction)
    return definition.interaction, definition.tasks[0]


def test_tasks_are_what_their_seeds_ask() -> None:
    tasks = ForeignTasks(Count, "seeds", seed=1, size=20)
    assert tasks[3] == ForeignTasks(Count, "seeds", seed=1, size=20)[3]
    assert len({tasks[i].metadata["seed"] for i in range(20)}) == 20
    assert tasks[3].prompt == f"At {int(str(tasks[3].metadata['seed'])) % 10}."
    with pytest.raises(IndexError, match=r"\[0, 20\)"):
        tasks[20]
    with pytest.raises(ConfigError, match="at least 1"):
        ForeignTasks(Count, "none", size=0)


def test_an_episode_pays_turn_by_turn_and_its_rewards_sum() -> None:
    env = Environment(foreign_definition(Count, name="pays", version="1"))
    env.reset(seed=0)
    assert env.task is not None
    first = int(str(env.task.prompt)[3:-1])
    rewards = [float(env.step(text)[1]) for text in (str(first + 1), "no")]
    *_, reward, terminated, _, info = env.step("end")
    assert (rewards, terminated) == ([1.0, 0.0], True)
    assert info["verdict"].reward == sum(rewards) + float(reward) == 1.0


def test_a_state_can_be_gone_on_from_twice() -> None:
    interaction, task = begun()
    state = interaction.respond(interaction.start(task), Completion("on")).state
    LOG.clear()
    first = interaction.respond(state, Completion("on"))
    assert LOG == ["step"]
    second = interaction.respond(state, Completion("on"))  # its session went on: another is played to there
    assert LOG[1:] == ["reset", "step", "step", "close"]
    assert first == second


@pytest.mark.parametrize(("said", "why"), [("nan", "which is no reward"), ("none", "it is not graded")])
def test_what_is_no_reward_is_a_failure(said: str, why: str) -> None:
    interaction, task = begun()
    with pytest.raises(MachineryError, match=why):
        interaction.respond(interaction.start(task), Completion(said))
    assert LOG[-1] == "close"


def test_an_environment_that_answers_otherwise_the_second_time_is_a_failure() -> None:
    interaction, task = begun(Moody)
    state = interaction.respond(interaction.start(task), Completion("on")).state
    interaction.close(state)
    with pytest.raises(MachineryError, match="not deterministic"):
        interaction.respond(state, Completion("on"))
    with pytest.raises(MachineryError, match="not deterministic"):
        interaction.start(Task("Another prompt.", metadata=task.metadata))


def test_a_session_that_is_gone_is_played_again_once() -> None:
    gone: list[bool] = []
    interaction = ForeignInteraction(lambda: Count(gone=gone))
    task = begun()[1]
    state = interaction.respond(interaction.start(task), Completion("on")).state
    gone.append(True)
    LOG.clear()
    with pytest.raises(SessionLost):
        interaction.respond(state, Completion("on"))
    assert LOG.count("reset") == 1


def test_an_episode_that_did_not_begin_has_no_session_to_close() -> None:
    begun()[0].close(None)
    assert LOG == []


def test_what_hangs_is_a_failure_and_what_is_raised_is_told() -> None:
    never = threading.Event()
    with pytest.raises(MachineryError, match=r"the scorer gave no answer in 0\.01 s"):
        within(0.01, "the scorer", never.wait)
    never.set()
    with pytest.raises(ZeroDivisionError):
        within(60, "the scorer", lambda: 1 / 0)
    assert within(60, "the scorer", lambda: 3) == 3
