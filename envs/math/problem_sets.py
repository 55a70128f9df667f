r"""The public sets of problems with a final answer, one row of a table each: `math/gsm8k-v0` and its like.

>>> import rlenv
>>> row = {"problem": "What is half of 7?", "answer": "7/2", "level": 1, "subject": "Algebra"}
>>> made = rlenv.Task.from_row(SETS["math500"].task_row(row))
>>> print(made.prompt)
What is half of 7?
Please reason step by step, and put your final answer within \boxed{}.
>>> check = problem_verifier("math500")
>>> [check.verify(made, rlenv.Completion(text)).reward for text in (r"\boxed{3.5}", r"\boxed{\frac72}", r"\boxed{3}")]
[1.0, 1.0, 0.0]

Rows come from the hub, or from a file with the hub's columns (see rlenv.envs.math.rows). The instruction
after the problem is the one that Qwen2.5-Math and DeepSeek-R1 are evaluated with; GSM8K keeps the wording of
its own. The final answer is judged by value (see rlenv.envs.math.verifier), exactly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, TaskSet
from rlenv.core.verifier import Verifier
from rlenv.env.tasksets import DeferredTasks, ListTasks, Row, RowMap, hub_tasks, load_tasks
from rlenv.envs.levels import levels_named
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.rows import aime_row, competition_row, gsm8k_row, math_row, svamp_row
from rlenv.envs.math.second_opinion import NAME as MATH_VERIFY
from rlenv.envs.math.second_opinion import TIME_LIMIT_S, MathVerifyVerifier
from rlenv.envs.math.verifier import MathVerifier

STEP_BY_STEP = "Please reason step by step, and put your final answer within \\boxed{}."
TEMPLATE = "{question}\n{instruction}"
CONTRACT = "Put your final answer within \\boxed{}."
"""What the prompts of version 1 say behind a template or an instruction that does not."""
_PLACES = re.compile(r"\{(question|instruction)\}")
READING = frozenset({"answer_in", "thinking"})
"""The fields of MathPolicy that say where an answer may stand: in version 1 nothing does but the prompt."""
NUMBER: Mapping[str, Json] = {"form": "number"}
"""Answers are numbers, and a sum that is left to be worked out is none."""
JUDGES = ("rlenv", MATH_VERIFY)
"""What judges: our own verifier, or math-verify as others use it."""
LEVELS = range(1, 6)
"""Of the MATH set; 5 is the hardest."""


@dataclass(frozen=True, kw_only=True)
class ProblemSet:
    """Where a set lies, how its rows are read, how it is asked for and judged."""

    hub_id: str
    config: str | None = None
    splits: Mapping[str, str] = field(default_factory=lambda: {"test": "test"})
    """Our name of a split, and the hub's."""
    read: RowMap
    """A row of the hub as a row of ours (see rlenv.envs.math.rows)."""
    instruction: str = STEP_BY_STEP
    policy: Mapping[str, Json] = field(default_factory=dict)
    """Where it differs from MathPolicy's defaults."""
    graded: bool = False
    """Problems have a level and a subject to choose by."""
    about: str

    def task_row(self, row: Row, instruction: str | None = None, template: str = TEMPLATE, strict: bool = False) -> Row:
        """A row of the hub as the row of a task, prompt included; a `strict` one says where the answer goes."""
        made = self.read(row)
        asked = self.instruction if instruction is None else instruction
        if strict and "\\boxed{" not in template + (asked if "{instruction}" in template else ""):
            template = f"{template}\n{CONTRACT}"
        filled = {"question": str(made["question"]), "instruction": asked}
        prompt = _PLACES.sub(lambda place: filled[place[1]], template).rstrip()
        return {"prompt": prompt, **made}


SETS: dict[str, ProblemSet] = {
    "gsm8k": ProblemSet(
        hub_id="openai/gsm8k",
        config="main",
        splits={"test": "test", "train": "train"},
        read=gsm8k_row,
        instruction="Let's think step by step and put the final answer within \\boxed{}.",
        policy={"answer_in": ["box", "hash"], **NUMBER},
        about="grade-school word problems (GSM8K)",
    ),
    "math500": ProblemSet(
        hub_id="HuggingFaceH4/MATH-500",
        read=math_row,
        graded=True,
        about="500 problems of the MATH test set, as chosen for PRM800K",
    ),
    "math": ProblemSet(
        hub_id="DigitalLearningGmbH/MATH-lighteval",
        splits={"test": "test", "train": "train"},
        read=math_row,
        graded=True,
        about="competition problems of seven subjects and five levels (MATH)",
    ),
    "aime24": ProblemSet(
        hub_id="HuggingFaceH4/aime_2024",
        splits={"test": "train"},
        read=aime_row,
        policy=NUMBER,
        about="AIME 2024 I and II, answers from 0 to 999",
    ),
    "aime25": ProblemSet(
        hub_id="math-ai/aime25", read=aime_row, policy=NUMBER, about="AIME 2025 I and II, answers from 0 to 999"
    ),
    "amc23": ProblemSet(
        hub_id="math-ai/amc23", read=competition_row, policy=NUMBER, about="AMC 12 of 2023, without the choices"
    ),
    "svamp": ProblemSet(
        hub_id="ChilleD/SVAMP",
        splits={"test": "test", "train": "train"},
        read=svamp_row,
        policy=NUMBER,
        about="short word problems with varied structure (SVAMP)",
    ),
}


