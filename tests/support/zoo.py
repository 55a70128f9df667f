"""A zoo for the audit: reward functions that real projects had, broken in known ways, and sound ones of many kinds.

    ZOO["substring"].definition()

`unforeseen` marks defects that no attacker of the catalogue was written for: corrupted references, hedges,
decorations, repetition of the judgement or the company of other completions show them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rlenv.core.definition import Definition, reference_text
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import FunctionVerifier
from rlenv.env.tasksets import ListTasks, Row


@dataclass(frozen=True, kw_only=True)
class Animal:
    """One environment of the zoo."""

    name: str
    rows: Sequence[Row]
    check: Callable[..., bool | float | Verdict]
    solution: Callable[[Task], str] = reference_text
    defect: str = ""
    """What is wrong with it; empty for a sound one."""
    seen_at: str = ""
    """Where such a defect was met."""
    rules: tuple[str, ...] = ()
    """Findings of which at least one must be made, by the start of their rule."""
    unforeseen: bool = False
    time_limit_s: float = 4.0

    def definition(self) -> Definition:
        return Definition(
            tasks=ListTasks.from_rows(self.rows),
            verifier=FunctionVerifier(self.check),
            solution=self.solution,
            time_limit_s=self.time_limit_s,
            id=f"zoo/{self.name}-v0",
        )


def sums(count: int = 24) -> list[Row]:
    """Additions with answers from 20 to 300, each once."""
    pairs = [(7 + 11 * i % 97, 13 + 5 * i) for i in range(count)]
    return [{"prompt": f"What is {a} + {b}?", "answer": str(a + b)} for a, b in pairs]


def boxed(task: Task) -> str:
    return f"I add them up. \\boxed{{{task.reference}}}"


def tagged(task: Task) -> str:
    return f"<think>I add them up, place by place.</think><answer>{task.reference}</answer>"


def last_line(task: Task) -> str:
    return f"I add them up.\n{task.reference}"
