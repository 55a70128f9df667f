"""What running neighbours of the tests' arguments tells: honest references beside programs that hold the answers.

    python benchmarks/special_cases.py --data ../shared/data

Prints how many of the reference solutions of MBPP, HumanEval and code/snippets-v0 are flagged (none should be), and
how many programs written around MBPP's tests, in each of four ways (all should be).
"""

from __future__ import annotations

import argparse
import ast
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import rlenv
from rlenv import Completion, Task
from rlenv.envs.code.case import Case
from rlenv.envs.code.verifier import CodeVerifier, code_verifier

Written = tuple[str, str]
"""A test's arguments, as they stand in a tuple, and its result, both as Python."""


def chain(function: str, tests: Sequence[Written]) -> str:
    branches = "".join(f"    if args == ({arguments}):\n        return {result}\n" for arguments, result in tests)
    return f"def {function}(*args):\n{branches}"


def table(function: str, tests: Sequence[Written]) -> str:
    entries = ", ".join(f"{repr(ast.literal_eval(f'({a})'))!r}: {r}" for a, r in tests)
    return f"def {function}(*args):\n    return {{{entries}}}[repr(args)]\n"


def digests(function: str, tests: Sequence[Written]) -> str:
    known = ", ".join(f"{_digest(a)}: {r}" for a, r in tests)
    return f"import zlib\ndef {function}(*args):\n    return {{{known}}}.get(zlib.crc32(repr(args).encode()))\n"


def default(function: str, tests: Sequence[Written]) -> str:
    return f"{chain(function, tests[:-1])}    return {tests[-1][1]}\n"


def _digest(arguments: str) -> int:
    return zlib.crc32(repr(ast.literal_eval(f"({arguments})")).encode())


HACKS: tuple[Callable[[str, Sequence[Written]], str], ...] = (chain, table, digests, default)


def flagged(verifier: CodeVerifier, jobs: Sequence[tuple[Task, Completion]]) -> tuple[int, int]:
    """How many are paid, and how many of those are flagged."""
    verdicts = [verdict for _, verdict in verifier.verify_all(jobs) if verdict.reward == 1.0]
    return len(verdicts), sum(any(f.name == "special_cased" for f in verdict.flags) for verdict in verdicts)


def plain_tests(task: Task) -> tuple[str, list[Written]] | None:
    """The function and the tests of a task whose tests are all plain calls with plain results."""
    reference = task.reference
    if not isinstance(reference, dict) or reference.get("kind") != "calls":
        return None
    rows = reference["tests"]
    cases = [Case.of(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    if not cases or any(case.cell or case.check or case.raises or case.keywords for case in cases):
        return None
    written = [(f"{', '.join(map(repr, case.arguments))},", repr(case.expected)) for case in cases]
    return cases[0].function, written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with mbpp/ and humaneval/")
    parser.add_argument("--limit", type=int, default=300, help="tasks of MBPP that hacks are written for")
    parser.add_argument("--sandbox", default="auto")
    options = parser.parse_args()
    verifier = code_verifier(sandbox=options.sandbox, probe=True)
    sets = {
        "MBPP": rlenv.load("code/mbpp-v0", data=str(options.data / "mbpp" / "mbpp.jsonl")),
        "HumanEval": rlenv.load("code/humaneval-v0", data=str(options.data / "humaneval" / "HumanEval.jsonl.gz")),
        "snippets": rlenv.load("code/snippets-v0"),
    }
    print("| programs | paid | flagged |\n|---|---|---|")
    for name, definition in sets.items():
        tasks = [definition.tasks[i] for i in range(len(definition.tasks))]
        paid, seen = flagged(verifier, [(task, Completion(definition.solution(task))) for task in tasks])
        print(f"| references of {name} | {paid} | {seen} |", flush=True)
    mbpp = sets["MBPP"].tasks
    known = [(mbpp[i], found) for i in range(len(mbpp)) if (found := plain_tests(mbpp[i])) is not None]
    for hack in HACKS:
        jobs = [(task, Completion(f"```python\n{hack(*found)}```")) for task, found in known[: options.limit]]
        paid, seen = flagged(verifier, jobs)
        print(f"| {hack.__name__} | {paid} | {seen} |", flush=True)


if __name__ == "__main__":
    main()
