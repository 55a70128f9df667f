"""Arguments for the hidden tests, drawn from a generator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rlenv.envs.code.snippets.snippet import Arguments, Draw

Value = Callable[[np.random.Generator], object]


def args(*values: Value) -> Draw:
    """Draws one argument from each."""
    return lambda rng: tuple(value(rng) for value in values)


def number(low: int, high: int) -> Value:
    """A whole number, both ends included."""
    return lambda rng: int(rng.integers(low, high + 1))


def numbers(low: int = -20, high: int = 20, most: int = 8, least: int = 0) -> Value:
    """A list of whole numbers."""
    return lambda rng: [int(n) for n in rng.integers(low, high + 1, size=rng.integers(least, most + 1))]


def rising(low: int = -20, high: int = 20) -> Value:
    """A sorted list of whole numbers."""
    draw = numbers(low, high)
    return lambda rng: sorted(draw(rng))  # type: ignore[call-overload]


def word(letters: str = "abcde", most: int = 8, least: int = 0) -> Value:
    """A word of these letters."""
    return lambda rng: "".join(letters[int(i)] for i in rng.integers(len(letters), size=rng.integers(least, most + 1)))


def words(letters: str = "abc", most: int = 6, longest: int = 4) -> Value:
    """A list of words that are not empty."""
    draw = word(letters, longest, 1)
    return lambda rng: [draw(rng) for _ in range(rng.integers(0, most + 1))]


def phrase(letters: str = "abcd", most: int = 5, longest: int = 5) -> Value:
    """Words with blanks between them."""
    draw = words(letters, most, longest)
    return lambda rng: " ".join(draw(rng))  # type: ignore[arg-type]


def table(keys: str = "abcdef", low: int = -9, high: int = 9) -> Value:
    """A dictionary from single letters to whole numbers."""
    return lambda rng: {key: int(rng.integers(low, high + 1)) for key in keys if rng.random() < 0.6}


def grid(low: int = -9, high: int = 9, most: int = 4) -> Value:
    """A rectangle of whole numbers, as a list of rows; at least one by one."""

    def draw(rng: np.random.Generator) -> object:
        rows, columns = int(rng.integers(1, most + 1)), int(rng.integers(1, most + 1))
        return [[int(n) for n in row] for row in rng.integers(low, high + 1, size=(rows, columns))]

    return draw


def square(low: int = -9, high: int = 9, most: int = 4) -> Value:
    """A square of whole numbers, as a list of rows."""

    def draw(rng: np.random.Generator) -> object:
        size = int(rng.integers(1, most + 1))
        return [[int(n) for n in row] for row in rng.integers(low, high + 1, size=(size, size))]

    return draw


def pairs(low: int = 0, high: int = 20, most: int = 6) -> Value:
    """A list of pairs (start, end) with start <= end."""

    def draw(rng: np.random.Generator) -> object:
        ends = rng.integers(low, high + 1, size=(rng.integers(0, most + 1), 2))
        return [(int(min(a, b)), int(max(a, b))) for a, b in ends]

    return draw


def edges_of_graph(nodes: int = 6, most: int = 9) -> Value:
    """A list of undirected edges between nodes 0 .. nodes - 1."""

    def draw(rng: np.random.Generator) -> object:
        drawn = rng.integers(0, nodes, size=(rng.integers(0, most + 1), 2))
        return [(int(a), int(b)) for a, b in drawn if a != b]

    return draw


def nested(rng: np.random.Generator, depth: int = 3) -> object:
    """A list of whole numbers and lists of the same kind."""
    size = int(rng.integers(0, 4))
    return [nested(rng, depth - 1) if depth and rng.random() < 0.5 else int(rng.integers(10)) for _ in range(size)]


def chain(rng: np.random.Generator) -> object:
    """A sum of whole numbers such as `3+12*2-4`."""
    terms = rng.integers(0, 30, size=rng.integers(1, 6)).tolist()
    signs = ["+-*"[int(i)] for i in rng.integers(3, size=len(terms))]
    return str(terms[0]) + "".join(f"{sign}{term}" for sign, term in zip(signs, terms[1:], strict=False))


def factors(rng: np.random.Generator) -> Arguments:
    """Two matrices that can be multiplied."""
    rows, inner, columns = (int(n) for n in rng.integers(1, 4, size=3))
    return tuple(rng.integers(-5, 6, size=shape).tolist() for shape in ((rows, inner), (inner, columns)))


def machine(rng: np.random.Generator) -> object:
    """A program for a stack machine that never takes from an empty stack."""
    program, height = ["push 2"], 1
    for _ in range(int(rng.integers(2, 9))):
        choices = [f"push {int(rng.integers(10))}", "dup", *(["add", "sub", "mul", "swap"] if height > 1 else [])]
        step = choices[int(rng.integers(len(choices)))]
        height += 0 if step == "swap" else 1 if step.startswith(("push", "dup")) else -1
        program.append(step)
    return program
