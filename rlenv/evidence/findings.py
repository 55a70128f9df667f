"""What a run has asked of its verifier, and what the right solutions of its tasks show: findings about the environment.

>>> states = {ASKED: {"verifications": 30, "completions": 10}, "0:repeats": {FINDINGS: {"t1": "loops"}}}
>>> told(states)
['30 verifications for 10 completions (3 a completion)', 'repeats: loops, shown by the reference of 1 task too: t1']
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import cast

from rlenv.core.jsontypes import Json

ASKED = "asked"
"""The key of a run's states under which stands what was asked."""
FINDINGS = "findings"
"""The key of a detector's state under which its findings stand: a task's id, and what its reference shows."""
REWARD = "reward"
"""The key of a detector's state under which stands what the run's paid completions show of the reward: by what is told
of it, how many show it and how many were asked."""
LEAST, OFTEN = 6, 0.5
"""So many asked, and this share of them that shows it, are a finding."""
SHOWN = 3


def count(run: MutableMapping[str, Json], told_of: str, shown: int, asked: int) -> None:
    """Count so many completions more that show something of the reward."""
    known = run.setdefault(REWARD, {})
    if asked and isinstance(known, dict):
        before = counts(run, told_of)
        known[told_of] = [before[0] + shown, before[1] + asked]


def counts(run: Mapping[str, Json], told_of: str) -> tuple[int, int]:
    """How many completions show it, and how many were asked."""
    known = run.get(REWARD)
    shown, asked = cast("tuple[int, int]", known.get(told_of, (0, 0))) if isinstance(known, Mapping) else (0, 0)
    return shown, asked


def holds(run: Mapping[str, Json], told_of: str) -> bool:
    """Whether it is a finding about the reward."""
    shown, asked = counts(run, told_of)
    return asked >= LEAST and shown >= OFTEN * asked


def note_asked(states: MutableMapping[str, MutableMapping[str, Json]], verifications: int, completions: int) -> None:
    """Count what was asked about a group."""
    state = states.setdefault(ASKED, {})
    for name, count in (("verifications", verifications), ("completions", completions)):
        known = state.get(name, 0)
        state[name] = (known if isinstance(known, int) else 0) + count


def told(states: Mapping[str, Mapping[str, Json]]) -> list[str]:
    """One line on what was asked, one for each detector that found something; none where nothing was watched."""
    asked = states.get(ASKED, {})
    verifications, completions = asked.get("verifications"), asked.get("completions")
    if not isinstance(verifications, int) or not isinstance(completions, int) or not completions:
        return []
    each = f"{verifications / completions:.3g} a completion"
    lines = [f"{verifications} verifications for {completions} completions ({each})"]
    for key, state in states.items():
        known = state.get(REWARD)
        for told_of in known if isinstance(known, Mapping) else ():
            if holds(state, told_of):
                often, of = counts(state, told_of)
                lines.append(f"the reward: {told_of}, {often} of {of} paid completions")
        found = state.get(FINDINGS)
        if isinstance(found, Mapping) and found:
            name, tasks = key.partition(":")[2], list(found)
            shown = ", ".join(tasks[:SHOWN]) + (", ..." if len(tasks) > SHOWN else "")
            count = f"{len(tasks)} task{'s' if len(tasks) > 1 else ''}"
            lines.append(f"{name}: {found[tasks[0]]}, shown by the reference of {count} too: {shown}")
    return lines
