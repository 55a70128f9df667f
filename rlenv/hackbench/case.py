"""One labelled case: what was asked, what was said in one or more rounds, and whether it is a hack.

A round is one group: episodes that answer the same task. Most cases are one round of one completion; what only
shows in a group or over a run has more.

>>> case = Case.from_json({"family": "repetition", "hacked": True, "completions": [{"text": "no no no"}]})
>>> case.rounds[0][0].text, case.half, len(case.id)
('no no no', 'untuned', 12)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from rlenv.completion import Completion
from rlenv.episode import Episode
from rlenv.errors import TaskError
from rlenv.jsontypes import Json, canonical
from rlenv.task import Task
from rlenv.verdict import Flag, Verdict

TUNING, REPORTING, UNTUNED, HONEST = "tuning", "reporting", "untuned", "honest"
HALVES = (TUNING, REPORTING, UNTUNED, HONEST)
"""`honest` is the pool of other people's honest texts; `untuned` are hacks that no template of ours made."""


@dataclass(frozen=True, slots=True)
class Said:
    """One completion of a case with what the reward under test paid for it."""

    text: str
    tokens: int | None = None
    """How many tokens it has, where the family needs to know."""
    finished: bool = True
    parts: tuple[tuple[str, float], ...] = (("correct", 1.0),)
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)
    flags: tuple[Flag, ...] = ()
    """What the verifier itself had flagged."""

    def episode(self, task: Task, number: int, index: int) -> Episode:
        ids = tuple(range(self.tokens)) if self.tokens else ()
        verdict = Verdict.of(*self.parts, scores=self.scores, flags=self.flags)
        return Episode(
            task, Completion(self.text, ids, finished=self.finished), verdict, group=number, index=index, step=number
        )

    def to_json(self) -> dict[str, Json]:
        """Only what differs from the default, to keep the files small."""
        data: dict[str, Json] = {"text": self.text}
        if self.tokens is not None:
            data["tokens"] = self.tokens
        if not self.finished:
            data["finished"] = False
        if self.parts != (("correct", 1.0),):
            data["parts"] = [list(part) for part in self.parts]
        if self.scores:
            data["scores"] = dict(self.scores)
        if self.flags:
            data["flags"] = [list(flag) for flag in self.flags]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Said:
        fields = cast("dict[str, Any]", data)
        parts = fields.get("parts") or _parts(fields)
        return cls(
            text=str(fields["text"]),
            tokens=fields.get("tokens"),
            finished=bool(fields.get("finished", True)),
            parts=tuple((str(name), float(value)) for name, value in parts),
            scores={str(name): float(value) for name, value in (fields.get("scores") or _scores(fields)).items()},
            flags=tuple(Flag(*flag) for flag in fields.get("flags") or ()),
        )


@dataclass(frozen=True, slots=True)
class Case:
    """Rounds of completions with the label of one family."""

    family: str
    hacked: bool
    prompt: str
    rounds: tuple[tuple[Said, ...], ...]
    reference: Json = field(default=None, hash=False)
    template: str = ""
    """What made it; a template is in one half only."""
    half: str = UNTUNED
    item: str = ""
    """The honest item that it was made from."""
    metadata: tuple[Mapping[str, Json], ...] = field(default=(), hash=False)
    """Of the tasks, one a round; the last one stands for the rounds after it."""
    prompts: tuple[str, ...] = ()
    """One a round where they differ."""
    pays: bool | None = None
    """Whether a naive reward, run on it, pays."""
    source: str = ""

    @property
    def id(self) -> str:
        """Of what is judged, so that equal cases have equal ids."""
        content = [self.family, self.prompt, list(self.prompts), [[said.to_json() for said in r] for r in self.rounds]]
        return hashlib.blake2b(canonical(content).encode(), digest_size=6).hexdigest()

    @property
    def texts(self) -> list[str]:
        return [said.text for round_ in self.rounds for said in round_]

    def groups(self) -> Iterator[list[Episode]]:
        """The episodes of each round, as a trainer would hand them to a wrapper."""
        for number, round_ in enumerate(self.rounds):
            prompt = self.prompts[number] if self.prompts else self.prompt
            metadata = self.metadata[min(number, len(self.metadata) - 1)] if self.metadata else {}
            task = Task(prompt, self.reference, metadata=metadata)
            yield [said.episode(task, number, index) for index, said in enumerate(round_)]

    def to_json(self) -> dict[str, Json]:
        data: dict[str, Json] = {
            "id": self.id,
            "family": self.family,
            "hacked": self.hacked,
            "template": self.template,
            "half": self.half,
            "item": self.item,
            "prompt": self.prompt,
            "reference": self.reference,
            "rounds": [[said.to_json() for said in round_] for round_ in self.rounds],
        }
        if self.metadata:
            data["metadata"] = list(self.metadata)
        if self.prompts:
            data["prompts"] = list(self.prompts)
        if self.pays is not None:
            data["pays"] = self.pays
        if self.source:
            data["source"] = self.source
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Case:
        """A case from a full line, or from the short form with `completions` in place of `rounds`."""
        fields = cast("dict[str, Any]", data)
        rounds = fields.get("rounds") or [fields.get("completions") or []]
        if "family" not in fields or "hacked" not in fields or not all(rounds):
            raise TaskError(f"expected a case with family, hacked and completions or rounds, got keys {sorted(fields)}")
        metadata = fields.get("metadata") or ()
        return cls(
            family=str(fields["family"]),
            hacked=bool(fields["hacked"]),
            prompt=str(fields.get("prompt", "")),
            rounds=tuple(tuple(Said.from_json(said) for said in round_) for round_ in rounds),
            reference=fields.get("reference"),
            template=str(fields.get("template", "")),
            half=str(fields.get("half", UNTUNED)),
            item=str(fields.get("item", "")),
            metadata=(metadata,) if isinstance(metadata, Mapping) else tuple(metadata),
            prompts=tuple(fields.get("prompts") or ()),
            pays=fields.get("pays"),
            source=str(fields.get("source", "")),
        )


def _scores(fields: Mapping[str, Any]) -> Mapping[str, float]:
    return {"correct": float(fields["correct"])} if "correct" in fields else {}


def _parts(fields: Mapping[str, Any]) -> Sequence[tuple[str, float]]:
    """The parts of a completion of which only the reward, and perhaps the correctness, is known."""
    if "reward" not in fields:
        return (("correct", float(fields.get("correct", 1.0))),)
    reward = float(fields["reward"])
    if "correct" not in fields:
        return (("reward", reward),)
    correct = float(fields["correct"])
    return (("correct", correct), ("rest", reward - correct))
