"""What an audit leaves for others to check: what was audited, what was tried, what it earned, and how to try it again.

>>> from rlenv.audit import audit
>>> made = certificate(audit("math/arithmetic-v1", tasks=8))
>>> made["certificate"], made["passed"], made["reward"]["golden"]["gets_the_most"]
(1, True, True)

The part `reward` answers what OpenEnv's RFC 778 asks of a reward: whether the golden solution gets the most, what
adversaries get (the floor that a policy has without the task), what canaries get, and the gap from floor to solution.
All are in shares of what the right answer to the same task earns, so 1 is a right answer and 0 is nothing; floor and
gap are null where right answers earn nothing to compare with.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from rlenv.audit.playing import PAID
from rlenv.audit.report import Audit
from rlenv.core.jsontypes import Json
from rlenv.evidence.exploits.finding import Severity, shown

VERSION = 1
"""Of the form of the certificate."""
KEPT = ("id", "rule", "rules", "exploit", "mend", "severity", "message", "mean_share")
"""Of a finding, beside its text."""


def certificate(
    audit: Audit,
    *,
    rlenv_version: str = "",
    fail_on: str | Severity = "medium",
    files: tuple[Path, ...] = (),
    date: str = "",
) -> dict[str, Json]:
    """The certificate of an audit, as JSON. `files` are what was loaded for it, and are named with their hashes.

    `passed` says that nothing of severity `fail_on` or above was found: the absence of known holes, not of all.
    """
    least = Severity.named(fail_on)
    return {
        "certificate": VERSION,
        "rlenv": rlenv_version,
        "date": date,
        "command": audit.command,
        "audited": {
            "name": audit.env_id,
            "verifier_version": audit.verifier_version,
            "files": [{"path": str(path), "sha256": sha256(path)} for path in files],
            "tasks": audit.tasks,
            "of_tasks": audit.of_tasks,
            "tasks_sha256": audit.tasks_sha256,
            "seed": audit.seed,
        },
        "catalogue": audit.catalogue_version,
        "completions": audit.plays,
        "fail_on": least.word,
        "passed": not audit.at_least(least),
        "reward": _reward(audit),
        "attacks": [one.to_json() for one in audit.played],
        "findings": [
            {name: value for name, value in one.to_json().items() if name in KEPT}
            | {"text": None if one.evidence is None else shown(one.evidence.text)}
            for one in audit.findings
        ],
        "notes": list(audit.notes),
    }


def _reward(audit: Audit) -> dict[str, Json]:
    """The four questions of RFC 778."""
    refused = next((f.paid or f.tried for f in audit.findings if "reference/refused" in f.rules), 0)
    adversaries = [one for one in audit.played if one.rule.startswith("attack/")]
    worst = max(adversaries, key=lambda one: one.mean, default=None)
    floor = worst.mean if worst is not None and refused < audit.tasks else None
    return {
        "golden": {
            "mean_reward": audit.reference_reward,
            "refused_tasks": refused,
            "failed": any("reference/error" in finding.rules for finding in audit.findings),
            "gets_the_most": not refused and all(one.most <= 1 + PAID for one in audit.played),
        },
        "adversarial_floor": {
            "mean_share": None if floor is None else round(floor, 6),
            "by": "" if worst is None or floor is None else worst.rule,
        },
        "canaries": {"asked": audit.canaries.asked, "paid": audit.canaries.paid},
        "gap": None if floor is None else round(1.0 - floor, 6),
    }


def sha256(path: Path) -> str:
    """Of the bytes of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_certificate(path: Path, content: dict[str, Json]) -> None:
    """Write it as ASCII, so that no text of an attack can play tricks on who reads it."""
    path.write_text(json.dumps(content, indent=1, ensure_ascii=True) + "\n", encoding="ascii")
