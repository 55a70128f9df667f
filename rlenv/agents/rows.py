"""From the calls of an episode to rows: which call goes on where another ended, token by token.

    row        prompt of its first call, what that sampled, what was heard, what the next call sampled, ...
    mask       1 where the policy sampled, in one row alone; 0 where it only reads

A call goes on from another whose prompt and sampled tokens are the exact beginning of its own prompt. One that goes on
from none (a compacted history, a sub-agent, a template that drops thoughts) begins a row; two that go on from the same
one (parallel calls, a retry) are a row each, and what they have in common is learned from in the first of them.

All rows of an episode are one `Completion`, one behind the other, and `breaks` says where each begins: it has one
reward and one place in its group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rlenv.agents.session import Call
from rlenv.core.completion import Completion
from rlenv.core.turn import POLICY, Role, Turn

JOINT = "\n"
SHOWN = 20_000
"""Characters of what was heard before one call that the text of the whole keeps; its tokens are all there."""


@dataclass(frozen=True)
class Row:
    """One path of calls, each going on where the one before it ended."""

    calls: tuple[int, ...]
    """Places of the calls."""
    learned: tuple[bool, ...]
    """Whether the call's tokens are learned from here, and not in an earlier row."""


def rows_of(calls: Sequence[Call]) -> list[Row]:
    """The rows of an episode, in the order of their last calls."""
    ends = [(*call.prompt_ids, *call.said.token_ids) for call in calls]
    parents = [_parent(place, calls, ends) for place in range(len(calls))]
    rows, taken = list[Row](), set[int]()
    for leaf in range(len(calls)):
        if leaf in parents:
            continue
        path, place = [leaf], parents[leaf]
        while place is not None:
            path.append(place)
            place = parents[place]
        path.reverse()
        rows.append(Row(tuple(path), tuple([place not in taken for place in path])))
        taken.update(path)
    return rows


def _parent(place: int, calls: Sequence[Call], ends: Sequence[tuple[int, ...]]) -> int | None:
    """The call that this one goes on from: of those whose end its prompt begins with, the longest and first."""
    prompt = calls[place].prompt_ids
    fitting = [
        other
        for other, end in enumerate(ends)
        if other != place and calls[other].said.token_ids and len(end) <= len(prompt) and prompt[: len(end)] == end
    ]
    return max(fitting, key=lambda other: (len(ends[other]), -other), default=None)


def completion_of(
    calls: Sequence[Call], text_of: Callable[[Sequence[int]], str] | None = None, *, cut: bool = False
) -> Completion:
    """An episode as one completion: its rows one behind the other, every call a turn of the policy.

    `text_of` makes what was heard readable; without it, or without tokens, the texts of the calls stand there alone.
    `cut` says that a limit ended the calls.
    """
    made = _Made()
    for row in rows_of(calls):
        read = 0
        for place, learned in zip(row.calls, row.learned, strict=True):
            call = calls[place]
            if read == 0 and call.prompt_ids:
                made.breaks.append(len(made.token_ids))
            heard = call.prompt_ids[read:]
            made.add("user", heard, (0.0,) * len(heard), "" if text_of is None else _shown(text_of(heard)))
            said, ids = call.said, call.said.token_ids
            read = len(call.prompt_ids) + len(ids)
            if learned:
                made.add(POLICY, ids, said.logprobs, said.text, said)
            else:
                made.add("user", ids, (0.0,) * len(ids), _shown(said.text))
    return Completion(
        JOINT.join(made.texts),
        tuple(made.token_ids),
        tuple(made.logprobs),
        tuple(made.mask),
        finished=not cut,
        turns=tuple(made.turns),
        breaks=tuple(made.breaks),
    )


class _Made:
    """A completion while it is put together."""

    def __init__(self) -> None:
        self.token_ids: list[int] = []
        self.logprobs: list[float] = []
        self.mask: list[int] = []
        self.breaks: list[int] = []
        self.turns: list[Turn] = []
        self.texts: list[str] = []
        self._chars = 0

    def add(
        self, role: Role, ids: Sequence[int], logprobs: Sequence[float], text: str, said: Completion | None = None
    ) -> None:
        """One turn; with `said` it is the policy's."""
        if said is None and not ids and not text:
            return
        start, first = self._chars + (len(JOINT) if self.texts else 0), len(self.token_ids)
        self._chars = start + len(text)
        self.texts.append(text)
        self.token_ids += ids
        self.logprobs += logprobs
        self.mask += [0 if said is None else 1] * len(ids)
        turn = Turn(role, start, self._chars, first, len(self.token_ids))
        if said is not None:
            turn = turn._replace(finished=said.finished, read_as=said.read_as, segments=said.segments)
        self.turns.append(turn)


def _shown(text: str) -> str:
    half = SHOWN // 2
    return text if len(text) <= SHOWN else f"{text[:half]}\n[... {len(text) - SHOWN} characters ...]\n{text[-half:]}"
