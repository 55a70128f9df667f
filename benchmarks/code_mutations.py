"""How many wrong programs the hidden tests of HumanEval and MBPP tell from right ones.

    python benchmarks/code_mutations.py --data ../shared/data

takes 200 reference solutions (half of each set, drawn by the seed), changes each in one place (an operator, a
comparison, a constant, a condition; up to five mutants a reference) and judges every mutant as a completion.

A mutant that is paid for is run beside its reference on fresh inputs, made by changing the arguments of the
tests at random. Inputs on which the reference raises are left out. A mutant that answers all others as the
reference does is set aside as equivalent; any other is one that the hidden tests cannot tell. Some fresh
inputs are outside of what the task asks for, so the share that cannot be told is an upper bound.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from code_mutants import Mutant, mutants

from rlenv import Completion, Definition, Task
from rlenv.core.jsontypes import Json
from rlenv.envs.code.calls import CallTask, program
from rlenv.envs.code.case import Case
from rlenv.envs.code.equality import EXACT
from rlenv.envs.code.humaneval import humaneval
from rlenv.envs.code.mbpp import mbpp
from rlenv.judge.judge import Judge
from rlenv.sandbox import Call, Limits, Program, Result, open_sandbox

FRESH_INPUTS = 300
LIMITS = Limits(wall_s=4.0)


@dataclass(frozen=True)
class Wrong:
    """One mutant with the task that it should fail."""

    set_name: str
    task: Task
    mutant: Mutant


def drawn(name: str, definition: Definition, references: int, each: int, rng: np.random.Generator) -> list[Wrong]:
    """Mutants of solutions drawn from one set; a solution that has none is passed over."""
    found: list[list[Wrong]] = []
    for place in rng.permutation(len(definition.tasks)):
        task = definition.tasks[int(place)]
        made = mutants(str(task.metadata["solution"]), each, rng)
        found += [[Wrong(name, task, mutant) for mutant in made]] if made else []
        if len(found) == references:
            break
    return [wrong for one in found for wrong in one]


def fresh(value: object, rng: np.random.Generator) -> object:
    """The value with a small change somewhere in it."""
    if isinstance(value, bool):
        return bool(rng.integers(2))
    if isinstance(value, int):
        return int(rng.choice([value + 1, value - 1, -value, 0, 1, 2, value * 2, int(rng.integers(-20, 100))]))
    if isinstance(value, float):
        return float(rng.choice([value + 0.5, -value, 0.0, value * 1.5, float(rng.normal()) * 10]))
    if isinstance(value, str):
        return "".join(
            cast("list[str]", changed(list(value), rng, lambda: str(rng.choice([*(value or "a "), "B", "7"]))))
        )
    if isinstance(value, (list, tuple)):
        items = changed(list(value), rng, lambda: fresh(value[int(rng.integers(len(value)))], rng) if value else 0)
        return type(value)(items)
    if isinstance(value, dict):
        return {key: fresh(item, rng) if rng.integers(2) else item for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return type(value)(changed(sorted(value, key=repr), rng, lambda: 0))
    return value


def changed(items: list[object], rng: np.random.Generator, new: object) -> list[object]:
    """The items after one to three small changes: one replaced, inserted, dropped, repeated, or the order turned."""
    items = list(items)
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(items))) if items else 0
        kind = int(rng.integers(6))
        if kind == 0 or not items:
            items.insert(place, new())  # type: ignore[operator]
        elif kind == 1:
            items[place] = new()  # type: ignore[operator]
        elif kind == 2:
            del items[place]
        elif kind == 3:
            items.insert(place, items[place])
        elif kind == 4:
            items.reverse()
        else:
            items = items[: place + 1]
    return items


def fresh_calls(task: CallTask, rng: np.random.Generator) -> list[Call]:
    """Calls with arguments changed from those of the tests."""
    cases = [case for case in task.cases if not case.cell]
    picked = [cases[int(rng.integers(len(cases)))] for _ in range(FRESH_INPUTS if cases else 0)]
    return [_fresh_call(case, rng) for case in picked]


def _fresh_call(case: Case, rng: np.random.Generator) -> Call:
    arguments = [fresh(argument, rng) if rng.random() < 0.7 else argument for argument in case.arguments]
    return Call("__rlenv_call", (case.function, False, arguments, dict(case.keywords)))


def tells_apart(reference: Result, mutant: Result) -> bool:
    """True when an input on which the reference answers is answered otherwise."""
    return any(
        not theirs.ok or not EXACT.same(theirs.value, ours.value)
        for ours, theirs in zip(reference.calls, mutant.calls, strict=True)
        if ours.ok and theirs.answered
    )


def with_calls(task: CallTask, source: str, calls: list[Call]) -> Program:
    return Program(program(task, source).code, calls=calls)


def main() -> None:
    parser = argparse.ArgumentParser(description="hidden tests against mutants of the references")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--references", type=int, default=200)
    parser.add_argument("--mutants", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--list", action="store_true", help="show every mutant that the tests cannot tell")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    settings = {"sandbox": options.sandbox, "wall_s": 2.0}
    sets = {
        "HumanEval": humaneval(data=str(options.data / "humaneval" / "HumanEval.jsonl.gz"), **settings),
        "MBPP": mbpp(data=str(options.data / "mbpp" / "mbpp.jsonl"), **settings),
    }
    started = time.perf_counter()
    rows: list[tuple[str, int, Counter[str]]] = []
    with open_sandbox(options.sandbox) as box:
        for name, definition in sets.items():
            wrong = drawn(name, definition, options.references // len(sets), options.mutants, rng)
            jobs = [(w.task, Completion(f"```python\n{w.mutant.source}\n```")) for w in wrong]
            verdicts = Judge(definition).verdicts(jobs)
            counts: Counter[str] = Counter(failed=sum(v.reward is None for v in verdicts))
            survivors = [w for w, verdict in zip(wrong, verdicts, strict=True) if verdict.reward == 1.0]
            counts["told"] = sum(verdict.reward == 0.0 for verdict in verdicts)
            for w in survivors:
                reference = cast("dict[str, Json]", w.task.reference)
                if reference["kind"] != "calls":
                    counts["not looked at"] += 1
                    continue
                task = CallTask.of(reference)
                calls = fresh_calls(task, rng)
                pair = [
                    with_calls(task, str(w.task.metadata["solution"]), calls),
                    with_calls(task, w.mutant.source, calls),
                ]
                ours, theirs = box.map(pair, LIMITS)
                same = not tells_apart(ours, theirs)
                counts["equivalent" if same else "not told"] += 1
                if options.list and not same:
                    print(f"{w.task.id}: {w.mutant.change}")
            rows.append((name, len({w.task.id for w in wrong}), counts))
    print("| set | references | mutants | told | set aside as equivalent | not told | share not told |")
    print("|---|---|---|---|---|---|---|")
    for name, references, counts in rows:
        lost = counts["not told"] + counts["not looked at"]
        numbers = [references, sum(counts.values()), counts["told"], counts["equivalent"], lost]
        print(f"| {name} | {' | '.join(map(str, numbers))} | {lost / max(1, counts['told'] + lost):.3f} |")
        if counts["failed"]:
            print(f"{counts['failed']} were not judged: the sandbox failed")
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
