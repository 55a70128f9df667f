"""Asks the verifier about edits of completions that were paid, and of right completions as the control.

The variants of a group go to the verifier in one batch, the unedited completions among them; of an edit whose variants
are alike the first goes, and the others where it is paid. A task's control is asked once, where a detector wants to
know. Edits draw from (seed, task, completion): a run that is resumed asks the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

import numpy as np

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.evidence.edit import Edit, Scene, Variant
from rlenv.evidence.evidence import KEPT, Asked, AskingWrapper, Evidence
from rlenv.evidence.row import row_texts

REPEATS = 5
"""How often the unedited completion is asked where the verifier says of itself that it is not `deterministic`."""
CONTROLS = 4096
"""How many tasks' controls are remembered; the oldest is forgotten and, if need be, asked again."""
POOL = 64
"""Tasks of which each has its others, drawn once: to make a task may take longer than to judge a completion."""


Job: TypeAlias = "tuple[Task, Completion]"
Judged: TypeAlias = "Callable[[Sequence[Job]], list[Verdict]]"
"""Gives the verdict of the verifier alone on each job, in order (`rlenv.judge.Judge.verdicts`)."""


class Later(Sequence[Evidence]):
    """Evidence that is asked for when it is first looked at: most completions raise no question about right ones."""

    def __init__(self, ask: Callable[[], Sequence[Evidence]]) -> None:
        self._ask = cache(ask)

    def __len__(self) -> int:
        return len(self._ask())

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._ask()[index]


class Control(NamedTuple):
    """What the edits show on completions that are right."""

    solutions: Sequence[Evidence] = ()
    """On the reference solution; none where there is none, or it is not paid."""
    witnesses: Sequence[Evidence] = ()
    """On texts made of the row (`row_texts`), those that are paid."""
    best: float = 0.0
    """What the reference solution is paid."""


NO_CONTROL = Control()


