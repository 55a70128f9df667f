"""The verifier of every dataset: read the answer in its tags, check it by the dataset's rule, pay all or nothing.

>>> from rlenv.completion import Completion
>>> AnswerVerifier("gcd").verify(Task("", "12"), Completion("<answer>12</answer>")).reward
1.0
>>> AnswerVerifier("gcd").verify(Task("", "12"), Completion("<answer>12 or 13</answer>")).reason
"answer: got '12 or 13', expected '12'"
"""

from __future__ import annotations

from dataclasses import dataclass

from rlenv.completion import Completion
from rlenv.envs.reasoning_gym.answer_tags import read
from rlenv.envs.reasoning_gym.readers import Malformed
from rlenv.envs.reasoning_gym.rules import RULES
from rlenv.task import Task
from rlenv.verdict import Flag, Verdict

VERSION = "1"
ROOM = 20_000
"""An answer may be this much longer than twice the reference; longer ones are wrong without being read."""


@dataclass(frozen=True)
class AnswerVerifier:
    """Cheap: every rule is string work, or play of at most a few thousand moves, bounded by the answer's length."""

    name: str
    cheap: bool = True

    @property
    def version(self) -> str:
        return f"reasoning_gym-{self.name}-{VERSION}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        answer = read(completion.text)
        if isinstance(answer, Flag):
            return Verdict.of(("correct", 0.0), flags=(answer,), reason=answer.detail)
        if len(answer) > ROOM + 2 * len(str(task.reference)):
            return Verdict.of(("correct", 0.0), reason=f"an answer of {len(answer)} characters is too long")
        try:
            right = RULES[self.name].check(answer, task)
        except Malformed as error:
            return Verdict.of(("correct", 0.0), reason=str(error))
        if right:
            return Verdict.of(("correct", 1.0))
        expected = "" if task.reference is None else f", expected {str(task.reference)[:40]!r}"
        return Verdict.of(("correct", 0.0), reason=f"answer: got {answer[:40]!r}{expected}")
