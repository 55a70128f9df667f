"""Token ids that another trainer sampled, as a completion: what the policy said, who else spoke, whether it was cut.

Nothing is tokenised again. The text keeps the special tokens that tell thoughts, channels and calls apart, which
`skip_special_tokens=True` would drop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol

from rlenv.core.completion import Completion
from rlenv.core.reading import MARKS, ReadAs, opens_trace
from rlenv.core.turn import POLICY, Turn

OPENING_TOKENS = 16
"""The last tokens of a prompt, which hold the tag of a trace that the chat template opened."""


class Tokenizer(Protocol):
    """What we ask of a tokenizer of transformers."""

    @property
    def all_special_tokens(self) -> list[str]: ...
    @property
    def all_special_ids(self) -> list[int]: ...
    def decode(self, token_ids: Any, /, *, skip_special_tokens: bool = ...) -> Any: ...


class Decoder:
    """Turns sampled ids into completions. `end_ids` are those that end what the policy says."""

    def __init__(self, tokenizer: Tokenizer, end_ids: Collection[int]) -> None:
        self.end_ids = frozenset(end_ids)
        self._tokenizer = tokenizer
        special = zip(tokenizer.all_special_tokens, tokenizer.all_special_ids, strict=True)
        self._dropped = {int(i) for token, i in special if token not in MARKS}

    def finished(self, ids: Sequence[int]) -> bool:
        """Whether the policy ended by itself; what ends otherwise was cut."""
        return bool(ids) and ids[-1] in self.end_ids

    def text(self, ids: Sequence[int]) -> str:
        """The text without special tokens, but with those that are marks of a format."""
        kept = [i for i in ids if i not in self._dropped and i not in self.end_ids]
        return str(self._tokenizer.decode(kept, skip_special_tokens=False))

    def read_as(self, prompt_ids: Sequence[int]) -> ReadAs:
        """How a completion of this prompt is read: in a trace from its beginning, where the prompt opened one."""
        end = str(self._tokenizer.decode(list(prompt_ids[-OPENING_TOKENS:]), skip_special_tokens=False))
        return "opened" if opens_trace(end) else "auto"

    def completion(
        self, ids: Sequence[int], mask: Sequence[int] = (), logprobs: Sequence[float] = (), read_as: ReadAs = "auto"
    ) -> Completion:
        """The completion of these ids (T,); where the mask has a 0 (T,), one with its turns."""
        said = Completion(
            self.text(ids), tuple(ids), tuple(logprobs), tuple(mask), finished=self.finished(ids), read_as=read_as
        )
        return said if all(mask) else _with_turns(said, self.text, read_as)


def _with_turns(whole: Completion, decode: Callable[[Sequence[int]], str], read_as: ReadAs) -> Completion:
    """The same completion, its text put together turn by turn."""
    texts: list[str] = []
    turns: list[Turn] = []
    place = 0
    for first, end, by_policy in _runs(whole.mask):
        text = decode(whole.token_ids[first:end])
        turns.append(
            Turn(
                POLICY if by_policy else "tool",
                place,
                place + len(text),
                first,
                end,
                whole.finished or end < len(whole.mask),
                read_as if by_policy and not turns else "auto",
            )
        )
        texts.append(text)
        place += len(text)
    return replace(whole, text="".join(texts), turns=tuple(turns), read_as="auto")


def _runs(mask: Sequence[int]) -> Iterator[tuple[int, int, bool]]:
    """The stretches of equal value: where each begins and ends, and whether the policy chose it."""
    place = 0
    for chosen, run in groupby(mask, bool):
        end = place + len(list(run))
        yield place, end, chosen
        place = end
