"""The completions of each problem, and which of them give the same answer: what maj@k counts votes by.

Two answers are the same where their texts are, up to white space. Else the verifier is asked: a completion is judged
with the other's answer as the reference. Who passes never votes with who does not. This needs a verdict that names the
answer, and a task whose reference is a text or a number; where either is missing, texts alone are compared, and where
no verdict of the run names an answer, whole contents are. Completions without an answer vote together, as they do in
lm-eval ("[invalid]").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple, TypeAlias

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.judge.judge import Judge

MOST_COMPARED = 64
"""Different texts of one problem that are compared two by two: at most 2,016 judgements; those behind vote by text."""
Key: TypeAlias = tuple[bool, str | None]
"""Whether a completion passes, and its answer."""


@dataclass
class Group:
    """The judged completions of one problem; those at which the verifier failed are left out."""

    task: Task
    judged: list[Episode] = field(default_factory=list)
    passed: list[bool] = field(default_factory=list)

    @property
    def count(self) -> tuple[int, int]:
        """(judged, passed), as `rlenv.evaluation.passk` takes it."""
        return len(self.judged), sum(self.passed)

    @property
    def rewards(self) -> list[float]:
        return [e.verdict.reward for e in self.judged if e.verdict.reward is not None]


def grouped(episodes: Iterable[Episode], threshold: float) -> list[Group]:
    """Problems in the order of the run; a completion passes when its reward is at least the threshold."""
    groups: dict[tuple[int, str], Group] = {}
    for episode in sorted(episodes, key=lambda e: (e.step, e.group, e.index)):
        group = groups.setdefault((episode.step, episode.task.id), Group(episode.task))
        if episode.verdict.reward is not None:
            group.judged.append(episode)
            group.passed.append(episode.verdict.reward >= threshold)
    return list(groups.values())


class Answers(NamedTuple):
    """The answers of each problem, as `rlenv.evaluation.voting.maj_at_k` takes them, and how they were told apart."""

    votes: list[list[tuple[int, float]]]
    note: str


def answers_of(groups: Sequence[Group], definition: Definition | None, threshold: float) -> Answers:
    """Votes by problem. Without a definition texts alone are compared."""
    named = any(e.verdict.answer is not None for group in groups for e in group.judged)
    keys: list[list[Key]] = [[(ok, _text(e, named)) for e, ok in zip(g.judged, g.passed, strict=True)] for g in groups]
    if not named:
        note = "the verifier names no answers: whole contents are compared as text"
    elif definition is None:
        note = "answers are compared as text: the environment is not there to compare them"
    else:
        same, asked = _same(groups, keys, definition, threshold)
        keys = [[one.get(key, key) for key in own] for one, own in zip(same, keys, strict=True)]
        note = f"answers are compared as text and, {asked} times, by the verifier"
        if not asked and any(len(set(own)) > 1 for own in keys):
            note = "answers are compared as text: no reference is a text or a number, or none differ"
    return Answers([[(votes, float(ok)) for (ok, _), votes in Counter(own).items()] for own in keys], note)


def _text(episode: Episode, named: bool) -> str | None:
    if not named:
        return " ".join(episode.completion.content.text.split())
    return " ".join(episode.answer_text.split()) if episode.verdict.answer is not None else None


def _same(
    groups: Sequence[Group], keys: Sequence[Sequence[Key]], definition: Definition, threshold: float
) -> tuple[list[dict[Key, Key]], int]:
    """For each problem the key that stands for each; and how often the verifier was asked."""
    jobs: list[tuple[Task, Completion]] = []
    pairs: list[tuple[int, Key, Key]] = []
    for place, (group, own) in enumerate(zip(groups, keys, strict=True)):
        first = {key: e for key, e in reversed(list(zip(own, group.judged, strict=True))) if key[1]}
        different = list(dict.fromkeys(key for key in own if key[1]))[:MOST_COMPARED]
        for one, other in combinations(different, 2):
            reference = _as_reference(one[1] or "", group.task.reference)
            if one[0] == other[0] and reference is not None:
                jobs.append((replace(group.task, reference=reference), first[other].completion))
                pairs.append((place, one, other))
    same: list[dict[Key, Key]] = [{} for _ in groups]
    for (place, one, other), verdict in zip(pairs, Judge(definition).verdicts(jobs), strict=True):
        if verdict.reward is not None and verdict.reward >= threshold:
            same[place].setdefault(other, same[place].get(one, one))
    return same, len(jobs)


def _as_reference(answer: str, like: Json) -> Json:
    """The answer in the form of the task's reference; None where it cannot be one.

    >>> _as_reference("42", 7), _as_reference("42", "7"), _as_reference("x", 7), _as_reference("42", ["7"])
    (42, '42', None, None)
    """
    if isinstance(like, str):
        return answer
    if isinstance(like, bool) or not isinstance(like, (int, float)):
        return None
    try:
        return type(like)(answer)
    except ValueError:
        return None
