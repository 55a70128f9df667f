"""What a rollout leaves: everything needed to train on it, to explain it and to judge it again.

One JSON line each. The task travels whole, so that a saved run can be re-scored anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.notebook import marked, table
from rlenv.core.task import Task, prompt_text
from rlenv.core.verdict import Verdict

VERSION = 3
"""Of the form of a saved episode: since 2 a verdict has an `answer` and a completion says how it is read; since 3 a
completion may have turns."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One prompt, one completion, one verdict."""

    task: Task
    completion: Completion
    verdict: Verdict
    prompt_ids: tuple[int, ...] = ()
    """Tokens of the prompt as the policy saw them. (P,)"""
    group: int = 0
    """Episodes of one group answer the same task in the same batch."""
    index: int = 0
    """Place in the batch."""
    step: int = 0
    """The training step or evaluation round that asked for it."""
    seed: int = 0
    """Seed of the sampling that produced the completion."""
    env_id: str = ""
    verifier_version: str = ""
    unshaped: float | None = field(default=None, compare=False)
    """The reward without what wrappers that shape it added; None where none did. Not saved: judging tells it again."""

    @property
    def signal(self) -> float | None:
        """What was said of the answer, before its reward was shaped; None where the checker failed."""
        return self.verdict.reward if self.unshaped is None else self.unshaped

    def said(self) -> Episode:
        """The episode with what was said as its text, spans included; itself where that is all."""
        said = self.completion.said()
        if said is self.completion:
            return self
        return replace(self, completion=said, verdict=self.verdict.within(self.completion.content))

    def judged(self, verdict: Verdict) -> Episode:
        """The same episode with another verdict."""
        return replace(self, verdict=verdict)

    @property
    def answer_text(self) -> str:
        """What was judged: the text of the verdict's answer, empty where it names none."""
        return self.completion.text[slice(*(self.verdict.answer or (0, 0)))]

    def _repr_html_(self) -> str:
        """The episode in a notebook: what was asked, what was said with answer and flags marked, the verdict."""
        verdict = self.verdict
        answer = [] if verdict.answer is None else [(*verdict.answer, "answer")]
        flags = [(flag.start, flag.end, flag.name) for flag in verdict.flags]
        title = " ".join(filter(None, [self.env_id, f"task {self.task.id}"]))
        asked, said = marked(prompt_text(self.task.prompt)), marked(self.completion.text, [*answer, *flags])
        return "\n".join([table(title, (), ()), asked, said, verdict._repr_html_()])

    def to_json(self) -> dict[str, Json]:
        return {
            "version": VERSION,
            "env_id": self.env_id,
            "step": self.step,
            "group": self.group,
            "index": self.index,
            "seed": self.seed,
            "verifier_version": self.verifier_version,
            "task": self.task.to_json(),
            "prompt_ids": list(self.prompt_ids),
            "completion": self.completion.to_json(),
            "verdict": self.verdict.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Episode:
        fields = cast("dict[str, Any]", data)
        if fields.get("version", 1) > VERSION:
            raise ValueError(f"of version {fields['version']}, which a newer rlenv wrote; upgrade rlenv")
        return cls(
            task=Task.from_json(fields["task"]),
            completion=Completion.from_json(fields["completion"]),
            verdict=Verdict.from_json(fields["verdict"]),
            prompt_ids=tuple(fields["prompt_ids"]),
            **{key: fields[key] for key in ("group", "index", "step", "seed", "env_id", "verifier_version")},
        )
