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
from typing import NamedTuple

import numpy as np

from rlenv.core.completion import as_completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.evidence.evidence import KEPT, AskingWrapper, Edit, EditVerdict, Evidence, Scene, Variant
from rlenv.evidence.player import UNJUDGED, Job, Judged, Player
from rlenv.evidence.row import row_texts
from rlenv.evidence.shrink import shrunk

REPEATS = 5
"""How often the unedited completion is asked where the verifier says of itself that it is not `deterministic`."""
CONTROLS = 4096
"""How many tasks' controls are remembered; the oldest is forgotten and, if need be, asked again."""
POOL = 64
"""Tasks of which each has its others, drawn once: to make a task may take longer than to judge a completion."""


class LazyEvidence(Sequence[Evidence]):
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


class Asker(Player[Job]):
    """Collects the evidence on groups of episodes of one definition, each within a budget of its own."""

    def __init__(self, definition: Definition, judged: Judged) -> None:
        super().__init__(definition, judged)
        self._asking = definition.asking
        self._share = self._asking.share if definition.inline else self._asking.dear_share
        self._repeats = 1 if getattr(definition.verifier, "deterministic", True) else REPEATS
        self._controls: dict[str, Control] = {}

    def about(self, group: Sequence[Episode], edits: Sequence[Edit]) -> list[Evidence]:
        """One piece of evidence an episode, in order. The episodes answer one task; equal ones are asked once."""
        self.begin()
        edits = [edit for edit in edits if edit.name not in self.definition.edits_left_out]
        candidates = [episode for episode in group if self._may_be_asked(episode)]
        control = self._control(candidates[0].task, edits) if candidates else self._unasked_control(group)
        fair = self._asking.fair * max([control.best, *map(_paid, group)])
        chosen: dict[tuple[str, bool], Episode] = {}
        for episode in candidates:
            if _paid(episode) >= fair:
                chosen.setdefault(_key(episode), episode)
        known = dict(zip(chosen, self._answered(list(chosen.values()), edits, control, fair), strict=True))
        return [
            replace(known[_key(episode)], episode=episode.said())
            if _key(episode) in known
            else unasked(episode, control, fair)
            for episode in group
        ]

    def _may_be_asked(self, episode: Episode) -> bool:
        if _paid(episode) <= 0 or episode.completion.failure or episode.completion.turns:
            return False
        return self._share >= 1 or self._rng(episode.task, episode.completion.text, "share").random() < self._share

    def _control(self, task: Task, edits: Sequence[Edit]) -> Control:
        if task.id not in self._controls:
            if len(self._controls) >= CONTROLS:
                del self._controls[next(iter(self._controls))]
            texts = self._solutions(task)
            right = self._paid(task, texts)
            made = [text for text in row_texts(task) if text not in texts] if edits else []
            self._controls[task.id] = Control(
                LazyEvidence(lambda: self._answered(right, edits)),
                LazyEvidence(lambda: self._answered(self._paid(task, made), edits)),
                max(map(_paid, right), default=0.0),
            )
        return self._controls[task.id]

    def _paid(self, task: Task, texts: Sequence[str]) -> list[Episode]:
        """Those of these texts that the verifier pays, as episodes."""
        said = [as_completion(text, self.definition.read_as) for text in texts]
        verdicts = self._asked([(task, completion) for completion in said])
        found = [Episode(task, completion, verdict) for completion, verdict in zip(said, verdicts, strict=True)]
        return [episode for episode in found if _paid(episode) > 0]

    def _unasked_control(self, group: Sequence[Episode]) -> Control:
        """The reference solution, taken at its word: what is only measured has a control that costs nothing."""
        if not any(_paid(episode) > 0 for episode in group):
            return NO_CONTROL
        task, right = group[0].task, Verdict.of(("solution", 1.0))
        said = [as_completion(text, self.definition.read_as) for text in self._solutions(task)]
        return Control(tuple(unasked(Episode(task, completion, right)) for completion in said))

    def _solutions(self, task: Task) -> list[str]:
        try:
            return [self.definition.solution(task)]
        except Exception:  # the author's code; that there is no control is told by an empty one
            return []

    def _answered(
        self, episodes: Sequence[Episode], edits: Sequence[Edit], control: Control = NO_CONTROL, fair: float = 0.0
    ) -> list[Evidence]:
        """The evidence on paid episodes of one task, asked in one batch, and a second one where something is odd."""
        if not edits or not episodes:  # what is measured has its control, and asks nothing else
            return [unasked(episode, control, fair) for episode in episodes]
        others, now, later = self._others(episodes[0].task), list[_Asked](), list[tuple[int, str, Iterator[Variant]]]()
        for place, (task, said) in enumerate((one.task, one.completion) for one in episodes):
            scene = Scene(task, said, others)
            made = [(edit, islice(edit.make(scene), edit.cost)) for edit in edits]
            first = [
                _Asked(place, edit.name, one)
                for edit, variants in made
                for one in (islice(variants, 1) if edit.alike else variants)
            ]
            now += [*[_Asked(place, "", Variant(task, said))] * self._repeats, *first] if first else []
            later += [(place, edit.name, variants) for edit, variants in made if edit.alike]
        now = now[: self._asking.budget]
        rewards = self._rewards(now)
        odd = {
            (one.place, one.edit)
            for one, reward in zip(now, rewards, strict=True)
            if reward is None or reward >= KEPT * _paid(episodes[one.place])
        }
        rest = [_Asked(place, edit, one) for place, edit, made in later if (place, edit) in odd for one in made]
        rest = rest[: self._asking.budget - len(now)]
        told = list(zip([*now, *rest], [*rewards, *self._rewards(rest)], strict=True))
        return [
            _collected(episode, [one for one in told if one[0].place == place], control, fair)
            for place, episode in enumerate(episodes)
        ]

    def _rewards(self, asked: Sequence[_Asked]) -> list[float | None]:
        """None where the checker failed or was too slow: no evidence."""
        verdicts = self._asked([(one.variant.task, one.variant.completion) for one in asked])
        return [None if verdict is UNJUDGED else verdict.reward for verdict in verdicts]

    def smallest(self, task: Task, text: str, paid: float, right: str) -> str:
        """The smallest part of a paid completion that is paid as well and is not the right answer."""

        def as_well(made: str) -> bool:
            reward = self._asked([(task, as_completion(made, self.definition.read_as))])[0].reward
            return reward is not None and reward >= paid

        return shrunk(text, as_well, right)

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
        tasks, rng = self.definition.tasks, np.random.default_rng(self._asking.seed)
        size = len(tasks)
        drawn = rng.permutation(size)[:POOL] if size <= CONTROLS else rng.integers(size, size=POOL)
        found = [tasks[int(index)] for index in drawn]
        return list({task.id: task for task in found}.values())

    def _asked(self, jobs: Sequence[Job]) -> list[Verdict]:
        return self.play(jobs, jobs)

    def _rng(self, task: Task, text: str, purpose: str) -> np.random.Generator:
        return np.random.default_rng(self._drawn(task, text, purpose))

    def _drawn(self, task: Task, text: str, purpose: str) -> int:
        told = "\0".join((str(self._asking.seed), task.id, purpose, text))
        return int.from_bytes(hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def asker_for(definition: Definition, judged: Judged) -> Asker | None:
    """The asker of a definition, None where none of its wrappers looks at evidence."""
    asks = any(isinstance(wrapper, AskingWrapper) for wrapper in definition.wrappers)
    return Asker(definition, judged) if asks else None


class _Asked(NamedTuple):
    """A variant that is asked about, of the episode at this place of a group. No edit: the unedited completion."""

    place: int
    edit: str
    variant: Variant


def _key(episode: Episode) -> tuple[str, bool]:
    return episode.completion.text, episode.completion.finished


def _paid(episode: Episode) -> float:
    return max(0.0, episode.verdict.reward or 0.0)


def unasked(episode: Episode, control: Control = NO_CONTROL, fair: float = 0.0) -> Evidence:
    """What is known of an episode when nothing is asked about it."""
    paid, said = _paid(episode), episode.said()
    return Evidence(
        said,
        "" if said is episode else episode.completion.reasoning.text,  # nothing was thought, where all was said
        paid if paid >= fair else 0.0,
        several_turns=bool(episode.completion.turns),
        controls=control.solutions,
        witnesses=control.witnesses,
    )


def _collected(
    episode: Episode, told: Sequence[tuple[_Asked, float | None]], control: Control, fair: float
) -> Evidence:
    base, asked = [_paid(episode)], dict[str, list[EditVerdict]]()
    for (_, edit, variant), reward in told:
        if reward is not None and edit:
            asked.setdefault(edit, []).append(EditVerdict(reward, variant.place, variant.detail))
        elif reward is not None:
            base.append(reward)
    paid, spread = sum(base) / len(base), max(base) - min(base)
    known = unasked(episode, control)
    return replace(known, paid=paid if paid >= fair else 0.0, spread=spread, asked=asked)
