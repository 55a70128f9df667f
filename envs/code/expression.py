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
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias, cast

from rlenv.door.keeping import kept_within
from rlenv.envs.code.equality import EQUAL, Equality
from rlenv.envs.code.trees import tree

Namespace: TypeAlias = "Mapping[str, object]"
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


def _arithmetic(left: object, op: Callable[[object, object], object], right: object) -> object:
    for value in (left, right):
        _weigh(value)
        if isinstance(value, (str, bytes, list, tuple)) and len(value) > MAX_BITS:
            raise ValueError("sequence too long")
        if _bits(value) > MAX_BITS:
            raise ValueError("integer too large")
    if op is operator.mul and not _small_product(left, right):
        raise ValueError("product too large")
    if op is operator.pow and not _small_power(left, right):
        raise ValueError("power too large")
    if op is operator.mod and isinstance(left, (str, bytes)):  # "%999999999d" % 1
        raise TypeError("formatting is not listed here")
    return op(left, right)


def _small_product(left: object, right: object) -> bool:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, (str, bytes, list, tuple)) and isinstance(count, int):
            return items(sequence) * max(count, 0) <= MAX_BITS
    return True


def items(value: object) -> int:
    """Items at any depth, each as often as it stands there; looks no further than MAX_BITS.

    A product is the one operation that makes more items than its text has characters: `[[0] * 9] * 9` has 90.
    """
    waiting, count = [value], 0
    while waiting and count <= MAX_BITS:
        item = waiting.pop()
        if isinstance(item, (str, bytes)):
            count += len(item)
        elif isinstance(item, (list, tuple, set, frozenset, dict)):
            count += len(item)
            inner = [*item, *item.values()] if isinstance(item, dict) else item
            waiting += [one for one in inner if isinstance(one, (str, bytes, list, tuple, set, frozenset, dict))]
    return count


def _small_power(left: object, right: object) -> bool:
    if isinstance(right, int):
        return max(1, _bits(left)) * abs(right) <= MAX_BITS
    return isinstance(right, float)


def _bits(value: object) -> int:
    if isinstance(value, Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length())
    return value.bit_length() if isinstance(value, int) else 1


def _weigh(value: object) -> None:
    """Refuses what is short as text and would be long in an operation: ranges, arrays of empty rows, decimals with a
    large exponent, and many fractions, whose sum has the product of their denominators. At any depth."""
    waiting, weight = [value], 0
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple, set, frozenset)):
            waiting += item
        elif isinstance(item, dict):
            waiting += [*item, *item.values()]
        else:
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


_BINARY: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: cast("Callable[[object, object], object]", operator.add),
    ast.Sub: cast("Callable[[object, object], object]", operator.sub),
    ast.Mult: cast("Callable[[object, object], object]", operator.mul),
    ast.Div: cast("Callable[[object, object], object]", operator.truediv),
    ast.FloorDiv: cast("Callable[[object, object], object]", operator.floordiv),
    ast.Mod: cast("Callable[[object, object], object]", operator.mod),
    ast.Pow: cast("Callable[[object, object], object]", operator.pow),
}
_UNARY: dict[type[ast.unaryop], Callable[[object], object]] = {
    ast.USub: cast("Callable[[object], object]", operator.neg),
    ast.UAdd: cast("Callable[[object], object]", operator.pos),
    ast.Not: operator.not_,
}
_ORDER: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Lt: cast("Callable[[object, object], object]", operator.lt),
    ast.LtE: cast("Callable[[object, object], object]", operator.le),
    ast.Gt: cast("Callable[[object, object], object]", operator.gt),
    ast.GtE: cast("Callable[[object, object], object]", operator.ge),
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
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
    **{name: cast("Callable[..., object]", kind) for name, kind in _TYPES.items()},
    "range": _bounded_range,
    "bytes": _bounded_bytes,
    "Decimal": Decimal,
    "Fraction": _fraction,
    "date": datetime.date,
    "datetime": datetime.datetime,
    "time": datetime.time,
    "timedelta": datetime.timedelta,
}
_CONSTANTS: dict[str, object] = {
    "inf": math.inf,
    "nan": math.nan,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.e": math.e,
    **_TYPES,
}


def evaluate(expression: str | ast.expr, names: Namespace | None = None, equality: Equality = EQUAL) -> object:
    """The value of an expression. Raises Unsupported for what it may not say, else one of VALUE_ERRORS."""
    node = parse(expression) if isinstance(expression, str) else expression
    return _Evaluation(names or {}, equality).value(node)


def supported(expression: ast.expr, names: Iterable[str] = ()) -> bool:
    """True when evaluating the expression cannot raise Unsupported, whatever the values of the names are."""
    try:
        _Check(frozenset(names)).visit(expression)
    except Unsupported:
        return False
    return True


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

    def _list(self, node: ast.List) -> object:
        return [self.value(item) for item in node.elts]

    def _tuple(self, node: ast.Tuple) -> object:
        return tuple(self.value(item) for item in node.elts)

    def _set(self, node: ast.Set) -> object:
        return {self.value(item) for item in node.elts}

    def _dict(self, node: ast.Dict) -> object:
        if None in node.keys:
            raise Unsupported("**")
        return {
            self.value(cast("ast.expr", key)): self.value(item)
            for key, item in zip(node.keys, node.values, strict=True)
        }

    def _unaryop(self, node: ast.UnaryOp) -> object:
        return _operation(_UNARY, node.op)(self.value(node.operand))

    def _binop(self, node: ast.BinOp) -> object:
        left, right = self.value(node.left), self.value(node.right)
        self._spend(left, right)
        return _arithmetic(left, _operation(_BINARY, node.op), right)

    def _spend(self, *values: object) -> None:
        self.work -= sum(1 + items(value) for value in values)
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
        return bool(_operation(_ORDER, op)(left, right))

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
        for argument in (*arguments, *named.values()):
            _weigh(argument)
        return _FUNCTIONS[name](*arguments, **named)


def _operation(table: Mapping[type, Callable[..., object]], op: ast.AST) -> Callable[..., object]:
    if type(op) not in table:
        raise Unsupported(type(op).__name__)
    return table[type(op)]


class _Check(ast.NodeVisitor):
    """Raises Unsupported at the first node that `_Evaluation` would refuse."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr) and not hasattr(_Evaluation, f"_{type(node).__name__.lower()}"):
            raise Unsupported(type(node).__name__)
        if isinstance(node, (ast.operator, ast.unaryop)):
            _operation({**_BINARY, **_UNARY}, node)
        super().generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id not in self.names and node.id not in _CONSTANTS:
            raise Unsupported(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if dotted(node) not in _CONSTANTS:
            raise Unsupported("attribute")

    def visit_Call(self, node: ast.Call) -> None:
        name = dotted(node.func)
        if name not in _FUNCTIONS or name in self.names or any(keyword.arg is None for keyword in node.keywords):
            raise Unsupported(name)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            self.visit(argument)

    def visit_Dict(self, node: ast.Dict) -> None:
        if None in node.keys:
            raise Unsupported("**")
        super().generic_visit(node)
