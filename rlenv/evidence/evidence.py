"""What an edit is, and what is known of a completion when a detector looks at it: the verifier's word on its edits.

An edit is a pure function of a task and a completion, of which it is known what an honest reward does then. It makes
variants, each a task and a completion that the verifier is asked about. An honest reward pays nothing where the variant
does not do its task, and as before where what was changed did nothing for it (`Exploit.honest`).

Some rewards do not answer so to an edit though nobody cheats (one on length, to a text said twice). That is no guess:
the same edit is asked of the reference solution, and what shows there is a finding about the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Protocol, TypeGuard, runtime_checkable

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.reading import Span
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.core.wrapper import State, Wrapper


@dataclass(frozen=True)
class Scene:
    """What an edit is made of."""

    task: Task
    completion: Completion
    """As it was said, reasoning included; edits change its content alone."""
    others: tuple[Task, ...]
    """Other tasks of the same set, drawn for this completion."""

    @cached_property
    def text(self) -> str:
        """What was said."""
        return self.completion.content.text


class Variant(NamedTuple):
    """One edited (task, completion)."""

    task: Task
    completion: Completion
    place: Span = Span(0, 0)
    """What was edited, in the unedited content."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """One kind of edit."""

    name: str
    cost: int
    """How many verifications it asks for at most."""
    make: Callable[[Scene], Iterable[Variant]]
    """The variants, none where the edit does not apply; at most `cost` of them are asked."""
    alike: bool = False
    """The variants are drawn from one kind: where the first is not paid, none of the others is asked."""


def with_content(completion: Completion, text: str) -> Completion:
    """The completion with another content and the same reasoning.

    >>> with_content(Completion("<think>6 * 7</think>42"), "41").text
    '<think>6 * 7</think>41'
    """
    content = completion.content
    before, after = completion.text[: content.start], completion.text[content.end :]
    if not content.spans:
        before, after = completion.text, ""
    return replace(completion, text=f"{before}{text}{after}", token_ids=(), logprobs=(), mask=(), segments=(), turns=())


KEPT = 0.8
"""A variant is paid where it has at least this share of the unedited pay."""


class EditVerdict(NamedTuple):
    """The verifier's word on one variant."""

    reward: float
    place: Span
    """What was edited, in the content."""
    detail: str


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All that there is about one completion. Without an asker `asked` is empty: then nothing is known of the edits."""

    episode: Episode
    """With what was said as its text, spans included."""
    thought: str = ""
    """What was thought: no answer and no offence, but the work may stand there."""
    paid: float = 0.0
    """What the verifier pays for the unedited completion, asked beside the edits, or its first word where nothing was
    asked; 0 where that is not a fair share of what the task's best is paid."""
    several_turns: bool = False
    """The policy spoke more than once: what stands here is its last turn, which need not say what the task asks for."""
    spread: float = 0.0
    """How far apart the repeats of the unedited completion were; an effect counts beyond it."""
    asked: Mapping[str, Sequence[EditVerdict]] = field(default_factory=dict)
    """By the name of the edit; a variant on which the checker failed is no evidence and is not here."""
    controls: Sequence[Evidence] = ()
    """The same about the task's reference solution, where there is one that is paid."""
    witnesses: Sequence[Evidence] = ()
    """The same about texts made of what the row says: they are paid for their content, and no policy says them."""

    @property
    def text(self) -> str:
        """What was said."""
        return self.episode.completion.text

    @property
    def whole(self) -> str:
        """What was thought and said."""
        return f"{self.thought}\n{self.text}" if self.thought else self.text

    def keeps_pay(self, asked: EditVerdict) -> bool:
        """Whether a variant is paid as the unedited completion is."""
        return self.paid > 0 and asked.reward >= KEPT * self.paid

    def kept(self, edit: str) -> list[EditVerdict]:
        """The variants of an edit that are still paid."""
        return [asked for asked in self.asked.get(edit, ()) if self.keeps_pay(asked)]

    def share_kept(self, edit: str, least: int = 1) -> float | None:
        """The share of an edit's variants that are still paid; None where fewer than `least` were asked, all paid."""
        asked = self.asked.get(edit)
        if not asked:
            return None
        kept = sum(map(self.keeps_pay, asked))
        return kept / len(asked) if len(asked) >= least or kept < len(asked) else None

    def lost(self, edit: str) -> list[EditVerdict]:
        """The variants of an edit that cost more pay than chance (`spread`) and than what counts as kept."""
        return [
            asked
            for asked in self.asked.get(edit, ())
            if not self.keeps_pay(asked) and self.paid - asked.reward > self.spread
        ]


@runtime_checkable
class AskingWrapper(Wrapper, Protocol):
    """A wrapper that looks at evidence: it names what the verifier is to be asked, and judges by the answers."""

    def wanted(self, state: Mapping[str, Json]) -> Sequence[Edit]:
        """What it wants asked about the next group; `state` is what it has learned so far."""

    def judge_on(self, group: Sequence[Evidence], episodes: Sequence[Episode], state: State) -> list[Verdict]:
        """As `judge`, with the evidence on each episode as the verifier left it."""


def asks(wrapper: Wrapper) -> TypeGuard[AskingWrapper]:
    """Whether a wrapper looks at evidence; `isinstance` with a Protocol takes longer than most wrappers do."""
    return hasattr(wrapper, "judge_on")
