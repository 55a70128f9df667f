"""Scripts played through their interaction, as transcripts of tokens that a policy can learn from.

What the script says is encoded by the policy's tokenizer and closed by its end of sequence (mask 1); what answers it
comes from the interaction through the policy's own bridge (mask 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import TaskError
from rlenv.core.task import Prompt, Task
from rlenv.policies.policy import DEFAULT_SAMPLING, MAX_NEW_TOKENS, Sampling
from rlenv.turns.bridge import Renderer
from rlenv.turns.live import Live
from rlenv.turns.play import finish, reference_script
from rlenv.turns.transcript import ready


class Encoder(Protocol):
    """What of a policy is needed to write its tokens."""

    @property
    def name(self) -> str: ...
    @property
    def renderer(self) -> Renderer: ...

    def encode_completion(self, text: str) -> list[int]:
        """The ids of a turn that somebody else wrote, closed by the end of sequence. (T,)"""


def demonstrated(definition: Definition, policy: Encoder, tasks: Sequence[Task]) -> list[Completion]:
    """The reference's turns to each task with their tokens, log-probs 0.

    Raises TaskError where an interaction fails, or a task has no solution.
    """
    if definition.interaction is None:
        return [_one_turn(policy, definition.solution(task)) for task in tasks]
    lives = [Live.of(definition, task) for task in tasks]
    finish(lives, _Speaker(definition, policy), definition, Sampling(max_new_tokens=MAX_NEW_TOKENS))
    found = [live.completion() for live in lives]
    for task, completion in zip(tasks, found, strict=True):
        if completion.failure:
            raise TaskError(f"task {task.id} cannot be shown: {completion.failure}; fix the interaction")
    return found


class _Speaker:
    """Says what is written in tokens: a text in every turn, several turn by turn and then nothing."""

    def __init__(self, definition: Definition, policy: Encoder) -> None:
        self.name, self._policy = f"reference of {definition.id}", policy
        self._definition = definition
        self._scripts: dict[int, str | tuple[str, ...]] = {}

    def generate(
        self, prompts: Sequence[Prompt], n: int = 1, sampling: Sampling = DEFAULT_SAMPLING
    ) -> list[Completion]:
        raise NotImplementedError("a script is said turn by turn")

    def continued(self, lives: Sequence[Live], sampling: Sampling) -> list[Completion | None]:
        ready(lives, self._policy.renderer, sampling)
        return [_one_turn(self._policy, self._next(live)) for live in lives]

    def _next(self, live: Live) -> str:
        script = self._scripts.get(id(live))
        if script is None:
            script = self._scripts[id(live)] = reference_script(self._definition, live.task)
        if isinstance(script, str):
            return script
        return script[live.said] if live.said < len(script) else ""


def _one_turn(policy: Encoder, text: str) -> Completion:
    ids = policy.encode_completion(text)
    return Completion(text, tuple(ids), (0.0,) * len(ids))
