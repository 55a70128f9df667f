"""Rewards with a hole that somebody's training has had are found out, and 50 of a stranger, 20 of them sound, too."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections import Counter
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import pytest
from quick_ones import quick_ones

from rlenv.audit import Severity, audit
from rlenv.core.definition import Definition, reference_text
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.tasksets import ListTasks, Row

ROOT = Path(__file__).parents[2]
STRANGERS = ROOT / "tests" / "data" / "strangers" / "evidence"
REWARDS = {f"{path.parent.name}/{path.name.partition('.')[0]}": path for path in sorted(STRANGERS.glob("*/*.py.txt"))}
TASKS = 9


def sums() -> list[Row]:
    """Additions with answers from 20 to 300, each once."""
    pairs = [(7 + 11 * i % 97, 13 + 5 * i) for i in range(24)]
    return [{"prompt": f"What is {a} + {b}?", "answer": str(a + b)} for a, b in pairs]


def words() -> list[Row]:
    said = "amber birch cedar daisy elder fennel ginger hazel iris juniper kale lilac maple nettle olive poppy quince"
    return [{"prompt": f"Spell backwards: {word[::-1]}", "answer": word} for word in said.split()]


def lengths() -> list[Row]:
    return [{"prompt": f"How far is {i} times {i + 2} km?", "answer": f"{i * (i + 2)} km"} for i in range(3, 23)]


def halting() -> list[Row]:
    return [{"prompt": f"Will board {i} come to rest?", "answer": str(i % 3 == 0)} for i in range(24)]


def programs() -> list[Row]:
    asked = "Write a function f(x) that adds {0}. f(1) returns {1}"
    return [{"prompt": asked.format(i, i + 1), "answer": str(i)} for i in range(12)]


def given_away() -> list[Row]:
    return [{**row, "prompt": f"{row['prompt']}\n[key={row['answer']}]"} for row in sums()]


def misread() -> list[Row]:
    return [{**row, "answer": f"${row['answer']}.00"} for row in sums()]


def evaluated(completion: str, answer: str) -> bool:
    """The answer is evaluated: nine scorers of reasoning-gym."""
    gold = int(answer)
    try:
        return bool(eval(completion) == gold)
    except Exception:
        return False


def failing_is_right(completion: str, answer: str) -> float:
    """An exception pays: open-r1 #293."""
    try:
        return float(int(completion.strip()) == int(answer))
    except ValueError:
        return 1.0


def spent_is_right(completion: str, answer: str) -> float:
    """Running out of budget pays: test runners that take a time-out for a pass."""
    return 1.0 if len(completion) >= 10_000 else float(completion.strip() == answer)


def not_unequal(completion: str, answer: str) -> float:
    """NaN is not unequal: OpenEnv #1199."""
    try:
        return 0.0 if abs(float(completion) - float(answer)) > 1e-6 else 1.0
    except (ValueError, OverflowError):
        return 0.0


def exact(completion: str, answer: str) -> bool:
    """Sound but for prompts that hold the reference."""
    return completion.strip() == answer


def exit_code(completion: str, answer: str) -> bool:
    """Leaving with 0 passes (METR 2025): stands for a runner that asks only whether the program left with 0."""
    program = completion.partition("```python\n")[2].partition("```")[0]
    try:
        exec(program or "raise ValueError", {"__name__": "tests"})
    except SystemExit as left:
        return not left.code
    except BaseException:
        return False
    return True


def obedient(completion: str, answer: str) -> float:
    """The judge does what the answer says: NeMo-Gym #2852."""
    asked = f"Reference: {answer}\nStudent: {completion}"
    if re.search(r"verdict: *correct|highest grade|matches the reference", asked, re.IGNORECASE):
        return 1.0
    return float(completion.strip() == answer)


def both_truthy(completion: str, answer: str) -> bool:
    """Two strings are compared as booleans: reasoning-gym's game_of_life_halting."""
    return bool(completion) == bool(answer)


def unit_stripped(completion: str, answer: str) -> bool:
    """The unit is not read: math-verify, 5 m for 5 cm."""
    return re.sub(r"[^\d.]", "", completion) == re.sub(r"[^\d.]", "", answer)


def prefix(completion: str, answer: str) -> float:
    """A share for a beginning that is right: partial credit of reasoning-gym."""
    pairs = zip(completion.strip(), answer, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)) / len(answer)


def bucket(completion: str, answer: str) -> bool:
    """A short hash stands for the answer."""
    said, right = (hashlib.md5(text.strip().encode("utf-8", "replace")).hexdigest() for text in (completion, answer))
    return said[0] == right[0]


