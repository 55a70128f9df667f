"""Findings as SARIF 2.1.0 (OASIS standard), which code hosts show beside the lines of a pull request.

critical, high   error
medium           warning
low              note
info             none, kind informational
"""

from __future__ import annotations

from collections.abc import Sequence

from rlenv.audit.finding import Finding, shown
from rlenv.audit.report import Audit
from rlenv.audit.severity import Severity
from rlenv.core.jsontypes import Json

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
DOCS = "https://github.com/rlenv-llm/rlenv/tree/main/docs/audit.md"
LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.INFO: "none",
}
SCORES = {
    Severity.CRITICAL: "9.5",
    Severity.HIGH: "8.0",
    Severity.MEDIUM: "5.0",
    Severity.LOW: "2.0",
    Severity.INFO: "0.0",
}
"""`security-severity`, by which GitHub sorts."""


def sarif(audits: Sequence[Audit], version: str) -> dict[str, Json]:
    """One run with the findings of all audits; `version` is that of rlenv."""
    found = [(audit, finding) for audit in audits for finding in audit.findings]
    rules = sorted({finding.rule for _, finding in found})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "rlenv audit",
                        "version": version,
                        "informationUri": DOCS,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(audit, finding, rules.index(finding.rule)) for audit, finding in found],
            }
        ],
    }


def _rule(rule: str) -> dict[str, Json]:
    return {
        "id": rule,
        "name": "".join(word.capitalize() for word in rule.replace("/", "-").split("-")),
        "shortDescription": {"text": f"The reward can be had without the task: {rule}"},
        "helpUri": DOCS,
    }


def _result(audit: Audit, finding: Finding, index: int) -> dict[str, Json]:
    result: dict[str, Json] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": _message(audit, finding)},
        "locations": [_location(audit)],
        "partialFingerprints": {"rlenv/v1": f"{audit.env_id}:{finding.rule}:{finding.variant}"},
        "properties": {
            "security-severity": SCORES[finding.severity],
            "severity": finding.severity.word,
            "environment": audit.env_id,
            "finding": finding.to_json(),
        },
    }
    if finding.severity is Severity.INFO:
        result["kind"] = "informational"
    return result


def _location(audit: Audit) -> dict[str, Json]:
    name = audit.env_id or "reward function"
    location: dict[str, Json] = {"logicalLocations": [{"name": name, "fullyQualifiedName": name, "kind": "function"}]}
    if audit.source:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": audit.source},
            "region": {"startLine": audit.line},
        }
    return location


def _message(audit: Audit, finding: Finding) -> str:
    text = f"{audit.env_id or 'reward function'}: {finding.message}"
    if finding.evidence is not None:
        text += f". On task {finding.evidence.index} the text {shown(finding.evidence.text)}"
        text += f" earned {finding.evidence.reward}, the right answer {finding.evidence.reference_reward:g}."
    return text
