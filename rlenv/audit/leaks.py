"""What the tasks give away before anything is judged: references shown, prompts asked twice, splits that overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlenv.audit.finding import Finding
from rlenv.audit.judge import Said
from rlenv.audit.severity import CUTOFFS, Severity, severity_of
from rlenv.audit.subject import Subject
from rlenv.audit.tally import Rate, evidence
from rlenv.core.jsontypes import canonical
from rlenv.core.task import Task, TaskSet, prompt_text
from rlenv.env.environment import Environment
from rlenv.env.tasksets import ListTasks
from rlenv.turns.play import reference_completion

MIN_CHARS = 3
"""Shorter answers stand in many texts by chance."""
LISTED = 20_000
GROUP = 4
DRAWN = 16
"""Of splits that are drawn so many tasks each: two that are one set of up to 85 prompts share one of them at 95 %."""


def leak_findings(subject: Subject, splits: Mapping[str, TaskSet]) -> list[Finding]:
    """All that can be seen without a verdict, but for contradictions, which are judged."""
    return [*_info(subject), *_prompt(subject), *_asked_twice(subject), *_overlaps(subject, splits)]


def _info(subject: Subject) -> list[Finding]:
    """The reference in what reset and step hand out beside the prompt, more often than those of other tasks."""
    environment = Environment(subject.definition)
    shown = []
    for sample in subject.samples:
        observation, info = environment.reset(options={"task": sample.task})
        beside = observation.replace(sample.prompt, "") + repr({k: v for k, v in info.items() if v != sample.task})
        shown.append(beside)
        environment.close()
    return _excess(subject, shown, "leak/info", "what reset returns beside the prompt holds the answer", severity_of)


def _prompt(subject: Subject) -> list[Finding]:
    """A property: whether a policy can find the place is for the attackers to show."""
    prompts = [sample.prompt for sample in subject.samples]
    return _excess(
        subject, prompts, "answer-in-prompt", "the answer stands somewhere in the prompt", lambda shares: Severity.INFO
    )


def _excess(subject: Subject, texts: Sequence[str], rule: str, message: str, rate: Rate) -> list[Finding]:
    cores = [sample.answer.core.strip() for sample in subject.samples]
    own = [len(core) >= MIN_CHARS and core in text for core, text in zip(cores, texts, strict=True)]
    others = [
        len(core) >= MIN_CHARS and core != cores[i] and core in text
        for i, text in enumerate(texts)
        for core in [cores[(i + 1) % len(cores)]]
    ]
    excess = sum(own) / len(own) - sum(others) / len(others)
    if excess < CUTOFFS[Severity.MEDIUM]:
        return []
    place = own.index(True)
    return [
        Finding(
            rule=rule,
            severity=rate([float(one) for one in own]),
            message=f"{message} on {sum(own)} of {len(own)} tasks",
            mean=sum(own) / len(own),
            most=1.0,
            paid=sum(own),
            tried=len(own),
            evidence=evidence(subject, Said(place, subject.samples[place].answer.text)),
        )
    ]


def _asked_twice(subject: Subject) -> list[Finding]:
    """Prompts that stand twice with references of which one is not paid where the other is right."""
    if subject.paid_as_a_whole:
        return []
    all_tasks = subject.definition.tasks
    listed = isinstance(all_tasks, ListTasks) and len(all_tasks) <= LISTED
    numbers = list(range(len(all_tasks))) if listed else subject.indices
    made = dict(zip(subject.indices, subject.judge.tasks, strict=True))  # to make one again may take long
    tasks = {number: made[number] if number in made else all_tasks[number] for number in numbers}
    places: dict[str, list[int]] = {}
    for number in numbers:
        places.setdefault(prompt_text(tasks[number].prompt), []).append(number)
    twice = [group for group in places.values() if len(group) > 1]
    contrary = [group for group in twice if _contradict(subject, [tasks[n] for n in group])]
    if not contrary:
        return []
    share = sum(map(len, contrary)) / len(numbers)
    found = next(((task, number) for group in contrary for number in group for task in _audited(subject, number)), None)
    shown = evidence(subject, Said(found[0], subject.samples[found[0]].answer.text)) if found else None
    return [
        Finding(
            rule="tasks/contradictory",
            severity=max(Severity.LOW, severity_of([1.0] * round(share * 100) + [0.0] * round((1 - share) * 100))),
            message=f"{sum(map(len, contrary))} of {len(numbers)} tasks share a prompt and have different references: "
            f"{prompt_text(tasks[contrary[0][0]].prompt)[:80]!r}",
            mean=share,
            most=1.0,
            paid=sum(map(len, contrary)),
            tried=len(numbers),
            evidence=shown,
        )
    ]


def _contradict(subject: Subject, tasks: Sequence[Task]) -> bool:
    """True where a right answer to one is wrong for another: several right answers to a question are none."""
    if len({canonical(task.reference) for task in tasks}) == 1:
        return False
    solutions = [reference_completion(subject.definition, task) for task in tasks[:GROUP]]
    jobs = [(task, solution) for task in tasks[:GROUP] for solution in solutions]
    rewards = [verdict.reward or 0.0 for verdict in subject.judge.grader().verdicts(jobs)]
    return min(rewards) < max(rewards)


def _audited(subject: Subject, number: int) -> list[int]:
    return [subject.indices.index(number)] if number in subject.indices else []


def _overlaps(subject: Subject, splits: Mapping[str, TaskSet]) -> list[Finding]:
    """Prompts of the test split that stand in another split, as far as they are read."""
    if "test" not in splits:
        return []
    test = _prompts(subject, splits["test"])
    found = []
    for name, tasks in splits.items():
        both = test & _prompts(subject, tasks) if name != "test" else set()
        if both:
            share = len(both) / len(test)
            shares = [1.0] * len(both) + [0.0] * (len(test) - len(both))
            found.append(
                Finding(
                    rule="tasks/split-overlap",
                    severity=max(Severity.LOW, severity_of(shares)),
                    message=f"{len(both)} of {len(test)} prompts of the split 'test' stand in {name!r} too: "
                    f"{min(both)[:80]!r}",
                    variant=name,
                    mean=share,
                    most=1.0,
                    paid=len(both),
                    tried=len(test),
                )
            )
    return found


def _prompts(subject: Subject, tasks: TaskSet) -> set[str]:
    """The prompts of a listed set; of one that is drawn, the first. With the reference, where the prompt is not all."""
    size = len(tasks) if isinstance(tasks, ListTasks) and len(tasks) <= LISTED else min(DRAWN, len(tasks))
    some = (tasks[i] for i in range(size))
    hidden = subject.paid_as_a_whole
    return {prompt_text(task.prompt) + (f"\n{canonical(task.reference)}" if hidden else "") for task in some}
