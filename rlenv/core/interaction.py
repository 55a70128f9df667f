"""What answers the policy between its turns: tools, a game, a scripted user.

>>> class Guess:
...     tools = ()
...     def start(self, task):
...         return {"left": 7}
...     def respond(self, state, said):
...         left = state["left"] - 1
...         return Reply({"left": left}, f"Wrong, {left} guesses left.", ended=left == 0)
>>> isinstance(Guess(), Interaction)
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Policy, Sampling
from rlenv.core.task import Prompt, Task
from rlenv.core.verdict import Flag

NO_SCORES: Mapping[str, float] = {}


class Reply(NamedTuple):
    """What comes back when the policy has said something."""

    state: Json
    """The state from here on."""
    observation: Prompt = ""
    """What the policy is told: text (a user's message), or chat messages, of tools for example."""
    ended: bool = False
    """The episode is over; nothing is said any more."""
    reward: float = 0.0
    """Earned by this turn; where the interaction judges the episode, the sum over its turns is its reward."""
    reason: str = ""
    flags: tuple[Flag, ...] = ()
    """Spans are those of what was said in this turn."""
    scores: Mapping[str, float] = NO_SCORES


@runtime_checkable
class Interaction(Protocol):
    """A pure state machine: the same state and words give the same reply, and the state is JSON.

    So an episode can be forked, replayed and judged again, from its task and its text alone. It is shared by all
    episodes of a batch, and keeps what belongs to one of them in the state. What the policy does wrong is answered by
    an observation or ends the episode; an exception means that the machinery failed, and makes a `verifier_error`.
    """

    @property
    def tools(self) -> Sequence[Mapping[str, Json]]:
        """The tools that may be called, as schemas in OpenAI's form; empty where there are none."""

    def start(self, task: Task) -> Json:
        """The state of a new episode, whose first words are the task's prompt."""

    def respond(self, state: Json, said: Completion) -> Reply:
        """The reply to one turn of the policy. It does not change the state that it is given.

        What it costs is bounded by the length of what was said, or by limits of its own.
        """


@runtime_checkable
class Closing(Protocol):
    """An interaction that holds something for an episode, a session of a sandbox for example."""

    def close(self, state: Json) -> None:
        """The episode in this state is over: let go of what was held for it."""


@runtime_checkable
class Keeping(Protocol):
    """An interaction whose episodes are judged by what they left: it is kept, so that they can be judged again."""

    def keep_in(self, folder: Path) -> None:
        """From now on write what episodes leave into this folder of their run, and find there what is judged again."""

    def kept(self, state: Json) -> str:
        """What `Completion.submission` says of the episode that ended in this state; empty where nothing is kept."""


@runtime_checkable
class AtOnce(Protocol):
    """An interaction that answers many episodes faster together than one by one, by programs that run side by side."""

    def respond_all(self, turns: Sequence[tuple[Json, Completion]]) -> Sequence[Reply | Exception]:
        """What `respond` returns or raises for the state and the words of each turn, in their order.

        No two turns are of the same episode. What it raises itself is the failure of all of them.
        """


class Driver(Protocol):
    """What plays whole episodes because it owns their loop, an agent of somebody else for example."""

    def drive(self, policy: Policy, tasks: Sequence[Task], sampling: Sampling) -> list[Completion]:
        """One episode of each task, with its tokens and `breaks`; a failure of the machinery is in its `failure`."""
