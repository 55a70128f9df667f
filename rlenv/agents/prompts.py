"""From a request to the token ids that the model reads; what was sampled before is taken as it was sampled.

A request that goes on where an earlier call of the episode ended is that call's tokens and the bridge of what was heard
since (`rlenv.turns.bridge`). Any other is a history that was written anew, and all of it is rendered: a compaction, a
sub-agent, a template that drops thoughts. Its tokens are context of a row of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlenv.agents.chat import ChatRequest, as_sampled, as_text, identity, read_message
from rlenv.agents.session import Call
from rlenv.core.jsontypes import Json
from rlenv.core.task import Message
from rlenv.turns.bridge import Renderer, RewritesHistory


def prompt_ids(renderer: Renderer, asked: ChatRequest, calls: Sequence[Call]) -> list[int]:
    """The ids of a request among the calls of its episode, generation prompt included. (P,)

    Raises ConfigError for a conversation that the template cannot write.
    """
    before = continued(asked, calls)
    if before is not None:
        heard = [as_text(message) for message in asked.messages[len(before.messages) + 1 :]]
        try:
            bridge = renderer.bridge(before.said.token_ids, heard, asked.tools)
            return [*before.prompt_ids, *before.said.token_ids, *bridge]
        except RewritesHistory:
            pass
    return renderer.conversation(as_messages(asked, calls), asked.tools)


def continued(asked: ChatRequest, calls: Sequence[Call]) -> Call | None:
    """The last call whose messages and answer this request begins with, where only others have spoken since."""
    known = [identity(message) for message in asked.messages]
    for call in sorted(calls, key=lambda call: len(call.messages), reverse=True):
        end = len(call.messages)
        if len(known) < end + 2 or list(call.tools) != list(asked.tools) or not call.said.token_ids:
            continue
        same = known[:end] == [identity(message) for message in call.messages]
        own = known[end] == identity(read_message(call.answer))
        if same and own and all(role != "assistant" for role, _, _ in known[end + 1 :]):
            return call
    return None


def as_messages(asked: ChatRequest, calls: Sequence[Call]) -> list[Message]:
    """The conversation as role and text; an answer of ours stands there as the policy wrote it, thoughts included."""
    ours = {identity(read_message(call.answer)): as_sampled(call.said) for call in calls}

    def written(message: Mapping[str, Json]) -> Message:
        raw = ours.get(identity(message)) if message["role"] == "assistant" else None
        return as_text(message) if raw is None else {"role": "assistant", "content": raw}

    return [written(message) for message in asked.messages]
