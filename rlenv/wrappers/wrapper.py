"""What a wrapper is: it watches or changes the verdicts of a group of episodes.

The same object serves a single environment (a group of one), a batch, the trainers and TRL, and its
state, plain JSON, is saved and resumed with the run.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, runtime_checkable

from rlenv.core.episode import Episode
from rlenv.core.errors import VerifierContractError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Flag, Verdict
from rlenv.evidence.findings import note_asked
from rlenv.wrappers.faults import fault_of

if TYPE_CHECKING:
    from rlenv.evidence.asker import Asker
    from rlenv.evidence.edit import Edit
    from rlenv.evidence.evidence import Evidence

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


@runtime_checkable
class AskingWrapper(Wrapper, Protocol):
    """A wrapper that looks at evidence: it names what the verifier is to be asked, and judges by the answers."""

    def wanted(self, state: Mapping[str, Json]) -> Sequence[Edit]:
        """What it wants asked about the next group; `state` is what it has learned so far."""

    def judge_on(self, group: Sequence[Evidence], episodes: Sequence[Episode], state: State) -> list[Verdict]:
        """As `judge`, with the evidence on each episode as the verifier left it."""


def asks(wrapper: Wrapper) -> TypeGuard[AskingWrapper]:
    """Whether a wrapper looks at evidence; `isinstance` with a Protocol takes longer than most wrappers do."""
    return hasattr(wrapper, "judge_on")


def shapes(wrapper: Wrapper) -> bool:
    """Whether a wrapper only shapes the reward: it declares `shaping = True`, as a penalty on length does.

    What it adds says nothing of the answer, so filters, samplers and selections do not see it. What any other takes
    away or gives (a detector, a gate, a second judge) they do see.
    """
    return bool(getattr(wrapper, "shaping", False))


def apply_wrappers(
    wrappers: Sequence[Wrapper],
    group: Sequence[Episode],
    states: MutableMapping[str, State],
    asker: Asker | None = None,
) -> list[Episode]:
    """The episodes of one group with the verdicts that come out of the wrappers, first to last.

    With an `asker` those that look at evidence have it; all that they want to know is asked in one batch. A wrapper
    that raises is a failure of the checker: its group becomes verifier_error, and the reason says where it raised.
    """
    episodes = list(group)
    signals, shaped = [episode.verdict.reward for episode in episodes], False
    evidence = None
    before = 0 if asker is None else asker.verifications
    if asker is not None:
        evidence = _evidence(wrappers, episodes, states, asker)
    for position, wrapper in enumerate(wrappers):
        state, known = _state_of(position, wrapper, states), [episode.verdict for episode in episodes]
        shaped = shaped or shapes(wrapper)
        try:
            verdicts: Sequence[Verdict]
            if evidence is not None and asks(wrapper):
                verdicts = wrapper.judge_on(evidence, episodes, state)
            else:
                verdicts = wrapper.judge(episodes, state)
            if verdicts == known:  # a detector that flags nothing
                continue
            verdicts = _checked(verdicts, episodes)
        except Exception as error:  # a wrapper is user code, as a verifier is
            verdicts = [Verdict.error(fault_of(wrapper, wrapper.name, error))] * len(episodes)
        if not shapes(wrapper):
            both = zip(signals, episodes, verdicts, strict=True)
            signals = [s if v is e.verdict else _moved(s, e.verdict, v) for s, e, v in both]
        episodes = [e if v is e.verdict else e.judged(v) for e, v in zip(episodes, verdicts, strict=True)]
    if asker is not None:  # what is looked at late is asked late
        note_asked(states, asker.verifications - before, len(episodes))
    if not shaped:
        return episodes
    return [replace(e, unshaped=s if e.verdict.graded else None) for e, s in zip(episodes, signals, strict=True)]


def _moved(signal: float | None, before: Verdict, after: Verdict) -> float | None:
    """The signal after a wrapper that has a say about the answer: exactly the reward as long as nothing shaped it."""
    if signal is None or before.reward is None or after.reward is None or signal == before.reward:
        return after.reward
    return signal + (after.reward - before.reward)


def _state_of(position: int, wrapper: Wrapper, states: MutableMapping[str, State]) -> State:
    return states.setdefault(f"{position}:{wrapper.name}", {})


def _evidence(
    wrappers: Sequence[Wrapper], episodes: Sequence[Episode], states: MutableMapping[str, State], asker: Asker
) -> list[Evidence] | None:
    """The evidence that all of the wrappers want, None where none wants any."""
    asking = [(wrapper, _state_of(place, wrapper, states)) for place, wrapper in enumerate(wrappers) if asks(wrapper)]
    edits = {edit.name: edit for wrapper, state in asking for edit in wrapper.wanted(state)}
    return asker.about(episodes, list(edits.values())) if asking else None


def _checked(verdicts: Sequence[Verdict], episodes: Sequence[Episode]) -> Sequence[Verdict]:
    if len(verdicts) != len(episodes) or not all(isinstance(verdict, Verdict) for verdict in verdicts):
        raise VerifierContractError(f"expected {len(episodes)} verdicts, got {verdicts!r:.200}")
    for episode, verdict in zip(episodes, verdicts, strict=True):
        if verdict.flags is not episode.verdict.flags:
            _check_flags(verdict.flags, episode)
    return verdicts


def _check_flags(flags: Sequence[Flag], episode: Episode) -> None:
    chars = len(episode.completion.text)
    for flag in flags:
        if not isinstance(flag, Flag):
            raise VerifierContractError(f"expected a tuple of flags, got {flag!r:.200} in it")
        if not 0 <= flag.start <= flag.end <= chars and flag not in episode.verdict.flags:
            raise VerifierContractError(f"expected a flag within {chars} characters, got [{flag.start}, {flag.end})")
