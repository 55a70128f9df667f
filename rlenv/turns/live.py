"""An episode under way: its state and its transcript, to which turns are only ever added.

Tokens that were sampled are never made again from text: those of the policy carry mask 1 and their log-probs, those of
the environment, as the policy's own renderer made them, mask 0 and none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Message, Prompt, Task, prompt_messages
from rlenv.core.verdict import Flag, StepReward
from rlenv.turns.interaction import Closing, Interaction, Reply
from rlenv.turns.replay import Played, placed_flags
from rlenv.turns.tool_prompt import with_tools_told
from rlenv.turns.turn import POLICY, Role, Turn

NOTHING_SAID = Reply(None)
JOINT = "\n"
"""Stands between two turns in the text of the whole."""


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
    last: Reply = NOTHING_SAID
    """The last reply as the interaction gave it."""
    prompt_ids: tuple[int, ...] = ()
    token_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    memory: object = None
    """What the policy keeps of the episode between its turns, its keys and values for example."""
    chars: int = 0
    """Of the whole text so far."""
    _said: list[Completion] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    """Where each turn of the policy begins in the whole text."""
    _replies: list[Reply] = field(default_factory=list)
    """What answered each. A transcript is made of all this when somebody looks."""
    _bridges: dict[int, int] = field(default_factory=dict)
    """How many tokens were added behind so many turns of the policy, by others than the policy."""
    _unheard: bool = False
    """The last reply ended the episode: its observation is no part of the transcript."""

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
    def said(self) -> int:
        """Turns of the policy so far."""
        return len(self._said)

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
        start = self.chars + len(JOINT) if self._said else 0
        self._said.append(said)
        self._starts.append(start)
        self.chars = start + len(said.text)
        if said.token_ids:
            self.token_ids += said.token_ids
            self.logprobs += said.logprobs
            self.mask += [1] * len(said.token_ids)
        if said.finished:
            return None
        self.cut = True
        return self._end(Reply(self.state, ended=True, reason="the completion was cut at its limit of tokens"))

    def hear(self, reply: Reply) -> Reply:
        """Take what the interaction answers to the turn that was said last."""
        try:
            state, observation, ended, reward, _, _, _ = reply
            reward, chars = float(reward), _chars(observation)
        except (TypeError, ValueError, KeyError) as error:  # no reply, or a part of it is not what it should be
            return self.fail(error)
        self.reward += reward
        self.state, self.last = state, reply
        self._replies.append(reply)
        if ended or self.chars > self.max_chars or len(self._said) >= self.max_turns:
            self._unheard = True
            return self._end(reply if ended else reply._replace(ended=True, reason=self._limit()))
        self.chars += chars
        return reply

    def _limit(self) -> str:
        if self.chars > self.max_chars:
            return f"the limit of {self.max_chars} characters is reached"
        return f"the limit of {self.max_turns} turns is reached"

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

    @property
    def heard(self) -> tuple[Message, ...]:
        """The last observation, whose tokens are not in the transcript yet."""
        if not self._replies or self._unheard or self.said in self._bridges:
            return ()
        return tuple(prompt_messages(self._replies[-1].observation))

    def bridge(self, token_ids: Sequence[int]) -> None:
        """Add the tokens that stand between the policy's last turn and its next one: mask 0, no log-prob."""
        self._bridges[self.said] = self._bridges.get(self.said, 0) + len(token_ids)
        self.token_ids += token_ids
        self.logprobs += [0.0] * len(token_ids)
        self.mask += [0] * len(token_ids)

    def spoken(self) -> list[tuple[Turn, str]]:
        """The turns so far, each with its text."""
        found: list[tuple[Turn, str]] = []
        token = self._bridges.get(0, 0)
        for place, (said, start) in enumerate(zip(self._said, self._starts, strict=True)):
            end, last = start + len(said.text), token + len(said.token_ids)
            turn = Turn(POLICY, start, end, token, last, said.finished, said.read_as, said.segments)
            found.append((turn, said.text))
            first, token = last, last + self._bridges.get(place + 1, 0)
            if place < len(self._replies) - self._unheard:
                found += _heard_turns(self._replies[place].observation, end + len(JOINT), first, token)
        return found

    def messages(self) -> tuple[Message, ...]:
        """The conversation so far as chat messages, the prompt first, with its tools told in words."""
        spoken = [{"role": turn.role, "content": text} for turn, text in self.spoken()]
        return (*with_tools_told(prompt_messages(self.task.prompt), self.tools), *spoken)

    def completion(self) -> Completion:
        """All that was said after the prompt, as one completion with its turns.

        Of an episode that ended it remembers what the interaction computed.
        """
        spoken = self.spoken()
        made = Completion(
            JOINT.join([text for _, text in spoken]),
            tuple(self.token_ids),
            tuple(self.logprobs),
            tuple(self.mask) if self.token_ids else (),
            finished=not self.cut,
            turns=tuple([turn for turn, _ in spoken]),
            failure=self.failure,
        )
        if self.ended and not self.failure:
            made.remember(self.played())
        return made

    def played(self) -> Played:
        """What the interaction computed: the pay and the flags of each turn that it answered, where it stands."""
        steps: list[StepReward] = []
        flags: list[Flag] = []
        for said, start, reply in zip(self._said, self._starts, self._replies, strict=False):  # a cut turn has no reply
            steps.append(StepReward(float(reply.reward), start, start + len(said.text)))
            if reply.flags:
                flags += placed_flags(reply, start)
        return Played(self.interaction, self.task, tuple(steps), tuple(flags), self.last)

    def _end(self, reply: Reply) -> Reply:
        self.ended = True
        self.memory = None
        if isinstance(self.interaction, Closing):
            self.interaction.close(self.state)
        return reply


def _heard_turns(observation: Prompt, start: int, first: int, end: int) -> list[tuple[Turn, str]]:
    """The messages of an observation; it is one stretch of tokens `[first, end)`, that of its first message."""
    found: list[tuple[Turn, str]] = []
    for message in prompt_messages(observation):
        role: Role = message["role"]  # type: ignore[assignment]  # checked by the renderer's template
        text = message["content"]
        found.append((Turn(role, start, start + len(text), first, first if found else end), text))
        start += len(text) + len(JOINT)
    return found


def _chars(observation: Prompt) -> int:
    """How many characters an observation adds behind a turn of the policy, with what stands before its messages."""
    if isinstance(observation, str):
        return len(JOINT) + len(observation)
    return sum([len(JOINT) + len(message["content"]) for message in observation])
