r"""`math/gsm8k-v0`: grade-school word problems (Cobbe et al. 2021, arXiv 2110.14168), hub id `openai/gsm8k`.

>>> import rlenv
>>> from rlenv.envs.math.gsm8k import gsm8k_row
>>> row = gsm8k_row({"question": "Ann has 3 bags of 4 pears. How many pears?", "answer": "3*4=12\n#### 12"})
>>> check = GSM8KVerifier()
>>> task = rlenv.Task.from_row(row)
>>> for text in (r"3 * 4 = 12, so \boxed{12 pears}.", "3*4=12\n#### 12", r"\boxed{7}"):
...     print(check.verify(task, rlenv.Completion(text)).reward)
1.0
1.0
0.0

The final answer is what stands, after any `</think>`, in the last `\boxed{}` or on a last line `#### n`.
Where both are there they must agree. It must be a number (see rlenv.envs.math.exact) equal to the
reference; nothing is picked out of running text. String work only, so the verifier runs inline.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlenv.completion import Completion
from rlenv.definition import Definition
from rlenv.envs.math.boxed import Box, answer_span, final_box, refuse
from rlenv.envs.math.exact import Number, disagreement, parse_number
from rlenv.errors import ConfigError, TaskError
from rlenv.task import Task
from rlenv.tasksets import Row, hub_tasks, load_tasks
from rlenv.verdict import Verdict

HUB_ID = "openai/gsm8k"
INSTRUCTION = "Let's think step by step and put the final answer within \\boxed{}."
RIGHT = Verdict.of(("correct", 1.0))
_CALCULATOR = re.compile(r"<<[^<>]*>>")
_MARK = "####"


def gsm8k(split: str = "test", data: str | None = None, limit: int | None = None) -> Definition:
    """A split of the hub data set, or the rows of a JSONL or Parquet file with columns question and answer.

    Raises TaskError, naming file and line, for a row whose answer does not end in `#### number`.
    """
    if split not in ("train", "test"):
        raise ConfigError(f"expected split 'train' or 'test', got {split!r}")
    if limit is not None and limit < 1:
        raise ConfigError(f"expected a limit of at least 1, got {limit!r}")
    if data is not None:
        tasks = load_tasks(data, gsm8k_row, limit)
    else:
        tasks = hub_tasks(HUB_ID, "main", split if limit is None else f"{split}[:{limit}]", gsm8k_row)
    return Definition(
        tasks=tasks,
        verifier=GSM8KVerifier(),
        solution=solution,
        description="grade-school word problems (GSM8K)",
    )


def gsm8k_row(row: Row) -> Row:
    """A row of the data set as a row of ours: prompt, answer, and the working that leads to it."""
    question, answer = str(row["question"]).strip(), str(row["answer"])
    working, mark, number = answer.rpartition(_MARK)
    parsed = parse_number(number)
    if not mark or parsed is None:
        raise TaskError(f"expected an answer that ends in '#### number', got ...{answer[-40:]!r}")
    return {
        "prompt": f"{question}\n{INSTRUCTION}",
        "answer": number.strip().replace(",", ""),
        "question": question,
        "working": _CALCULATOR.sub("", working).strip(),
    }


def solution(task: Task) -> str:
    """The data set's own working, then the box."""
    working = str(task.metadata.get("working", ""))
    return f"{working}\n\\boxed{{{task.reference}}}".lstrip()


@dataclass(frozen=True)
class GSM8KVerifier:
    """Exact comparison of the number that the completion states last with the reference."""

    cheap: bool = True
    version: str = "gsm8k-1"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        gold = parse_number(str(task.reference))
        if gold is None:
            raise TaskError(f"task {task.id}: expected a number as the reference, got {task.reference!r}")
        stated = _final_answer(completion.text)
        if isinstance(stated, Verdict):
            return stated
        answer = parse_number(stated.text)
        if answer is None:
            return refuse("", f"the final answer {stated.text.strip()[:40]!r} is not a number")
        difference = disagreement(gold, answer, str(task.metadata.get("question", task.prompt)))
        return RIGHT if difference is None else refuse(*difference, stated.start, stated.end)


def _final_answer(completion: str) -> Box | Verdict:
    marked = _marked(completion)
    boxed = final_box(completion, _same)
    if marked is None:
        return boxed
    if isinstance(boxed, Verdict):
        return boxed if boxed.flags else marked  # a refused box stays refused
    if not _same(marked.text, boxed.text):
        return refuse("conflicting_answers", "the box and the #### line differ", boxed.start, marked.end)
    return boxed


def _marked(completion: str) -> Box | None:
    """What follows `####` on the last line that is not blank."""
    start, end = answer_span(completion)
    text = completion[start:end].rstrip()
    begin = start + text.rfind("\n") + 1
    line = completion[begin : start + len(text)]
    if not line.lstrip().startswith(_MARK):
        return None
    return Box(line.lstrip().removeprefix(_MARK), begin, begin + len(line))


def _same(left: str, right: str) -> bool:
    first, second = parse_number(left), parse_number(right)
    return first is not None and second is not None and _plain(first) == _plain(second)


def _plain(number: Number) -> tuple[object, bool]:
    return number.value, number.percent
