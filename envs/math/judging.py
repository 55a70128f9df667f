"""One answer judged against one reference, in any thread: what `rlenv.envs.math.verify` is.

>>> verify("1/2", r"It is \\boxed{0.5}.").reward
1.0
>>> verify("1/3", "The answer is 0.333.", rounding="digits").reward
0.0
"""

from __future__ import annotations

from functools import lru_cache

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env.tasksets import ListTasks
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.gold import gold_answer
from rlenv.envs.math.verifier import MathVerifier
from rlenv.judge.judge import Judge

TIME_LIMIT_S = 10.0
"""What algebra may take, in a process of its own."""


def verify(
    gold: Json,
    completion: str | Completion,
    *,
    question: str = "",
    time_limit_s: float = TIME_LIMIT_S,
    **policy: Json,
) -> Verdict:
    """The verdict on a completion; `policy` are the fields of MathPolicy.

    Works in any thread and from a running event loop (where it blocks: use `asyncio.to_thread`). Never raises
    for what a completion holds. Raises TaskError for a reference that cannot be read, ConfigError for a policy
    that does not exist.
    """
    return judge_answer(gold, completion, MathPolicy.of(policy) if policy else _DEFAULT, question, time_limit_s)


def judge_answer(
    gold: Json, completion: str | Completion, policy: MathPolicy, question: str = "", time_limit_s: float = TIME_LIMIT_S
) -> Verdict:
    """The same with a policy that is one already."""
    gold_answer(gold)
    return _judge(policy, time_limit_s).verdict(Task(question, gold, id="verify"), as_completion(completion))


_DEFAULT = MathPolicy()


@lru_cache(maxsize=64)
def _judge(policy: MathPolicy, time_limit_s: float) -> Judge:
    tasks = ListTasks([Task("", id="verify")])
    return Judge(Definition(tasks=tasks, verifier=MathVerifier(policy), time_limit_s=time_limit_s))
