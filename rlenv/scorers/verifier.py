"""A scorer as a verifier: its score is the reward, and where it fails there is none.

>>> from rlenv import Completion, Task
>>> from rlenv.scorers.function import FunctionScorer
>>> brief = ScorerVerifier(FunctionScorer(lambda completion: -len(completion), name="brevity"))
>>> brief.verify(Task("Say hi"), Completion("hi")).parts
(Part(name='brevity', value=-2.0),)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rlenv.core.completion import Completion
from rlenv.core.errors import VerifierContractError
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict, is_over_limit
from rlenv.scorers.scorer import Job, Score, Scorer


@dataclass(frozen=True)
class ScorerVerifier:
    """A BatchVerifier: the scorer sees all completions at once, and bounds what each may cost."""

    scorer: Scorer
    floor: float = 0.0
    """What a completion is paid that is too long for the scorer: no more than honest ones should be."""

    @property
    def cheap(self) -> bool:
        """Never: a model is not string work, and loading it into many processes would be worse."""
        return False

    @property
    def version(self) -> str:
        return f"{self.scorer.name}:{self.scorer.version}:{self.floor:g}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        return verdict_of(self.scorer.name, scores_of(self.scorer, [(task, completion)])[0], self.floor)

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        for index, score in enumerate(scores_of(self.scorer, jobs)):
            yield index, verdict_of(self.scorer.name, score, self.floor)


def scores_of(scorer: Scorer, jobs: Sequence[Job]) -> list[Score]:
    """One score a job; raises VerifierContractError for a scorer that gives more or fewer."""
    scores = scorer.score(jobs)
    if len(scores) != len(jobs):
        raise VerifierContractError(f"expected {len(jobs)} scores of {scorer.name}, got {len(scores)}")
    return scores


def verdict_of(name: str, score: Score, floor: float = 0.0) -> Verdict:
    """The score as the reward, with what else the scorer said among the raw scores; an error where it failed.

    A completion that is itself to blame for having no score is paid the floor.
    """
    if score.value is None and is_over_limit(score.flags):
        return Verdict.of((name, floor), flags=score.flags, reason=score.reason)
    if score.value is None:
        return Verdict.error(f"{name}: {score.reason or 'no score'}", score.flags)
    scores = {name: score.value, **score.labels}
    return Verdict.of((name, score.value), scores=scores, flags=score.flags, reason=score.reason)
