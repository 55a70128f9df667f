"""Two verifiers of one completion: where they disagree, and which of them is right where one can prove it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from rlenv.core.completion import Completion
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.verifier import Verifier
from rlenv.text.escaping import shown_line

Proof: TypeAlias = Literal["equal", "different", "undecided"]
"""What is known of the values of an answer and its reference, whatever the rules say of their form."""
ANSWER_CHARS = 200
"""How much of an answer is kept."""


@runtime_checkable
class ProvingVerifier(Protocol):
    """A verifier some of whose verdicts follow from a proof."""

    def proof(self, verdict: Verdict) -> Proof:
        """What this verdict, which must be its own, proves of the answer and the reference."""


class Opinion(NamedTuple):
    """What a verifier says."""

    verifier: Verifier
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One completion that two verifiers pay differently."""

    task_id: str
    answer: str
    """The span that was judged, as far as a verifier names one; else the end of the completion."""
    reference: str
    first: str
    """The version of the one verifier."""
    second: str
    first_reward: float | None
    second_reward: float | None
    proof: Proof

    @property
    def right(self) -> str:
        """The version of the verifier that is right; empty where nothing is proved."""
        rewards = (self.first_reward or 0.0, self.second_reward or 0.0)
        if self.proof == "undecided":
            return ""
        return self.first if (rewards[0] > rewards[1]) == (self.proof == "equal") else self.second

    def __str__(self) -> str:
        paid = [_paid(self.first, self.first_reward), _paid(self.second, self.second_reward)]
        proved = f"proved {self.proof}: {self.right} is right" if self.right else "undecided"
        return (
            f"task {shown_line(self.task_id)}: answer {shown_line(self.answer)!r}, reference "
            f"{shown_line(self.reference)!r}: {', '.join(paid)}; {proved}"
        )


def disagreement(task: Task, completion: Completion, first: Opinion, second: Opinion) -> Disagreement | None:
    """How two opinions differ, None where they pay the same or neither verifier can prove anything."""
    proofs = [one.verifier.proof(one.verdict) for one in (first, second) if isinstance(one.verifier, ProvingVerifier)]
    if not proofs or first.verdict.reward == second.verdict.reward:
        return None
    spans = [one.verdict.answer for one in (first, second) if one.verdict.answer]
    answers = [text for start, end in spans if (text := completion.text[start:end][:ANSWER_CHARS])]
    proved: list[Proof] = [proof for proof in proofs if proof != "undecided"]
    return Disagreement(
        task_id=task.id,
        answer=answers[0] if answers else completion.content.text.strip()[-ANSWER_CHARS:],
        reference=str(task.reference)[:ANSWER_CHARS],
        first=first.verifier.version,
        second=second.verifier.version,
        first_reward=first.verdict.reward,
        second_reward=second.verdict.reward,
        proof=proved[0] if proved else "undecided",
    )


def counted(disagreements: Sequence[Disagreement]) -> str:
    """How many there are, and who is right how often.

    >>> counted([])
    'the two verifiers agree'
    """
    if not disagreements:
        return "the two verifiers agree"
    right = Counter(one.right for one in disagreements)
    undecided = right.pop("", 0)
    shares = [f"{version} is right on {count}" for version, count in right.most_common()]
    return f"the two verifiers disagree on {len(disagreements)}: {', '.join([*shares, f'undecided {undecided}'])}"


def _paid(version: str, reward: float | None) -> str:
    return f"{version} {'fails' if reward is None else f'pays {reward:g}'}"
