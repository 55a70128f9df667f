r"""`process/gsm8k-v0`: the word problems of `math/gsm8k-v0`, with rewards for the steps of the working.

>>> import json, pathlib, tempfile, rlenv
>>> row = {"question": "A baker makes 6 trays of 12 buns. 50 are sold. How many left?", "answer": "6*12=72\n#### 22"}
>>> path = pathlib.Path(tempfile.mkdtemp()) / "rows.jsonl"
>>> _ = path.write_text(json.dumps(row))
>>> env = rlenv.make("process/gsm8k-v0", data=str(path))
>>> for said in (
...     "6*12 = 72 buns. 72-50 = 22 are left. \\boxed{22}",
...     "6*12 = 62 buns. 62-50 = 12 are left. \\boxed{12}",
...     "6*12 = 62 buns. 62-40 = 22 are left. \\boxed{22}",
...     "\\boxed{22}",
... ):
...     _ = env.reset()
...     print(env.step(said)[1])
1.0
-0.5
0.5
0.5

The final answer is judged as in `math/gsm8k-v0`. Steps are one equation each, however the working is laid out, behind
guards (rlenv.envs.process.guards), and are scored by the checker of rlenv.envs.process.symbolic or by any scorer of
steps. That checker says only what it can see is wrong. Steps that are right in themselves and lead elsewhere earn
nothing: the working must come to the answer from the question's numbers (rlenv.envs.process.carried).
"""

from __future__ import annotations

from dataclasses import replace

from rlenv.core.definition import Definition
from rlenv.envs.math.problem_sets import problem_set
from rlenv.envs.process.carried import CarriedSteps
from rlenv.envs.process.credit import Credit
from rlenv.envs.process.guards import Cut, StepGuards
from rlenv.envs.process.verifier import CreditRule, StepsIn, process_verifier
from rlenv.scorers.load import StepScorerSpec, load_step_scorer


def gsm8k(
    split: str = "test",
    data: str | None = None,
    limit: int | None = None,
    instruction: str | None = None,
    credit: Credit = "min",
    process_weight: float = 0.5,
    scorer: StepScorerSpec = "symbolic",
    cut: Cut = "equations",
    separator: str = ";",
    steps_in: StepsIn = "content",
) -> Definition:
    """The tasks of `math/gsm8k-v0`, from the hub or from a file.

    `scorer` is "symbolic" or whatever names a scorer of steps (rlenv.scorers.load); a learned one usually wants the
    steps that it was trained on: `cut="paragraphs"`. `steps_in="reasoning"` is for policies that work in a trace and
    then say the answer.
    """
    made = problem_set("gsm8k", split=split, data=data, limit=limit, instruction=instruction)
    steps = CarriedSteps() if scorer == "symbolic" else load_step_scorer(scorer)
    reader = StepGuards(cut=cut, separator=separator)
    rule = CreditRule(credit=credit, weight=process_weight)
    return replace(
        made,
        verifier=process_verifier(made.verifier, steps, reader, rule, steps_in=steps_in),
        description=f"{made.description}, step by step",
    )
