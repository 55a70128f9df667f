"""Plays the catalogue: every attacker on every task, in every frame, and what the copies say of the prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from rlenv.audit.catalogue import CATALOGUE, PROGRAMS
from rlenv.audit.catalogue.attack import BARE, TURN_MARK, Attack, Frame
from rlenv.audit.finding import Finding
from rlenv.audit.judge import Said, Way
from rlenv.audit.severity import CUTOFFS, Severity, lower_bound, severity_of
from rlenv.audit.subject import Subject
from rlenv.audit.tally import PAID, Play, findings, outcomes
from rlenv.evidence.answers import same

FAMILY = "attack"
FIRST_TASKS = 16
COSTLY = ("cost", "costly-program")
"""They are played when all else has been: a checker may run past its limit on them."""
_GUESSES = ("constant", "script")
"""What they earn where they happen to be right is the guess rate."""
TEXTS_ON = 3
"""On how many tasks texts are tried that are no programs, where programs are asked for."""


def attackers(subject: Subject, extra: Sequence[Attack] = ()) -> tuple[Attack, ...]:
    """Those of the catalogue that fit, and the caller's; where programs are asked for, texts are tried on few tasks."""
    if not subject.programs:
        return (*CATALOGUE, *extra)
    texts = (replace(attack, tasks=min(attack.tasks or TEXTS_ON, TEXTS_ON)) for attack in CATALOGUE)
    return (*texts, *PROGRAMS, *extra)


def attack_plays(subject: Subject, attacks: Sequence[Attack], tasks: range | None = None) -> list[Play]:
    """Every text of every attacker, on these tasks (default: all)."""
    numbers = range(len(subject.samples)) if tasks is None else tasks
    return [play for task in numbers for attack in attacks for play in _plays(subject, attack, task)]


def first_tasks(subject: Subject) -> range:
    """The tasks on which every attacker is tried; on the others only one that was paid on these.

    A rule that is to be found at medium has to be paid on 4 of 32 tasks. Where it pays on a share p of all tasks, that
    it does so and is paid on none of the first 16 has a probability of (1 - p)^16 P(Bin(16, p) >= 4): 1.6 % at most.
    """
    count = len(subject.samples)
    return range(min(count, max(FIRST_TASKS, count // 2)))


def attack_findings(subject: Subject, attacks: Sequence[Attack], first: Sequence[Play]) -> list[Finding]:
    """What paid, of the plays on the first tasks and, where one of them was paid or fits few tasks, on the others.

    Copies of the prompt are rated as such: a place that is often right is a fact about the tasks.
    """
    about = {_rule(attack): attack.about for attack in attacks}
    others = range(len(first_tasks(subject)), len(subject.samples))
    by_rule: dict[str, list[Play]] = {}
    for play in first:
        by_rule.setdefault(play.rule, []).append(play)
    found = []
    for attack in attacks:
        mine = by_rule.get(_rule(attack), [])
        paid = any(max(way.shares) >= PAID for ways in outcomes(subject, mine).values() for way in ways)
        if others and (paid or attack.fitting):
            mine = [*mine, *attack_plays(subject, [attack], others)]
        tried = 0 if attack.fitting else min(len(subject.samples), attack.tasks or len(subject.samples))
        rate = _rated(attack, subject)
        found += findings(subject, mine, about, rate, tried)
    return found


def _rated(attack: Attack, subject: Subject) -> Callable[[Sequence[float]], Severity]:
    if attack.copies:
        return partial(copy_severity, guess_rate=subject.guess_rate()[0])
    return partial(constant_severity, guess_rate=subject.guess_rate()[0]) if attack.name in _GUESSES else severity_of


def constant_severity(shares: Sequence[float], guess_rate: float = 0.0) -> Severity:
    """Of one answer to every task: what a right one earns as well is reported as the guess rate.

    >>> constant_severity([1.0] * 4 + [0.0] * 4, guess_rate=0.5).word
    'info'
    """
    return Severity.INFO if sum(shares) <= guess_rate * len(shares) + 1e-9 else severity_of(shares)


def copy_severity(shares: Sequence[float], guess_rate: float = 0.0) -> Severity:
    """Of an answer that stands at a known place of the prompt: a leak where it does so on most tasks.

    Below that it is chance or the nature of the tasks: the smaller of two numbers is often their divisor. What a
    constant earns as well is taken off: a prompt that says "True or False" gives nothing away.

    >>> copy_severity([1.0] * 16).word, copy_severity([1.0] * 4 + [0.0] * 12).word
    ('critical', 'info')
    >>> copy_severity([1.0] * 11 + [0.0] * 5, guess_rate=0.6).word
    'info'
    """
    mean = sum(shares) / len(shares)
    excess = (mean - guess_rate) / (1 - guess_rate) if guess_rate < 1 else 0.0
    for severity in (Severity.CRITICAL, Severity.HIGH):
        if excess >= CUTOFFS[severity] and lower_bound(excess, len(shares)) >= CUTOFFS[Severity.HIGH] / 2:
            return severity
    return Severity.INFO


def _plays(subject: Subject, attack: Attack, task: int) -> Iterator[Play]:
    if attack.tasks is not None and task >= attack.tasks:
        return
    answer = subject.samples[task].answer
    for body in attack.bodies(subject.scene(task)):
        says = body.text if body.says is None else body.says
        guessed = not attack.copies and same(says, answer.core)
        if attack.turns:
            guessed = body.text == TURN_MARK.join(subject.judge.script(task))
        for frame in _frames(subject, attack, task):
            text = f"{frame.before}{body.text}{frame.after}"
            if text != answer.text or guessed or attack.copies:
                for way in _ways(subject, attack, frame):
                    variant = _variant(body.variant, frame) + (", once" if way == "once" else "")
                    yield Play(_rule(attack), variant, Said(task, text, way), guessed)


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


def _variant(variant: str, frame: Frame) -> str:
    return variant if frame is BARE or frame.name == BARE.name else f"{variant}, framed {frame.name}"


def _rule(attack: Attack) -> str:
    return f"{FAMILY}/{attack.name}"