class Asker:
    """Collects the evidence on groups of episodes of one definition."""

    def __init__(self, definition: Definition, judged: Judged) -> None:
        self.verifications = 0
        """How many verifications were asked for so far, controls included."""
        self._definition, self._verdicts, self._asking = definition, judged, definition.asking
        self._share = self._asking.share if definition.inline else self._asking.dear_share
        self._repeats = 1 if getattr(definition.verifier, "deterministic", True) else REPEATS
        self._controls: dict[str, Control] = {}

    def about(self, group: Sequence[Episode], edits: Sequence[Edit]) -> list[Evidence]:
        """One piece of evidence an episode, in order. The episodes answer one task; equal ones are asked once."""
        edits = [edit for edit in edits if edit.name not in self._definition.edits_left_out]
        candidates = [episode for episode in group if self._may_be_asked(episode)]
        best = max((episode.verdict.reward or 0.0 for episode in group), default=0.0)
        if not candidates:
            control = self._unasked_control(group)
            return [unasked(episode, control, self._asking.fair * best) for episode in group]
        control = self._control(candidates[0].task, edits)
        best = max(best, control.best)
        chosen: dict[tuple[str, bool], Episode] = {}
        for episode in candidates:
            if (episode.verdict.reward or 0.0) >= self._asking.fair * best:
                chosen.setdefault(_key(episode), episode)
        fair = self._asking.fair * best
        known = dict(zip(chosen, self._answered(list(chosen.values()), edits, control, fair), strict=True))
        return [self._placed(episode, known.get(_key(episode)), control, fair) for episode in group]

    def _placed(self, episode: Episode, known: Evidence | None, control: Control, fair: float) -> Evidence:
        if known is None:
            return unasked(episode, control, fair)
        return known if known.episode is episode else replace(known, episode=episode.said())

    def _may_be_asked(self, episode: Episode) -> bool:
        if (episode.verdict.reward or 0.0) <= 0 or episode.completion.failure or episode.completion.turns:
            return False
        return self._share >= 1 or self._rng(episode.task, episode.completion.text, "share").random() < self._share

    def control(self, task: Task, edits: Sequence[Edit]) -> Control:
        """What the edits show on right completions of a task; asked again, and not remembered."""
        return self._asked_control(task, [edit for edit in edits if edit.name not in self._definition.edits_left_out])

    def _control(self, task: Task, edits: Sequence[Edit]) -> Control:
        known = self._controls.get(task.id)
        if known is None:
            known = self._asked_control(task, edits)
            if len(self._controls) >= CONTROLS:
                del self._controls[next(iter(self._controls))]
            self._controls[task.id] = known
        return known

    def _asked_control(self, task: Task, edits: Sequence[Edit]) -> Control:
        texts = self._solutions(task)
        right = self._paid(task, texts)

        def witnesses() -> list[Evidence]:
            made = [text for text in row_texts(task) if text not in texts] if edits else []
            return self._answered(self._paid(task, made), edits)

        best = max((episode.verdict.reward or 0.0 for episode in right), default=0.0)
        return Control(Later(lambda: self._answered(right, edits)), Later(witnesses), best)

    def _paid(self, task: Task, texts: Sequence[str]) -> list[Episode]:
        """Those of these texts that the verifier pays, as episodes."""
        said = [as_completion(text, self._definition.read_as) for text in texts]
        verdicts = self._judged([(task, completion) for completion in said])
        found = [Episode(task, completion, verdict) for completion, verdict in zip(said, verdicts, strict=True)]
        return [episode for episode in found if (episode.verdict.reward or 0.0) > 0]

    def _unasked_control(self, group: Sequence[Episode]) -> Control:
        """The reference solution, taken at its word: what is only measured has a control that costs nothing."""
        if not any((episode.verdict.reward or 0.0) > 0 for episode in group):
            return NO_CONTROL
        task, right = group[0].task, Verdict.of(("solution", 1.0))
        said = [as_completion(text, self._definition.read_as) for text in self._solutions(task)]
        return Control(tuple(unasked(Episode(task, completion, right)) for completion in said))

    def _solutions(self, task: Task) -> list[str]:
        try:
            return [self._definition.solution(task)]
        except Exception:  # the author's code; that there is no control is told by an empty one
            return []

    def _answered(
        self, episodes: Sequence[Episode], edits: Sequence[Edit], control: Control = NO_CONTROL, fair: float = 0.0
    ) -> list[Evidence]:
        """The evidence on paid episodes of one task, asked in one batch, and a second one where something is odd."""
        if not edits:  # what is measured has its control, and asks nothing else
            return [unasked(episode, control, fair) for episode in episodes]
        others = self._others(episodes[0].task) if episodes else ()
        jobs: list[Job] = []
        plans = [_Plan(episode, []) for episode in episodes]
        later = [self._planned(plan, edits, others, jobs) for plan in plans]
        verdicts = self._judged(jobs)
        for plan, left in zip(plans, later, strict=True):
            for first, rest in left:
                reward = verdicts[first.job].reward
                if reward is None or reward >= KEPT * (plan.episode.verdict.reward or 0.0):
                    self._place(plan, [first._replace(variant=variant) for variant in rest], jobs)
        verdicts += self._judged(jobs[len(verdicts) :])
        return [_collected(plan, verdicts, others, control, fair) for plan in plans]

    def _planned(
        self, plan: _Plan, edits: Sequence[Edit], others: tuple[Task, ...], jobs: list[Job]
    ) -> list[tuple[_Planned, Iterator[Variant]]]:
        """Plans what is asked about one episode at once; returns what is asked where the first of its kind is paid."""
        task, said = plan.episode.task, plan.episode.completion
        self._place(plan, [_Planned("", Variant(task, said))] * self._repeats, jobs)
        scene = Scene(task, said, plan.episode.verdict, others, lambda: self._rng(task, said.text, "edits"))
        later: list[tuple[_Planned, Iterator[Variant]]] = []
        for edit in edits:
            made = islice(edit.make(scene), edit.cost)
            first = [_Planned(edit.name, one) for one in (islice(made, 1) if edit.alike else made)]
            placed = self._place(plan, first, jobs) if first else []
            later += [(one, made) for one in placed if edit.alike]
        if not any(one.edit for one in plan.asked):  # nothing to compare the unedited completion with
            del jobs[len(jobs) - len(plan.asked) :]
            plan.asked.clear()
        return later

    def _place(self, plan: _Plan, wanted: Sequence[_Planned], jobs: list[Job]) -> list[_Planned]:
        """Puts as much as the budget allows behind the jobs, and into the plan."""
        within = wanted[: max(0, self._asking.budget - len(jobs))]
        placed = [one._replace(job=len(jobs) + place) for place, one in enumerate(within)]
        jobs += [(one.variant.task, one.variant.completion) for one in placed]
        plan.asked.extend(placed)
        return placed

    def _others(self, task: Task) -> tuple[Task, ...]:
        """Other tasks of the pool with other prompts and other references, from a place that the task's id decides."""
        first = self._drawn(task, "", "others") % len(self._pool)
        turned = chain(self._pool[first:], self._pool[:first])
        fitting = (
            other
            for other in turned
            if other.prompt != task.prompt and (task.reference is None or other.reference != task.reference)
        )
        return tuple(islice(fitting, self._asking.others))

    @cached_property
    def _pool(self) -> list[Task]:
        tasks, rng = self._definition.tasks, np.random.default_rng(self._asking.seed)
        size = len(tasks)
        drawn = rng.permutation(size)[:POOL] if size <= CONTROLS else rng.integers(size, size=POOL)
        found = [tasks[int(index)] for index in drawn]
        return list({task.id: task for task in found}.values())

    def _judged(self, jobs: Sequence[Job]) -> list[Verdict]:
        self.verifications += len(jobs)
        return self._verdicts(jobs) if jobs else []

    def _rng(self, task: Task, text: str, purpose: str) -> np.random.Generator:
        return np.random.default_rng(self._drawn(task, text, purpose))

    def _drawn(self, task: Task, text: str, purpose: str) -> int:
        told = "\0".join((str(self._asking.seed), task.id, purpose, text))
        return int.from_bytes(hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def asker_for(definition: Definition, judged: Judged) -> Asker | None:
    """The asker of a definition, None where none of its wrappers looks at evidence."""
    asks = any(isinstance(wrapper, AskingWrapper) for wrapper in definition.wrappers)
    return Asker(definition, judged) if asks else None


class _Planned(NamedTuple):
    """A variant that is asked about, and where its verdict will stand. No edit: the unedited completion."""

    edit: str
    variant: Variant
    job: int = -1


class _Plan(NamedTuple):
    """What is asked about one episode."""

    episode: Episode
    asked: list[_Planned]


def _key(episode: Episode) -> tuple[str, bool]:
    return episode.completion.text, episode.completion.finished


def unasked(episode: Episode, control: Control = NO_CONTROL, fair: float = 0.0) -> Evidence:
    """What is known of an episode when nothing is asked about it."""
    paid, said = max(0.0, episode.verdict.reward or 0.0), episode.said()
    return Evidence(
        said,
        _thought(episode, said),
        paid if paid >= fair else 0.0,
        several_turns=bool(episode.completion.turns),
        controls=control.solutions,
        witnesses=control.witnesses,
    )


def _thought(episode: Episode, said: Episode) -> str:
    """What was thought: nothing, where all was said."""
    return "" if said is episode else episode.completion.reasoning.text


def _collected(
    plan: _Plan, verdicts: Sequence[Verdict], others: tuple[Task, ...], control: Control, fair: float
) -> Evidence:
    episode, said = plan.episode, plan.episode.said()
    base = [episode.verdict.reward or 0.0]
    asked: dict[str, list[Asked]] = {}
    for edit, variant, job in plan.asked:
        reward = verdicts[job].reward
        if reward is None:  # the checker failed: no evidence
            continue
        if edit:
            asked.setdefault(edit, []).append(Asked(reward, variant.place, variant.detail))
        else:
            base.append(reward)
    paid = sum(base) / len(base)
    return Evidence(
        said,
        _thought(episode, said),
        paid if paid >= fair else 0.0,
        spread=max(base) - min(base),
        asked=asked,
        others=others,
        controls=control.solutions,
        witnesses=control.witnesses,
    )
