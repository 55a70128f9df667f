"""The text that a checkpoint's chat template makes of a conversation.

A template is a Jinja program of whoever made the checkpoint: two nested loops over `range(99999)` never end, thirty
doublings of a text fill the memory. It is rendered in a process of its own, which is ended at a second of processor
time and at 256 MB; then the next one is started.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from transformers.utils.chat_template_utils import render_jinja_template

from rlenv.core.errors import ConfigError, PolicyError
from rlenv.sandbox import reading
from rlenv.sandbox.errors import Unreadable

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

CPU_S, MEMORY_MB, MAX_CHARS = 1, 256, 10_000_000
"""A template of 3,000 characters takes 0.1 s to compile, and then less than a millisecond for a conversation."""
AT_ONCE = 64
_reader = reading.kept(reading.Reader(CPU_S, MEMORY_MB))


def rendered(
    tokenizer: PreTrainedTokenizerBase,
    messages: Sequence[Mapping[str, str]],
    *,
    tools: Sequence[Mapping[str, object]] = (),
    answer: bool = False,
    variables: Mapping[str, object] | None = None,
) -> str:
    """The conversation as the template writes it; with `answer` up to where the next message begins.

    Raises as `all_rendered` does.
    """
    return all_rendered(tokenizer, [messages], tools=tools, answer=answer, variables=variables)[0]


def all_rendered(
    tokenizer: PreTrainedTokenizerBase,
    conversations: Sequence[Sequence[Mapping[str, str]]],
    *,
    tools: Sequence[Mapping[str, object]] = (),
    answer: bool = False,
    variables: Mapping[str, object] | None = None,
) -> list[str]:
    """Several conversations, asked for together: each question of the process takes as long as three conversations.

    Raises ConfigError for a conversation that the template refuses, PolicyError for a template that takes too much.
    """
    name = f"the chat template of {tokenizer.name_or_path or 'this model'}"
    try:
        template = tokenizer.get_chat_template(None, list(tools) or None)  # type: ignore[arg-type]
    except ValueError as error:  # several, and none by default
        raise ConfigError(f"{name} cannot be had: {error}") from error
    given = {**tokenizer.special_tokens_map, **(variables or {})}
    told = [dict(tool) for tool in tools] or None
    plain = [[dict(message) for message in messages] for messages in conversations]
    found: list[tuple[bool, str]] = []
    try:
        for first in range(0, len(plain), AT_ONCE):
            found += _reader.read(_rendered, template, plain[first : first + AT_ONCE], told, answer, given)
    except Unreadable as error:
        raise PolicyError(
            f"{name} takes too much ({error}); set tokenizer.chat_template to one that only writes out the "
            "conversation, or take another checkpoint"
        ) from error
    for done, text in found:
        if not done:
            raise ConfigError(f"{name} takes no such conversation: {text}")
    return [text for _, text in found]


def _rendered(template: str, several: Any, tools: Any, answer: bool, variables: Any) -> list[tuple[bool, str]]:
    return [_one(template, messages, tools, answer, variables) for messages in several]


def _one(template: str, messages: Any, tools: Any, answer: bool, variables: Any) -> tuple[bool, str]:
    """Whether the template takes the conversation, and its text or what it says against it."""
    try:
        made: Any = render_jinja_template(
            conversations=[messages], tools=tools, chat_template=template, add_generation_prompt=answer, **variables
        )
    except MemoryError:
        raise
    except Exception as error:  # a template is a program of others, and refuses roles and orders in its own ways
        return False, f"{type(error).__name__}: {error}"[:1000]
    text: str = made[0][0]
    if len(text) > MAX_CHARS:
        raise MemoryError
    return True, text
