"""What a run has found of its reward: the exploits that are paid, and what was asked to know.

>>> states = {ASKED: {"verifications": 30, "completions": 10}, "0:repeats": {FINDINGS: {"t1": "loops"}}}
>>> for line in told(states):
...     print(line)
nothing found of: repeats
30 verifications for 10 completions (3 a completion)
repeats: loops, shown by the reference of 1 task too: t1
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from typing import cast

from rlenv.core.jsontypes import Json
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.exploits import EXPLOITS, looked_for, shown_by
from rlenv.evidence.exploits.finding import KEPT, Finding

ASKED = "asked"
"""The key of a run's states under which stands what was asked."""
FINDINGS = "findings"
"""The key of a detector's state under which its findings stand: a task's id, and what its reference shows."""
REWARD = "reward"
"""The key of a detector's state under which stands what the run's paid completions show of the reward: by what is told
of it, how many show it and how many were asked."""
LEAST, OFTEN = 6, 0.5
"""So many asked, and this share of them that shows it, are a finding."""
FOUND, PAID = "found", "paid_seen"
"""The keys of a detector's state: its finding as JSON (`Finding.to_json`), and how many paid completions it saw."""
COVERS = 0.5
"""From this share of what shows another exploit on, one is its cause."""
SHOWN = 3
SHORT = 80
"""Characters of a reference that is shown beside a completion."""


def note_paid(run: MutableMapping[str, Json], count: int) -> None:
    """Count paid completions that were looked at."""
    known = run.get(PAID, 0)
    run[PAID] = (known if isinstance(known, int) else 0) + count


def note_found(run: MutableMapping[str, Json], evidence: Evidence, why: str) -> None:
    """Count a paid completion that shows an exploit, and keep it where none was shorter."""
    if evidence.paid <= 0:
        return
    known, text = run.get(FOUND), evidence.text[:KEPT]
    seen = 1 + int(str(known["seen"])) if isinstance(known, Mapping) else 1
    if isinstance(known, Mapping) and len(str(known["completion"])) <= len(text):
        run[FOUND] = {**known, "seen": seen}
        return
    right = evidence.episode.task.reference
    shown = str(right) if isinstance(right, str | int | float) and len(str(right)) <= SHORT else ""
    run[FOUND] = {
        "completion": text,
        "right": shown,
        "paid": evidence.paid,
        "honest": max((control.paid for control in evidence.controls), default=0.0),
        "seen": seen,
        "why": why,
    }


def found(states: Mapping[str, Mapping[str, Json]], reward: str = "") -> list[Finding]:
    """The findings of a run, one for each exploit, the most seen first; of one cause only what covers the others."""
    by_name: dict[str, Finding] = {}
    for key, state in states.items():
        row, exploit = state.get(FOUND), shown_by(key.partition(":")[2])
        if isinstance(row, Mapping):
            finding = Finding.from_json({**row, "exploit": exploit.name, "reward": reward, "of": state.get(PAID, 0)})
            known = by_name.get(exploit.name)
            by_name[exploit.name] = finding if known is None or known.seen < finding.seen else known
    return without_covered(by_name.values())


def without_covered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those whose cause is another one that is seen about as often, the most seen first."""
    every = sorted(findings, key=lambda one: (-one.seen, [*EXPLOITS, one.exploit.name].index(one.exploit.name)))
    covered = {
        other.exploit.name
        for one in every
        for other in every
        if one is not other and one.exploit.has_cause_of(other.exploit) and one.seen >= COVERS * other.seen
    }
    return [one for one in every if one.exploit.name not in covered]


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


def told(states: Mapping[str, Mapping[str, Json]], reward: str = "") -> list[str]:
    """The findings, what else was looked for and what was asked, a line each; none where nothing was watched."""
    asked = states.get(ASKED, {})
    verifications, completions = asked.get("verifications"), asked.get("completions")
    if not isinstance(verifications, int) or not isinstance(completions, int) or not completions:
        return []
    each = f"{verifications / completions:.3g} a completion"
    findings = found(states, reward)
    lines = [*map(str, findings)]
    named = [key.partition(":")[2] for key, state in states.items() if PAID in state or FINDINGS in state]
    seen = {shown_by(key.partition(":")[2]).name for key, state in states.items() if FOUND in state}
    covers = {name for one in findings for name in EXPLOITS if one.exploit.has_cause_of(EXPLOITS[name])}
    rest = [name for name in looked_for(named) if name not in seen]
    lines += [f"nothing {'else ' if findings else ''}found of: {', '.join(rest)}"] if rest else []
    lines += [f"{verifications} verifications for {completions} completions ({each})"]
    for key, state in states.items():
        known = state.get(REWARD)
        for told_of in known if isinstance(known, Mapping) and "senseless" not in covers else ():
            if holds(state, told_of):
                often, of = counts(state, told_of)
                lines.append(f"the reward: {told_of}, {often} of {of} paid completions")
        shows = state.get(FINDINGS)
        if isinstance(shows, Mapping) and shows:
            name, tasks = key.partition(":")[2], list(shows)
            shown = ", ".join(tasks[:SHOWN]) + (", ..." if len(tasks) > SHOWN else "")
            count = f"{len(tasks)} task{'s' if len(tasks) > 1 else ''}"
            lines.append(f"{name}: {shows[tasks[0]]}, shown by the reference of {count} too: {shown}")
    return lines
