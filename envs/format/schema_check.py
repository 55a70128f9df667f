r"""Whether a value conforms to a stranger's JSON Schema, for at most so many steps.

>>> problem({"type": "array", "items": {"pattern": "^(a|a)*$"}}, ["aaaa", "b"])
"$[1]: 'b' does not match '^(a|a)*$'"

Each keyword is a step, and costs the more the longer its value is: thirty schemas of which each refers to the next
twice would be 2^30 of them. Patterns are read by RE2. A reference is looked up in the schema alone: nothing is fetched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias

from rlenv.core.errors import MissingExtra, TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.door.patterns import linear, valid

MAX_STEPS = 50_000
"""For schema and value each. The slowest that were found take 7 microseconds: 0.7 s."""
CHARS_A_STEP, PAIRS_A_STEP, MATCHING_A_STEP = 2_000, 10, 3_000
"""What a step has time for: of the value that an error quotes, of items that `uniqueItems` compares, and of the
instructions of a pattern at the characters of a text."""
LISTING = frozenset({"enum", "const", "required", "type", "dependentRequired"})
"""Keywords that compare the value with what they list."""
MAX_CHARS = 200_000
"""Of a schema."""

Keyword: TypeAlias = "Callable[[Any, Any, Any, Mapping[str, Any]], Iterator[Any] | None]"


class TooManySteps(Exception):
    """The budget is spent, or the schema goes deeper than this process can follow."""


_left: ContextVar[int] = ContextVar("steps left for the check under way")


def problem(schema: dict[str, Json] | bool, value: Json) -> str:
    """Why the value does not conform, or "".

    Raises TaskError for what is no schema, and TooManySteps.
    """
    unusable = _tools()[-1]
    try:
        found = _first(_checker(canonical(schema)), value)
    except unusable as error:
        raise TaskError(f"the schema cannot be used ({str(error).splitlines()[0][:200]})") from error
    except RecursionError as error:
        raise TooManySteps from error
    return "" if found is None else f"{found.json_path}: {found.message[:120]}"


@lru_cache(maxsize=16)
def _checker(text: str) -> Any:
    """What checks values by a schema in canonical JSON. Raises as `problem` does."""
    checker, meta_schema, registry, _ = _tools()
    if len(text) > MAX_CHARS:
        raise TaskError(f"expected a schema of at most {MAX_CHARS} characters, got {len(text)}; shorten it")
    if '"unevaluatedProperties":' in text and '"patternProperties":' in text:
        raise TaskError("unevaluatedProperties does not go with patternProperties; write additionalProperties")
    schema = json.loads(text)
    wrong = _first(checker(meta_schema, registry=registry), schema)
    if wrong is not None:
        raise TaskError(f"the schema cannot be used ({wrong.json_path}: {wrong.message[:120]})")
    return checker(schema, registry=registry)


def _first(checker: Any, value: Json) -> Any:
    _left.set(MAX_STEPS)
    for error in checker.iter_errors(value):
        return error
    return None


def _spend(steps: int) -> None:
    left = _left.get() - steps
    _left.set(left)
    if left < 0:
        raise TooManySteps


@cache
def _tools() -> tuple[Any, Any, Any, type[Exception]]:
    """The checker, the schema of schemas, a registry from which nothing is fetched, and what an unusable one raises."""
    try:
        import attrs
        from jsonschema import Draft202012Validator
        from jsonschema.validators import extend
        from referencing import Registry
        from referencing.exceptions import Unresolvable
    except ImportError as error:
        raise MissingExtra("jsonschema", "format") from error

    known = {**Draft202012Validator.VALIDATORS, "pattern": _pattern, "patternProperties": _pattern_properties}
    known["additionalProperties"] = partial(_additional, known["additionalProperties"])
    checker = extend(Draft202012Validator, {name: partial(_counted, name, keyword) for name, keyword in known.items()})

    def evolve(validator: Any, **changes: Any) -> Any:
        """The same checker for another schema: a `$schema` inside it may ask for no other, which nothing counts."""
        _spend(2)
        return attrs.evolve(validator, **changes)

    checker.evolve = evolve
    return checker, Draft202012Validator.META_SCHEMA, Registry(), Unresolvable


def _counted(
    name: str, keyword: Keyword, validator: Any, wanted: Any, value: Any, schema: Mapping[str, Any]
) -> Iterator[Any]:
    _spend(1 + (len(wanted) // 10 if isinstance(wanted, dict) else 0))
    if name in LISTING:
        _spend(len(str(wanted)) // 100)
    if name == "uniqueItems" and isinstance(value, list) and not set(map(type, value)) <= {str}:
        _spend(len(value) ** 2 // PAIRS_A_STEP)  # texts are sorted, others may be compared each with each
    for error in keyword(validator, wanted, value, schema) or ():
        _spend(len(error.message) // CHARS_A_STEP)
        yield error


def _matches(source: str, text: str) -> bool:
    pattern = linear(source)
    _spend(1 + pattern.programsize * len(text) // MATCHING_A_STEP)
    return pattern.search(valid(text)) is not None


def _pattern(validator: Any, wanted: str, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(value, str) and not _matches(wanted, value):
        yield ValidationError(f"{value!r} does not match {wanted!r}")


def _pattern_properties(validator: Any, wanted: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if isinstance(value, dict):
        for source, inner in wanted.items():
            for key in value:
                if _matches(source, key):
                    yield from validator.descend(value[key], inner, path=key, schema_path=source)


def _additional(original: Keyword, validator: Any, wanted: Any, value: Any, schema: Mapping[str, Any]) -> Any:
    if not isinstance(value, dict):
        return None
    listed, sources = schema.get("properties", {}), schema.get("patternProperties", {})
    known = {key: True for key in value if key in listed or any(_matches(source, key) for source in sources)}
    return original(validator, wanted, value, {"properties": known})
