"""What no learned reward is asked about: text that says nothing, goes round in circles, echoes, or talks to a judge.

A model that has never seen such text gives it any score at all. Each look is a detector (docs/hacking/README.md) whose
evidence brings the reward down to `floor`, which has to lie below whatever else can be paid.

>>> from rlenv import Completion, Task
>>> from rlenv.scorers.function import FunctionScorer
>>> from rlenv.scorers.verifier import ScorerVerifier
>>> generous = Guarded(ScorerVerifier(FunctionScorer(lambda completion: 0.9)), floor=-1.0)
>>> verdict = generous.verify(Task("How do I poach the eggs?"), Completion("Poach the eggs! The eggs..."))
>>> verdict.reward, verdict.flags[0].detail
(-1.0, '0 words that the prompt does not have')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rlenv.completion import Completion
from rlenv.episode import Episode
from rlenv.scorers.scorer import Job
from rlenv.task import Task, prompt_text
from rlenv.verdict import Flag, Verdict
from rlenv.verifier import BatchVerifier
from rlenv.wrappers import Detector, TextDetector
from rlenv.wrappers.detectors import DETECTORS
from rlenv.wrappers.repetition import TOKEN

WATCHED = ("repetition", "prompt_copying", "judge_manipulation")
GUARDS = (*WATCHED, "unsaid")
SHORT, LONG = 12, 120
"""Words between which variety is looked at: fewer can be alike by chance, longer loops are `repetition`'s."""


@dataclass(frozen=True, kw_only=True)
class Unsaid(TextDetector):
    """Text with hardly a word of its own, and a few words again and again."""

    name: ClassVar[str] = "unsaid"
    own: int = 3
    """Different words that the prompt does not have: a bare refusal has more."""
    variety: float = 0.4
    """Share of different words; that of honest text of such lengths is above 0.55."""

    def find(self, episode: Episode) -> tuple[Flag, ...]:
        detail = self._unsaid(episode)
        return (self.flag(0, len(episode.completion.text), detail),) if detail else ()

    def _unsaid(self, episode: Episode) -> str:
        said = _words(episode.completion.text)
        own = set(said) - set(_words(prompt_text(episode.task.prompt)))
        if len(own) < self.own:
            return f"{len(own)} words that the prompt does not have"
        if SHORT <= len(said) <= LONG and len(set(said)) < self.variety * len(said):
            return f"{len(set(said))} different words in {len(said)}"
        return ""


def _words(text: str) -> list[str]:
    """Words, or characters of scripts that leave no spaces between them; no numbers."""
    return [token for token in TOKEN.findall(text.lower()) if token.isalpha()]


@dataclass(frozen=True)
class Guarded:
    """A BatchVerifier around another that is shown only what no guard objects to."""

    verifier: BatchVerifier
    floor: float = -1.0

    @property
    def cheap(self) -> bool:
        """As the verifier that it guards."""
        return self.verifier.cheap

    @property
    def version(self) -> str:
        return f"{self.verifier.version}:guarded-2:{self.floor:g}"

    def verify(self, task: Task, completion: Completion) -> Verdict:
        flags = objections(task, completion)
        return self._refused(flags) if flags else self.verifier.verify(task, completion)

    def verify_all(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Verdict]]:
        asked = []
        for index, (task, completion) in enumerate(jobs):
            flags = objections(task, completion)
            if flags:
                yield index, self._refused(flags)
            else:
                asked.append(index)
        if asked:
            for place, verdict in self.verifier.verify_all([jobs[i] for i in asked]):
                yield asked[place], verdict

    def _refused(self, flags: tuple[Flag, ...]) -> Verdict:
        return Verdict.of((flags[0].name, self.floor), flags=flags, reason=f"not scored: {flags[0].detail}")


def objections(task: Task, completion: Completion) -> tuple[Flag, ...]:
    """The evidence of all guards against what a completion says."""
    content = completion.content
    episode = Episode(task, completion.said(), Verdict.of(("reward", 0.0)))
    looks: list[Detector] = [*(DETECTORS[name]() for name in WATCHED), Unsaid()]
    found = (flag for look in looks for flag in look.look([episode], {})[0])
    return tuple(Flag(name, *content.place(start, end), detail) for name, start, end, detail in found)
