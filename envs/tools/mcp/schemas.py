"""What a server says of its tools, as schemas of ours: bounded, without references, of the keywords that are checked.

>>> described("add", "Adds.", {"type": "object", "properties": {"a": {"$ref": "#/$defs/N"}},
...     "$defs": {"N": {"type": "integer", "title": "N"}}})["function"]["parameters"]["properties"]
{'a': {'type': 'integer'}}

What else a server's schema asks is checked by the server, and its complaint is told to the policy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from rlenv.core.jsontypes import Json
from rlenv.turns.schema import KINDS, Schema

MAX_NAME, MAX_DESCRIPTION, MAX_ARGUMENT_DESCRIPTION = 64, 2_000, 500
"""Characters. What is longer in a description is cut: it is text for the policy, in each of its prompts."""
MAX_ARGUMENTS, MAX_SCHEMAS, MAX_CHARS, MAX_DEPTH = 100, 500, 20_000, 16
"""Of one tool: arguments, schemas in its schema, characters of all of it, and references and schemas in one another."""
KEPT = ("default", "minimum", "maximum", "minLength", "maxLength", "pattern", "format")
"""Keywords that are only told."""


def described(name: str, description: str, stated: Mapping[str, Json]) -> Schema:
    """The schema of a tool in OpenAI's form. Raises ValueError, with what is wrong, for one that cannot be taken."""
    if not (name.isascii() and name.replace("-", "_").isidentifier() and len(name) <= MAX_NAME):
        raise ValueError(f"the name {name[:80]!r} is none: give letters, digits, _ and -, {MAX_NAME} at most")
    properties = stated.get("properties", {})
    if stated.get("type") != "object" or not isinstance(properties, Mapping):
        raise ValueError(f"{name}: the schema of its arguments is not that of an object")
    if len(properties) > MAX_ARGUMENTS:
        raise ValueError(f"{name}: {len(properties)} arguments, where {MAX_ARGUMENTS} can be taken")
    reader = _Reader(name, stated)
    parameters: Schema = {
        "type": "object",
        "properties": {str(key): reader.read(value, ()) for key, value in properties.items()},
    }
    if required := _names(stated.get("required", [])):
        parameters["required"] = required
    about = _cut(description, MAX_DESCRIPTION)
    schema: Schema = {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}
    if len(text := json.dumps(schema)) > MAX_CHARS:
        raise ValueError(f"{name}: a schema of {len(text)} characters, where {MAX_CHARS} can be taken")
    return schema


class _Reader:
    """Reads the schemas of one tool."""

    def __init__(self, name: str, root: Mapping[str, Json]) -> None:
        self.name, self.root, self.read_so_far = name, root, 0

    def read(self, stated: Json, path: tuple[str, ...]) -> Schema:
        """One schema and those in it; `path` are the references that led here."""
        self.read_so_far += 1
        if self.read_so_far > MAX_SCHEMAS or len(path) > MAX_DEPTH:
            raise ValueError(f"{self.name}: more than {MAX_SCHEMAS} schemas, or {MAX_DEPTH} in one another")
        if isinstance(stated, bool):  # any value, or none
            return {}
        if not isinstance(stated, Mapping):
            raise ValueError(f"{self.name}: {stated!r:.80} is no schema")
        if "$ref" in stated:
            return self._referred(stated, path)
        path = (*path, "")
        made: Schema = {key: stated[key] for key in KEPT if key in stated}
        if isinstance(about := stated.get("description"), str):
            made["description"] = _cut(about, MAX_ARGUMENT_DESCRIPTION)
        kinds = stated.get("type")
        if kinds is not None:
            made["type"] = self._kinds(kinds)
        if "enum" in stated or "const" in stated:
            made["enum"] = self._choices(stated.get("enum", [stated.get("const")]))
        for key in ("anyOf", "oneOf"):
            if isinstance(options := stated.get(key), list) and options:
                made["anyOf"] = [self.read(option, path) for option in options]
        for key in ("items", "additionalProperties"):
            if isinstance(inner := stated.get(key), Mapping):
                made[key] = self.read(inner, path)
        if isinstance(members := stated.get("properties"), Mapping):
            made["properties"] = {str(key): self.read(value, path) for key, value in members.items()}
            made.pop("additionalProperties", None)  # here each member is checked by it; those named have their own
            made["required"] = _names(stated.get("required", []))
        return made

    def _referred(self, stated: Mapping[str, Json], path: tuple[str, ...]) -> Schema:
        """What a reference within the schema leads to, with the description that stands beside it."""
        reference = str(stated["$ref"])
        if reference in path:
            raise ValueError(f"{self.name}: {reference[:80]} leads back to itself")
        found: Json = self.root
        for key in reference.removeprefix("#/").split("/"):
            if not reference.startswith("#/") or not isinstance(found, Mapping) or key not in found:
                raise ValueError(f"{self.name}: {reference[:80]} leads nowhere")
            found = found[key]
        beside: Schema = {key: value for key, value in stated.items() if key in ("description", "default")}
        return self.read(found, (*path, reference)) | self.read(beside, path)

    def _kinds(self, stated: Json) -> Json:
        names = stated if isinstance(stated, list) else [stated]
        if not names or not all(isinstance(name, str) and name in KINDS for name in names):
            raise ValueError(f"{self.name}: {stated!r:.80} is no type of JSON")
        return stated

    def _choices(self, stated: Json) -> Json:
        if not isinstance(stated, list) or not all(one is None or isinstance(one, (str, int, float)) for one in stated):
            raise ValueError(f"{self.name}: {stated!r:.80} are no choices")
        return cast("Json", stated)


def _names(stated: Json) -> list[str]:
    return [name for name in stated if isinstance(name, str)] if isinstance(stated, list) else []


def _cut(text: str, most: int) -> str:
    """At most so many characters, and none that no tokenizer takes."""
    shown = text.encode("utf-8", "replace").decode()
    return shown if len(shown) <= most else f"{shown[:most]} [cut]"
