"""What a run has found of its reward: the exploits that are paid, and what was asked to know.

>>> states = {ASKED: {"verifications": 30, "completions": 10}, "0:repeats": {FINDINGS: {"t1": "loops"}}}
>>> for line in told(states):
...     print(line)
nothing found of: repeats
30 verifications for 10 completions (3 a completion)
repeats: loops, shown by the reference of 1 task too: t1
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping

from rlenv.core.jsontypes import Json
from rlenv.core.wrapper import number
from rlenv.evidence.evidence import Evidence
from rlenv.evidence.exploits import EXPLOITS, looked_for, shown_by
from rlenv.evidence.exploits import finding as hole
from rlenv.evidence.exploits.finding import OF_RUN, Finding

ASKED = "asked"
"""The key of a run's states under which stands what was asked."""
FINDINGS = "findings"
"""The key of a detector's state under which its findings stand: a task's id, and what its reference shows."""
FOUND, PAID = "found", "paid_seen"
"""The keys of a detector's state: what it found, as JSON, and how many paid completions it saw."""
COVERS = 0.5
"""From this share of what shows another exploit on, one is its cause."""
SHOWN = 3
SHRUNK = "shrunk"
SHRINKS = ("no_answer", "form_only", "answer_anywhere", "several_answers", "near_answer", "any_answer")
"""Exploits of which a part that is paid shows the same."""
SHORT = 80
"""Characters of a reference that is shown beside a completion."""
KEPT = 4_000
"""Characters of a completion that a state keeps."""


def short(reference: Json) -> str:
    """A reference as it is shown beside a completion; empty where it is none or long."""
    return str(reference) if isinstance(reference, str | int | float) and len(str(reference)) <= SHORT else ""


def note_found(run: MutableMapping[str, Json], evidence: Evidence, why: str, text: str = "") -> None:
    """Count a paid completion that shows an exploit, and keep it, or the edited `text`, where none was shorter."""
    if evidence.paid <= 0:
        return
    known, text = run.get(FOUND), (text or evidence.text)[:KEPT]
    seen = 1 + int(str(known["seen"])) if isinstance(known, Mapping) else 1
    if isinstance(known, Mapping) and len(str(known["completion"])) <= len(text):
        run[FOUND] = {**known, "seen": seen}
        return
    run[FOUND] = {
        "completion": text,
        "right": short(evidence.episode.task.reference),
        "paid": evidence.paid,
        "honest": max((control.paid for control in evidence.controls), default=0.0),
        "seen": seen,
        "why": why,
    }


def note_smallest(run: MutableMapping[str, Json], exploit: str, smaller: Callable[[str, float, str], str]) -> None:
    """Shrink the completion of a finding that is new, where its right answer is known and a part shows the same."""
    known = run.get(FOUND)
    if exploit not in SHRINKS or not isinstance(known, Mapping) or SHRUNK in known or not known["right"]:
        return
    text = smaller(str(known["completion"]), float(str(known["paid"])), str(known["right"]))
    run[FOUND] = {**known, "completion": text, SHRUNK: True}


def found(states: Mapping[str, Mapping[str, Json]], reward: str = "") -> list[Finding]:
    """The findings of a run, one for each exploit, the most seen first; of one cause only what covers the others."""
    every = []
    for key, state in states.items():
        row = state.get(FOUND)
        if isinstance(row, Mapping):
            paid, honest = float(str(row["paid"])), float(str(row["honest"]))
            every.append(
                Finding(
                    rule=key.partition(":")[2],
                    message=str(row["why"]),
                    reward=reward,
                    paid=int(str(row["seen"])),
                    tried=int(number(state, PAID)),
                    unit=OF_RUN,
                    evidence=hole.Evidence(str(row["completion"]), paid, honest, str(row["right"])),
                )
            )
    return without_covered(every)


def without_covered(findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each exploit, without those whose cause is another one that is seen about as often."""
    by_name: dict[str, Finding] = {}
    for one in findings:
        known = by_name.setdefault(one.exploit.name, one)
        by_name[one.exploit.name] = one if known.paid < one.paid else known
    order = {name: place for place, name in enumerate(EXPLOITS)}
    every = sorted(by_name.values(), key=lambda one: (-one.share, order.get(one.exploit.name, len(order))))
    covered = {
        other.exploit.name
        for one in every
        for other in every
        if one is not other and one.exploit.has_cause_of(other.exploit) and one.share >= COVERS * other.share
    }
    return [one for one in every if one.exploit.name not in covered]


def add(run: MutableMapping[str, Json], **counts: int) -> None:
    """Add to counts of a state."""
    run.update({name: int(number(run, name)) + count for name, count in counts.items()})


def told(states: Mapping[str, Mapping[str, Json]], reward: str = "") -> list[str]:
    """The findings, what else was looked for and what was asked, a line each; none where nothing was watched."""
    asked = states.get(ASKED, {})
    verifications, completions = (int(number(asked, name)) for name in ("verifications", "completions"))
    if not completions:
        return []
    findings, named = found(states, reward), {key.partition(":")[2]: state for key, state in states.items()}
    seen = {shown_by(name).name for name, state in named.items() if FOUND in state}
    rest = looked_for(name for name, state in named.items() if PAID in state or FINDINGS in state)
    rest = [name for name in rest if name not in seen]
    lines = [*map(str, findings)]
    lines += [f"nothing {'else ' if findings else ''}found of: {', '.join(rest)}"] if rest else []
    lines.append(
        f"{verifications} verifications for {completions} completions ({verifications / completions:.3g} a completion)"
    )
    for name, state in named.items():
        shows = state.get(FINDINGS)
        if isinstance(shows, Mapping) and shows:
            tasks = ", ".join([*shows][:SHOWN]) + (", ..." if len(shows) > SHOWN else "")
            count = f"{len(shows)} task{'s' if len(shows) > 1 else ''}"
            lines.append(f"{name}: {next(iter(shows.values()))}, shown by the reference of {count} too: {tasks}")
    return lines
