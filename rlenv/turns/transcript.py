"""Transcripts as token ids: what a policy reads before its next turn, and solutions written as a policy would.

A turn has room for `max_new_tokens`, for what is left of `max_episode_tokens`, and for what is left of the model's
context, whichever is least. Where nothing is left, the transcript stays as it is and the episode ends as cut.

Where the chat template rewrites history (drops old thoughts, for example), the conversation is written anew as the
policy meets it later, and begins a context of its own (`Completion.breaks`): the episode is 1 to T rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, Protocol

from rlenv.core.completion import Completion, as_completion
from rlenv.core.definition import Definition
from rlenv.core.errors import TaskError
from rlenv.core.policy import MAX_NEW_TOKENS, Sampling
from rlenv.core.task import Task, prompt_messages
from rlenv.turns.bridge import OPENING, Renderer, RewritesHistory
from rlenv.turns.live import Live
from rlenv.turns.play import Scripts, finish, reference_script


class Ready(NamedTuple):
    """An episode whose policy is about to speak."""

    live: Live
    ids: list[int]
    """The prompt and all that followed, or the context that was written anew. (L,)"""
    room: int
    """How many tokens the turn may have."""


def ready(
    lives: Sequence[Live],
    renderer: Renderer,
    sampling: Sampling,
    context: int | None = None,
    *,
    one_row: bool = False,
) -> list[Ready | None]:
    """Each episode with its prompt and what was heard since as tokens; None where there is no room for a turn.

    `context` is how many tokens the model was made for, where it says so. `one_row` is for those who take no episode of
    several rows: then a template that rewrites history is refused (RewritesHistory, a ConfigError).
    """
    prompts: dict[int, tuple[int, ...]] = {}  # n episodes share a task
    for live in lives:
        if not live.prompt_ids:
            if id(live.task) not in prompts:
                prompts[id(live.task)] = tuple(renderer.prompt(live.task.prompt, live.tools))
            live.prompt_ids = prompts[id(live.task)]
    return [_ready(live, renderer, sampling, context, one_row) for live in lives]


def _ready(live: Live, renderer: Renderer, sampling: Sampling, context: int | None, one_row: bool) -> Ready | None:
    add, before = live.bridge, len(live.context_ids)
    try:
        new = renderer.bridge(live.token_ids, live.heard, live.tools) if live.heard else []
    except RewritesHistory:
        if one_row:
            raise
        add, before, new = live.begin_anew, 0, _anew(live, renderer)
    after_prompt = len(live.token_ids) + len(new)
    room = sampling.max_new_tokens
    if sampling.max_episode_tokens is not None:
        room = min(room, sampling.max_episode_tokens - after_prompt)
    if context is not None:
        room = min(room, context - before - len(new))
    if room < 1:
        return None
    add(new)
    return Ready(live, live.context_ids, room)


def _anew(live: Live, renderer: Renderer) -> list[int]:
    """The conversation so far as the template writes it now, the policy's words with all that they were. (L,)"""
    spoken = [
        {"role": turn.role, "content": f"{OPENING}{text}" if turn.read_as == "opened" else text}
        for turn, text in live.spoken()
    ]
    return renderer.conversation([*prompt_messages(live.task.prompt), *spoken], live.tools)


class Encoder(Protocol):
    """What of a policy is needed to write its tokens."""

    @property
    def renderer(self) -> Renderer: ...

    def encode_completion(self, text: str) -> list[int]:
        """The ids of a turn that somebody else wrote, closed by the end of sequence. (T,)"""


def demonstrated(definition: Definition, policy: Encoder, tasks: Sequence[Task]) -> list[Completion]:
    """The reference's turns to each task, for a policy to learn from: their tokens have mask 1 and log-probs 0.

    What answers them comes from the interaction through the policy's own bridge (mask 0). Raises TaskError where an
    interaction fails, or a task has no solution.
    """
    if definition.interaction is None:
        return [_encoded(policy, definition.solution(task)) for task in tasks]
    lives, scripts = [Live.of(definition, task) for task in tasks], Scripts(partial(reference_script, definition))

    def speak(under_way: Sequence[Live], sampling: Sampling) -> list[Completion]:
        ready(under_way, policy.renderer, sampling)
        return [_encoded(policy, as_completion(scripts.next(live)).text) for live in under_way]

    finish(lives, speak, definition, Sampling(max_new_tokens=MAX_NEW_TOKENS))
    for live in lives:
        if live.failure:
            raise TaskError(f"task {live.task.id} cannot be shown: {live.failure}; fix the interaction")
    return [live.completion() for live in lives]


def _encoded(policy: Encoder, text: str) -> Completion:
    ids = policy.encode_completion(text)
    return Completion(text, tuple(ids), (0.0,) * len(ids))