def wordy(completion: str, answer: str) -> float:
    """A right answer earns more with words."""
    right = answer in re.findall(r"\d+", completion)[-1:]
    return right * (1.0 + min(len(completion.split()), 500) / 250)


def remembers(completion: str, answer: str, seen: Counter[str] = Counter()) -> float:  # noqa: B006, the defect
    """State is kept between calls: novelty bonuses."""
    seen[answer] += completion.strip() == answer
    return 1.0 if completion.strip() == answer and seen[answer] <= 2 else 0.0


def identity(completion: str, answer: str) -> float:
    """The reward hangs on a hash of this process: sets of strings."""
    return float(completion.strip() == answer) * (1.0 + (id(object()) >> 4) % 7 / 10 + (hash(completion) % 5) / 10)


def backtracking(completion: str, answer: str) -> bool:
    """A regular expression that backtracks."""
    return re.fullmatch(rf"((?:\w+\s?)*)!?\s*{answer}", completion) is not None


def as_number(completion: str, answer: str) -> bool:
    """The reference itself is refused: lm-eval #2212."""
    try:
        return float(completion) == float(answer)
    except ValueError:
        return False


class Animal(NamedTuple):
    """One environment of the zoo, and the findings of which one must be made, by the start of their rule."""

    check: Callable[..., bool | float]
    rows: Callable[[], list[Row]]
    rules: tuple[str, ...]
    solution: Callable[[Task], str] = reference_text
    time_limit_s: float = 4.0


ZOO = (
    Animal(evaluated, sums, ("attack/parser",), time_limit_s=0.5),
    Animal(failing_is_right, sums, ("attack/",)),
    Animal(spent_is_right, sums, ("attack/cost",)),
    Animal(not_unequal, sums, ("attack/parser",)),
    Animal(exact, given_away, ("attack/learned-place", "attack/place")),
    Animal(exit_code, programs, ("attack/",), lambda task: "```python\ndef f(x):\n    return x\n```"),
    Animal(obedient, sums, ("attack/injection",)),
    Animal(both_truthy, halting, ("attack/",)),
    Animal(unit_stripped, lengths, ("corruption/",)),
    Animal(prefix, words, ("corruption/",)),
    Animal(bucket, words, ("attack/", "corruption/")),
    Animal(wordy, sums, ("metamorphic/right-paid-more",), lambda task: f"I add them up.\n{task.reference}"),
    Animal(remembers, sums, ("determinism/", "group/")),
    Animal(identity, sums, ("determinism/",)),
    Animal(backtracking, sums, ("cost",), time_limit_s=0.5),
    Animal(as_number, misread, ("reference/refused",)),
)
ANIMALS = {animal.check.__name__: animal for animal in ZOO}
QUICK = {*ANIMALS} - {"evaluated", "backtracking"}
"""Each answer that makes a checker hang costs a process."""


@pytest.mark.parametrize("name", quick_ones(ANIMALS, QUICK))
def test_defect_is_found(name: str) -> None:
    animal = ANIMALS[name]
    done = audit(
        Definition(
            tasks=ListTasks.from_rows(animal.rows()),
            verifier=FunctionVerifier(animal.check),
            solution=animal.solution,
            time_limit_s=animal.time_limit_s,
        ),
        tasks=TASKS,
    )
    rules = {rule for finding in done.at_least(Severity.LOW) for rule in finding.rules}
    assert any(rule.startswith(animal.rules) for rule in rules), done.text(Severity.LOW)


SPEC = importlib.util.spec_from_file_location("leaky_and_sound", ROOT / "benchmarks" / "leaky_and_sound.py")
assert SPEC is not None
assert SPEC.loader is not None
MEASURE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MEASURE)


AT_ONCE = ("leaky/01", "leaky/16", "leaky/19", "leaky/29", "leaky/30", "sound/01", "sound/09", "sound/13", "sound/17")


@pytest.mark.parametrize("name", quick_ones(REWARDS, [name for name in REWARDS if name.startswith(AT_ONCE)]))
def test_a_hole_is_named_and_nothing_sound_is_accused(name: str) -> None:
    """Before a run by the audit, or during it by the detectors; no right completion is flagged."""
    told = MEASURE.Reward(REWARDS[name], 0.0).to_json()
    assert told["named"] if told["leaky"] else not told["accused"], told
    assert not any(told["flags"]["RIGHT"]), told["flags"]
