"""Findings as SARIF 2.1.0 (OASIS standard), which code hosts show beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from rlenv.audit.report import Audit
from rlenv.core.jsontypes import Json
from rlenv.evidence.exploits.finding import Finding, Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
DOCS = "https://github.com/rlenv-llm/rlenv/tree/main/docs/audit.md"
LEVELS = dict(zip(Severity, ("none", "note", "warning", "error", "error"), strict=True))
SCORES = dict(zip(Severity, ("0.0", "2.0", "5.0", "8.0", "9.5"), strict=True))
"""`security-severity`, by which GitHub sorts."""


def sarif(audits: Sequence[Audit], version: str) -> dict[str, Json]:
    """One run with the findings of all audits; `version` is that of rlenv."""
    found = [(audit, finding) for audit in audits for finding in audit.findings]
    rules = {finding.rule: finding.exploit for _, finding in found}
    driver: dict[str, Json] = {
        "name": "rlenv audit",
        "version": version,
        "informationUri": DOCS,
        "rules": [
            {
                "id": rule,
                "name": "".join(word.capitalize() for word in rule.replace("/", "-").split("-")),
                "shortDescription": {"text": f"The reward pays for {exploit.pays_for}"},
                "fullDescription": {"text": exploit.mend},
                "helpUri": DOCS,
            }
            for rule, exploit in rules.items()
        ],
    }
    results: list[Json] = [_result(audit, finding, [*rules].index(finding.rule)) for audit, finding in found]
    run: dict[str, Json] = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(audit: Audit, finding: Finding, index: int) -> dict[str, Json]:
    name = audit.env_id or "reward function"
    location: dict[str, Json] = {"logicalLocations": [{"name": name, "fullyQualifiedName": name, "kind": "function"}]}
    if audit.source:
        place: dict[str, Json] = {"uri": audit.source}
        location["physicalLocation"] = {"artifactLocation": place, "region": {"startLine": audit.line}}
    result: dict[str, Json] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": f"{name}: {finding.message}. {finding}"},
        "locations": [location],
        "partialFingerprints": {"rlenv/v1": f"{audit.env_id}:{finding.rule}:{finding.variant}"},
        "properties": {
            "security-severity": SCORES[finding.severity],
            "severity": finding.severity.word,
            "environment": audit.env_id,
            "finding": finding.to_json(),
        },
    }
    return result | ({"kind": "informational"} if finding.severity is Severity.INFO else {})
