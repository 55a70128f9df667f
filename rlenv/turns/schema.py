r'''The schema of a tool, from the signature and the docstring of a typed Python function, and arguments checked by it.

>>> def multiply(x: float, y: float = 1.0) -> float:
...     """Multiply two numbers.
...
...     Args:
...         x: The first number.
...         y: The second number.
...     """
...     return x * y
>>> parameters = tool_schema(multiply)["function"]["parameters"]
>>> parameters["properties"]["y"]
{'type': 'number', 'description': 'The second number.'}
>>> problem({"x": 2}, parameters), problem({"x": "2"}, parameters)
('', "expected x to be number, got the string '2'")

It is what `transformers.utils.get_json_schema` gives (version 5), which chat templates and endpoints take, without that
library; images and audio, which no message here holds, are left out. Docstrings are in Google's style. The check knows
what is written here, no more of JSON Schema; its time is linear in the arguments.
'''

from __future__ import annotations

import inspect
import json
import math
import re
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Literal, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import MAX_DEPTH, Json

Schema: TypeAlias = "dict[str, Json]"
BARE: Mapping[object, str] = {
    int: "integer",
    float: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
    list: "array",
    tuple: "array",
    dict: "object",
}
SCALARS = (int, float, str, bool, type(None))
KINDS: Mapping[str, tuple[type, ...]] = {
    **{BARE[kind]: (kind,) for kind in (*SCALARS, list, dict)},
    "number": (int, float),
}
"""Of what JSON holds, by the name of its type."""
SHOWN = 60
"""How many characters of a wrong value are repeated."""
_USE = "use int, float, str, bool, None, list, tuple, dict, Literal, an Enum or a union of them"
_ABOUT = re.compile(r"^(.*?)[\n\s]*(?:Args:|Returns:|Raises:|\Z)", re.DOTALL)
"""What stands before the first heading: `Multiply two numbers.`"""
_ARGS = re.compile(r"\n\s*Args:\n(.*?)[\n\s]*(?:Returns:|Raises:|\Z)", re.DOTALL)
"""The lines under the heading `Args:`."""
_ARGUMENT = re.compile(r"(?:^|\n)([ \t]*)(\w+):\s*(.*?)\s*(?=\n(?!\1[ \t])[ \t]*\w+:|\Z)", re.DOTALL)
"""One of them with its description, which may go on in lines that are indented deeper: `    x: The first number.`"""
_RETURNS = re.compile(r"\n\s*Returns:\n\s*(.*?)[\n\s]*(?:Raises:|\Z)", re.DOTALL)
"""What stands under the heading `Returns:`."""
_CHOICES = re.compile(r"\(choices:\s*(.*?)\)\s*$", re.IGNORECASE)  # `The drink. (choices: ["tea", "coffee"])`
_FOLD = re.compile(r"\s*\n+\s*")


def tool_schema(function: Callable[..., object], hidden: Collection[str] = ()) -> Schema:
    """The schema in OpenAI's form; parameters named in `hidden` are none that a policy gives.

    Raises ConfigError, naming the function and what is missing, for one without docstring, type hints or descriptions.
    """
    name = getattr(function, "__name__", "operation")
    text = inspect.getdoc(function)
    if not text:
        raise ConfigError(f"tool {name} has no docstring; say what it does, and under Args: what its arguments are")
    text = text.strip()
    about, args, returns = _ABOUT.search(text), _ARGS.search(text), _RETURNS.search(text)
    lines = "" if args is None else "\n".join(line for line in args[1].split("\n") if line.strip())
    described = {found[1]: _FOLD.sub(" ", found[2].strip()) for found in _ARGUMENT.findall(lines)}
    hints = _hints(function, hidden)
    returned = hints.pop("return", inspect.Parameter.empty)
    properties = {argument: type_schema(hint, f"tool {name}: ") for argument, hint in hints.items()}
    required = _required(function, name, hidden)
    for argument, schema in properties.items():
        if argument not in described:
            raise ConfigError(f"tool {name}: the docstring has no description of {argument}; add a line under Args:")
        _describe(schema, described[argument])
    parameters: Schema = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    output: Schema = {"name": name, "description": about[1].strip() if about else "", "parameters": parameters}
    try:
        if returned is not inspect.Parameter.empty:
            described_return: Schema = {} if returns is None else {"description": returns[1].strip()}
            output["return"] = {**type_schema(returned), **described_return}
    except ConfigError:  # what is returned may be anything: no policy gives it
        pass
    return {"type": "function", "function": output}


def _required(function: Callable[..., object], name: str, hidden: Collection[str]) -> list[str]:
    """The parameters without a default. Raises ConfigError for one without a type hint."""
    required: list[str] = []
    for place, parameter in enumerate(inspect.signature(function).parameters.values()):
        bare = parameter.annotation is inspect.Parameter.empty
        if parameter.name in hidden or (place == 0 and bare and parameter.name in ("self", "cls")):
            continue
        if bare:
            raise ConfigError(f"tool {name}: argument {parameter.name} has no type hint; add one")
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
    return required


def _hints(function: Callable[..., object], hidden: Collection[str]) -> dict[str, Any]:
    """The type hints but for those of hidden parameters, which may name what cannot be resolved."""
    written = inspect.unwrap(function)
    stated = {name: hint for name, hint in written.__annotations__.items() if name not in hidden}
    shown = types.SimpleNamespace(__annotations__=stated, __globals__=getattr(written, "__globals__", {}))
    return get_type_hints(shown)


def _describe(schema: Schema, text: str) -> None:
    choices = _CHOICES.search(text)
    if choices:
        schema["enum"] = [c.strip() if isinstance(c, str) else c for c in json.loads(choices[1])]
        text = text[: choices.start()].strip()
    schema["description"] = text


