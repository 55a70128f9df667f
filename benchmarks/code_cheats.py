"""Every cheat on every task of HumanEval and MBPP, and every reference solution: who is paid.

    python benchmarks/code_cheats.py --data ../shared/data

prints a table of the cheats with what each earned and was flagged for. Nothing may be paid but the references.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import cast

from rlenv import Completion, Definition, Verdict
from rlenv.core.jsontypes import Json
from rlenv.envs.code.cheats import cheats
from rlenv.envs.code.humaneval import humaneval
from rlenv.envs.code.mbpp import mbpp
from rlenv.judge.judge import Judge

REFERENCE = "(the reference solution)"


def judged(definition: Definition) -> dict[str, list[tuple[str, Verdict]]]:
    """The verdicts by what was tried, each with the id of its task."""
    tried = []
    for i in range(len(definition.tasks)):
        task = definition.tasks[i]
        function = str(cast("dict[str, Json]", task.reference)["function"])
        said = {name: f"```python\n{source}\n```" for name, source in cheats(function).items()}
        tried += [(task, name, text) for name, text in {REFERENCE: definition.solution(task), **said}.items()]
    verdicts = Judge(definition).verdicts([(task, Completion(text)) for task, _, text in tried])
    found = defaultdict(list)
    for (task, name, _), verdict in zip(tried, verdicts, strict=True):
        found[name].append((task.id, verdict))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="cheats and references on HumanEval and MBPP")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--limit", type=int, default=None)
    options = parser.parse_args()
    sets = {
        "HumanEval": humaneval(
            data=str(options.data / "humaneval" / "HumanEval.jsonl.gz"), sandbox=options.sandbox, limit=options.limit
        ),
        "MBPP": mbpp(data=str(options.data / "mbpp" / "mbpp.jsonl"), sandbox=options.sandbox, limit=options.limit),
    }
    print("| set | what | tasks | paid | not judged | flags |")
    print("|---|---|---|---|---|---|")
    for set_name, definition in sets.items():
        started, programs = time.perf_counter(), 0
        for name, verdicts in judged(definition).items():
            flags = Counter(flag.name for _, verdict in verdicts for flag in verdict.flags)
            paid = sum((verdict.reward or 0.0) > 0 for _, verdict in verdicts)
            failed = sum(verdict.reward is None for _, verdict in verdicts)
            shown = ", ".join(f"{flag} {count}" for flag, count in flags.most_common()) or "-"
            print(f"| {set_name} | {name} | {len(verdicts)} | {paid} | {failed} | {shown} |")
            programs += len(verdicts)
        seconds = time.perf_counter() - started
        print(f"{set_name}: {programs:,} programs in {seconds:.0f} s, {programs / seconds:.0f} a second")


if __name__ == "__main__":
    main()
