"""What the tasks give away before anything is judged: references shown, prompts asked twice, splits that overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rlenv.audit.judge import Said
from rlenv.audit.playing import Rate, evidence, of_shares
from rlenv.audit.severity import CUTOFFS, severity_of
from rlenv.audit.splits import LISTED, overlap_findings
from rlenv.audit.subject import Subject
from rlenv.core.jsontypes import canonical
from rlenv.core.task import Task, TaskSet, prompt_text
from rlenv.env.environment import Environment
from rlenv.env.tasksets import ListTasks
from rlenv.evidence.exploits.finding import Finding, Severity
from rlenv.turns.play import reference_completion

MIN_CHARS = 3
"""Shorter answers stand in many texts by chance."""
GROUP = 4


def leak_findings(subject: Subject, splits: Mapping[str, TaskSet]) -> list[Finding]:
    """All that can be seen without a verdict, but for contradictions, which are judged."""
    prompts = [sample.prompt for sample in subject.samples]
    beside, shown = "what reset returns beside the prompt holds the answer", "the answer stands somewhere in the prompt"
    return [
        *_excess(subject, _beside(subject), "leak/info", beside, severity_of),
        # a property: whether a policy can find the place is for the attackers to show
        *_excess(subject, prompts, "answer-in-prompt", shown, lambda _: Severity.INFO),
        *_asked_twice(subject),
        *overlap_findings(splits, hidden=subject.paid_as_a_whole),
    ]


def _beside(subject: Subject) -> list[str]:
    """What reset and step hand out beside the prompt."""
    environment, shown = Environment(subject.definition), []
    for sample in subject.samples:
        observation, info = environment.reset(options={"task": sample.task})
        shown.append(observation.replace(sample.prompt, "") + repr({k: v for k, v in info.items() if v != sample.task}))
        environment.close()
    return shown


def _excess(subject: Subject, texts: Sequence[str], rule: str, message: str, rate: Rate) -> list[Finding]:
    """A finding where the answer stands in its text more often than those of other tasks do."""
    cores = [sample.answer.core.strip() for sample in subject.samples]
    turned = [*cores[1:], cores[0]]
    own = [float(len(core) >= MIN_CHARS and core in text) for core, text in zip(cores, texts, strict=True)]
    others = [
        len(core) >= MIN_CHARS and core != mine and core in text
        for core, mine, text in zip(turned, cores, texts, strict=True)
    ]
    if (sum(own) - sum(others)) / len(own) < CUTOFFS[Severity.MEDIUM]:
        return []
    place = own.index(1.0)
    seen = evidence(subject, Said(place, subject.samples[place].answer.text))
    return [of_shares(rule, rate(own), f"{message} on {sum(own):g} of {len(own)} tasks", own, seen)]


def _asked_twice(subject: Subject) -> list[Finding]:
    """Prompts that stand twice with references of which one is not paid where the other is right."""
    if subject.paid_as_a_whole:
        return []
    all_tasks = subject.definition.tasks
    listed = isinstance(all_tasks, ListTasks) and len(all_tasks) <= LISTED
    made = dict(zip(subject.indices, subject.judge.tasks, strict=True))  # to make one again may take long
    tasks = {number: made.get(number) or all_tasks[number] for number in (range(len(all_tasks)) if listed else made)}
    places: dict[str, list[int]] = {}
    for number, task in tasks.items():
        places.setdefault(prompt_text(task.prompt), []).append(number)
    twice = [group for group in places.values() if len(group) > 1]
    contrary = [n for group in twice if _contradict(subject, [tasks[n] for n in group]) for n in group]
    if not contrary:
        return []
    shares = [float(number in {*contrary}) for number in tasks]
    place = next((subject.indices.index(number) for number in contrary if number in made), None)
    seen = None if place is None else evidence(subject, Said(place, subject.samples[place].answer.text))
    message = (
        f"{len(contrary)} of {len(tasks)} tasks share a prompt and have different references: "
        f"{prompt_text(tasks[contrary[0]].prompt)[:80]!r}"
    )
    severity = max(Severity.LOW, severity_of(shares))
    return [replace(of_shares("tasks/contradictory", severity, message, shares), evidence=seen)]


def _contradict(subject: Subject, tasks: Sequence[Task]) -> bool:
    """True where a right answer to one is wrong for another: several right answers to a question are none."""
    if len({canonical(task.reference) for task in tasks}) == 1:
        return False
    solutions = [reference_completion(subject.definition, task) for task in tasks[:GROUP]]
    jobs = [(task, solution) for task in tasks[:GROUP] for solution in solutions]
    rewards = [verdict.reward or 0.0 for verdict in subject.judge.grader().verdicts(jobs)]
    return min(rewards) < max(rewards)
