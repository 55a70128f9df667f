r"""Lists, sets and values with a sign of either kind: 1, 2 and 3; {1, 2}; 1 \pm \sqrt{2}; x = 1 or x = 2.

Matrices and vectors in other notations: nested brackets, a number times a matrix, a transposed one.

>>> from rlenv.envs.math.grammar.answer import read
>>> as_matrix(read("[[1, 2], [3, 4]]")) == read(r"\begin{pmatrix}1&2\\3&4\end{pmatrix}")
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from rlenv.envs.math.equality.equations import Stated, is_element, is_name, stated
from rlenv.envs.math.equality.policy import Comparison, MathPolicy
from rlenv.envs.math.grammar.nodes import (
    Braces,
    Bracketed,
    Constant,
    Items,
    Matrix,
    Node,
    PlusMinus,
    Power,
    Product,
    Relation,
    SetOperation,
    Sum,
    Symbol,
    Words,
    children,
    negative,
    rebuilt,
)

Same = Callable[[Node, Node], Comparison]
MAX_ITEMS = 200
_NOTHING = (Constant("empty"), Words("no solution"))
MAX_PAIRS = 2000
"""Comparisons that matching two lists may cost."""


def spread(node: Node) -> Node:
    """The node with both values of each plus-minus, and with lists inside lists made one."""
    if isinstance(node, (Items, Braces)):
        items: list[Node] = []
        for item in node.items:
            inside = spread(item)
            items.extend(inside.items if isinstance(inside, Items) else [inside])
        if tuple(items) == node.items:
            return node
        return Items(tuple(items), node.word) if isinstance(node, Items) else Braces(tuple(items))
    if isinstance(node, SetOperation):
        parts = tuple(spread(part) for part in node.sets)
        if node.operator == "union" and all(isinstance(part, Braces) for part in parts):
            return Braces(tuple(item for part in parts if isinstance(part, Braces) for item in part.items))
        return node if parts == node.sets else SetOperation(node.operator, parts)
    if isinstance(node, Relation) and any(isinstance(side, (Braces, SetOperation)) for side in node.sides):
        node = Relation(
            tuple(spread(side) if isinstance(side, (Braces, SetOperation)) else side for side in node.sides),
            node.operators,
        )
    if not _has_sign(node):
        return node
    word = "and" if isinstance(node, Relation) and "!=" in node.operators else "or"
    return Items((_chosen(node, True), _chosen(node, False)), word)


def _has_sign(node: Node) -> bool:
    """A set has taken its signs apart by itself."""
    if isinstance(node, (Braces, SetOperation)):
        return False
    return isinstance(node, PlusMinus) or any(_has_sign(child) for child in children(node))


def _chosen(node: Node, plus: bool) -> Node:
    """The tree with the upper or the lower sign everywhere."""
    if isinstance(node, PlusMinus):
        inside = _chosen(node.right, plus)
        return Sum((_chosen(node.left, plus), inside if plus else negative(inside)))
    return node if not _has_sign(node) else rebuilt(node, lambda child: _chosen(child, plus))


def in_order(gold: Sequence[Node], answer: Sequence[Node], same: Same) -> Comparison:
    """Equal lengths, and equal item by item."""
    if len(gold) != len(answer):
        return Comparison(False, "structure", f"{len(answer)} items, expected {len(gold)}")
    undecided = False
    flags: list[str] = []
    for expected, said in zip(gold, answer, strict=True):
        found = same(expected, said)
        if found.equal is False:
            return found
        undecided = undecided or found.equal is None
        flags.extend(found.flags)
    return Comparison(None if undecided else True, "structure", flags=tuple(dict.fromkeys(flags)))


def matched(gold: Sequence[Node], answer: Sequence[Node], same: Same) -> Comparison:
    """Equal in some order."""
    if len(gold) != len(answer):
        return Comparison(False, "structure", f"{len(answer)} items, expected {len(gold)}")
    left, right = list(gold), list(answer)
    for item in list(left):
        if item in right:
            left.remove(item)
            right.remove(item)
    if len(left) ** 2 > MAX_PAIRS:
        return Comparison(False, "guard", "lists too long to be matched", ("cost_guard",))
    undecided = False
    flags: list[str] = []
    for expected in left:
        found = [same(expected, said) for said in right]
        place = next((at for at, one in enumerate(found) if one.equal), None)
        if place is None:
            place = next((at for at, one in enumerate(found) if one.equal is None), None)
            undecided = True
        if place is None:
            return Comparison(False, "structure", "an item of the reference is missing")
        flags.extend(found[place].flags)
        del right[place]
    return Comparison(None if undecided else True, "structure", flags=tuple(dict.fromkeys(flags)))


def listed(
    gold: Node, answer: Node, same: Same, policy: MathPolicy, ordered: bool = False, in_turn: int = 0
) -> Comparison:
    """Two things of which one at least is a bare list or a set; `ordered` where the question asks for an order,
    `in_turn` how many quantities it asks for one after the other."""
    gold, answer = _joined(gold), _joined(answer)
    if isinstance(gold, Relation) and is_name(gold.sides[0]) and gold.operators == ("=",):
        gold = gold.sides[1]
    if isinstance(answer, Relation) and is_name(answer.sides[0]) and answer.operators == ("=",):
        answer = answer.sides[1]
    expected, said = _items(gold), _items(answer)
    if expected is None and said is None:
        return same(gold, answer)
    if expected is None or said is None:
        return _single(gold, answer, expected, said, same)
    if isinstance(gold, Braces) and isinstance(answer, Braces):
        return matched(_distinct(expected, same), _distinct(said, same), same)
    if ordered and isinstance(gold, Items):
        return in_order(_values(expected, same, True), _values(said, same, False), same)
    if isinstance(gold, (Braces, Items)) and isinstance(answer, (Braces, Items)):
        told = isinstance(gold, Items) and isinstance(answer, Items) and in_turn == len(expected)
        return _named_lists(expected, said, same, told or policy.order == "all")
    if isinstance(gold, Braces) or isinstance(answer, Braces):
        return Comparison(False, "structure", "a set is not a tuple")
    if isinstance(gold, Bracketed) and (gold.opening, gold.closing) != ("(", ")") and len(gold.items) == 2:
        return Comparison(False, "structure", "an interval is not a list")
    if isinstance(answer, Bracketed) and (answer.opening == "[") != (answer.closing == "]"):
        return Comparison(False, "structure", "a list is not an interval")
    return in_order(_values(expected, same, True), _values(_by_letter(said), same, False), same)


def _by_letter(items: Sequence[Node]) -> Sequence[Node]:
    """Values by name in the order of their letters, where these follow one another: `y = 1, x = 2` is (2, 1)."""
    letters = [name.name if isinstance(name, Symbol) else "" for name in _names(items)]
    ordered = sorted(letters)
    row = all(len(name) == 1 for name in letters) and all(ord(b) - ord(a) == 1 for a, b in pairwise(ordered))
    return [items[letters.index(name)] for name in ordered] if row else items


def _joined(node: Node) -> Node:
    """`x = 1, 2` is a name and a list, not a relation and a number; `x = y = 0` is two relations."""
    if isinstance(node, Relation) and len(node.sides) > 2 and set(node.operators) == {"="}:
        *names, value = node.sides
        if all(is_name(name) for name in names):
            return Items(tuple(Relation((name, value), ("=",)) for name in names))
    if isinstance(node, Relation) and node.operators == ("in",) and is_element(node.sides[0]):
        return node.sides[1] if isinstance(node.sides[1], (Braces, Items)) else node
    if not isinstance(node, Items):
        return node
    kept = tuple(item for item in node.items if not _is_domain(item))
    if len(kept) < len(node.items):
        return kept[0] if len(kept) == 1 else Items(kept or node.items, node.word)
    first, rest = node.items[0], node.items[1:]
    if not isinstance(first, Relation) or any(isinstance(item, Relation) for item in rest):
        return node
    if first.operators == ("=",) and is_name(first.sides[0]):
        return Items((first.sides[1], *rest), node.word)
    if first.operators == ("in",) and is_element(first.sides[0]):
        return Items((first.sides[1], *rest), node.word)
    return node


def _is_domain(item: Node) -> bool:
    """Whether an item only says what kind of number a letter stands for, with no bound: k in the integers."""
    if not isinstance(item, Relation) or item.operators != ("in",):
        return False
    place = item.sides[1]
    return isinstance(place, Constant) and place.name != "naturals" and isinstance(item.sides[0], Symbol)


def _items(node: Node) -> tuple[Node, ...] | None:
    if isinstance(node, (Items, Braces, Bracketed)):
        return node.items[:MAX_ITEMS]
    if isinstance(node, Matrix) and 1 in (len(node.rows), len(node.rows[0])):
        return tuple(cell for row in node.rows for cell in row)
    return None


def _single(
    gold: Node, answer: Node, expected: tuple[Node, ...] | None, said: tuple[Node, ...] | None, same: Same
) -> Comparison:
    """One side is no list: equal only where the other has one item, which is not nothing: {empty set} holds a set."""
    for several, node in ((expected, gold), (said, answer)):
        if several is not None and isinstance(node, Braces) and several[0] in _NOTHING:
            return Comparison(False, "structure", "a set that holds the empty set is not empty")
    if expected is not None and len(expected) == 1:
        return same(expected[0], answer)
    if said is not None and len(said) == 1:
        return same(gold, said[0])
    return Comparison(False, "structure", "one value is not a list of several")


def _distinct(items: Sequence[Node], same: Same) -> list[Node]:
    kept: list[Node] = []
    for item in items:
        if len(kept) > 40 or not any(item == other or same(other, item).equal for other in kept):
            kept.append(item)
    return kept


def _named_lists(gold: Sequence[Node], answer: Sequence[Node], same: Same, ordered: bool) -> Comparison:
    """Values by name where both have names for different things, in order where one has, else in any order."""
    names, said_names = _names(gold), _names(answer)
    several = len(set(names)) == len(names) and not _is_indexed(names)
    if several and None not in names and all(name is None for name in said_names):
        return in_order(_values(gold, same, True), answer, same)
    if None not in names and None not in said_names and not (_is_indexed(names) or _is_indexed(said_names)):
        return matched(gold, answer, same)
    if None not in said_names and len(names) > 1 and all(name is None for name in names):
        answer = _by_letter(answer)
    equations = all(isinstance(item, Relation) and item.operators == ("=",) for item in answer)
    if None not in names and equations and all(name is None for name in said_names):
        return matched(gold, answer, same)  # y = x, y = -x beside x - y = 0, x + y = 0
    left, right = _values(gold, same, True), _values(answer, same, False)
    if ordered:
        return in_order(left, right, same)
    if len(right) > len(left) and len(_distinct(left, same)) == len(left):
        right = _distinct(right, same)  # a solution named twice is one solution
    return matched(left, right, same)


def _names(items: Sequence[Node]) -> list[Node | None]:
    return [
        item.sides[0] if isinstance(item, Relation) and item.operators[0] == "=" and is_name(item.sides[0]) else None
        for item in items
    ]


def _is_indexed(names: Sequence[Node | None]) -> bool:
    """x_1 and x_2 number the roots; they do not name two things."""
    letters = {name.name.partition("_")[0] for name in names if isinstance(name, Symbol)}
    indexed = all(isinstance(name, Symbol) and "_" in name.name for name in names)
    return indexed and len(letters) == 1


def _values(items: Sequence[Node], same: Same, trusted: bool) -> list[Node]:
    found = []
    for item in items:
        inside = stated(item, same, trusted)
        found.append(inside.value if isinstance(inside, Stated) else item)
    return found


def cells(node: Bracketed | Matrix) -> tuple[Node, ...]:
    """What stands in it, row by row."""
    return node.items if isinstance(node, Bracketed) else tuple(cell for row in node.rows for cell in row)


def as_matrix(node: Node) -> Node:
    """[[1, 2], [3, 4]] as the matrix that it writes."""
    if not isinstance(node, Bracketed):
        return node
    rows = [item.items for item in node.items if isinstance(item, Bracketed)]
    if len(rows) < len(node.items) or any(len(row) != len(rows[0]) for row in rows):
        return node
    return Matrix(tuple(rows))


def scaled_matrix(node: Node) -> Node:
    """A number times a matrix as the matrix that it is."""
    if isinstance(node, Power) and node.exponent == Symbol("T"):
        return _transposed(node)
    if not isinstance(node, Product):
        return node
    factors = _flat(node)
    matrices = [factor for factor in factors if isinstance(factor, (Matrix, Bracketed))]
    if len(matrices) != 1:
        return node
    rest = tuple(factor for factor in factors if factor is not matrices[0])
    matrix = matrices[0]
    if isinstance(matrix, Bracketed):
        return Bracketed(matrix.opening, tuple(Product((*rest, item)) for item in matrix.items), matrix.closing)
    return Matrix(tuple(tuple(Product((*rest, cell)) for cell in row) for row in matrix.rows))


def _transposed(node: Power) -> Node:
    if isinstance(node.base, Matrix):
        return Matrix(tuple(zip(*node.base.rows, strict=True)))
    return node.base if isinstance(node.base, Bracketed) else node


def _flat(node: Node) -> tuple[Node, ...]:
    """The factors of a product, those of products inside it too."""
    return tuple(part for factor in node.factors for part in _flat(factor)) if isinstance(node, Product) else (node,)
