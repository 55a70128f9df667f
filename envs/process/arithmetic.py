r"""`process/arithmetic-v0`: expressions made by code, worked out in equations of one operation each.

>>> import rlenv
>>> env = rlenv.make("process/arithmetic-v0", level=4)
>>> task = {"prompt": "3+8+5+9=?", "answer": "25", "expression": "3+8+5+9"}
>>> _ = env.reset(options={"task": task})
>>> env.step(r"3+8=11;11+5=16;16+9=25;\boxed{25}")[1]
1.0
>>> _ = env.reset(options={"task": task})
>>> env.step(r"3+8=11;11+5=17;17+9=26;\boxed{26}")[1]
-0.5
>>> _ = env.reset(options={"task": task})
>>> env.step(r"\boxed{25}")[1]
0.5

The tasks, levels and splits are those of `math/arithmetic-v0`, and so is the judge of the box. The steps are checked
exactly (rlenv.envs.process.equation_steps), in whatever order arithmetic allows.
"""

from __future__ import annotations

from dataclasses import replace

from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.envs.math.arithmetic import TEMPLATE
from rlenv.envs.math.arithmetic import arithmetic as outcome_only
from rlenv.envs.process.credit import Credit
from rlenv.envs.process.equation_steps import EquationReader, ReductionSteps
from rlenv.envs.process.verifier import CreditRule, StepsIn, process_verifier
from rlenv.envs.splits import DEMONSTRATION_PERCENT
from rlenv.envs.working import equations
from rlenv.scorers.load import StepScorerSpec, load_step_scorer


def arithmetic(
    level: int | str = 4,
    split: str = "train",
    seed: int = 0,
    size: int | None = None,
    demonstration_percent: int = DEMONSTRATION_PERCENT,
    template: str = TEMPLATE,
    credit: Credit = "min",
    process_weight: float = 0.5,
    scorer: StepScorerSpec = "exact",
    steps_in: StepsIn = "content",
) -> Definition:
    """The tasks of `math/arithmetic-v0`, with steps.

    `scorer` is "exact" or whatever names a scorer of steps. `steps_in="reasoning"` is for policies that work out the
    equations in a trace and say the box alone.
    """
    made = outcome_only(level, split, seed, size, demonstration_percent, template)
    steps = ReductionSteps() if scorer == "exact" else load_step_scorer(scorer)
    rule = CreditRule(credit=credit, weight=process_weight)
    return replace(
        made,
        verifier=process_verifier(made.verifier, steps, EquationReader(), rule, steps_in=steps_in),
        solution=solution,
        description=f"{made.description}, step by step",
    )


def solution(task: Task) -> str:
    """The equations, then the box."""
    worked = equations(str(task.metadata["expression"])) if "expression" in task.metadata else []
    return ";".join([*worked, f"\\boxed{{{task.reference}}}"])
