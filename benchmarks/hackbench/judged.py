"""Cases of verifier gaming: what the mathematics verifier really said of a completion."""

from __future__ import annotations

from rlenv.completion import Completion
from rlenv.envs.math.policy import MathPolicy
from rlenv.envs.math.verifier import MathVerifier
from rlenv.hackbench.case import Said
from rlenv.task import Task
from rlenv.verdict import Verdict
from rlenv.verifier import judge_cheaply

from .drafts import Draft

_VERIFIER = MathVerifier(MathPolicy())


def gamed(text: str, prompt: str, gold: str) -> Draft | None:
    """The case, if the verifier raised a flag: an attempt that it refuses without one is not of this family."""
    verdict = _verdict(text, prompt, gold)
    return _draft(text, verdict, prompt, gold) if verdict and verdict.flags else None


def fair(text: str, prompt: str, gold: str) -> Draft | None:
    """The case, whatever the verifier said."""
    verdict = _verdict(text, prompt, gold)
    return _draft(text, verdict, prompt, gold) if verdict else None


def _verdict(text: str, prompt: str, gold: str) -> Verdict | None:
    """None where algebra in another process would have to decide: that is left out here."""
    return judge_cheaply(_VERIFIER, Task(prompt, gold, id="hackbench"), Completion(text))


def _draft(text: str, verdict: Verdict, prompt: str, gold: str) -> Draft:
    parts = tuple((part.name, part.value) for part in verdict.parts)
    said = Said(text, parts=parts, scores=verdict.scores, flags=verdict.flags)
    return Draft(((said,),), prompt, gold, pays=bool(verdict.reward))
