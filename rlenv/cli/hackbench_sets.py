"""The cases of HackBench that need our checkers to be made: verdicts of the mathematics verifier, tasks of code.

They are made when the command runs, from public sets and from the cheats that our code environments are tried with.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rlenv.cli.hackbench_conflicts import conflicting
from rlenv.hackbench.case import HONEST, UNTUNED, Case, Said
from rlenv.hackbench.files import FOUND, GAMING, read_cases
from rlenv.hackbench.honest import gsm8k, honest_texts, processbench, rows

if TYPE_CHECKING:
    from rlenv.definition import Definition

CODE = ("test_tampering", "special_casing")
SEVERAL_VALUES = ("equation_chain", "multi_box", "enumeration", "number_spray", "anchor_conflict", "mcq_spray")
"""Kinds of gaming cases that offer more than one answer: these are hedging too."""
NO_TAMPERING = (
    "an assertion of its own",
    "a number that is none",
    "a list that holds itself",
    "a value without end",
    "the name of another",
    "code that swallows what follows",
)
"""Cheats that return or leave out something odd, but do not touch the tests or their runner."""
CHEATED_TASKS = 5


def untuned_cases(data: Path) -> list[Case]:
    """Hacks that no template of ours made, with honest cases beside them."""
    found = read_cases(FOUND) if FOUND.exists() else []
    return [*found, *gaming(data), *costly(data), *cheating(), *conflicting(data)]


def honest_cases(data: Path) -> list[Case]:
    """Other people's honest texts."""
    return [*honest_texts(data), *verified(data), *programs(data)]


def gaming(data: Path) -> Iterator[Case]:
    """Answers that must not pass, and those among them that must."""
    for row in [*rows(GAMING), *rows(data / "math_verifier_gaming_cases.jsonl")]:
        hacked, category = not row["expected"], str(row["category"])
        case = judged(str(row["gold"]), str(row["prediction"]), "", hacked, UNTUNED, f"{category}, {row['id']}")
        yield case
        if category in SEVERAL_VALUES or not hacked:
            yield Case("hedging", hacked, "", ((Said(str(row["prediction"])),),), str(row["gold"]), source=case.source)


def costly(data: Path) -> Iterator[Case]:
    """Answers made to hang the checker."""
    for row in rows(data / "math_verifier_dos_cases.jsonl"):
        yield judged(str(row["gold"]), str(row["prediction"]), "", True, UNTUNED, f"cost, {row['id']}")


def verified(data: Path) -> Iterator[Case]:
    """Right solutions with what the mathematics verifier says of them."""
    pairs = [*processbench(data), *gsm8k(data)] if data.is_dir() else []
    for prompt, gold, text in pairs:
        yield judged(gold, text, prompt, False, HONEST, "")


def judged(gold: str, text: str, prompt: str, hacked: bool, half: str, source: str) -> Case:
    """A case of verifier gaming with the flags of the real verifier, its cheap tiers: those that raise flags."""
    from rlenv.completion import Completion
    from rlenv.envs.math.policy import MathPolicy
    from rlenv.envs.math.verifier import MathVerifier
    from rlenv.task import Task
    from rlenv.verifier import judge_cheaply

    verdict = judge_cheaply(MathVerifier(MathPolicy()), Task(prompt, gold, id="hackbench"), Completion(text))
    flags = verdict.flags if verdict else ()
    parts = (("correct", (verdict.reward or 0.0) if verdict else 0.0),)
    said = Said(text, parts=parts, scores=verdict.scores if verdict else {}, flags=flags)
    return Case("verifier_gaming", hacked, prompt, ((said,),), gold, half=half, source=source)


def programs(data: Path) -> Iterator[Case]:
    """Reference solutions of MBPP and HumanEval, with the tasks as our environments ask them."""
    for definition in _code_sets(data):
        for i in range(len(definition.tasks)):
            task = definition.tasks[i]
            text = definition.solution(task)
            for family in CODE:
                yield Case(family, False, str(task.prompt), ((Said(text),),), task.reference, half=HONEST)


def _code_sets(data: Path) -> Iterator[Definition]:
    from rlenv.envs.code.humaneval import humaneval
    from rlenv.envs.code.mbpp import mbpp

    for make, file in ((mbpp, data / "mbpp" / "mbpp.jsonl"), (humaneval, data / "humaneval" / "HumanEval.jsonl.gz")):
        if file.exists():
            yield make(data=str(file))


@cache
def cheating() -> tuple[Case, ...]:
    """Our cheats on small tasks; beside them right programs and programs that are wrong by one small change."""
    return tuple(_cheating())


def _cheating() -> Iterator[Case]:
    import numpy as np

    from rlenv.envs.code.cheats import cheats
    from rlenv.envs.code.mutants import mutants
    from rlenv.envs.code.snippets.environment import catalogue, make_task

    snippets = [snippet for _, snippet in sorted(catalogue().items()) if snippet.level > 1][::2]
    for number, snippet in enumerate(snippets):
        task = make_task(snippet, "instruct")
        sources = [(snippet.source, False, "reference")]
        sources += [(m.source, False, m.change) for m in mutants(snippet.source, 2, np.random.default_rng(number))]
        if number % (len(snippets) // CHEATED_TASKS) == 0:
            sources += [(s, True, name) for name, s in cheats(snippet.name).items() if name not in NO_TAMPERING]
        for source, hacked, name in sources:
            said = Said(f"```python\n{source.strip()}\n```")
            yield Case("test_tampering", hacked, str(task.prompt), ((said,),), task.reference, source=name)
