"""Findings of one cause are one: what several rules show of a reward is one finding, with its smallest completion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rlenv.audit.judge import Said
from rlenv.audit.playing import evidence
from rlenv.audit.subject import Subject
from rlenv.evidence.answers import bare, number
from rlenv.evidence.exploits import EXPLOITS, Exploit, shown_by
from rlenv.evidence.exploits.finding import Finding, Severity
from rlenv.evidence.parts import marked
from rlenv.evidence.shrink import shrunk

AS_MUCH = 0.8
"""From this share of what another finding earns on, an exploit may be its cause."""
SHRUNK = 4
"""So many of the worst findings get their completion shrunk."""
LOOSE = ("any_text", "decoration", "answer_anywhere", "any_answer", "several_answers", "borrowed")
"""Exploits whose smallest completion tells more than their rule does."""
SHAPING, HALF = ("form_only", "changed_answer", "part_of_answer"), 0.5
"""Exploits that are low at most where they earn less than this share of the right answer."""
NEAR = 0.25
"""A number this near to the answer is paid for being near."""
FORM = re.compile(r"</?\w+>|\\boxed|```\w*|\bnull\b")  # <answer>, \boxed, a fence and null
HOLDS = ("corruption/another-digit", "corruption/a-digit", "corruption/a-zero", "corruption/more-letters")
"""Changed answers with more signs: who is paid for them is paid for the signs of the right one."""


def by_cause(subject: Subject, found: Sequence[Finding]) -> list[Finding]:
    """The findings, those of one cause as one; what is only a property stays as it is."""
    notes = [finding for finding in found if finding.severity is Severity.INFO]
    holes = [finding for finding in found if finding.severity is not Severity.INFO]
    groups = _grouped([replace(finding, exploit=_cause(subject, finding)) for finding in holes])
    groups.sort(key=_weight, reverse=True)
    small = [_small(subject, one) if place < SHRUNK else one for place, one in enumerate(groups)]
    merged = _grouped([replace(one, exploit=_seen_closely(subject, one)) for one in small])
    order = list(EXPLOITS)
    for one in sorted(merged, key=lambda m: order.index(m.exploit.name) if m.exploit.name in order else len(order)):
        mine = [other for other in merged if other is not one and _covers(one, other)] if one in merged else []
        if mine:
            merged = [_joined(one, mine) if other is one else other for other in merged if other not in mine]
    return [*sorted(map(_rated, merged), key=_weight, reverse=True), *notes]


def _rated(finding: Finding) -> Finding:
    """A form, or a part of the answer, may earn a part of the pay: below half of it that is how rewards are shaped."""
    small = finding.exploit.name in SHAPING and finding.mean < HALF
    return replace(finding, severity=min(finding.severity, Severity.LOW)) if small else finding


def _grouped(found: Sequence[Finding]) -> list[Finding]:
    """One finding for each exploit: the worst."""
    groups: dict[str, list[Finding]] = {}
    for finding in found:
        groups.setdefault(finding.exploit.name, []).append(finding)
    return [_merged(group) for group in groups.values()]


def _weight(finding: Finding) -> tuple[Severity, float]:
    return finding.severity, finding.mean


def _covers(one: Finding, other: Finding) -> bool:
    return (
        one.exploit.has_cause_of(other.exploit) and one.mean >= AS_MUCH * other.mean and one.severity >= other.severity
    )


def _cause(subject: Subject, finding: Finding) -> Exploit:
    """The exploit of a rule; a changed answer that still holds the right one is paid for holding it."""
    seen = finding.evidence
    if seen is not None and finding.rule.startswith(HOLDS) and seen.index in subject.indices:
        answer = subject.samples[subject.indices.index(seen.index)].answer
        core = bare(answer.core)
        if answer.known and len(core) > 1 and core in bare(seen.text) and core != bare(seen.text):
            return EXPLOITS["answer_anywhere"]
    return shown_by(finding.rule, finding.message.partition(":")[0].removeprefix("pays for "))


def _seen_closely(subject: Subject, finding: Finding) -> Exploit:
    """What the shrunk completion shows of the cause."""
    exploit, seen = finding.exploit, finding.evidence
    if seen is None or not seen.reward or exploit.name not in LOOSE or subject.turns:
        return exploit
    task, said, right = subject.indices.index(seen.index), number(bare(seen.text)), number(seen.right)
    if said is not None and right:
        return EXPLOITS["near_answer"] if 0 < abs(said - right) <= NEAR * abs(right) else exploit
    if exploit.name in ("any_text", "decoration") and _by_length(subject, task):
        return EXPLOITS["length"]
    if exploit.name == "any_text" and seen.text.strip() and not re.search(r"\w", FORM.sub("", seen.text)):
        return EXPLOITS["form_only"]
    if exploit.name == "answer_anywhere" and len(marked(seen.text)) > 1:
        return EXPLOITS["several_answers"]
    return exploit


def _by_length(subject: Subject, task: int) -> bool:
    """Whether the same nothing is paid more where there is more of it."""
    texts = [subject.samples[task].answer.framed("so it may be " * count) for count in (1, 8, 64)]
    rewards = [reward or 0.0 for reward in subject.judge.rewards([Said(task, text) for text in texts])]
    return rewards[0] < rewards[-1] and rewards == sorted(rewards)


def _merged(group: Sequence[Finding]) -> Finding:
    """The worst of the findings, with the shortest text where several earn as much."""
    worst = max(group, key=lambda one: (*_weight(one), *_plain(one)))
    return _joined(worst, [one for one in group if one is not worst])


def _plain(finding: Finding) -> tuple[bool, int]:
    """A short text that anybody can read shows more than others."""
    text = "" if finding.evidence is None else finding.evidence.text
    return text.isascii(), -len(text)


def _joined(worst: Finding, others: Sequence[Finding]) -> Finding:
    rules = dict.fromkeys([*worst.rules, *(rule for other in others for rule in other.rules)])
    also = {**worst.also, **{f"{other.rule}: {other.variant}".removesuffix(": "): other.mean for other in others}}
    return replace(worst, rules=tuple(rules), also=dict(sorted(also.items(), key=lambda item: -item[1])))


def _small(subject: Subject, finding: Finding) -> Finding:
    """The finding with its completion shrunk, where its answer is known; in one turn, and where judging is cheap."""
    seen = finding.evidence
    if seen is None or seen.reward is None or seen.reward <= 0 or subject.turns or subject.judge.stopped:
        return finding
    task = subject.indices.index(seen.index)
    answer, half = subject.samples[task].answer, HALF * seen.reference_reward
    least = max(0.9 * seen.reward, half if seen.reward >= half else 0.0)
    plain = finding.exploit.name not in ("unsteady", "right_refused", "tasks", "robustness", "decoration", "length")
    if not answer.known or subject.programs or not plain:
        return finding

    def paid(text: str) -> bool:
        reward = subject.judge.verdict(task, text).reward
        return reward is not None and reward >= least

    text = shrunk(seen.text, paid, answer.core)
    if text == seen.text:
        return finding
    return replace(finding, evidence=evidence(subject, Said(task, text)))
