"""Wrappers around the verdicts of one group, and who raised when a completion could not be judged.

>>> at_fault(["detector hollow: KeyError: 'a'"]), at_fault(["KeyError: 'a'"]), at_fault(["wrapper mine: lost", "gone"])
('detector hollow', 'verifier', 'verifier or a wrapper')
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import replace
from functools import partial
from traceback import extract_tb

from rlenv.core.episode import Episode
from rlenv.core.errors import VerifierContractError
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.wrapper import State, Wrapper, shapes
from rlenv.evidence.asker import Asker
from rlenv.evidence.detector import Detector
from rlenv.evidence.evidence import Evidence, asks
from rlenv.evidence.exploits import shown_by
from rlenv.evidence.findings import ASKED, add, note_smallest

KINDS = ("detector", "wrapper")


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
                if asker is not None and episodes:
                    note_smallest(state, shown_by(wrapper.name).name, partial(asker.smallest, episodes[0].task))
            else:
                verdicts = wrapper.judge(episodes, state)
            if verdicts == known:  # a detector that flags nothing
                continue
            verdicts = _checked(verdicts, episodes)
        except Exception as error:  # a wrapper is user code, as a verifier is
            verdicts = [Verdict.error(_fault_of(wrapper, wrapper.name, error))] * len(episodes)
        if not shapes(wrapper):
            both = zip(signals, episodes, verdicts, strict=True)
            signals = [s if v is e.verdict else _moved(s, e.verdict, v) for s, e, v in both]
        episodes = [e if v is e.verdict else e.judged(v) for e, v in zip(episodes, verdicts, strict=True)]
    if asker is not None:  # what is looked at late is asked late
        add(states.setdefault(ASKED, {}), verifications=asker.verifications - before, completions=len(episodes))
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


def _fault_of(wrapper: object, name: str, error: Exception) -> str:
    """The reason of a `verifier_error`: which wrapper raised what, and where in its file."""
    kind = KINDS[0] if isinstance(wrapper, Detector) else KINDS[1]
    own = getattr(sys.modules.get(type(wrapper).__module__), "__file__", None)
    frames = extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if frame.filename == own), frames[-1])
    return f"{kind} {name}: {type(error).__name__}: {error} ({place.filename}, line {place.lineno})"


def at_fault(reasons: Iterable[str]) -> str:
    """What to fix, by the reasons of the failures."""
    found = {reason.partition(":")[0] if reason.startswith(KINDS) else "verifier" for reason in reasons}
    return found.pop() if len(found) == 1 else "verifier or a wrapper"
