"""Plays the catalogue: every attack on every task, in every frame; and makes findings of what was paid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeAlias

from rlenv.audit.judge import AuditJudge, Said, Way
from rlenv.audit.severity import constant_severity, copy_severity, severity_of
from rlenv.audit.subject import Subject
from rlenv.core.definition import Definition
from rlenv.core.jsontypes import Json
from rlenv.evaluation.second_opinion import Disagreement, Opinion, disagreement
from rlenv.evidence.answers import same
from rlenv.evidence.exploits.attack import TURN_MARK, Attack
from rlenv.evidence.exploits.finding import MAX_TEXT_CHARS, Evidence, Finding, Severity
from rlenv.evidence.exploits.plays import ATTACKS, CHANGED, PROGRAMS, RULE, SHORT
from rlenv.evidence.parts import BARE, Frame
from rlenv.evidence.player import UNJUDGED

Rate: TypeAlias = "Callable[[Sequence[float]], Severity]"
PAID = 0.01
"""A share from which on a text counts as paid on a task."""
FIRST_TASKS = 16
COSTLY = ("cost", "costly-program")
"""They are played when all else has been: a checker may run past its limit on them."""
TEXTS_ON = 3
"""On how many tasks texts are tried that are no programs, where programs are asked for."""
ALSO = 8
ATTACKS_ON = 2
"""On so many tasks the other verifier judges the attacks too; on the others right answers and corrupted ones."""
MAX_CHARS = 2_000
"""Longer texts take long to check, which is no question of who is right."""


class Play(NamedTuple):
    """A text on a task, as one way (`variant`) to break a rule."""

    rule: str
    variant: str
    said: Said
    guessed: bool = False
    """It says the right answer by chance: what it earns is the guess rate, not a defect."""
    turned: Said | None = None
    """The same the other way round: it counts as paid where both are."""


class Outcome(NamedTuple):
    """What a way earned, on each task that it was tried on."""

    variant: str
    said: tuple[Said, ...]
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        return sum(self.shares) / len(self.shares)


@dataclass(frozen=True, slots=True)
class Played:
    """What the texts of one rule earned, as shares of what a right answer earns."""

    rule: str
    texts: int
    """How many ways it was tried in."""
    tasks: int
    """On how many tasks."""
    mean: float
    """Of the way that earned most: the mean over its tasks. A right guess counts as nothing."""
    most: float
    """On one task."""
    worst: str
    """Which way that was."""

    def to_json(self) -> dict[str, Json]:
        return {
            "rule": self.rule,
            "texts": self.texts,
            "tasks": self.tasks,
            "mean_share": round(self.mean, 6),
            "most_share": round(self.most, 6),
            "worst": self.worst[:MAX_TEXT_CHARS],
            "paid": self.most >= PAID,
        }


def attacks_on(subject: Subject, extra: Sequence[Attack] = ()) -> tuple[Attack, ...]:
    """Those of the catalogue that fit, and the caller's; where programs are asked for, texts are tried on few tasks.

    Where a rule of the task decides, which many answers may meet, a changed answer is no wrong one.
    """
    if not subject.programs:
        return (*ATTACKS, *(one for one in CHANGED if not (subject.by_rule and one.name == RULE)), *extra)
    texts = (replace(attack, tasks=min(attack.tasks or TEXTS_ON, TEXTS_ON)) for attack in ATTACKS)
    return (*texts, *PROGRAMS, *extra)


def first_tasks(subject: Subject, attack: Attack) -> range:
    """The tasks on which an attack is tried; on the others only one that was paid on these.

    A rule that is to be found at medium has to be paid on 4 of 32 tasks. Where it pays on a share p of all tasks, that
    it does so and is paid on none of the first 16 has a probability of (1 - p)^16 P(Bin(16, p) >= 4): 1.6 % at most.
    """
    count = len(subject.samples)
    return range(count if attack.shown else min(count, max(FIRST_TASKS, count // 2)))


def plays_of(subject: Subject, attack: Attack, tasks: range) -> list[Play]:
    """Every text of an attack on these tasks."""
    tried = range(tasks.start, tasks.stop if attack.tasks is None else min(tasks.stop, attack.tasks))
    return [play for task in tried for play in (_shown if attack.shown else _blind)(subject, attack, task)]


def _shown(subject: Subject, attack: Attack, task: int) -> Iterator[Play]:
    if subject.samples[task].reward <= 0 and (attack.gains or attack.name == RULE):
        return
    for body in attack.bodies(subject.scene(task, shown=True)):
        turned = None if body.turned is None else Said(task, body.turned)
        yield Play(body.rule or attack.rule, body.variant, Said(task, body.text), turned=turned)


def _blind(subject: Subject, attack: Attack, task: int) -> Iterator[Play]:
    answer = subject.samples[task].answer
    for body in attack.bodies(subject.scene(task)):
        guessed = not attack.copies and same(body.text if body.says is None else body.says, answer.core)
        if attack.turns:
            guessed = body.text == TURN_MARK.join(subject.judge.script(task))
        for frame in _frames(subject, attack, task):
            text = frame.around(body.text)
            if text != answer.text or guessed or attack.copies:
                for way in _ways(subject, attack, frame):
                    variant = body.variant if frame.name == BARE.name else f"{body.variant}, framed {frame.name}"
                    said = Said(task, text, way)
                    yield Play(body.rule or attack.rule, variant + (", once" if way == "once" else ""), said, guessed)


def _ways(subject: Subject, attack: Attack, frame: Frame) -> tuple[Way, ...]:
    """In an episode of several turns a text is said in every turn, and as it is also once."""
    if attack.turns:
        return ("turns",)
    if not subject.turns:
        return ("last",)
    return ("every", "once") if frame.name == BARE.name else ("every",)


def _frames(subject: Subject, attack: Attack, task: int) -> list[Frame]:
    if not attack.framed or subject.programs:
        return [BARE]
    return subject.frames(task) + (subject.generic_frames(task) if attack.everywhere else [])


def attack_findings(subject: Subject, attack: Attack, first: Sequence[Play]) -> list[Finding]:
    """What paid, of the plays on the first tasks and, where one of them was paid or fits few tasks, on the others."""
    tasks, mine = first_tasks(subject, attack), [*first]
    others = range(len(tasks), len(subject.samples))
    paid = any(max(way.shares) >= PAID for ways in outcomes(subject, mine).values() for way in ways)
    if others and (paid or attack.fitting):
        mine += plays_of(subject, attack, others)
    tried = 0 if attack.fitting or attack.shown else min(len(subject.samples), attack.tasks or len(subject.samples))
    found, rate = [], _rate(subject, attack)
    for rule, ways in outcomes(subject, mine, tried, beyond=float(attack.gains)).items():
        worst = sorted((w for w in ways if max(w.shares) >= PAID), key=lambda w: (rate(w.shares), w.mean), reverse=True)
        found += [_finding(subject, rule, worst, attack.about, rate)] if worst else []
    return found


def _rate(subject: Subject, attack: Attack) -> Rate:
    """How bad it is."""
    if attack.copies:
        return partial(copy_severity, guess_rate=subject.guess_rate()[0])
    return partial(constant_severity, guess_rate=subject.guess_rate()[0]) if attack.guesses else severity_of


def outcomes(subject: Subject, plays: Sequence[Play], tasks: int = 0, beyond: float = 0.0) -> dict[str, list[Outcome]]:
    """What each way earned `beyond` that share, by rule. A right guess counts as nothing, and so does each of `tasks`
    that it left out."""
    gathered: dict[tuple[str, str], tuple[list[Said], list[float]]] = {}
    rewards = subject.judge.rewards([play.said for play in plays])
    for play, reward in zip(plays, rewards, strict=True):
        said, share = play.said, 0.0 if play.guessed else subject.share(play.said.task, reward)
        if play.turned is not None:
            other = subject.share(said.task, subject.judge.verdict(*play.turned).reward)
            said, share = (said, share) if share <= other else (play.turned, other)
        kept, shares = gathered.setdefault((play.rule, play.variant), ([], []))
        kept.append(said)
        shares.append(max(0.0, share - beyond))
    found: dict[str, list[Outcome]] = {}
    for (rule, variant), (kept, shares) in gathered.items():
        left_out = [0.0] * (tasks - len(shares))
        found.setdefault(rule, []).append(Outcome(variant, tuple(kept), (*shares, *left_out)))
    return found


def _finding(subject: Subject, rule: str, paid: Sequence[Outcome], about: str, rate: Rate) -> Finding:
    worst = paid[0]
    place = max(range(len(worst.shares)), key=lambda i: worst.shares[i])
    severity, seen = rate([min(1.0, share) for share in worst.shares]), evidence(subject, worst.said[place])
    found = of_shares(rule, severity, f"{about}: {worst.variant}", worst.shares, seen, worst.variant)
    return replace(found, also={way.variant: way.mean for way in paid[1 : ALSO + 1]})


def of_shares(
    rule: str,
    severity: Severity,
    message: str,
    shares: Sequence[float],
    seen: Evidence | None = None,
    variant: str = "",
) -> Finding:
    """A finding that counts the tasks of these shares."""
    return Finding(
        rule=rule,
        severity=severity,
        message=message,
        variant=variant,
        mean=sum(shares) / len(shares),
        most=max(shares),
        paid=sum(share >= PAID for share in shares),
        tried=len(shares),
        evidence=seen,
    )


def evidence(subject: Subject, said: Said) -> Evidence:
    """The text with what it earned."""
    sample, verdict = subject.samples[said.task], subject.judge.verdict(*said)
    why = [*(f"{part.name} {part.value:+g}" for part in verdict.parts if part.value), verdict.reason]
    return Evidence(
        said.text,
        verdict.reward,
        sample.reward,
        right=sample.answer.core if sample.answer.known and len(sample.answer.core) <= SHORT else "",
        task_id=sample.task.id,
        index=subject.indices[said.task],
        prompt=sample.prompt,
        reason="; ".join(why).strip("; "),
    )


def played(subject: Subject, plays: Sequence[Play]) -> tuple[Played, ...]:
    """What everything that was played earned, paid or not: an entry a rule. All was judged before."""
    found = []
    for rule, ways in outcomes(subject, plays).items():
        worst = max(ways, key=lambda way: way.mean)
        tasks = {said.task for way in ways for said in way.said}
        most = max(max(way.shares) for way in ways)
        found.append(Played(rule, len(ways), len(tasks), worst.mean, most, worst.variant))
    return tuple(sorted(found, key=lambda one: (-one.mean, one.rule)))


def disagreements(subject: Subject, against: Definition) -> list[Disagreement]:
    """Where another verifier pays otherwise on what is played: one a text, in the order of the tasks.

    None where neither verifier can prove anything.
    """
    other = AuditJudge(against, subject.judge.tasks, subject.judge.pool)
    said = [one for one in _asked(subject) if len(one.text) <= MAX_CHARS]
    found = []
    for one, first, second in zip(said, subject.judge.verdicts(said), other.verdicts(said), strict=True):
        if UNJUDGED in (first, second):
            continue
        opinions = Opinion(subject.definition.verifier, first), Opinion(against.verifier, second)
        between = disagreement(subject.judge.tasks[one.task], subject.judge.completion(one), *opinions)
        found += [] if between is None else [between]
    return found


def _asked(subject: Subject) -> list[Said]:
    right = [Said(task, sample.answer.text) for task, sample in enumerate(subject.samples)]
    attacks = [one for one in attacks_on(subject) if one.name == RULE or (one.tasks is None and not one.shown)]
    tasks = len(subject.samples)
    plays = [
        play
        for one in attacks
        for play in plays_of(subject, one, range(tasks if one.shown else min(tasks, ATTACKS_ON)))
    ]
    return sorted(dict.fromkeys([*right, *(play.said for play in plays)]), key=lambda one: one.task)
