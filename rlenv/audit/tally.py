"""From what was played to findings: the shares that each way to cheat earned, and the worst of each rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from rlenv.audit.finding import Evidence, Finding
from rlenv.audit.judge import Said
from rlenv.audit.severity import Severity, severity_of
from rlenv.audit.subject import Subject

Rate: TypeAlias = "Callable[[Sequence[float]], Severity]"
PAID = 0.01
"""A share from which on a text counts as paid on a task."""
ALSO = 8
SHORT = 80
"""Characters of a right answer that is shown beside a wrong one."""


class Play(NamedTuple):
    """A text on a task, as one way (`variant`) to break a rule."""

    rule: str
    variant: str
    said: Said
    guessed: bool = False
    """It says the right answer by chance: what it earns is the guess rate, not a defect."""


class Outcome(NamedTuple):
    """What a way earned, on each task that it was tried on."""

    variant: str
    plays: tuple[Play, ...]
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.shares) / len(self.shares)


def outcomes(subject: Subject, plays: Sequence[Play], tasks: int = 0) -> dict[str, list[Outcome]]:
    """What each way earned, by rule. A right guess counts as nothing, and so does each of `tasks` that it left out."""
    rewards = subject.judge.rewards([play.said for play in plays])
    gathered: dict[tuple[str, str], tuple[list[Play], list[float]]] = {}
    for play, reward in zip(plays, rewards, strict=True):
        share = 0.0 if play.guessed else subject.share(play.said.task, reward)
        kept, shares = gathered.setdefault((play.rule, play.variant), ([], []))
        kept.append(play)
        shares.append(share)
    found: dict[str, list[Outcome]] = {}
    for (rule, variant), (kept, shares) in gathered.items():
        left_out = [0.0] * (tasks - len(shares))
        found.setdefault(rule, []).append(Outcome(variant, tuple(kept), (*shares, *left_out)))
    return found


def findings(
    subject: Subject, plays: Sequence[Play], about: Mapping[str, str], rate: Rate = severity_of, tasks: int = 0
) -> list[Finding]:
    """One finding for each rule of which some way earned something: its worst way."""
    found = []
    for rule, ways in outcomes(subject, plays, tasks).items():
        paid = sorted((w for w in ways if max(w.shares) >= PAID), key=lambda w: (rate(w.shares), w.mean), reverse=True)
        if paid:
            found.append(_finding(subject, rule, paid, about.get(rule, rule), rate))
    return found


def _finding(subject: Subject, rule: str, paid: Sequence[Outcome], about: str, rate: Rate) -> Finding:
    worst = paid[0]
    place = max(range(len(worst.shares)), key=lambda i: worst.shares[i])
    return Finding(
        rule=rule,
        severity=rate([min(1.0, share) for share in worst.shares]),
        message=f"{about}: {worst.variant}",
        variant=worst.variant,
        mean=worst.mean,
        most=max(worst.shares),
        paid=sum(share >= PAID for share in worst.shares),
        tried=len(worst.shares),
        evidence=evidence(subject, worst.plays[place].said),
        also={way.variant: way.mean for way in paid[1 : ALSO + 1]},
    )


def evidence(subject: Subject, said: Said) -> Evidence:
    """The text with what it earned."""
    sample, verdict = subject.samples[said.task], subject.judge.verdict(*said)
    return Evidence(
        sample.task.id,
        subject.indices[said.task],
        sample.prompt,
        said.text,
        verdict.reward,
        sample.reward,
        "; ".join([*(f"{part.name} {part.value:+g}" for part in verdict.parts if part.value), verdict.reason]).strip(
            "; "
        ),
        sample.answer.core if sample.answer.known and len(sample.answer.core) <= SHORT else "",
    )
