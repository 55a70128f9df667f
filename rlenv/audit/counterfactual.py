"""The edits that detectors ask with, asked of right completions: where an edit says nothing in an environment.

Not a hole by itself: a reward that judges by a rule of the task pays right answers under any reference. But no detector
can tell a hack by such an edit here; name it in the definition's `edits_left_out`, and nothing is spent on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rlenv.audit.finding import Evidence as Shown
from rlenv.audit.finding import Finding
from rlenv.audit.severity import Severity
from rlenv.audit.subject import Subject
from rlenv.evidence.asker import Asker
from rlenv.evidence.catalogue import CATALOGUE
from rlenv.evidence.edit import Edit
from rlenv.evidence.evidence import Evidence

RULE = "counterfactual"
TASKS = 8
"""So many of an audit's tasks: what an edit does hangs on the verifier, not on the task."""
MOST = 0.5
"""From this share of its variants on, an edit does not do what it does to an honest reward."""


def counterfactual_findings(subject: Subject) -> list[Finding]:
    """One finding for each edit whose effect right completions do not show."""
    if subject.turns or subject.judge.stopped:
        return []
    asker = Asker(subject.judge.definition, subject.judge.grader().verdicts)
    right: list[tuple[int, Evidence]] = []
    for task, sample in enumerate(subject.samples[:TASKS]):
        if sample.reward > 0:
            found = asker.control(sample.task, list(CATALOGUE.values())).solutions
            right += [(task, evidence) for evidence in found]
    subject.judge.plays += asker.verifications
    return [finding for edit in CATALOGUE.values() for finding in _finding(subject, edit, right)]


def _finding(subject: Subject, edit: Edit, right: Sequence[tuple[int, Evidence]]) -> list[Finding]:
    asked = [(task, evidence) for task, evidence in right if evidence.asked.get(edit.name)]
    shares = [_against(edit, evidence) for _, evidence in asked]
    if not shares or sum(shares) / len(shares) < MOST:
        return []
    place, evidence = asked[max(range(len(shares)), key=lambda i: shares[i])]
    paid = "is paid" if edit.effect == "unpaid" else "loses pay"
    shown = evidence.asked[edit.name][0]
    return [
        Finding(
            rule=f"{RULE}/{edit.name.replace('_', '-')}",
            severity=Severity.INFO,
            message=f"a right completion {paid} under the edit {edit.name}: it tells no hack here",
            variant=edit.name,
            mean=sum(shares) / len(shares),
            most=max(shares),
            paid=sum(share > 0 for share in shares),
            tried=len(shares),
            evidence=Shown(
                subject.samples[place].task.id,
                subject.indices[place],
                subject.samples[place].prompt,
                evidence.text,
                shown.reward,
                evidence.paid,
                shown.detail,
            ),
        )
    ]


def _against(edit: Edit, evidence: Evidence) -> float:
    """The share of the edit's variants that do not have its effect."""
    asked = evidence.asked[edit.name]
    against = evidence.kept(edit.name) if edit.effect == "unpaid" else evidence.lost(edit.name)
    return len(against) / len(asked)
