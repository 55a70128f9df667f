"""An episode under way as the messages of a chat API: calls as `tool_calls` with ids, their answers as `tool` messages.

What the policy thought is not sent back: servers that tell thoughts apart leave earlier ones out themselves. Where the
answers do not match the calls one by one (a call that could not be read, a turn without calls that a tool answered) the
calls stay words of the assistant, and what was heard comes from the user.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.reading.calls import HERMES, HERMES_END
from rlenv.core.task import Message, prompt_messages
from rlenv.core.tool_call import ToolCall
from rlenv.turns.live import Live
from rlenv.turns.tool_prompt import as_user

ApiMessage = dict[str, Json]


def api_messages(live: Live) -> list[ApiMessage]:
    """The conversation so far, the prompt first, in OpenAI's form."""
    found: list[ApiMessage] = [dict(message) for message in prompt_messages(live.task.prompt)]
    for number, (said, heard) in enumerate(_exchanges(live)):
        found += _exchange(said, heard, number)
    return found


def _exchanges(live: Live) -> Iterator[tuple[Completion, Sequence[Message]]]:
    """Each turn of the policy with what was heard after it."""
    said = Completion("")
    for by_policy, turns in groupby(live.spoken(), key=lambda spoken: spoken[0].by_policy):
        group = list(turns)
        if by_policy:
            (turn, text) = group[0]
            said = Completion(text, read_as=turn.read_as, segments=turn.segments)
        else:
            yield said, [{"role": turn.role, "content": text} for turn, text in group]


def _exchange(said: Completion, heard: Sequence[Message], number: int) -> list[ApiMessage]:
    calls = said.tool_calls
    answers = [message for message in heard if message["role"] == "tool"]
    if len(calls) == len(answers) and not any(call.problem for call in calls):
        spoken: ApiMessage = {"role": "assistant", "content": said.content.text}
        if calls:
            spoken["tool_calls"] = [_call(call, number, place) for place, call in enumerate(calls)]
        return [spoken, *_with_ids(heard, number)]
    words = [said.content.text, *dict.fromkeys(_words(said.text[call.start : call.end]) for call in calls)]
    return [{"role": "assistant", "content": "\n".join(filter(None, words))}, {**as_user(heard)}]


def _words(call: str) -> str:
    """A call as it was written; one that came apart from the text, with the marks of Hermes."""
    return f"{HERMES}\n{call}\n{HERMES_END}" if call.startswith("{") else call


def _with_ids(heard: Sequence[Message], number: int) -> Iterator[ApiMessage]:
    place = 0
    for message in heard:
        if message["role"] == "tool":
            yield {"role": "tool", "tool_call_id": _id(number, place), "content": message["content"]}
            place += 1
        else:
            yield {"role": message["role"], "content": message["content"]}


def _call(call: ToolCall, number: int, place: int) -> ApiMessage:
    arguments = json.dumps(call.arguments, ensure_ascii=False)
    function: ApiMessage = {"name": call.name, "arguments": arguments}
    return {"id": _id(number, place), "type": "function", "function": function}


def _id(number: int, place: int) -> str:
    """Of a call: nine letters and digits, as the strictest of the servers (Mistral's) want it."""
    return f"call{number % 1000:03d}{place % 100:02d}"
