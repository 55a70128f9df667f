"""A game of several turns: guess a number. Any words are a guess, so that a model that knows nothing plays too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.turns.replay import ReplayVerifier


class Guessing:
    """Each turn is answered, and paid by the length of what was said; the right number ends the game."""

    def __init__(self, tools: Sequence[Mapping[str, Json]] = (), roles: Sequence[str] = ("user",)) -> None:
        self.tools, self.roles = tools, roles

    def start(self, task: Task) -> Json:
        return {"secret": task.reference, "turn": 0}

    def respond(self, state: Json, said: Completion) -> Reply:
        now = cast("dict[str, Any]", state)
        state = {**now, "turn": now["turn"] + 1}
        text = said.content.text.strip()
        if text == str(now["secret"]):
            return Reply(state, "Right.", ended=True, reward=1.0, reason="found")
        pay = (len(text) % 4) / 8
        answer = f"Turn {now['turn']}: it is {'higher' if len(text) % 2 else 'lower'}."
        return Reply(state, tuple({"role": role, "content": answer} for role in self.roles), reward=pay)


def guessing(
    max_turns: int = 3, tools: Sequence[Mapping[str, Json]] = (), roles: Sequence[str] = ("user",), tasks: int = 4
) -> rlenv.Definition:
    """The game with a script that wins in two turns."""
    game = Guessing(tools, roles)
    return rlenv.Definition(
        tasks=rlenv.ListTasks([Task(f"Guess number {i}.", i) for i in range(tasks)]),
        verifier=ReplayVerifier(game),
        interaction=game,
        script=lambda task: ("nine", str(task.reference)),
        max_turns=max_turns,
        id="test/guessing-v0",
    )
