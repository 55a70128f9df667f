"""What an audit finds in reasoning-gym: its own scorers beside the rules of `reasoning_gym/NAME-v0`.

    python benchmarks/audit_reasoning_gym.py [NAME ...] [--tasks 16]

One line a dataset: the worst finding of the package's `score_answer`, played as a plain reward function on its own
items, and the worst of ours. Needs the extra reasoning-gym.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from typing import Any

import rlenv
from rlenv.audit import Audit, audit, audit_reward
from rlenv.envs.reasoning_gym.catalogue import KEPT, LEFT_OUT, env_id
from rlenv.envs.reasoning_gym.datasets import create, settings

NOT_MADE = ("codeio", "composite", "zebra_puzzles")
"""No datasets of their own, or too slow to make."""


def own_scorer(name: str, count: int) -> tuple[Callable[[str, int], float], list[dict[str, Any]]]:
    dataset = create(name, settings(name, {}) if name in KEPT else {}, 0)
    items = [dataset[index] for index in range(count)]

    def score(completion: str, entry: int) -> float:
        return float(dataset.score_answer(completion, items[entry]))

    rows = []
    for index, item in enumerate(items):
        answer = item["answer"] or item["metadata"].get("example_answer")
        if answer:
            rows.append({"prompt": item["question"], "answer": str(answer), "entry": index})
    return score, rows


def theirs(name: str, count: int) -> Audit | None:
    score, rows = own_scorer(name, count)
    return audit_reward(score, rows, name=name, time_limit_s=2.0, tasks=count) if rows else None


def worst(done: Audit | None) -> str:
    if done is None:
        return "no reference"
    if not done.findings:
        return "nothing"
    finding = done.findings[0]
    return f"{finding.severity.word} {finding.rule} {finding.mean:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tasks", type=int, default=16)
    options = parser.parse_args()
    names = options.names or [name for name in (*KEPT, *LEFT_OUT) if name not in NOT_MADE]
    counted: dict[str, Counter[str]] = {"theirs": Counter(), "ours": Counter()}
    print(f"{'dataset':<28}{'the package’s scorer':<48}ours")
    for name in names:
        own = theirs(name, options.tasks)
        mine = audit(rlenv.load(env_id(name)), tasks=options.tasks) if name in KEPT else None
        print(f"{name:<28}{worst(own):<48}{worst(mine) if name in KEPT else 'left out'}", flush=True)
        counted["theirs"][own.worst.word if own else "no reference"] += 1
        counted["ours"][mine.worst.word if mine else "left out"] += 1
    for who, counts in counted.items():
        print(f"{who}: {', '.join(f'{count} {word}' for word, count in counts.most_common())}")


if __name__ == "__main__":
    main()