def type_schema(hint: Any, where: str = "") -> Schema:
    """The schema of one type hint; `where` stands before an error.

    >>> type_schema(list[int] | None)
    {'type': 'array', 'items': {'type': 'integer'}, 'nullable': True}
    """
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return {}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum([member.value for member in hint], where)
    if origin in (Union, types.UnionType):
        return _union(args, where)
    if origin is Literal:
        return _enum(args, where)
    if not args and (origin or hint) in BARE:  # list and typing.List alike
        return {"type": BARE[origin or hint]}
    if origin is list:
        return {"type": "array", "items": type_schema(args[0], where)}
    if origin is tuple and len(args) > 1 and ... not in args:
        return {"type": "array", "prefixItems": [type_schema(arg, where) for arg in args]}
    if origin is tuple:
        raise ConfigError(f"{where}expected a tuple of two types or more, got {hint}; use list[...] instead")
    if origin is dict:
        return {"type": "object", "additionalProperties": type_schema(args[1], where)}
    raise ConfigError(f"{where}the type {hint} has no JSON schema; {_USE}")


def _union(args: Iterable[Any], where: str) -> Schema:
    options = [type_schema(arg, where) for arg in args if arg is not type(None)]
    merged: Schema = {"anyOf": options}
    if len(options) == 1:
        merged = options[0]
    elif all(option.keys() == {"type"} and isinstance(option["type"], str) for option in options):
        merged = {"type": _one_or_all(sorted({str(option["type"]) for option in options}))}
    return {**merged, "nullable": True} if type(None) in args else merged


def _enum(values: Iterable[Any], where: str) -> Schema:
    listed = list(values)
    if not listed or any(type(value) not in SCALARS for value in listed):
        raise ConfigError(f"{where}expected choices that are numbers, text, true, false or null, got {listed}")
    return {"type": _one_or_all(list(dict.fromkeys(BARE[type(value)] for value in listed))), "enum": listed}


def _one_or_all(names: list[str]) -> Json:
    return names[0] if len(names) == 1 else names


def problem(arguments: Mapping[str, Json], schema: Mapping[str, Json]) -> str:
    """What is wrong with the arguments of a call, in words for who made it; empty for those that fit."""
    properties = cast("Mapping[str, Mapping[str, Json]]", schema["properties"])
    for name in cast("Sequence[str]", schema.get("required", ())):
        if name not in arguments:
            return f"the argument {name} is missing"
    for name, value in arguments.items():
        if name not in properties:
            takes = ", ".join(properties) or "no argument"
            return f"there is no argument {_shown(name)}; the tool takes {takes}"
        if wrong := _wrong(value, properties[name], name, 0):
            return wrong
    return ""


def _wrong(value: Json, schema: Mapping[str, Json], where: str, depth: int) -> str:
    if depth > MAX_DEPTH:
        return f"more than {MAX_DEPTH} brackets within one another"
    if value is None and schema.get("nullable"):
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return f"expected {where} to be a finite number, got {value}"
    options = cast("Sequence[Mapping[str, Json]]", schema.get("anyOf", ()))
    choices = cast("Sequence[Json]", schema.get("enum", ()))
    if options:
        expected = " or ".join(map(_kind, options))
        fits = any(not _wrong(value, option, where, depth) for option in options)
    elif choices:
        expected = f"one of {json.dumps(choices)}"
        fits = any(type(value) is type(choice) and value == choice for choice in choices)
    else:
        expected, fits = _kind(schema), _is(value, schema.get("type", ()))
    if not fits:
        return f"expected {where} to be {expected}, got {_named(value)}"
    return "" if options else _wrong_inside(value, schema, where, depth + 1)


def _wrong_inside(value: Json, schema: Mapping[str, Json], where: str, depth: int) -> str:
    """The first item or member that does not fit."""
    anything: Mapping[str, Json] = {}
    if isinstance(value, dict):
        each = cast("Mapping[str, Json]", schema.get("additionalProperties", anything))
        parts = [(f"{where}.{_shown(key)}", item, each) for key, item in value.items()]
    elif isinstance(value, list):
        each = cast("Mapping[str, Json]", schema.get("items", anything))
        places = cast("Sequence[Mapping[str, Json]]", schema.get("prefixItems", ()))
        if places and len(places) != len(value):
            return f"expected {where} to have {len(places)} items, got {len(value)}"
        parts = [(f"{where}[{i}]", item, places[i] if places else each) for i, item in enumerate(value)]
    else:
        return ""
    return next((wrong for inner, item, each in parts if (wrong := _wrong(item, each, inner, depth))), "")


def _is(value: Json, stated: Json) -> bool:
    """Whether the value is of the type, or of one of the types; no type stands for any."""
    names = [stated] if isinstance(stated, str) else list(cast("Sequence[str]", stated))
    if not names or isinstance(value, bool):
        return not names or "boolean" in names
    return any(isinstance(value, KINDS[name]) for name in names)


def _kind(schema: Mapping[str, Json]) -> str:
    stated = schema.get("type", "anything")
    kind = stated if isinstance(stated, str) else " or ".join(cast("Sequence[str]", stated))
    return f"{kind} or null" if schema.get("nullable") else kind


def _named(value: Json) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (list, dict)):
        return "an array" if isinstance(value, list) else "an object"
    return f"the {'string' if isinstance(value, str) else 'number'} {_shown(value)}"


def _shown(value: Json) -> str:
    if isinstance(value, str):
        return repr(value[:SHOWN]) + ("..." if len(value) > SHOWN else "")
    return str(value)[:SHOWN]
