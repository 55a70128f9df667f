r'''Tools: typed Python functions that a policy calls between its turns, until it answers without a call.

>>> def add(a: int, b: int) -> int:
...     """Add two numbers.
...
...     Args:
...         a: The first.
...         b: The second.
...     """
...     return a + b
>>> tools = ToolInteraction([add], cheap=True)
>>> said = Completion('<tool_call>{"name": "add", "arguments": {"a": 2, "b": "3"}}</tool_call>')
>>> tools.respond(tools.start(Task("2 + 3?")), said).observation
({'role': 'tool', 'content': "error: expected b to be integer, got the string '3'"},)

- A turn with calls is answered by one message of the tool for each, in their order. A turn without calls is the final
  answer and ends the episode; the verifier of the environment judges its content.
- Text before the calls is nobody's answer, and is let be. Text between or behind them is not: what a model writes there
  is most often the answer of the tool as it imagines it. Then none of the calls of the turn is made, and it is told so.
- Calls in reasoning are thoughts, and never made. A turn that was cut is not answered: it ends the episode.
- `equipped` gives tools to an environment of one turn: `rlenv.make("math/gsm8k-v0", tools="python")`.
- What is wrong with a call (no JSON, an unknown tool, arguments that do not fit, too long, too many) is its answer, and
  so is what a tool raises. What a tool hangs, floods or dies of costs its own turn: tools that are not declared `cheap`
  run in a process that can be killed.
'''

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.task import Message, Task
from rlenv.core.tool_call import ToolCall
from rlenv.core.verdict import Flag
from rlenv.turns.calling import STATE, Outcome, Runner, ToolFunction, call_apart, call_here, copied, takes_state
from rlenv.turns.schema import Schema, problem, tool_schema
from rlenv.workers.pool import PickledVerifier, Pool, shared_pool

MAX_CALLS = 8
MAX_RESULT_CHARS = 4_000
MAX_CALL_CHARS = 100_000
TIME_LIMIT_S = 10.0
BAD_CALL = "bad_call"
ERROR = "error: "
"""Begins what a tool says of a call that was not made."""
_STRAY = "text stands between or behind the calls; end your turn with the last call, then its result comes"
_registered: dict[str, str] = {}
"""The entry points of tools, by the names that packages gave them."""
_takes: dict[str, str] = {}
"""Of those that `tools="name:value"` gives a value: the keyword that gets it."""


@dataclass(frozen=True)
class Tool:
    """A function with what is to be known beside its signature; a plain function stands for one with defaults."""

    function: ToolFunction
    cheap: bool = False
    """Its cost is bounded whatever its arguments are, or it isolates by itself: it runs inline."""
    time_limit_s: float = TIME_LIMIT_S
    """For one that is not cheap."""
    initial: Callable[[Task], Json] | None = None
    """Makes a state of its own; without it `state` is the one that the tools of an episode share."""
    close: Callable[[Json], None] | None = None
    """Lets go of what its own state stands for."""
    stated: Schema | None = None
    """The schema where the signature has none, of a server's tool: `function` takes `arguments` as one mapping."""
    group: str = ""
    """Tools of one group share their own state, which the first of them makes and closes."""
    schema: Schema = field(init=False, compare=False, repr=False)
    stateful: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.time_limit_s > 0:
            raise ConfigError(f"tool {self.name}: expected a time limit above 0 s, got {self.time_limit_s!r}")
        object.__setattr__(self, "schema", self.stated or tool_schema(self.function, hidden=(STATE,)))
        object.__setattr__(self, "stateful", takes_state(self.function))

    @property
    def name(self) -> str:
        if self.stated is not None:
            return str(cast("Mapping[str, Json]", self.stated["function"])["name"])
        return getattr(self.function, "__name__", "operation")

    @property
    def owner(self) -> str:
        """The name of its own state among those of all tools."""
        return self.group or self.name


ToolLike: TypeAlias = "Tool | ToolFunction"
Tools: TypeAlias = "str | ToolLike | Sequence[str | ToolLike] | Mapping[str, Mapping[str, Json]]"
"""Names of registered tools (`python`, `mcp:COMMAND`), "package.module:function", or functions; one, a list, or with
keywords: `{"python": {"wall_s": 5}}`."""


