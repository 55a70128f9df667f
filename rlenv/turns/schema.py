r'''The schema of a tool, from the signature and the docstring of a typed Python function.

>>> def multiply(x: float, y: float = 1.0) -> float:
...     """Multiply two numbers.
...
...     Args:
...         x: The first number.
...         y: The second number.
...     """
...     return x * y
>>> tool_schema(multiply)["function"]["parameters"]["properties"]["y"]
{'type': 'number', 'description': 'The second number.'}

It is what `transformers.utils.get_json_schema` gives (version 5), which chat templates and endpoints take, without that
library; images and audio, which no message here holds, are left out. Docstrings are in Google's style.
'''

from __future__ import annotations

import inspect
import json
import re
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any, Literal, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json

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
    about, described, returns = _docstring(function, name)
    parameters, return_ = _parameters(function, name, hidden)
    properties = cast("dict[str, Schema]", parameters["properties"])
    for argument, schema in properties.items():
        if argument not in described:
            raise ConfigError(f"tool {name}: the docstring has no description of {argument}; add a line under Args:")
        _describe(schema, described[argument])
    output: Schema = {"name": name, "description": about, "parameters": parameters}
    if return_ is not None:
        output["return"] = return_ if returns is None else {**return_, "description": returns}
    return {"type": "function", "function": output}


def _docstring(function: Callable[..., object], name: str) -> tuple[str, dict[str, str], str | None]:
    """What the function does, what its arguments are, what it returns."""
    text = inspect.getdoc(function)
    if not text:
        raise ConfigError(f"tool {name} has no docstring; say what it does, and under Args: what its arguments are")
    text = text.strip()
    about = cast("re.Match[str]", _ABOUT.search(text))[1].strip()
    args, returns = _ARGS.search(text), _RETURNS.search(text)
    lines = "" if args is None else "\n".join(line for line in args[1].split("\n") if line.strip())
    described = {found[1]: _FOLD.sub(" ", found[2].strip()) for found in _ARGUMENT.findall(lines)}
    return about, described, None if returns is None else returns[1].strip()


def _parameters(
    function: Callable[..., object], name: str, hidden: Collection[str]
) -> tuple[Schema, Mapping[str, Json] | None]:
    """The schema of the arguments, and that of what is returned where it can be said."""
    signature, hints = inspect.signature(function), _hints(function, hidden)
    required: list[str] = []
    for place, parameter in enumerate(signature.parameters.values()):
        receiver = place == 0 and parameter.name in ("self", "cls") and parameter.annotation is inspect.Parameter.empty
        if receiver or parameter.name in hidden:
            continue
        if parameter.annotation is inspect.Parameter.empty:
            raise ConfigError(f"tool {name}: argument {parameter.name} has no type hint; add one")
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
    return_: Schema | None = None
    if "return" in hints:
        returned = hints.pop("return")
        try:
            return_ = type_schema(returned)
        except ConfigError:  # no policy gives it
            return_ = None
    properties: dict[str, Json] = {argument: type_schema(hint, f"tool {name}: ") for argument, hint in hints.items()}
    parameters: Schema = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    return parameters, return_


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
    if origin is None or (not args and origin in BARE):  # list and typing.List alike
        return _bare(origin or hint, where)
    if origin in (Union, types.UnionType):
        return _union(args, where)
    if origin is Literal:
        return _enum(args, where)
    if origin is list:
        return {"type": "array", "items": type_schema(args[0], where)}
    if origin is tuple:
        if ... in args or len(args) == 1:
            raise ConfigError(f"{where}expected a tuple of two types or more, got {hint}; use list[...] instead")
        return {"type": "array", "prefixItems": [type_schema(arg, where) for arg in args]}
    if origin is dict:
        return {"type": "object", "additionalProperties": type_schema(args[1], where)}
    raise ConfigError(f"{where}the type {hint} has no JSON schema; {_USE}")


_USE = "use int, float, str, bool, None, list, tuple, dict, Literal, an Enum or a union of them"


def _bare(hint: Any, where: str) -> Schema:
    if hint is Any:
        return {}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum([member.value for member in hint], where)
    if hint not in BARE:
        raise ConfigError(f"{where}the type {hint!r} has no JSON schema; {_USE}")
    return {"type": BARE[hint]}


def _union(args: Iterable[Any], where: str) -> Schema:
    options = [type_schema(arg, where) for arg in args if arg is not type(None)]
    found: Schema
    if len(options) == 1:
        found = options[0]
    elif all(option.keys() == {"type"} and isinstance(option["type"], str) for option in options):
        names = sorted({str(option["type"]) for option in options})
        found = {"type": names[0] if len(names) == 1 else names}
    else:
        found = {"anyOf": options}
    if type(None) in args:
        found["nullable"] = True
    return found


def _enum(values: Iterable[Any], where: str) -> Schema:
    listed = list(values)
    if not listed or any(type(value) not in SCALARS for value in listed):
        raise ConfigError(f"{where}expected choices that are numbers, text, true, false or null, got {listed}")
    names = list(dict.fromkeys(BARE[type(value)] for value in listed))
    return {"type": names[0] if len(names) == 1 else names, "enum": listed}
