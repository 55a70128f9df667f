"""Audits the ten of public_rewards.py and prints a table: python benchmarks/audit_public_rewards.py [--json FILE]."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import public_rewards

import rlenv
from rlenv.audit import Audit, audit_reward, certificate
from rlenv.core.task import Task

SOLUTIONS = {
    "gsm8k_hash": "so it is {answer}\n#### {answer}",
    "xml_correctness": "<reasoning>so it is {answer}</reasoning>\n<answer>{answer}</answer>",
    "xml_format": "<reasoning>so it is {answer}</reasoning>\n<answer>{answer}</answer>",
    "boxed_and_short": "so it is \\boxed{{answer}}",
    "exec_expression": "result = {answer}",
}
"""How a right completion is written, where it is not the bare answer."""
NAMES = (
    "unique_letters", "near_length", "gsm8k_hash", "contains_answer", "xml_correctness",
    "xml_format", "boxed_and_short", "last_number", "exec_expression", "judge_says_yes",
)  # fmt: skip
MOST_RULES = 4


def rows() -> list[dict[str, str]]:
    """Sums whose answers differ."""
    return [{"prompt": f"What is {137 + 11 * i} + {258 + 6 * i}?", "answer": str(395 + 17 * i)} for i in range(24)]


def audited(name: str, tasks: int = 24) -> Audit:
    """The audit of one of the ten."""
    shape = SOLUTIONS.get(name, "{answer}")

    def solution(task: Task) -> str:
        return shape.replace("{answer}", str(task.reference))

    return audit_reward(getattr(public_rewards, name), rows(), style="trl", solution=solution, name=name, tasks=tasks)


def line(audit: Audit) -> str:
    """One row of the table: the counts, the floor, and the worst rules with the text that shows the first."""
    told = certificate(audit)["reward"]
    adversaries = told["adversarial_floor"] if isinstance(told, dict) else None
    floor = adversaries["mean_share"] if isinstance(adversaries, dict) else None
    found = audit.at_least("medium")
    rules = ", ".join(finding.rule for finding in found[:MOST_RULES]) + (" ..." if len(found) > MOST_RULES else "")
    seen = found[0].evidence if found else None
    shown = ""
    if seen is not None:
        shown = f"`{seen.text[:40]!r}` earns {seen.reward}, the right answer {seen.reference_reward:g}"
    worst = audit.worst.word if found else "nothing"
    return f"| `{audit.env_id}` | {worst} | {len(found)} | {floor} | {rules} | {shown} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the certificates here")
    given = parser.parse_args()
    print("| reward | worst | findings at medium or above | floor | rules | evidence |\n|---|---|---|---|---|---|")
    done = []
    for name in NAMES:
        done.append(audited(name))
        print(line(done[-1]), flush=True)
    if given.json is not None:
        made = [certificate(one, rlenv_version=rlenv.__version__) for one in done]
        given.json.write_text(json.dumps(made, indent=1, ensure_ascii=True) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
