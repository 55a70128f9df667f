"""Schemas of typed functions: those of transformers, and what is refused."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, Dict, List, Literal, Optional, Tuple, Union  # noqa: UP035, users write them so

import pytest

from rlenv.core.errors import ConfigError
from rlenv.turns.schema import tool_schema, type_schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Mixed(enum.Enum):
    ONE = 1
    WORD = "word"
    NONE = None


def no_arguments() -> str:
    """Tell the time."""
    return ""


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


def containers(
    a: list[int],
    b: dict[str, float],
    c: tuple[int, str],
    d: list,  # type: ignore[type-arg]
    e: dict,  # type: ignore[type-arg]
    f: tuple,  # type: ignore[type-arg]
    g: List[Dict[str, Tuple[int, int]]],  # noqa: UP006
    h: List,  # type: ignore[type-arg]  # noqa: UP006
) -> list[str]:
    """Takes containers.

    Args:
        a: A.
        b: B.
        c: C.
        d: D.
        e: E.
        f: F.
        g: G.
        h: H.
    """
    return []


def unions(
    a: int | str,
    b: Union[int, float, None],  # noqa: UP007
    c: list[int] | str,
    d: list[int] | dict[str, int] | None,
    e: Any,
    f: list | tuple,  # type: ignore[type-arg]
    g: Optional[List[str]] = None,  # noqa: UP006, UP045
) -> Any:
    """Takes one of several.

    Args:
        a: A.
        b: B.
        c: C.
        d: D.
        e: E.
        f: F.
        g: G.
    """


def choices(
    a: Literal["x", "y"], b: Literal[1, "two", None], c: Colour, d: Mixed, e: Literal[True] | None = None
) -> Colour:
    """Takes a choice.

    Args:
        a: A.
        b: B.
        c: C.
        d: D.
        e: E.

    Returns:
        A colour.
    """
    return c


def foreign_return(a: int) -> Exception:
    """Returns what JSON does not know.

    Args:
        a: A.

    Returns:
        An exception.
    """
    return Exception()


def odd_docstring(a: int, b: int) -> int:
    """
    Starts in the second line: with a colon.

    More of it.

    Args:
        a: The first
        b: The second:
            - one: way
            - another: way
    """
    return a + b


class Methods:
    def method(self, a: int) -> int:
        """Of an object.

        Args:
            a: A.
        """
        return a

    @classmethod
    def of_class(cls, a: str) -> str:
        """Of a class.

        Args:
            a: A.
        """
        return a


FUNCTIONS = [
    no_arguments,
    plain,
    defaults,
    containers,
    unions,
    choices,
    foreign_return,
    odd_docstring,
    Methods().method,
    Methods.method,
    Methods.of_class,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__qualname__)
def test_schema_is_that_of_transformers(function: Callable[..., object]) -> None:
    utils = pytest.importorskip("transformers.utils")
    assert tool_schema(function) == utils.get_json_schema(function)


@pytest.mark.parametrize(
    "hint",
    [int, List[int], list[list[str]], Optional[int], Union[str, int, None], Literal[1, 2], Any, Dict[str, Any]],  # noqa: UP006, UP007, UP045
    ids=str,
)
def test_schema_of_a_type_is_that_of_transformers(hint: Any) -> None:
    utils = pytest.importorskip("transformers.utils.chat_template_utils")
    assert type_schema(hint) == utils._parse_type_hint(hint)


def test_hidden_parameters_are_not_in_the_schema() -> None:
    def buy(item: str, state: dict[str, object]) -> str:
        """Buy.

        Args:
            item: What.
        """
        return item

    function: Any = tool_schema(buy, hidden=("state",))["function"]
    assert function["parameters"] == {
        "type": "object",
        "properties": {"item": {"type": "string", "description": "What."}},
        "required": ["item"],
    }


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


def foreign_type(a: Exception) -> int:
    """Takes what JSON does not know.

    Args:
        a: A.
    """
    return 1


def single(a: tuple[int]) -> int:
    """Takes one.

    Args:
        a: A.
    """
    return 1


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (no_docstring, "tool no_docstring has no docstring"),
        (no_hint, "tool no_hint: argument a has no type hint"),
        (no_description, "no description of a"),
        (foreign_type, "tool foreign_type: the type <class 'Exception'> has no JSON schema; use int"),
        (single, "tool single: expected a tuple of two types or more"),
    ],
)
def test_what_is_missing_is_named(function: Callable[..., object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tool_schema(function)