class ToolInteraction:
    """Answers calls of these functions.

    `initial(task)` is the state that functions with a parameter `state` work on: JSON, of which each call gets a copy
    that it may change in place; what it did is undone where it raises. `cheap` declares all plain functions cheap.
    A turn may make `max_calls` calls; a call may have `max_call_chars` characters and its result `max_result_chars`.

    Raises ConfigError for a function that no schema can be made of, and for two of one name.
    """

    def __init__(
        self,
        functions: Sequence[ToolLike],
        *,
        initial: Callable[[Task], Json] | None = None,
        cheap: bool = False,
        max_calls: int = MAX_CALLS,
        max_result_chars: int = MAX_RESULT_CHARS,
        max_call_chars: int = MAX_CALL_CHARS,
        time_limit_s: float = TIME_LIMIT_S,
        pool: Pool | None = None,
    ) -> None:
        made = [f if isinstance(f, Tool) else Tool(f, cheap=cheap, time_limit_s=time_limit_s) for f in functions]
        self._tools = {tool.name: tool for tool in made}
        if not made or len(self._tools) < len(made):
            raise ConfigError(f"expected tools of different names, got {[tool.name for tool in made]}")
        if min(max_calls, max_result_chars, max_call_chars) < 1:
            raise ConfigError(
                f"expected max_calls, max_result_chars and max_call_chars of at least 1, "
                f"got {max_calls}, {max_result_chars} and {max_call_chars}"
            )
        self.initial = initial
        self.max_calls, self.max_result_chars, self.max_call_chars = max_calls, max_result_chars, max_call_chars
        self._pool = pool
        self._runner: PickledVerifier | None = None

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_pool": None, "_runner": None}

    @property
    def anywhere(self) -> bool:
        """Calls that run apart, or in a sandbox held for the episode, are worth another machine; string work is not."""
        return any(not tool.cheap or tool.close is not None for tool in self._tools.values())

    @property
    def tools(self) -> Sequence[Schema]:
        """The schemas of the functions."""
        return tuple([tool.schema for tool in self._tools.values()])

    def start(self, task: Task) -> Json:
        """The state that is shared, and by its name that of each tool with one of its own."""
        shared = None if self.initial is None else copied(self.initial(task))
        first = {tool.owner: tool for tool in reversed(self._tools.values()) if tool.initial is not None}
        own = {owner: copied(tool.initial(task)) for owner, tool in first.items() if tool.initial is not None}
        return {"shared": shared, "own": own}

    def respond(self, state: Json, said: Completion) -> Reply:
        """Make the calls, or end the episode where there are none."""
        return self.answer(state, said) if said.reading.calls else Reply(state, ended=True)

    def answer(self, state: Json, said: Completion) -> Reply:
        """The answers to the calls of one turn."""
        calls = said.tool_calls
        refused = self._refused(said, calls)
        if refused:
            flag = Flag(BAD_CALL, said.reading.calls[0].start, said.reading.calls[-1].end, refused)
            return Reply(state, (_message(f"{ERROR}{refused}; no call was made"),), flags=(flag,))
        messages, flags = [], []
        for call in calls:
            wrong = self._wrong(call)
            if wrong:
                flags.append(Flag(BAD_CALL, call.start, call.end, wrong[:200]))
                messages.append(_message(ERROR + wrong))
                continue
            outcome, state = self._called(call, state)
            messages.append(_message(self._bounded(outcome)))
        return Reply(state, tuple(messages), flags=tuple(flags))

    def close(self, state: Json) -> None:
        """Let go of what the tools hold for an episode; nothing, where it never started."""
        if state is None:
            return
        first = {tool.owner: tool for tool in reversed(self._tools.values()) if tool.close is not None}
        for owner, tool in first.items():
            if tool.close is not None:
                tool.close(_own(state)[owner])

    def _refused(self, said: Completion, calls: Sequence[ToolCall]) -> str:
        """Why none of these calls is made; empty where each is looked at by itself."""
        if not calls:
            return "the list of calls is empty"
        if len(calls) > self.max_calls:
            return f"expected at most {self.max_calls} calls a turn, got {len(calls)}"
        first = min(call.end for call in calls)
        if all(span.end <= first for span in said.content.spans):
            return ""
        return next((call.problem for call in calls if call.problem), _STRAY)

    def _wrong(self, call: ToolCall) -> str:
        """Why this call cannot be made."""
        if call.end - call.start > self.max_call_chars:
            return f"expected a call of at most {self.max_call_chars} characters, got {call.end - call.start}"
        if call.problem:
            return call.problem
        tool = self._tools.get(call.name)
        if tool is None:
            near = difflib.get_close_matches(call.name[:50], self._tools, n=1)
            known = f"did you mean {near[0]}?" if near else f"there are {', '.join(self._tools)}"
            return f"there is no tool {call.name[:50]!r}; {known}"
        function = cast("Mapping[str, Mapping[str, Json]]", tool.schema["function"])
        return problem(call.arguments, function["parameters"])

    def _called(self, call: ToolCall, state: Json) -> tuple[Outcome, Json]:
        """The outcome of one call, and the state of all tools after it."""
        tool = self._tools[call.name]
        whole = cast("Mapping[str, Json]", state)
        own = _own(state)
        given = None if not tool.stateful else own[tool.owner] if tool.owner in own else whole["shared"]
        arguments = call.arguments if tool.stated is None else {"arguments": call.arguments}
        if tool.cheap:
            outcome = call_here(tool.function, arguments, given)
        else:
            pool = self._pool or shared_pool()
            outcome = call_apart(self._killable(), call.name, arguments, given, tool.time_limit_s, pool)
        if not tool.stateful:
            return outcome, state
        if tool.owner in own:
            return outcome, {**whole, "own": {**own, tool.owner: outcome.state}}
        return outcome, {**whole, "shared": outcome.state}

    def _killable(self) -> PickledVerifier:
        """The functions that run in a process which can be killed."""
        if self._runner is None:
            functions = {name: tool.function for name, tool in self._tools.items() if not tool.cheap}
            self._runner = PickledVerifier.of(Runner(functions))
        return self._runner

    def _bounded(self, outcome: Outcome) -> str:
        if outcome.chars <= self.max_result_chars:
            return outcome.text
        return f"{outcome.text[: self.max_result_chars]}\n[cut: {self.max_result_chars} of {outcome.chars} characters]"


