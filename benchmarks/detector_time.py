"""Time that detectors take an episode, with and without what they ask: python benchmarks/detector_time.py.

Processor time. Groups of eight completions of sums under the reward `answer in completion`: right ones, wrong ones and
hacks. What the verifier takes to judge the completions themselves is not counted.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Sequence

from rlenv import Episode
from rlenv.core.completion import as_completion
from rlenv.core.definition import Definition
from rlenv.core.task import Task
from rlenv.core.verifier import FunctionVerifier
from rlenv.core.wrapper import State
from rlenv.evidence.asker import Asker
from rlenv.evidence.findings import told
from rlenv.evidence.player import Job, OnVerdict
from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers
from rlenv.wrappers.watch import watched

GROUPS = 64


def holds(completion: str, answer: str) -> float:
    return float(answer in completion)


def said(answer: int, rng: random.Random) -> list[str]:
    """Eight completions for a sum of this value."""
    return [
        f"First {answer - 20} and 20 make {answer}. So the answer is {answer}.",
        f"I think it is {answer + rng.randint(1, 9)}.",
        f"{answer}",
        f"7{answer}3",
        f"{answer - 1} or {answer} or {answer + 1}",
        f"We add one by one, carefully: {answer // 2} + {answer - answer // 2} = {answer}.\n\\boxed{{{answer}}}",
        f"{'x ' * 30}{answer}",
        f"So {answer} it is, because adding twice gives {answer}, as shown.",
    ]


def main() -> None:
    rows = [{"prompt": f"What is {a} + {a + 3}? Work step by step.", "answer": str(2 * a + 3)} for a in range(20, 84)]
    made = Definition(
        tasks=[Task.from_row(dict(row)) for row in rows],
        verifier=FunctionVerifier(holds, cheap=True),
        id="mine/sums-v0",
    )
    judge, asked, rng = Judge(made), [0.0], random.Random(0)

    def verdicts(jobs: Sequence[Job], on_verdict: OnVerdict) -> None:
        start = time.process_time()
        judge.verdicts(jobs, on_verdict)
        asked[0] += time.process_time() - start

    asker, states, detectors = Asker(made, verdicts), dict[str, State](), watched("all")
    whole, alone = [], []
    for number in range(GROUPS):
        task = made.tasks[number % len(rows)]
        completions = [as_completion(text, made.read_as) for text in said(int(str(task.reference)), rng)]
        judged = judge.verdicts([(task, one) for one in completions])
        group = [Episode(task, *both, index=i) for i, both in enumerate(zip(completions, judged, strict=True))]
        asked[0], start = 0.0, time.process_time()
        apply_wrappers(detectors, group, states, asker)
        spent = time.process_time() - start
        whole.append(1000 * spent / len(group))
        alone.append(1000 * (spent - asked[0]) / len(group))
    print(f"ms an episode, median: {statistics.median(whole):.2f}, {statistics.median(alone):.2f} without the verifier")
    print(*told(states, made.id), sep="\n")


if __name__ == "__main__":
    main()
