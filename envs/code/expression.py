"""Evaluates the expressions that tests are made of, on the host: literals, comparisons and a few pure functions.

>>> evaluate("abs(_ - 2.0 / 3) < 1e-6", {"_": 0.6666667})
True
>>> evaluate("sorted(_) == [1, 2]", {"_": {2, 1}}), evaluate("{1: float('inf')}")
(True, {1: inf})

Only what is listed here can be said, so nothing of a test file is ever executed here. Values in the namespace
may come from a hostile program: sizes are bounded, and whatever an operation on them raises is a ValueError of
this module's callers to count as a failed test. `==` and `!=` follow an `Equality`.
"""

from __future__ import annotations

import ast
import datetime
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias, TypeVar

from rlenv.door.keeping import kept_within
from rlenv.envs.code.equality import EQUAL, Equality
from rlenv.envs.code.trees import tree
from rlenv.text.expression import PYTHON

T = TypeVar("T")
Namespace: TypeAlias = "Mapping[str, object]"
_SEQUENCES = (str, bytes, list, tuple)
_CONTAINERS = (list, tuple, set, frozenset, dict)
_NUMBERS = {bool, int, float, complex}
MAX_BITS = 100_000
"""In arithmetic an integer of more bits is refused, as is a sequence of more items."""
MAX_WORK = 2_000_000
"""Items that the operations and calls of one expression may look at together."""
VALUE_ERRORS = (
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    RuntimeError,
    MemoryError,
    BufferError,
    Warning,
)
"""What evaluating an expression over a program's values may raise: the program's doing."""


class Unsupported(Exception):
    """The expression says what is not listed here."""


def _arithmetic(left: object, sign: str, right: object) -> object:
    for value in (left, right):
        if _bits(value) > MAX_BITS or (isinstance(value, _SEQUENCES) and len(value) > MAX_BITS):
            raise ValueError("operand too large")
    if sign == "*":
        for sequence, count in ((left, right), (right, left)):
            if isinstance(sequence, _SEQUENCES) and isinstance(count, int) and items(sequence) * count > MAX_BITS:
                raise ValueError("product too large")
    if sign == "**" and not _is_small_power(left, right):
        raise ValueError("power too large")
    if sign == "%" and isinstance(left, (str, bytes)):  # "%999999999d" % 1
        raise TypeError("formatting is not listed here")
    return PYTHON[sign](left, right)


def _is_small_power(left: object, right: object) -> bool:
    if isinstance(right, int):
        return max(1, _bits(left)) * abs(right) <= MAX_BITS
    return isinstance(right, float)


def items(value: object) -> int:
    """Items at any depth, each as often as it stands there; looks no further than MAX_BITS.

    A product is the one operation that makes more items than its text has characters: `[[0] * 9] * 9` has 90.
    """
    count = 0
    for item in _nested(value):
        count += len(item) if isinstance(item, (str, bytes, *_CONTAINERS)) else 0
        if count > MAX_BITS:
            break
    return count


