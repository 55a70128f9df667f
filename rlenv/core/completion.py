"""What the policy said: its text and, where known, its tokens; read once into what was thought, said and called.

>>> said = Completion("<think>6 * 7 = 42</think>The answer is 42.")
>>> said.content.text, said.reasoning.text
('The answer is 42.', '6 * 7 = 42')
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.reading import READ_AS, Passage, ReadAs, Reading, Segment, plain_content, read
from rlenv.core.tool_call import ToolCall, tool_calls
from rlenv.core.turn import Turn


class _Kept:
    """What is known of a completion beside its value: what was read of it, once it was looked at, and who played it.

    It is neither compared, stored nor copied.
    """

    __slots__ = ("_content", "_played", "_reading")
    _content: Passage | None
    _played: object
    _reading: Reading | None


@dataclass(frozen=True, slots=True)
class Completion(_Kept):
    """One answer of a policy. Wherever a Completion is taken, a plain string is taken too."""

    text: str
    token_ids: tuple[int, ...] = ()
    """Tokens after the first prompt, end-of-sequence token included. (T,)"""
    logprobs: tuple[float, ...] = ()
    """Log-probability of each token under the policy that sampled it, in nats. (T,)"""
    mask: tuple[int, ...] = ()
    """1 where the policy chose the token, 0 where the environment wrote it; empty means all 1. (T,)"""
    finished: bool = True
    """False when the policy was cut at its token limit."""
    read_as: ReadAs = "auto"
    """How the text is read, where its policy knows more than the text tells (`rlenv.core.reading.ReadAs`)."""
    segments: tuple[Segment, ...] = ()
    """What an endpoint told apart; empty means that the text is read."""
    turns: tuple[Turn, ...] = ()
    """Where the turns stand, in an episode of several; empty means that all of it is one turn of the policy."""
    failure: str = ""
    """Why what answers the policy could not go on; nobody judges such a completion, it is a `verifier_error`."""
    submission: str = ""
    """What the episode left, as its interaction finds it in the run's folder (`rlenv.core.interaction.Keeping`)."""
    breaks: tuple[int, ...] = ()
    """Places among the tokens at which the model read anew: nothing before one, not even the prompt, is in the context
    of what stands behind it. Empty where all of it is one context behind the prompt."""

    def __post_init__(self) -> None:
        if self.read_as not in READ_AS:
            raise ConfigError(f"expected read_as to be one of {', '.join(READ_AS)}, got {self.read_as!r}")

    @property
    def reading(self) -> Reading:
        """What the text holds, read at the first look and kept."""
        reading: Reading | None = getattr(self, "_reading", None)
        if reading is None:
            last = self._last_turn()
            if last is None:
                reading = read(self.text, self.read_as, self.segments)
            else:
                said = read(self.text[last.start : last.end], last.read_as, last.segments)
                reading = said.moved(self.text, last.start)
            object.__setattr__(self, "_reading", reading)
        return reading

    @property
    def content(self) -> Passage:
        """What was said: the text without reasoning, calls and marks. Everything that judges an answer looks here.

        Of several turns it is what the policy said in its last one, and so are `reasoning` and `tool_calls`.
        """
        content: Passage | None = getattr(self, "_content", None)
        if content is None:
            content = None if self.segments or self.turns else plain_content(self.text, self.read_as)
            content = content or self.reading.content
            object.__setattr__(self, "_content", content)
        return content

    def said(self) -> Completion:
        """The content alone, as a completion of its own; this very completion where all of it is content."""
        content = self.content
        if len(content.text) == len(self.text):
            return self
        return Completion(content.text, finished=self.finished, read_as="text")

    @property
    def reasoning(self) -> Passage:
        """What was thought: never an answer, an offence or an argument for a judge."""
        return self.reading.reasoning

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The tools that were called, in order, decoded now."""
        return tool_calls(self.reading)

    @property
    def said_turns(self) -> tuple[Completion, ...]:
        """Each turn of the policy as a completion of its own; this very completion where it is one turn."""
        return tuple([self._alone(turn) for turn in self.turns if turn.by_policy]) if self.turns else (self,)

    @property
    def said_tokens(self) -> int:
        """How many tokens the policy chose; 0 where none are known."""
        return sum(self.mask) if self.mask else len(self.token_ids)

    @property
    def said_chars(self) -> int:
        """How many characters the policy said."""
        own = [turn.end - turn.start for turn in self.turns if turn.by_policy]
        return sum(own) if self.turns else len(self.text)

    @property
    def played(self) -> object:
        """What was computed while it was played here (`rlenv.turns.replay.Played`); None for any other."""
        return getattr(self, "_played", None)

    def remember(self, played: object) -> None:
        """Keep what was computed while it was played, with this very object alone."""
        object.__setattr__(self, "_played", played)

    def last_turn(self) -> tuple[Completion, int]:
        """The policy's last turn as a completion of its own, and where it begins in the text."""
        last = self._last_turn()
        if last is None:
            return self, 0
        return replace(self._alone(last), finished=self.finished, failure=self.failure), last.start

    def _last_turn(self) -> Turn | None:
        return next((turn for turn in reversed(self.turns) if turn.by_policy), None) if self.turns else None

    def _alone(self, turn: Turn) -> Completion:
        tokens = slice(turn.first_token, turn.end_token)
        return Completion(
            self.text[turn.start : turn.end],
            self.token_ids[tokens],
            self.logprobs[tokens],
            finished=turn.finished,
            read_as=turn.read_as,
            segments=turn.segments,
        )

    def __getstate__(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in _STORED}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def to_json(self) -> dict[str, Json]:
        stored: dict[str, Json] = {
            "text": self.text,
            "token_ids": list(self.token_ids),
            "logprobs": list(self.logprobs),
            "mask": list(self.mask),
            "finished": self.finished,
        }
        if self.read_as != "auto":
            stored["read_as"] = self.read_as
        if self.segments:
            stored["segments"] = [list(segment) for segment in self.segments]
        if self.turns:
            stored["turns"] = [turn.to_json() for turn in self.turns]
        if self.breaks:
            stored["breaks"] = list(self.breaks)
        if self.failure:
            stored["failure"] = self.failure
        if self.submission:
            stored["submission"] = self.submission
        return stored

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Completion:
        """Raises one of MISREAD for what `to_json` did not write."""
        return cls(
            text=str(data["text"]),
            token_ids=tuple(map(int, cast("list[int]", data.get("token_ids") or []))),
            logprobs=tuple(map(float, cast("list[float]", data.get("logprobs") or []))),
            mask=tuple(map(int, cast("list[int]", data.get("mask") or []))),
            finished=bool(data.get("finished", True)),
            read_as=cast("ReadAs", data.get("read_as", "auto")),
            segments=tuple(Segment(*segment) for segment in cast("list[list[Any]]", data.get("segments") or [])),
            turns=tuple(Turn.from_json(turn) for turn in cast("list[list[Any]]", data.get("turns") or [])),
            breaks=tuple(map(int, cast("list[int]", data.get("breaks") or []))),
            failure=str(data.get("failure", "")),
            submission=str(data.get("submission", "")),
        )


_STORED = tuple([field.name for field in fields(Completion)])


def as_completion(completion: str | Completion, read_as: ReadAs = "auto") -> Completion:
    """The completion itself, or a finished one made of a plain string.

    `read_as` is the word of the environment; a completion whose policy said how to read it keeps to that.
    Raises ConfigError for anything else.
    """
    if isinstance(completion, Completion):
        unsaid = completion.read_as == "auto" != read_as
        return replace(completion, read_as=read_as) if unsaid else completion
    if isinstance(completion, str):
        return Completion(completion, read_as=read_as)
    raise ConfigError(f"expected a completion to be a string or a Completion, got {type(completion).__name__}")
