"""What no learned reward is asked about: text that says nothing, goes round in circles, or echoes the prompt.

A model that has never seen such text gives it any score at all. Each look measures the text; its evidence brings the
reward down to `floor`, which has to lie below whatever else can be paid.

>>> from rlenv import Completion, Task
>>> from rlenv.scorers.scorer import FunctionScorer
>>> from rlenv.scorers.scorer import ScorerVerifier
>>> generous = Guarded(ScorerVerifier(FunctionScorer(lambda completion: 0.9)), floor=-1.0)
>>> verdict = generous.verify(Task("How do I poach the eggs?"), Completion("Poach the eggs! The eggs..."))
>>> verdict.reward, verdict.flags[0].detail
(-1.0, '0 words that the prompt does not have')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rlenv.core.completion import Completion
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Flag, Verdict
from rlenv.core.verifier import BatchVerifier
from rlenv.evidence.catalogue.content import copied, once
from rlenv.scorers.scorer import Job

GUARDS = ("loops", "echo", "unsaid")
LEAST_LEFT, LEAST_CHARS = 0.4, 40
"""A text of so many characters loops where less than this share is left when each part of it is said once."""
MOST_COPIED = 0.8
"""From this share of its characters on, in stretches of four words and more of the prompt, a text is an echo."""
OWN = 3
"""Different words that the prompt does not have: a bare refusal has more."""
SHORT, LONG = 12, 120
"""Words between which variety is looked at: fewer can be alike by chance, longer loops are seen as such."""
VARIETY = 0.4
"""Share of different words; that of honest text of such lengths is above 0.55."""
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|\w+")  # 解, and eggs


def objection(prompt: str, text: str) -> tuple[str, str] | None:
    """The guard that objects to a text, and why; None where the text may be scored.

    >>> objection("How do I poach eggs?", "Great answer here! " * 40)
    ('loops', '2% of it is left when each part is said once')
    """
    said = _words(text)
    if len(text) >= LEAST_CHARS and (left := len(once(text)) / len(text)) < LEAST_LEFT:
        return "loops", f"{left:.0%} of it is left when each part is said once"
    if text and (echo := sum(end - start for start, end in copied(text, prompt)) / len(text)) >= MOST_COPIED:
        return "echo", f"{echo:.0%} of it stands in the prompt"
    own = set(said) - set(_words(prompt))
    if len(own) < OWN:
        return "unsaid", f"{len(own)} words that the prompt does not have"
    if SHORT <= len(said) <= LONG and len(set(said)) < VARIETY * len(said):
        return "unsaid", f"{len(set(said))} different words in {len(said)}"
    return None


def _words(text: str) -> list[str]:
    """Words, or characters of scripts that leave no spaces between them; no numbers."""
    return [token for token in _TOKEN.findall(text.lower()) if token.isalpha()]


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
        return f"{self.verifier.version}:guarded-3:{self.floor:g}"

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
    """What a guard has against what a completion says, as a flag on it; empty where there is nothing."""
    content = completion.content
    found = objection(prompt_text(task.prompt), content.text)
    return (Flag(found[0], *content.place(0, len(content.text)), found[1]),) if found else ()
