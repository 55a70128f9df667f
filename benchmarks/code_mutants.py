"""Programs that are wrong by one small change: what hidden tests should tell from the right one.

>>> import numpy as np
>>> for mutant in mutants("def half(n):\\n    return n // 2 if n > 0 else 0", 3, np.random.default_rng(0)):
...     print(mutant.change)
operator: n // 2 -> n * 2
constant: 0 -> -1
constant: 0 -> 1

Changes are drawn from all places of the program alike: an operator, a comparison (its boundary or its
direction), `and` for `or`, a `not` left out, a constant, a bound that is off by one.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rlenv.envs.code.trees import tree

_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one change."""

    source: str
    change: str
    """What was changed, from what to what."""


def mutants(source: str, count: int, rng: np.random.Generator) -> list[Mutant]:
    """Up to `count` different mutants of a program, drawn from all there are."""
    found = {mutant.source: mutant for mutant in all_mutants(source)}
    different = [mutant for text, mutant in found.items() if text != ast.unparse(tree(source))]
    chosen = rng.permutation(len(different))[:count]
    return [different[int(i)] for i in sorted(chosen)]


def all_mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a program, in the order of the places."""
    module = tree(source)
    places = len(list(ast.walk(module)))
    texts = _docstrings(module)
    for place in range(places):
        if place in texts:
            continue
        for variant in range(2):
            changed = copy.deepcopy(module)
            node = list(ast.walk(changed))[place]
            before = _text(node)
            kind = _change(node, variant)
            if kind:
                yield Mutant(ast.unparse(ast.fix_missing_locations(changed)), f"{kind}: {before} -> {_text(node)}")


def _change(node: ast.AST, variant: int) -> str:
    """Change a node in place; returns the kind of change, "" where there is none."""
    match node:
        case ast.BinOp() | ast.AugAssign() if variant == 0 and type(node.op) in _OPERATORS:
            node.op = _OPERATORS[type(node.op)]()
            return "operator"
        case ast.Compare(ops=[op]) if variant < len(_COMPARISONS[type(op)]):
            node.ops = [_COMPARISONS[type(op)][variant]()]
            return "compare"
        case ast.BoolOp() if variant == 0:
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            return "logic"
        case ast.UnaryOp(op=ast.USub()) if variant == 0:
            node.op = ast.UAdd()
            return "sign"
        case ast.Constant(value=bool() as truth) if variant == 0:
            node.value = not truth
            return "constant"
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            node.value = number + (1 if variant == 0 else -1)
            return "constant"
        case ast.Constant(value=str() as text) if variant == 0:
            node.value = f"{text}x"
            return "constant"
        case ast.If() | ast.While() if variant == 1:
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return "condition"
    return ""


def _docstrings(module: ast.AST) -> set[int]:
    """The places of texts that stand alone: changing them changes nothing."""
    nodes = list(ast.walk(module))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    return {place for place, node in enumerate(nodes) if id(node) in alone}


def _text(node: ast.AST) -> str:
    if isinstance(node, (ast.If, ast.While)):
        return ast.unparse(node.test)[:60]
    return ast.unparse(node)[:60]
