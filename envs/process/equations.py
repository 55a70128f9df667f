"""The equations of a step: chains of sides that are said to be equal.

>>> [chain] = chains("So the total cost = 3 eggs * $2/egg = $6, which she pays.")
>>> [side.text for side in chain.sides], chain.relations
(['3 eggs * $2 / egg', '$6'], ('=', '='))
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rlenv.envs.process.sides import Side, longest_prefix, longest_suffix, without_remarks
from rlenv.envs.process.tokens import Token, tokenize


@dataclass(frozen=True)
class Chain:
    """Sides with the relations `=` or `≈` between them."""

    sides: tuple[Side, ...]
    relations: tuple[str, ...]
    """What stands before each side; "" before the first, unless it follows words."""


@lru_cache(maxsize=64)
def chains(text: str) -> tuple[Chain, ...]:
    """The chains of a text, in order."""
    return tuple(chain for clause in clauses(tokenize(text)) for chain in chains_of(clause))


def clauses(tokens: list[Token]) -> list[list[Token]]:
    """The tokens between breaks."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind == "break":
            found.append([])
        else:
            found[-1].append(token)
    return [clause for clause in found if clause]


def chains_of(clause: list[Token]) -> list[Chain]:
    """The chains of what stands between two breaks."""
    parts, relations = _parts(without_remarks(clause))
    if len(parts) < 2:
        return []
    found: list[list[tuple[Side, str]]] = [_begun(parts[0])]
    for place, (part, relation) in enumerate(zip(parts[1:], relations, strict=True), start=1):
        side = longest_prefix(part) if place == len(parts) - 1 else _whole(part)
        if side is not None:
            found[-1].append((side, relation))
        else:
            found.append(_begun(part))
    return [
        Chain(tuple(side for side, _ in one), tuple(relation for _, relation in one))
        for one in found
        if len(one) > 1 or (one and one[0][1])
    ]


def _begun(part: list[Token]) -> list[tuple[Side, str]]:
    """A chain before its first relation."""
    first = longest_suffix(part)
    return [] if first is None else [(first, "")]


def _parts(clause: list[Token]) -> tuple[list[list[Token]], list[str]]:
    parts: list[list[Token]] = [[]]
    relations: list[str] = []
    for token in clause:
        if token.kind == "relation":
            relations.append(token.text)
            parts.append([])
        else:
            parts[-1].append(token)
    return parts, relations


def _whole(tokens: list[Token]) -> Side | None:
    side = Side(tuple(tokens))
    return side if side.value() is not None else None
