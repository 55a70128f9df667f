"""An episode under way: its state and its transcript, to which turns are only ever added.

Tokens that were sampled are never made again from text: those of the policy carry mask 1 and their log-probs, those of
the environment, as the policy's own renderer made them, mask 0 and none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.interaction import Closing, Interaction, Keeping, Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Message, Task, prompt_messages
from rlenv.core.turn import POLICY, Role, Turn
from rlenv.text.escaping import shown_line
from rlenv.turns.replay import InteractionTrace
from rlenv.turns.tool_prompt import with_tools_in_system

JOINT = "\n"
"""Stands between two turns in the text of the whole."""
MOST_TURNS, MOST_CHARS = 12, 200
"""How many turns a report shows, and how many characters of each."""


@dataclass(slots=True)
class Live:
    """One episode of several turns while it is played."""

    task: Task
    interaction: Interaction
    max_turns: int
    number: int = field(default_factory=count().__next__, kw_only=True, repr=False)
    """Tells it from the other episodes of this process."""
    max_chars: int = 1_000_000
    """Of the whole text: nobody judges more, so no more is said."""
    state: Json = None
    ended: bool = False
    failure: str = ""
    """Why the machinery could not go on; the episode is a `verifier_error` then."""
    cut: bool = False
    """The policy hit its limit of tokens."""
    reward: float = 0.0
    """What the turns earned so far."""
    prompt_ids: tuple[int, ...] = ()
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    breaks: list[int] = field(default_factory=list)
    """As those of the completion: places at which the policy read the conversation anew."""
    memory: object = None
    """What the policy keeps of the episode between its turns, its keys and values for example."""
    heard: tuple[Message, ...] = ()
    """The last observation, while its tokens are not in the transcript yet."""
    chars: int = 0
    """Of the whole text so far."""
    said: int = 0
    """Turns of the policy so far."""
    _turns: list[Turn] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _observed: int | None = None
    """The place among the turns of the first message of the last observation, to which the next bridge belongs."""
    _trace: InteractionTrace = field(init=False)

    def __post_init__(self) -> None:
        self._trace = InteractionTrace(self.interaction, self.task)

    @classmethod
    def of(cls, definition: Definition, task: Task) -> Live:
        """A new episode. Raises ConfigError for an environment of one turn."""
        if definition.interaction is None:
            raise ConfigError(f"{definition.id or 'this environment'} has one turn; ask the policy with generate")
        live = cls(task, definition.interaction, definition.max_turns, definition.max_completion_chars)
        try:
            live.state = definition.interaction.start(task)
        except Exception as error:  # an interaction is user code, as a verifier is
            live.fail(error)
        return live

    @property
    def tools(self) -> Sequence[Mapping[str, Json]]:
        """The tools that may be called, as schemas in OpenAI's form."""
        return self.interaction.tools

    def step(self, said: Completion) -> Reply:
        """Add a turn of the policy and what answers it; the reply, with `ended` where the episode is over."""
        reply = self.say(said)
        if reply is not None:
            return reply
        try:
            reply = self.interaction.respond(self.state, said)
        except Exception as error:
            return self.fail(error)
        return self.hear(reply)

    def say(self, said: Completion) -> Reply | None:
        """Add a turn of the policy; None where the interaction is to answer it, which `hear` takes."""
        if self.ended:
            return Reply(self.state, ended=True)
        start, first = self.chars + len(JOINT) if self.said else 0, len(self.token_ids)
        self.said, self.chars = self.said + 1, start + len(said.text)
        self.token_ids += said.token_ids
        self.logprobs += said.logprobs if said.token_ids else ()
        self.mask += [1] * len(said.token_ids)
        end = len(self.token_ids)
        self._turns.append(Turn(POLICY, start, self.chars, first, end, said.finished, said.read_as, said.segments))
        self._texts.append(said.text)
        self._observed, self.heard = None, ()
        if said.finished:
            return None
        self.cut = True
        return self._end(Reply(self.state, ended=True, reason="the completion was cut at its limit of tokens"))

    def hear(self, reply: Reply) -> Reply:
        """Take what the interaction answers to the turn that was said last."""
        spoken = self._turns[-1]
        try:
            reward, heard = float(reply.reward), tuple(prompt_messages(reply.observation))
            answers = [(cast("Role", message["role"]), message["content"]) for message in heard]
            chars = sum(len(JOINT) + len(text) for _, text in answers)
            self._trace.add(reply, spoken.start, spoken.end)
        except (TypeError, ValueError, KeyError, AttributeError) as error:  # no reply, or with parts that are none
            return self.fail(error)
        self.reward += reward
        self.state = reply.state
        if reply.ended:
            return self._end(reply)
        if self.chars > self.max_chars:
            return self._end(reply._replace(ended=True, reason=f"the limit of {self.max_chars} characters is reached"))
        if self.said >= self.max_turns:
            return self._end(reply._replace(ended=True, reason=f"the limit of {self.max_turns} turns is reached"))
        self._observed, self.heard = len(self._turns), heard
        place, token = self.chars, len(self.token_ids)
        for role, text in answers:
            place += len(JOINT)
            self._turns.append(Turn(role, place, place + len(text), token, token))
            self._texts.append(text)
            place += len(text)
        self.chars += chars
        return reply

    def end_cut(self) -> None:
        """There is no room for another turn of the policy."""
        self.cut = True
        self._end(Reply(self.state, ended=True))

    def abandon(self) -> None:
        """Nobody plays it any further."""
        if not self.ended:
            self._end(Reply(self.state, ended=True))

    def fail(self, error: Exception) -> Reply:
        """The machinery failed: the episode ends, and is no one's fault."""
        self.failure = f"interaction: {type(error).__name__}: {error}"
        return self._end(Reply(self.state, ended=True, reason=self.failure))

    def bridge(self, token_ids: Sequence[int]) -> None:
        """Add the tokens that stand between the policy's last turn and its next one: mask 0, no log-prob.

        They are those of the first message that was heard; the others have none.
        """
        self.token_ids += token_ids
        self.logprobs += [0.0] * len(token_ids)
        self.mask += [0] * len(token_ids)
        self.heard = ()
        if self._observed is not None and self._observed < len(self._turns):
            turn = self._turns[self._observed]
            self._turns[self._observed] = turn._replace(end_token=len(self.token_ids))

    def begin_anew(self, token_ids: Sequence[int]) -> None:
        """Begin a context of its own with these tokens, all that the policy reads before its next turn: mask 0."""
        self.breaks.append(len(self.token_ids))
        self.memory = None
        self.bridge(token_ids)

    @property
    def context_ids(self) -> list[int]:
        """What the policy has read and said in the context that it is in. (L,)"""
        return self.token_ids[self.breaks[-1] :] if self.breaks else [*self.prompt_ids, *self.token_ids]

    def spoken(self) -> list[tuple[Turn, str]]:
        """The turns so far, each with its text."""
        return list(zip(self._turns, self._texts, strict=True))

    def messages(self) -> tuple[Message, ...]:
        """The conversation so far as chat messages, the prompt first, with its tools told in words."""
        spoken = [{"role": turn.role, "content": text} for turn, text in self.spoken()]
        return (*with_tools_in_system(prompt_messages(self.task.prompt), self.tools), *spoken)

    def completion(self) -> Completion:
        """All that was said after the prompt, as one completion with its turns.

        Of an episode that ended it remembers what the interaction computed.
        """
        keeps = self.ended and not self.failure and isinstance(self.interaction, Keeping)
        made = Completion(
            JOINT.join(self._texts),
            tuple(self.token_ids),
            tuple(self.logprobs),
            tuple(self.mask) if self.token_ids else (),
            finished=not self.cut,
            turns=tuple(self._turns),
            breaks=tuple(self.breaks),
            failure=self.failure,
            submission=cast("Keeping", self.interaction).kept(self.state) if keeps else "",
        )
        if self.ended and not self.failure:
            made.remember(self.played())
        return made

    def played(self) -> InteractionTrace:
        """What the interaction computed so far: the pay and the flags of each turn that it answered."""
        return self._trace

    def _end(self, reply: Reply) -> Reply:
        self.ended = True
        self.memory = None
        if isinstance(self.interaction, Closing):
            self.interaction.close(self.state)
        return reply


def turn_lines(completion: Completion) -> list[str]:
    r"""One line a turn for a person, the middle turns of a long episode left out; none for an episode of one turn.

    >>> turn_lines(Completion("5\nhigher", turns=(Turn("assistant", 0, 1), Turn("user", 2, 8))))
    ['assistant: 5', 'user: higher']
    """
    lines = [f"{turn.role}: {_line(completion.text[turn.start : turn.end])}" for turn in completion.turns]
    if len(lines) <= MOST_TURNS:
        return lines
    half = MOST_TURNS // 2
    return [*lines[:half], f"({len(lines) - 2 * half} turns left out)", *lines[-half:]]


def _line(text: str) -> str:
    head = text if len(text) <= 2 * MOST_CHARS else f"{text[:MOST_CHARS]} ... {text[-MOST_CHARS:]}"
    return shown_line(head, MOST_CHARS)
