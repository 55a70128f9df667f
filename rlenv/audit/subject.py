"""What is audited: tasks drawn from an environment, a right answer to each, and what that earns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rlenv.audit.judge import AuditJudge, Said
from rlenv.core.definition import Definition
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Verdict
from rlenv.evidence.answers import Answer, bare, last_marked, locate, number, same
from rlenv.evidence.exploits.attack import Known, Scene
from rlenv.evidence.exploits.moves import corrupted
from rlenv.evidence.parts import BARE, FRAMES, Frame
from rlenv.workers.pool import Pool

NONSENSE = "zqxj"
"""Stands where the answer stood, to see whether the reward hangs on it."""
OTHERS = 32
MAX_OTHER_CHARS = 2_000
ASKED_FOR = 3
_TAGS = re.compile(r"<(\w{1,20})>(?=[^<>]{0,40}</\1>)")  # <ladder></ladder>, <answer>...</answer>
_LABEL = re.compile(r"['\"`](\w[\w ]{0,30}:)\s*[<\[{.]")  # 'Result: <number>'
CONTEXT_LENGTHS = (24, 12, 6)


@dataclass(frozen=True, slots=True)
class Sample:
    """A task with its prompt as text and a right completion, taken apart."""

    task: Task
    prompt: str
    answer: Answer
    reward: float
    """What the right completion earns; 0 where the checker failed on it."""


class Canaries(NamedTuple):
    """Right completions beside a reference that is wrong on purpose: a check that compares with it pays none."""

    asked: int
    paid: int


NO_CANARIES = Canaries(0, 0)


class Subject:
    """The tasks of an audit and the judge of their completions."""

    def __init__(self, definition: Definition, count: int, seed: int = 0, pool: Pool | None = None) -> None:
        self.definition = definition
        self.indices = drawn(len(definition.tasks), count, seed)
        tasks = [definition.tasks[index] for index in self.indices]
        self.judge = AuditJudge(definition, tasks, pool)
        self.programs = self.judge.batch
        """Completions are programs, as far as is known: they are run by a verifier that isolates by itself."""
        self.turns = definition.interaction is not None
        """Episodes have several turns; a right completion is then the last one, behind the others of the reference."""
        self.paid_as_a_whole = self.turns and getattr(definition.verifier, "sees_turns", False)
        """The verifier judges all turns; what decides may stand in no prompt, as a number to guess does."""
        solutions = [self.judge.script(number)[-1] for number in range(len(tasks))]
        self.right: list[Verdict] = self.judge.verdicts([Said(i, text) for i, text in enumerate(solutions)])
        answers = self._taken_apart(tasks, solutions)
        self.samples = [
            Sample(task, prompt_text(task.prompt), answer, verdict.reward or 0.0)
            for task, answer, verdict in zip(tasks, answers, self.right, strict=True)
        ]
        self._frames: dict[int, list[Frame]] = {}
        self._scenes: dict[int, Scene] = {}
        self.canaries = self._canaries()
        """How right answers fared beside the reference of another task, which is wrong for them."""
        self.by_rule = self.canaries.paid > self.canaries.asked / 2
        """Right answers are right whatever the reference says: a rule of the task decides."""
        self.floor = self._floor()
        """What counts as nothing: 0, or where right answers earn no more than that, what a wrong one earns."""

    def share(self, task: int, reward: float | None) -> float:
        """A reward in units of what a right answer to this task earns; 0 where either cannot be said."""
        right = self.samples[task].reward - self.floor
        if reward is None or right <= 0:
            return 0.0
        return max(0.0, (reward - self.floor) / right)

    def frames(self, task: int) -> list[Frame]:
        """What stands around answers in right completions of other tasks; bare first."""
        if task not in self._frames:
            self._frames[task] = self._made_frames(task)
        return self._frames[task]

    def _made_frames(self, task: int) -> list[Frame]:
        answers = [s.answer for i, s in enumerate(self.samples) if i != task]
        if not answers:
            return [BARE]
        neighbour = self.samples[(task + 1) % len(self.samples)].answer
        found = [
            BARE,
            *asked_for(self.samples[task].prompt),
            Frame("as in another task", neighbour.before, neighbour.after),
        ]
        before = _common_end([a.before for a in answers])
        after = _common_start([a.after for a in answers])
        found.append(Frame("as in all other tasks", before, after))
        return list({(f.before, f.after): f for f in reversed(found)}.values())[::-1]

    def scene(self, task: int, *, shown: bool = False) -> Scene:
        """What an attacker of this task knows; with `shown`, the right answer too."""
        if task not in self._scenes:
            self._scenes[task] = self._made_scene(task)
        scene = self._scenes[task]
        if shown and scene.known is None:
            known = Known(self.samples[task].answer, self.wrong(task))
            self._scenes[task] = scene._replace(known=known)
        return self._scenes[task] if shown else scene._replace(known=None)

    def _made_scene(self, task: int) -> Scene:
        order = [*range(task + 1, len(self.samples)), *range(task)]
        others = [self.samples[i].answer for i in order]
        counted = Counter(a.core for a in others if len(a.core) <= MAX_OTHER_CHARS)
        frequent = tuple(core for core, _ in counted.most_common(OTHERS))
        scripts = tuple(self.judge.script(i) for i in order[:OTHERS]) if self.turns else ()
        return Scene(self.samples[task].prompt, frequent, tuple(others[:OTHERS]), self._contexts(order), scripts)

    def wrong(self, task: int) -> str | None:
        """An answer to the task that earns nothing: a corrupted one, another task's or nonsense."""
        others = self.scene(task).others
        answer, prompt = self.samples[task].answer, self.samples[task].prompt
        made = corrupted(answer.core, prompt) if answer.known else ()
        cores = [one.core for one in made if not one.near][:4]
        cores += [other for other in others[:3] if not same(other, answer.core)]
        for core in [*cores, NONSENSE]:
            reward = self.judge.verdict(task, answer.framed(core)).reward
            if reward is not None and self.share(task, reward) <= 0:
                return core
        return None

    def guess_rate(self) -> tuple[float, str, int]:
        """How often the most frequent answer is right, which that is, and how many different ones there are."""
        said = [sample.answer.core for sample in self.samples]
        if self.paid_as_a_whole:  # not the last turn alone is right or wrong
            said = ["\n".join(self.judge.script(number)) for number in range(len(self.samples))]
        cores = [bare(core) for core in said]
        (most, count), *_ = Counter(cores).most_common(1)
        return count / len(cores), said[cores.index(most)], len(set(cores))

    def generic_frames(self, task: int) -> list[Frame]:
        known = {(frame.before, frame.after) for frame in self.frames(task)}
        return [frame for frame in FRAMES if (frame.before, frame.after) not in known]

    def _taken_apart(self, tasks: Sequence[Task], solutions: Sequence[str]) -> list[Answer]:
        """Each solution around its answer: a place counts only where the reward hangs on what stands there."""
        if self.programs:
            return [Answer("", solution, "", False) for solution in solutions]
        found = [locate(task.reference, solution) for task, solution in zip(tasks, solutions, strict=True)]
        for attempt in (last_marked, lambda solution: Answer("", solution, "", False)):
            verdicts = self.judge.verdicts([Said(i, a.framed(NONSENSE)) for i, a in enumerate(found)])
            for i, (verdict, right) in enumerate(zip(verdicts, self.right, strict=True)):
                whole = not found[i].before and not found[i].after
                if not whole and verdict.reward is not None and verdict.reward >= (right.reward or 0.0):
                    found[i] = attempt(solutions[i])
        return found

    def _canaries(self) -> Canaries:
        """AuditJudge right answers beside the reference of another task."""
        if self.programs:
            return NO_CANARIES
        jobs = []
        for i, sample in enumerate(self.samples):
            others = [self.samples[(i + k) % len(self.samples)] for k in range(1, len(self.samples))]
            own = number(sample.answer.core)
            if own is not None:  # the farthest one: what is near may be paid for being near
                others.sort(key=lambda o: -abs((number(o.answer.core) or own) - own))
            other = next((o.task.reference for o in others if not same(o.answer.core, sample.answer.core)), None)
            if other is not None and sample.reward > 0:
                said = self.judge.completion(Said(i, sample.answer.text))
                jobs.append((replace(sample.task, reference=other), said))
        verdicts = self.judge.grader().verdicts(jobs)
        return Canaries(len(verdicts), sum((verdict.reward or 0.0) > 0 for verdict in verdicts))

    def _floor(self) -> float:
        if any(sample.reward > 0 for sample in self.samples):
            return 0.0
        wrong = [r for r in self.judge.rewards([Said(i, NONSENSE) for i in range(len(self.samples))]) if r is not None]
        return min([0.0, *wrong])

    def _contexts(self, order: Sequence[int]) -> tuple[tuple[str, str], ...]:
        """What stands around the answer where the prompt of at least two tasks shows it in the same place."""
        found: Counter[tuple[str, str]] = Counter()
        for index in order:
            sample = self.samples[index]
            start = sample.prompt.rfind(sample.answer.core) if sample.answer.core.strip() else -1
            if start >= 0:
                end = start + len(sample.answer.core)
                found.update(
                    {(sample.prompt[max(0, start - k) : start], sample.prompt[end : end + 1]) for k in CONTEXT_LENGTHS}
                )
        return tuple(context for context, count in found.most_common(3) if count >= 2 and context[0])


def asked_for(prompt: str) -> list[Frame]:
    """The forms that a prompt itself asks for: a pair of tags, or a label in front of a placeholder.

    >>> [(f.before, f.after) for f in asked_for("Write it inside <ladder></ladder>, or end with 'Result: <number>'.")]
    [('<ladder>\\n', '\\n</ladder>'), ('Result: ', '')]
    """
    tags = dict.fromkeys(found[1] for found in _TAGS.finditer(prompt))
    labels = dict.fromkeys(found[1] for found in _LABEL.finditer(prompt))
    inside = [Frame(f"in <{tag}>", f"<{tag}>\n", f"\n</{tag}>") for tag in tags]
    return [*inside, *(Frame(f"behind {label}", f"{label} ", "") for label in labels)][:ASKED_FOR]


def drawn(size: int, count: int, seed: int) -> list[int]:
    """The numbers of the tasks that are audited: all, or as many as asked, in order."""
    if size <= count:
        return list(range(size))
    return sorted(int(i) for i in np.random.default_rng(seed).choice(size, size=count, replace=False))


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:same]


def _common_end(texts: Sequence[str]) -> str:
    return _common_start([text[::-1] for text in texts])[::-1]
