"""What a wrapper is: it watches or changes the verdicts of a group of episodes.

The same object serves a single environment (a group of one), a batch, the trainers and TRL, and its
state, plain JSON, is saved and resumed with the run.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from rlenv.episode import Episode
from rlenv.errors import VerifierContractError
from rlenv.jsontypes import Json
from rlenv.verdict import Verdict

State: TypeAlias = "MutableMapping[str, Json]"


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


def apply_wrappers(
    wrappers: Sequence[Wrapper], group: Sequence[Episode], states: MutableMapping[str, State]
) -> list[Episode]:
    """The episodes of one group with the verdicts that come out of the wrappers, first to last.

    A wrapper that raises is a failure of the checker: its group becomes verifier_error.
    """
    episodes = list(group)
    for position, wrapper in enumerate(wrappers):
        state = states.setdefault(f"{position}:{wrapper.name}", {})
        try:
            verdicts = _checked(wrapper.judge(episodes, state), len(episodes))
        except Exception as error:  # a wrapper is user code, as a verifier is
            verdicts = [Verdict.error(f"wrapper {wrapper.name}: {type(error).__name__}: {error}")] * len(episodes)
        episodes = [e if v is e.verdict else e.judged(v) for e, v in zip(episodes, verdicts, strict=True)]
    return episodes


def _checked(verdicts: Sequence[Verdict], expected: int) -> Sequence[Verdict]:
    if len(verdicts) != expected or not all(isinstance(verdict, Verdict) for verdict in verdicts):
        raise VerifierContractError(f"expected {expected} verdicts, got {verdicts!r:.200}")
    return verdicts