def problem_set(
    name: str,
    split: str = "test",
    data: str | None = None,
    limit: int | None = None,
    level: int | str | None = None,
    subject: str | None = None,
    instruction: str | None = None,
    template: str = TEMPLATE,
    policy: Mapping[str, Json] | None = None,
    verifier: str = "rlenv",
    version: int = 0,
) -> Definition:
    """The tasks of one set: from the hub, or from `data`, a JSONL, JSON or Parquet file with the hub's columns.

    `level` (`5`, `"1-3"`) and `subject` (`"algebra"`) choose among the problems of the MATH sets, `limit`
    takes the first of what is left. `template` holds `{question}` and `{instruction}`. `policy` changes
    fields of MathPolicy. `verifier="math-verify"` asks another judge (see rlenv.envs.math.second_opinion). `version` is
    that of the id: from 1 on the last box alone is read, and the prompt asks for it.

    Raises ConfigError for settings that do not exist, TaskError, naming the row, for one that cannot be read.
    """
    if name not in SETS:
        raise ConfigError(f"expected a problem set out of {', '.join(SETS)}, got {name!r}")
    chosen = SETS[name]
    _check(name, chosen, split, limit, template)
    levels = None if level is None else levels_named(level, LEVELS)
    wanted = None if subject is None else subject.lower().replace("_", " ").replace(" and ", " & ")
    if (levels or wanted) and not chosen.graded:
        raise ConfigError(f"math/{name} has neither levels nor subjects; leave level and subject out")

    def task_row(row: Row) -> Row:
        made = chosen.task_row(row, instruction, template, version > 0)
        return {**made, "id": f"{name}/{made['id']}"} if "id" in made else made

    def fetched() -> TaskSet:
        of_hub = hub_tasks(chosen.hub_id, chosen.config, chosen.splits[split], task_row)
        return _chosen(of_hub, levels, wanted, limit)

    return Definition(
        tasks=DeferredTasks(fetched) if data is None else _chosen(load_tasks(data, task_row), levels, wanted, limit),
        verifier=_judge(name, policy, verifier, version > 0),
        solution=solution,
        time_limit_s=TIME_LIMIT_S if verifier == MATH_VERIFY else 5.0,
        description=chosen.about,
    )


def problem_verifier(name: str, policy: Mapping[str, Json] | None = None, strict: bool = False) -> MathVerifier:
    """The verifier of a set, with changes to its policy; a `strict` one reads the box alone."""
    given = {**SETS[name].policy, **(policy or {})}
    if strict:
        if fixed := (policy or {}).keys() & READING:
            raise ConfigError(f"math/{name}-v1 reads its box alone; leave {', '.join(sorted(fixed))} out of the policy")
        given = {key: value for key, value in given.items() if key not in READING}
    return MathVerifier(MathPolicy.of(given), strict=strict)


def _judge(name: str, policy: Mapping[str, Json] | None, verifier: str, strict: bool) -> Verifier:
    if verifier not in JUDGES:
        raise ConfigError(f"math/{name}: expected verifier to be one of {', '.join(JUDGES)}, got {verifier!r}")
    if verifier == "rlenv":
        return problem_verifier(name, policy, strict)
    if strict:
        raise ConfigError(f"math/{name}-v1 reads its box alone, and {verifier} more; ask it in math/{name}-v0")
    if policy:
        raise ConfigError(f"math/{name}: {verifier} has no policy; leave policy or verifier out")
    return MathVerifyVerifier()


def solution(task: Task) -> str:
    """The set's own working, then the answer in a box."""
    working = str(task.metadata.get("working", ""))
    return f"{working}\n\\boxed{{{task.reference}}}".lstrip()


def _check(name: str, chosen: ProblemSet, split: str, limit: int | None, template: str) -> None:
    if split not in chosen.splits:
        raise ConfigError(f"math/{name}: expected a split out of {', '.join(chosen.splits)}, got {split!r}")
    if limit is not None and limit < 1:
        raise ConfigError(f"expected a limit of at least 1, got {limit!r}")
    if "{question}" not in template:
        raise ConfigError(f"expected a template that holds {{question}}, got {template!r}")


def _chosen(tasks: ListTasks, levels: tuple[int, ...] | None, subject: str | None, limit: int | None) -> ListTasks:
    def fits(task: Task) -> bool:
        return (levels is None or task.metadata["level"] in levels) and subject in (None, task.metadata.get("subject"))

    kept = [task for task in (tasks[i] for i in range(len(tasks))) if fits(task)][:limit]
    if not kept:
        subjects = sorted({str(tasks[i].metadata.get("subject")) for i in range(len(tasks))})
        raise ConfigError(f"no problem of level {levels or 'any'} in {subject!r}; subjects are {', '.join(subjects)}")
    return ListTasks(kept)
