"""The tool `calculator`: works out whole numbers with + - * and brackets.

    rlenv.make("math/arithmetic-v0", level=6, tools="calculator")

    policy   <tool_call>{"name": "calculate", "arguments": {"expression": "(4+3)*2"}}</tool_call>
    tool     14

>>> calculate("(4+3)*2")
'14'
>>> calculate("2**9")
Traceback (most recent call last):
ValueError: expected whole numbers, + - * and brackets, got '2**9': unexpected '*'
"""

from __future__ import annotations

from rlenv.text.expression import Unreadable, value
from rlenv.turns.tools import Tool


def calculate(expression: str) -> str:
    """Work out an expression.

    Args:
        expression: Whole numbers with + - * and brackets, for example (4+3)*2.
    """
    try:
        return str(value(expression))
    except Unreadable as problem:
        raise ValueError(f"expected whole numbers, + - * and brackets, got {expression[:80]!r}: {problem}") from None


def calculator() -> Tool:
    """The tool; its cost is bounded, so it needs no process of its own."""
    return Tool(calculate, cheap=True)
