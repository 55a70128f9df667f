"""What an edit is: a pure function of a task and a completion, with the effect that an honest reward shows.

An edit makes variants, each a task and a completion that the verifier is asked about. `effect` is what an honest
reward does then, as it is known beforehand:

    unpaid   the variant is not paid: it does not do its task
    same     the variant is paid as before: what was taken out did nothing for the task

Some rewards do not answer so to an edit though nobody cheats (one on length, to a text said twice). That is no guess:
the same edit is asked of the reference solution, and what shows there is a finding about the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from rlenv.core.completion import Completion
from rlenv.core.reading import Span
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict

Effect: TypeAlias = Literal["unpaid", "same"]


@dataclass(frozen=True)
class Scene:
    """What an edit is made of."""

    task: Task
    completion: Completion
    """As it was said, reasoning included; edits change its content alone."""
    verdict: Verdict
    others: tuple[Task, ...]
    """Other tasks of the same set, drawn for this completion."""
    drawing: Callable[[], np.random.Generator]

    @cached_property
    def rng(self) -> np.random.Generator:
        """Draws from the seed, the task and the completion: the same each time. Made for the edits that draw."""
        return self.drawing()

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
    effect: Effect
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
