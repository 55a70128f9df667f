r"""Episodes of several turns through TRL's `environment_factory` (TRL 1.16): tools as methods.

    orders = to_trl("tools/orders-v0")
    trainer = GRPOTrainer(..., train_dataset=orders.train_dataset, reward_funcs=orders.reward_func,
                          environment_factory=orders.environment_factory)

TRL samples, parses calls out of what was said by the tokenizer's response template, and makes them on an instance of
the class; what was said last, without a call, it hands to the reward function alone, which takes it for the last
turn. So each call is a turn of its own, and the words before a call are not seen. An interaction that answers words (a
game, a customer) has a method `say` for them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any, Literal, TypeAlias, cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json, read_json
from rlenv.core.task import Task, prompt_messages
from rlenv.integrations.adapter import message_completion
from rlenv.turns.live import Live
from rlenv.turns.schema import tool_schema
from rlenv.turns.tools import ToolInteraction

TAKEN = ("reset", "get_reward")
"""Methods that mean something to TRL."""
OVER = "The episode is over; end your turn."
TYPES: Mapping[str, Any] = {
    "integer": int,
    "number": float,
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
Schema: TypeAlias = "Mapping[str, Any]"
Arguments: TypeAlias = "Mapping[str, Json]"
Said: TypeAlias = "Mapping[str, object]"
"""A message of the policy."""


class ToolEpisode:
    """What TRL makes one of for each rollout, and resets for the next; its subclasses have the tools as methods."""

    _definition: Definition

    def __init__(self) -> None:
        self._live: Live | None = None

    def reset(self, rlenv_task: str = "", **row: object) -> None:
        """Begin the episode of a row of the data set. Raises ConfigError for a row of another one."""
        if not rlenv_task:
            raise ConfigError("expected rows that carry their task; train on the dataset of to_trl() as it is")
        self._live = Live.of(self._definition, Task.from_json(cast("dict[str, Json]", read_json(rlenv_task))))

    def _answer(self, message: Said) -> str:
        """What answers a turn that says this."""
        live = self._begun()
        if live.ended:
            return OVER
        reply = live.step(self._read(message))
        answer = "\n".join(one["content"] for one in prompt_messages(reply.observation))
        return f"{answer}\n{OVER}".strip() if live.ended else answer

    def _begun(self) -> Live:
        if self._live is None:
            raise ConfigError("expected an episode that was reset; TRL calls reset before each")
        return self._live

    def _read(self, message: Said, *, finished: bool = True) -> Completion:
        return message_completion(message, finished=finished, read_as=self._definition.read_as)


def ended(episode: ToolEpisode, message: Said, *, finished: bool) -> Completion:
    """The whole episode; its last turn says this, unless that holds a call, which was not made any more."""
    live = episode._begun()
    if message and not live.ended and not message.get("tool_calls"):
        live.step(episode._read(message, finished=finished))
    live.abandon()
    return live.completion()


def tool_episodes(definition: Definition) -> type[ToolEpisode]:
    """The class for this environment. Raises ConfigError for one of one turn, and for tools whose names are taken."""
    interaction = definition.interaction
    if interaction is None:
        raise ConfigError(f"{definition.id or 'this environment'} has one turn; it needs no environment_factory")
    made = {schema["function"]["name"]: _method(schema) for schema in cast("Sequence[Any]", interaction.tools)}
    if taken := [name for name in made if name in TAKEN or name.startswith("_")]:
        raise ConfigError(f"TRL cannot be given tools named {', '.join(taken)}; give them other names")
    if not isinstance(interaction, ToolInteraction):  # that one takes words for the final answer
        made[say.__name__] = _method(tool_schema(say), _words)
    return type("RlenvEpisode", (ToolEpisode,), {**made, "_definition": definition})


def say(text: str) -> str:
    """Say something to the one who asked, and hear what is answered.

    Args:
        text: What to say, word for word.
    """
    raise NotImplementedError(text)  # its signature and its words are what a policy is shown


def _words(name: str, arguments: Arguments) -> Said:
    return {"content": arguments.get("text")}


def _call(name: str, arguments: Arguments) -> Said:
    return {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}


def _method(schema: Schema, says: Callable[[str, Arguments], Said] = _call) -> Callable[..., str]:
    """A method of which `transformers.utils.get_json_schema` makes this schema again."""
    function = schema["function"]
    name, parameters = function["name"], function["parameters"]
    properties, required = parameters.get("properties", {}), parameters.get("required", [])

    def call(self: ToolEpisode, **arguments: Json) -> str:
        return self._answer(says(name, arguments))

    hints = {argument: _hint(one) for argument, one in properties.items()}
    empty, keyword = inspect.Parameter.empty, inspect.Parameter.KEYWORD_ONLY
    shown = [
        inspect.Parameter(argument, keyword, annotation=hint, default=empty if argument in required else None)
        for argument, hint in hints.items()
    ]
    receiver = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    call.__name__ = call.__qualname__ = name
    call.__signature__ = inspect.Signature([receiver, *shown])  # type: ignore[attr-defined]
    call.__annotations__ = dict(hints)
    args = "".join(f"\n    {argument}: {one.get('description', '')}" for argument, one in properties.items())
    call.__doc__ = function.get("description", "") + (f"\n\nArgs:{args}" if args else "")
    return call


def _hint(schema: Schema) -> Any:
    """The type hint of a schema; TRL and transformers look at no more of a method.

    >>> _hint({"type": "array", "items": {"type": "integer"}, "nullable": True})
    list[int] | None
    """
    kind = schema.get("type")
    if "enum" in schema:
        hint: Any = Literal[tuple(schema["enum"])]
    elif "anyOf" in schema:
        hint = reduce(or_, map(_hint, schema["anyOf"]))
    elif isinstance(kind, list):
        hint = reduce(or_, [TYPES[one] for one in kind])
    elif kind == "array" and "items" in schema:
        hint = list[_hint(schema["items"])]  # type: ignore[misc]
    elif kind == "array" and "prefixItems" in schema:
        hint = tuple[tuple(map(_hint, schema["prefixItems"]))]  # type: ignore[misc]
    elif kind == "object" and "additionalProperties" in schema:
        hint = dict[str, _hint(schema["additionalProperties"])]  # type: ignore[misc]
    else:
        hint = TYPES.get(str(kind), Any)
    return hint | None if schema.get("nullable") else hint
