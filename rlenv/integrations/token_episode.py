"""Episodes that another library's sampler plays in token ids, of one turn or several.

    episode = TokenEpisode(definition, task, renderer, decoder, Sampling(max_new_tokens=512))
    while (ids := episode.ids()) is not None:          # the prompt and all that followed
        episode.say(sampled_ids, logprobs)
    episode.completion()                               # what a verifier judges

What was sampled is never tokenised again: what answers is rendered behind it (rlenv.turns.bridge). The text keeps the
special tokens that tell thoughts, channels and calls apart, which `skip_special_tokens=True` would drop.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import Sampling
from rlenv.core.reading import MARKS, ReadAs, opens_trace
from rlenv.core.task import Task
from rlenv.core.turn import POLICY, Turn
from rlenv.env.registry import load_for_row
from rlenv.env.rows import read_row
from rlenv.turns.bridge import Renderer
from rlenv.turns.live import Live
from rlenv.turns.transcript import ready

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
        self._dropped = self.end_ids | {int(i) for token, i in special if token not in MARKS}

    def finished(self, ids: Sequence[int]) -> bool:
        """Whether the policy ended by itself; what ends otherwise was cut."""
        return bool(ids) and ids[-1] in self.end_ids

    def text(self, ids: Sequence[int]) -> str:
        """The text without special tokens, but with those that are marks of a format."""
        return str(self._tokenizer.decode([i for i in ids if i not in self._dropped], skip_special_tokens=False))

    def read_as(self, prompt_ids: Sequence[int]) -> ReadAs:
        """How a completion of this prompt is read: in a trace from its beginning, where the prompt opened one."""
        end = str(self._tokenizer.decode(list(prompt_ids[-OPENING_TOKENS:]), skip_special_tokens=False))
        return "opened" if opens_trace(end) else "auto"

    def completion(
        self, ids: Sequence[int], mask: Sequence[int] = (), logprobs: Sequence[float] = (), read_as: ReadAs = "auto"
    ) -> Completion:
        """The completion of these ids (T,); where the mask has a 0 (T,), one with its turns."""
        finished = self.finished(ids)
        whole = Completion("", tuple(ids), tuple(logprobs), tuple(mask), finished=finished, read_as=read_as)
        if all(mask):
            return replace(whole, text=self.text(ids))
        text, turns, first = "", list[Turn](), 0
        for by_policy, stretch in groupby(mask, bool):
            start, end = len(text), first + len(list(stretch))
            text += self.text(ids[first:end])
            ended = finished or end < len(mask)  # only the last turn can be cut
            way: ReadAs = read_as if by_policy and not turns else "auto"
            turns.append(Turn(POLICY if by_policy else "tool", start, len(text), first, end, ended, way))
            first = end
        return replace(whole, text=text, turns=tuple(turns), read_as="auto")


class _OneTurn:
    """What answers in an environment of one turn: nothing."""

    tools = ()

    def start(self, task: Task) -> Json:
        return None

    def respond(self, state: Json, said: Completion) -> Reply:
        return Reply(state, ended=True)


class TokenEpisode:
    """One episode under way; `room` is how many tokens the next turn may have."""

    def __init__(
        self,
        definition: Definition,
        task: Task,
        renderer: Renderer,
        decoder: Decoder,
        sampling: Sampling,
        context: int | None = None,
    ) -> None:
        """`context` bounds the prompt and all that follows, in tokens."""
        self.definition, self.renderer, self.decoder = definition, renderer, decoder
        self.sampling, self.context, self.room = sampling, context, sampling.max_new_tokens
        self._one_turn = definition.interaction is None
        self._live = Live(task, _OneTurn(), max_turns=1) if self._one_turn else Live.of(definition, task)
        self._said = Completion("", finished=False)

    @classmethod
    def of_row(
        cls,
        row: str,
        tokenizer: Any,
        end_ids: Collection[int],
        sampling: Sampling,
        *,
        context: int | None = None,
        name: str = "this model",
    ) -> TokenEpisode:
        """The episode of a row (docs/rows.md); the tokenizer's own end of sequence is among `end_ids`.

        Raises ConfigError for a row that cannot be read, and what loading its environment raises.
        """
        env, kwargs, task = read_row(row)
        eos = int(tokenizer.eos_token_id)
        renderer = Renderer(tokenizer, [eos, *sorted(set(end_ids) - {eos})], name)
        return cls(load_for_row(env, **kwargs), task, renderer, Decoder(tokenizer, end_ids), sampling, context)

    @property
    def prompt_ids(self) -> tuple[int, ...]:
        """The tokens before all that was said, once `ids` was asked."""
        return self._live.prompt_ids

    @property
    def ended(self) -> bool:
        """Whether nothing more is to be said."""
        return self._live.ended

    @property
    def turns(self) -> int:
        """How often the policy spoke."""
        return self._live.said

    def ids(self) -> list[int] | None:
        """What the policy reads before its next turn; None where the episode is over or has no room for one."""
        if self.ended:
            return None
        turn = ready([self._live], self.renderer, self.sampling, self.context, one_row=True)[0]
        if turn is None:
            self._live.end_cut()
            return None
        self.room = turn.room
        return turn.ids

    def say(self, ids: Sequence[int], logprobs: Sequence[float] = (), *, cut: bool | None = None) -> None:
        """Add what the policy said, and what answers it. `cut` where the sampler tells; else the last token does."""
        known = tuple(logprobs) if len(logprobs) == len(ids) else (0.0,) * len(ids)
        finished = self.decoder.finished(ids) if cut is None else not cut
        read_as = self.decoder.read_as((*self._live.prompt_ids, *self._live.token_ids))
        self._said = Completion(self.decoder.text(ids), tuple(ids), known, finished=finished, read_as=read_as)
        self._live.step(self._said)

    def completion(self) -> Completion:
        """All that was said, with its turns where there are several."""
        return self._said if self._one_turn else self._live.completion()
