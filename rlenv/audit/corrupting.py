"""Plays corrupted references and answers that hedge: who pays for them does not read the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rlenv.audit.corruptions import corrupted
from rlenv.audit.finding import Finding
from rlenv.audit.judge import Said
from rlenv.audit.severity import Severity, severity_of
from rlenv.audit.subject import Sample, Subject
from rlenv.audit.tally import Play, Rate, findings
from rlenv.evidence.answers import announces_tolerance, same

RULE = "corruption"
HEDGE = "hedge"
WRITING = "accepts"
JOINERS = {"or": " or ", "a comma": ", ", "a space": " ", "a new line": "\n", "equals": " = ", "a slash": "/"}
SHORT = 80
"""Answers of more characters are not hedged: they do not stand beside another in one place."""
ALIKE, ALIKE_OF = 4, 128
"""How many answers of other tasks are given for a task's own, of how many."""


def corruption_plays(subject: Subject) -> list[Play]:
    """Every corruption of every answer that is known to be the only right one."""
    made = [play for task, sample in enumerate(subject.samples) for play in _corruptions(task, sample)]
    return made + [play for task in range(len(subject.samples)) for play in _taken_for_another(subject, task)]


def corruption_findings(subject: Subject, plays: Sequence[Play]) -> list[Finding]:
    """What is paid of answers that are wrong, and a note on the writings that are accepted.

    Where the verdict does not hang on the reference (any route that arrives is right), a changed answer may be
    as right: then what is paid is a question, not a defect.
    """
    message = "pays for a wrong answer made of the right one"
    rate: Rate = severity_of
    if subject.by_rule:
        message, rate = "pays for a changed answer, by a rule that many answers may meet", _property
    wrong = [play for play in plays if play.rule != WRITING]
    writings = [play for play in plays if play.rule == WRITING]
    about = {play.rule: message for play in wrong}
    return findings(subject, wrong, about, rate) + findings(
        subject, writings, {WRITING: "accepts other writings of the right answer"}, _property
    )


def hedge_findings(subject: Subject) -> list[Finding]:
    """Answers that name a right and a wrong value: a defect where they are paid in either order.

    Where only the last or the first of several counts, naming more than one earns no more than naming one.
    """
    first: list[Play] = []
    second: list[Play] = []
    for task, sample in enumerate(subject.samples):
        for variant, one, other in _hedges(subject, task, sample):
            first.append(Play(HEDGE, variant, Said(task, one)))
            second.append(Play(HEDGE, variant, Said(task, other)))
    if not first:
        return []
    either = []
    for play, turned in zip(first, second, strict=True):
        rewards = subject.judge.rewards([play.said, turned.said])
        shares = [subject.share(play.said.task, reward) for reward in rewards]
        either.append(play if shares[0] <= shares[1] else turned)
    return findings(subject, either, {HEDGE: "pays for two answers at once, in either order"})


def wrong_answer(subject: Subject, task: int) -> str | None:
    """An answer to the task that earns nothing: a corrupted one, another task's or nonsense."""
    sample = subject.samples[task]
    cores = [c.core for c in corrupted(sample.answer.core, sample.prompt) if c.certainty == "wrong"][:4]
    if not sample.answer.known:
        cores = []
    cores += [other for other in subject.scene(task).others[:3] if not same(other, sample.answer.core)]
    for core in [*cores, "zqxj"]:
        text = sample.answer.framed(core)
        reward = subject.judge.verdict(task, text).reward
        if reward is not None and subject.share(task, reward) <= 0:
            return core
    return None


def _corruptions(task: int, sample: Sample) -> Iterator[Play]:
    if not sample.answer.known or sample.reward <= 0:
        return
    tolerant = announces_tolerance(sample.prompt)
    for one in corrupted(sample.answer.core, sample.prompt):
        text = sample.answer.framed(one.core)
        if one.core == sample.answer.core:
            continue
        if one.certainty == "writing" or (one.certainty == "near" and tolerant):
            yield Play(WRITING, one.kind, Said(task, text))
        elif not same(one.core, sample.answer.core):
            rule = f"{RULE}/near/{one.kind}" if one.certainty == "near" else f"{RULE}/{one.kind}"
            yield Play(rule.replace(" ", "-").replace(",", ""), one.kind, Said(task, text))


def _taken_for_another(subject: Subject, task: int) -> Iterator[Play]:
    """The other tasks' answers that are written most like this one: "sixty-eight" for "sixty-nine"."""
    answer, asked = subject.samples[task].answer, subject.samples[task].prompt
    if not answer.known or answer.kind != "text" or len(answer.core) > SHORT or subject.samples[task].reward <= 0:
        return
    samples = [subject.samples[(task + step) % len(subject.samples)] for step in range(1, ALIKE_OF)]
    others = {one.answer.core for one in samples if one.answer.kind == "text" and one.prompt != asked}
    likeness = SequenceMatcher(b=answer.core)  # what it knows of b is kept from one to the next

    def like(core: str) -> float:
        likeness.set_seq1(core)
        return likeness.ratio()

    wrong = [core for core in others if len(core) <= SHORT and not same(core, answer.core)]
    for core in sorted(sorted(wrong), key=like, reverse=True)[:ALIKE]:
        yield Play(f"{RULE}/nearly-the-same-answer", "another task's answer", Said(task, answer.framed(core)))


def _hedges(subject: Subject, task: int, sample: Sample) -> Iterator[tuple[str, str, str]]:
    answer = sample.answer
    if not answer.known or len(answer.core) > SHORT or answer.kind in ("structure", "long"):
        return
    wrong = wrong_answer(subject, task)
    if wrong is None or len(wrong) > SHORT:
        return
    for name, joiner in JOINERS.items():
        pair = (answer.framed(f"{answer.core}{joiner}{wrong}"), answer.framed(f"{wrong}{joiner}{answer.core}"))
        yield f"joined by {name}", *pair
    right, other = answer.text, answer.framed(wrong)
    yield "two completions in one", f"{right}\n{other}", f"{other}\n{right}"
    several = [wrong, *(o for o in subject.scene(task).others[:6] if not same(o, answer.core) and len(o) <= SHORT)]
    spread = "\n".join(map(answer.framed, several))
    yield "many completions in one", f"{right}\n{spread}", f"{spread}\n{right}"


def _property(shares: Sequence[float]) -> Severity:
    return Severity.INFO