def _nested(value: object) -> Iterator[object]:
    """The value and what stands in it, at any depth, but for numbers, which are no longer than their text."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        yield item
        if isinstance(item, _CONTAINERS):
            inner = (*item, *item.values()) if isinstance(item, dict) else item
            waiting += [one for one in inner if type(one) not in _NUMBERS]


def _bits(value: object) -> int:
    if isinstance(value, Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length())
    return value.bit_length() if isinstance(value, int) else 1


def _weigh(value: object) -> None:
    """Refuses what is short as text and would be long in an operation: ranges, arrays of empty rows, decimals with a
    large exponent, and many fractions, whose sum has the product of their denominators. At any depth."""
    weight = 0
    for item in _nested(value):
        weight += _hidden(item)
        if weight > MAX_BITS:
            raise ValueError("larger than what is evaluated")


def _hidden(item: object) -> int:
    """Members, digits or bits of what may be far longer than its text."""
    if isinstance(item, range):
        return abs(item.stop - item.start) // abs(item.step)
    if isinstance(item, Fraction):
        return _bits(item)
    if isinstance(item, Decimal):
        return 4 * abs(item.adjusted()) if item.is_finite() else 0
    return max(item.shape, default=0) if type(item).__module__ == "numpy" and not item.size else 0  # type: ignore[attr-defined]


_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
_OPERATORS: dict[type[ast.AST], Callable[..., object]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_DISPLAYS: dict[type[ast.AST], Callable[..., object]] = {ast.List: list, ast.Tuple: tuple, ast.Set: set}
_TYPES: dict[str, type] = {
    t.__name__: t for t in (bool, int, float, complex, str, bytes, list, tuple, set, frozenset, dict)
}
TYPE_NAMES = frozenset(_TYPES)


def _bounded_range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > MAX_BITS:
        raise ValueError("range too long")
    return numbers


def _bounded_bytes(source: object = b"", *encoding: str) -> bytes:
    if isinstance(source, int) and source > MAX_BITS:
        raise ValueError("bytes too long")
    return bytes(source, *encoding)  # type: ignore[call-overload, no-any-return]


def _fraction(*parts: int) -> Fraction:
    """Of numbers, and of text without an exponent: "1e999999999" has as many digits."""
    if any(isinstance(part, str) and "e" in part.lower() for part in parts):
        raise ValueError("a fraction of a number with an exponent")
    return Fraction(*parts)


_FUNCTIONS: dict[str, Callable[..., object]] = {
    **{f.__name__: f for f in (abs, len, sum, min, max, all, any, round, sorted, ord, chr, isinstance, divmod)},
    **{f"math.{f.__name__}": f for f in (math.isclose, math.fabs, math.sqrt, math.floor, math.ceil, math.isnan)},
    **{f.__name__: f for f in (Decimal, datetime.date, datetime.datetime, datetime.time, datetime.timedelta)},
    **_TYPES,
    "range": _bounded_range,
    "bytes": _bounded_bytes,
    "Fraction": _fraction,
}
_CONSTANTS: dict[str, object] = {
    "inf": math.inf,
    "nan": math.nan,
    **{f"math.{name}": getattr(math, name) for name in ("inf", "nan", "pi", "e")},
    **_TYPES,
}


def evaluate(expression: str | ast.expr, names: Namespace | None = None, equality: Equality = EQUAL) -> object:
    """The value of an expression. Raises Unsupported for what it may not say, else one of VALUE_ERRORS."""
    node = parse(expression) if isinstance(expression, str) else expression
    return _Evaluation(names or {}, equality).value(node)


def supported(node: ast.AST, names: Iterable[str] = ()) -> bool:
    """True when evaluating the expression cannot raise Unsupported, whatever the values of the names are."""
    names, parts = frozenset(names), ast.iter_child_nodes(node)
    match node:
        case ast.Name() | ast.Attribute():
            return dotted(node) in _CONSTANTS or (isinstance(node, ast.Name) and node.id in names)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            name = dotted(function)
            if name not in _FUNCTIONS or name in names or any(keyword.arg is None for keyword in keywords):
                return False
            parts = iter([*arguments, *(keyword.value for keyword in keywords)])
        case ast.Dict(keys=keys) if None in keys:
            return False
        case ast.operator() | ast.unaryop():
            return type(node) in _SIGNS or type(node) in _OPERATORS
        case ast.expr() if not hasattr(_Evaluation, f"_{type(node).__name__.lower()}"):
            return False
    return all(supported(part, names) for part in parts)


@kept_within(16 << 20, lambda expression, found: 500 + 200 * len(expression))
def parse(expression: str) -> ast.expr:
    """The syntax tree of an expression of a test. Raises Unsupported when it is none."""
    try:
        [statement] = tree(expression.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unsupported(f"not an expression: {expression[:80]!r}") from error
    if not isinstance(statement, ast.Expr):
        raise Unsupported(f"not an expression: {expression[:80]!r}")
    return statement.value


def render(value: object) -> str:
    """The value as an expression that `evaluate` gives back."""
    if isinstance(value, (list, tuple, set, frozenset)) and value:
        inner = ", ".join(map(render, value))
        if isinstance(value, list):
            return f"[{inner}]"
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"{{{inner}}}" if isinstance(value, set) else f"frozenset({{{inner}}})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{render(k)}: {render(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)):
        return repr(value).removeprefix("datetime.")
    return repr(value)


def dotted(node: ast.expr) -> str:
    """The name that a name or an attribute of a name spells, else ''."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


