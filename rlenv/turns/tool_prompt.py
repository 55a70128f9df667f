"""Tools told in words, in Hermes form, for policies whose chat template or server knows none.

>>> add = {"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}
>>> "add" in tools_text([add])
True
>>> as_user([{"role": "tool", "content": "4"}])
{'role': 'user', 'content': '<tool_response>\\n4\\n</tool_response>'}
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from rlenv.core.jsontypes import Json
from rlenv.core.reading.calls import HERMES, HERMES_END
from rlenv.core.task import Message

_TEXT = """# Tools

You may call one or more functions to help with the user's request. Their signatures stand in <tools></tools>:
<tools>
{schemas}
</tools>

For each call write a JSON object with the name of the function and its arguments in {open}{close}:
{open}
{{"name": <function-name>, "arguments": <arguments-as-JSON-object>}}
{close}"""


def call_text(name: str, **arguments: Json) -> str:
    """A call as a policy writes it.

    >>> print(call_text("add", a=1))
    <tool_call>
    {"name": "add", "arguments": {"a": 1}}
    </tool_call>
    """
    return f"{HERMES}\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n{HERMES_END}"


def tools_text(tools: Sequence[Mapping[str, Json]]) -> str:
    """What a system message says of these tools; `tools` are schemas in OpenAI's form."""
    schemas = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return _TEXT.format(schemas=schemas, open=HERMES, close=HERMES_END)


def with_tools_in_system(messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> list[dict[str, str]]:
    """The messages with the tools told in the system message, which is put in front where there is none."""
    copies = [dict(message) for message in messages]
    if not tools:
        return copies
    if copies and copies[0]["role"] == "system":
        copies[0]["content"] += f"\n\n{tools_text(tools)}"
        return copies
    return [{"role": "system", "content": tools_text(tools)}, *copies]


def with_tools_in_user(messages: Sequence[Message], tools: Sequence[Mapping[str, Json]]) -> list[dict[str, str]]:
    """The same for a template without system messages: all that the system says begins the user's first message."""
    copies = with_tools_in_system(messages, tools)
    system = "\n\n".join(message["content"] for message in copies if message["role"] == "system")
    first, *rest = [message for message in copies if message["role"] != "system"] or [{"role": "user", "content": ""}]
    return [{**first, "content": "\n\n".join(filter(None, (system, first["content"])))}, *rest]


def as_user(messages: Sequence[Message]) -> dict[str, str]:
    """What was heard as one message of the user, answers of tools in Hermes form."""
    return {"role": "user", "content": "\n".join(shown_to_user(message) for message in messages)}


def shown_to_user(message: Message) -> str:
    """One message as a user would pass it on."""
    content = message["content"]
    return f"<tool_response>\n{content}\n</tool_response>" if message["role"] == "tool" else content