def shared_state(state: Json) -> Json:
    """What the tools of an interaction share, in its state."""
    return cast("Mapping[str, Json]", state)["shared"]


def _own(state: Json) -> Mapping[str, Json]:
    return cast("Mapping[str, Mapping[str, Json]]", state)["own"]


def _message(text: str) -> Message:
    return {"role": "tool", "content": text}


def register_tool(name: str, entry_point: str, *, takes: str = "") -> None:
    """Let `tools=name` stand for what the factory "package.module:function" makes: a Tool, several or a typed function.

    With `takes`, a keyword of the factory, `tools="name:value"` gives it a value. Such a value names commands and
    addresses, so a row may not ask for the tool.

    Raises ConfigError for a name that is another factory's, or no name.
    """
    if not name.isidentifier() or ":" not in entry_point:
        raise ConfigError(f"expected a name and 'package.module:function', got {name!r} and {entry_point!r}")
    if _registered.setdefault(name, entry_point) != entry_point:
        raise ConfigError(
            f"the tool {name!r} is {_registered[name]} already; choose another name than for {entry_point}"
        )
    if takes:
        _takes[name] = takes


def tool_names() -> list[str]:
    """The tools that a package registered and that anybody may ask for, sorted."""
    return sorted(_registered.keys() - _takes.keys())


def equipped(definition: Definition, tools: Tools) -> Definition:
    """An environment of one turn with tools: its episodes have several turns, and the last one is judged as before.

    Raises ConfigError for an environment that answers its policy already, and for tools that cannot be had.
    """
    if definition.interaction is not None:
        raise ConfigError(f"{definition.id or 'this environment'} has several turns of its own; it takes no tools")
    made: list[ToolLike] = []
    if isinstance(tools, Mapping):
        for name, keywords in tools.items():
            made += _made(name, keywords)
    else:
        for one in [tools] if isinstance(tools, str) or not isinstance(tools, Sequence) else tools:
            made += _named(one) if isinstance(one, str) else [one]
    return replace(definition, interaction=ToolInteraction(made))


def _named(name: str) -> Sequence[ToolLike]:
    first, colon, value = name.partition(":")
    if colon and first in _takes:
        return _made(first, {_takes[first]: value})
    return [cast("ToolLike", _resolved(name))] if colon else _made(name, {})


def _made(name: str, keywords: Mapping[str, Json]) -> Sequence[ToolLike]:
    """What a factory makes."""
    entry_point = name if ":" in name else _registered.get(name)
    if entry_point is None:
        near = difflib.get_close_matches(name, _registered, n=1)
        known = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(_registered)) or 'none'}"
        raise ConfigError(f"no tool {name!r}; {known} Or give 'package.module:function'")
    factory = cast("Callable[..., ToolLike | Sequence[ToolLike]]", _resolved(entry_point))
    try:
        made = factory(**keywords)
    except TypeError as error:
        raise ConfigError(f"tool {name}: {error}") from error
    return made if isinstance(made, Sequence) else [made]


def _resolved(entry_point: str) -> object:
    module, _, name = entry_point.partition(":")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"tool {entry_point}: {error}; expected 'package.module:function'") from error
