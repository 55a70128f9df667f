"""What a wrapper is: it watches or changes the verdicts of a group of episodes.

The same object serves a single environment (a group of one), a batch, the trainers and TRL, and its
state, plain JSON, is saved and resumed with the run.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict

State: TypeAlias = "MutableMapping[str, Json]"
"""What a wrapper remembers over the run; saved and resumed with it, as JSON."""


def number(state: Mapping[str, Json], key: str) -> float:
    """A number of a state; 0 where none stands there yet."""
    value = state.get(key, 0)
    return value if isinstance(value, int | float) else 0


@runtime_checkable
class Wrapper(Protocol):
    """Holds its settings; what it learns during a run goes into the state that it is handed."""

    @property
    def name(self) -> str:
        """Names the part, the flag and the state of this wrapper."""

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        """One verdict an episode, in order. A change of reward is a part of its own (Verdict.with_part).

        The episodes are of one group: they answer the same task. The state starts empty.
        """


def shapes(wrapper: Wrapper) -> bool:
    """Whether a wrapper only shapes the reward: it declares `shaping = True`, as a penalty on length does.

    What it adds says nothing of the answer, so filters, samplers and selections do not see it. What any other takes
    away or gives (a detector, a gate, a second judge) they do see.
    """
    return bool(getattr(wrapper, "shaping", False))
