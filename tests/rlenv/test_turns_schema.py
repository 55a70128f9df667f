"""Schemas of typed functions are those of transformers; arguments are judged by them as jsonschema does, in words."""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from typing import Any, Dict, List, Literal, Optional, Tuple, Union  # noqa: UP035, users write them so

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.core.errors import ConfigError
from rlenv.turns.schema import problem, tool_schema, type_schema


class Mixed(enum.Enum):
    ONE = 1
    WORD = "word"
    NONE = None


def plain(a: int, b: float, c: str, d: bool) -> float:
    """Add up.

    Args:
        a: The first.
        b: The second, which
            goes on in another line.
        c: The third (choices: ["tea", "coffee "])
        d: note: a colon in the text.

    Returns:
        The sum.

    Raises:
        ValueError: never.
    """
    return a + b


def defaults(a: int = 3, b: str | None = None, *, c: Optional[float] = None) -> None:  # noqa: UP045
    """Has defaults.
    Goes on here.

    Args:
      a: One.

      b: Two.
      c: Three.
    """


class Methods:
    def method(self, a: Mixed) -> Any:
        """Of an object.

        Args:
            a: A.
        """
        return a


@pytest.mark.parametrize(
    "function",
    [plain, defaults, Methods().method],
    ids=lambda function: function.__qualname__,
)
def test_schema_is_that_of_transformers(function: Callable[..., object]) -> None:
    utils = pytest.importorskip("transformers.utils")
    assert tool_schema(function) == utils.get_json_schema(function)


HINTS: list[Any] = [
    int,
    float,
    str,
    list[int],
    dict[str, float],
    tuple[int, str],
    int | str,
    list[int] | dict[str, int] | None,
    List[Dict[str, Tuple[int, int]]],  # noqa: UP006
    Union[int, float, None],  # noqa: UP007
    Literal["a", "b"],
    Literal[1, "a", None],
    Mixed,
    Any,
]
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, -2.25]), st.sampled_from("abc"))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab"), inner)),
    max_leaves=6,
)


def parameters(hint: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"value": type_schema(hint)}, "required": ["value"]}


@pytest.mark.parametrize("hint", HINTS, ids=str)
def test_schema_of_a_type_is_that_of_transformers(hint: Any) -> None:
    utils = pytest.importorskip("transformers.utils.chat_template_utils")
    assert type_schema(hint) == utils._parse_type_hint(hint)


CHECKED = [hint for hint in HINTS if "nullable" not in type_schema(hint) and "Tuple" not in str(hint)]
"""`nullable` is no word of jsonschema, and tuples inside others may be longer for it."""


@pytest.mark.parametrize("hint", CHECKED, ids=str)
@settings(max_examples=40)
@given(value=VALUES)
def test_arguments_fit_where_jsonschema_says_so(hint: Any, value: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    exact = dict(parameters(hint)["properties"]["value"])
    if "prefixItems" in exact:
        exact |= {"minItems": 2, "maxItems": 2}  # a tuple has as many items as it says
    valid = jsonschema.Draft202012Validator(exact).is_valid(value)
    assert (problem({"value": value}, parameters(hint)) == "") == valid


@pytest.mark.parametrize(
    ("hint", "value", "message"),
    [
        (int, "3", "expected value to be integer, got the string '3'"),
        (int | None, None, ""),
        (list[int], [1, [2]], "expected value[1] to be integer, got an array"),
        (dict[str, int], {"a": "b"}, "expected value.'a' to be integer, got the string 'b'"),
        (tuple[int, int], [1], "expected value to have 2 items, got 1"),
        (Literal["x", "y"], "z", """expected value to be one of ["x", "y"], got the string 'z'"""),
        (float, float("inf"), "expected value to be a finite number, got inf"),
        (Any, json.loads("[" * 200 + "]" * 200), "more than 100 brackets within one another"),
        (int, "y" * 1000, f"expected value to be integer, got the string '{'y' * 60}'..."),
    ],
    ids=str,
)
def test_what_is_wrong_is_said(hint: Any, value: Any, message: str) -> None:
    assert problem({"value": value}, parameters(hint)) == message


def no_docstring(a: int) -> int:
    return a


def no_hint(a) -> int:  # type: ignore[no-untyped-def]
    """No hint.

    Args:
        a: A.
    """
    return 1


def no_description(a: int) -> int:
    """No description."""
    return a


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_docstring, "tool no_docstring has no docstring"),
        (no_hint, "tool no_hint: argument a has no type hint"),
        (no_description, "no description of a"),
    ],
)
def test_what_is_missing_is_named(function: Callable[..., object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tool_schema(function)
