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

VERSION = "2"
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
        content = completion.content
        found = read(content.text)
        if isinstance(found, Flag):
            return Verdict.of(("correct", 0.0), flags=(found,), reason=found.detail).placed(content)
        reason = self._problem(found.text, task)
        place = content.place(found.start, found.end)
        return Verdict.of(("correct", 0.0 if reason else 1.0), reason=reason, answer=place)

    def _problem(self, answer: str, task: Task) -> str:
        """Why the answer is not right; empty for one that is."""
        if len(answer) > ROOM + 2 * len(str(task.reference)):
            return f"an answer of {len(answer)} characters is too long"
        try:
            right = RULES[self.name].check(answer, task)
        except Malformed as error:
            return str(error) or "malformed"
        expected = "" if task.reference is None else f", expected {str(task.reference)[:40]!r}"
        return "" if right else f"answer: got {answer[:40]!r}{expected}"