class _Evaluation:
    def __init__(self, names: Namespace, equality: Equality) -> None:
        self.names, self.equality, self.work = names, equality, MAX_WORK

    def value(self, node: ast.expr) -> object:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unsupported(type(node).__name__)
        found: object = method(node)
        return found

    def _constant(self, node: ast.Constant) -> object:
        return node.value

    def _name(self, node: ast.Name | ast.Attribute) -> object:
        name = dotted(node)
        for table in (self.names, _CONSTANTS):
            if name in table:
                return table[name]
        raise Unsupported(f"name {name}")

    _attribute = _name

    def _list(self, node: ast.List | ast.Tuple | ast.Set) -> object:
        return _DISPLAYS[type(node)](map(self.value, node.elts))

    _tuple = _set = _list

    def _dict(self, node: ast.Dict) -> object:
        keys = [key for key in node.keys if key is not None]
        if len(keys) < len(node.keys):
            raise Unsupported("**")
        return dict(zip(map(self.value, keys), map(self.value, node.values), strict=True))

    def _unaryop(self, node: ast.UnaryOp) -> object:
        return _listed(_OPERATORS, node.op)(self.value(node.operand))

    def _binop(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        sign = _listed(_SIGNS, node.op)
        self._spend(left, right)
        return _arithmetic(left, sign, right)

    def _spend(self, *values: object) -> None:
        """Weighs what an operation is about to look at. Raises ValueError where it is too much."""
        for value in values:
            _weigh(value)
            self.work -= 1 + items(value)
        if self.work < 0:
            raise ValueError("more work than a test may ask for")

    def _boolop(self, node: ast.BoolOp) -> object:
        wanted = isinstance(node.op, ast.Or)
        found: object = None
        for item in node.values:
            found = self.value(item)
            if bool(found) is wanted:
                break
        return found

    def _ifexp(self, node: ast.IfExp) -> object:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def _compare(self, node: ast.Compare) -> object:
        left = self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            if not self._compared(left, op, right):
                return False
            left = right
        return True

    def _compared(self, left: object, op: ast.cmpop, right: object) -> bool:
        if isinstance(op, (ast.Eq, ast.NotEq)):
            return self.equality.same(left, right) is isinstance(op, ast.Eq)
        if isinstance(op, (ast.In, ast.NotIn)):
            return self._holds(right, left) is isinstance(op, ast.In)
        return bool(_OPERATORS[type(op)](left, right))

    def _holds(self, container: object, item: object) -> bool:
        if isinstance(container, str) and isinstance(item, str):
            return item in container
        if isinstance(container, (list, tuple, set, frozenset, dict)):
            return any(self.equality.same(item, other) for other in container)
        raise TypeError(f"no container: {type(container).__name__}")

    def _subscript(self, node: ast.Subscript) -> object:
        container = self.value(node.value)
        if not isinstance(container, (str, bytes, list, tuple, dict)):
            raise TypeError(f"no sequence: {type(container).__name__}")
        found: object = container[self.value(node.slice)]  # type: ignore[index, call-overload]
        return found

    def _slice(self, node: ast.Slice) -> object:
        return slice(*(None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)))

    def _call(self, node: ast.Call) -> object:
        name = dotted(node.func)
        if name not in _FUNCTIONS or name in self.names:
            raise Unsupported(f"call of {name or 'an expression'}")
        arguments = [self.value(argument) for argument in node.args]
        named = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        if len(named) < len(node.keywords):
            raise Unsupported("**")
        self._spend(*arguments, *named.values())
        return _FUNCTIONS[name](*arguments, **named)


def _listed(table: Mapping[type[ast.AST], T], op: ast.AST) -> T:
    if type(op) not in table:
        raise Unsupported(type(op).__name__)
    return table[type(op)]
