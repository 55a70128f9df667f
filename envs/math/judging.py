"""One answer judged against one reference, in any thread: what `rlenv.envs.math.verify` is.

>>> verify("1/2", r"It is \\boxed{0.5}.").reward
1.0
>>> verify("1/3", "The answer is 0.333.", rounding="digits").reward
0.0
"""

from __future__ import annotations

from functools import lru_cache

from rlenv.core.completion import Completion, as_completion
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import judge_cheaply
from rlenv.envs.math.gold import gold_answer
from rlenv.envs.math.policy import MathPolicy
from rlenv.envs.math.verifier import MathVerifier
from rlenv.workers.pool import PickledVerifier, shared_pool

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
    verifier = _verifier(policy)
    gold_answer(gold)
    task, said = Task(question, gold, id="verify"), as_completion(completion)
    verdict = judge_cheaply(verifier, task, said)
    if verdict is None:
        verdict = shared_pool().judge_all(_pickled(verifier), [(task, said)], time_limit_s)[0]
    return verdict


_DEFAULT = MathPolicy()


@lru_cache(maxsize=64)
def _verifier(policy: MathPolicy) -> MathVerifier:
    return MathVerifier(policy)


@lru_cache(maxsize=64)
def _pickled(verifier: MathVerifier) -> PickledVerifier:
    return PickledVerifier.of(verifier)
