"""References that answer the question, where the package's own does not, and what else an item must tell.

- decimal_arithmetic rounds after every operation: 48 of 600 references are off in the last digit asked for
- power_function is asked to 3 significant figures and gives all of them
- advanced_geometry asks for 3 decimals and gives angles to 2
- number_format asks for one of the numbers shown and gives it with a rounding error now and then
- intermediate_integration leaves an integral unevaluated where it made sin and cos undefined functions
- graph_color, rubiks_cube give none, though they know one
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, cast

from rlenv.envs.reasoning_gym.datasets import Item
from rlenv.envs.reasoning_gym.expressions import Fractions, evaluate
from rlenv.jsontypes import Json


def reference(name: str, item: Item) -> str | None:
    """The right answer of an item; None where a solver finds it when it is asked for."""
    if name in _SEARCHED:
        return None
    answer = item["answer"]
    return _REFERENCES[name](item) if name in _REFERENCES else answer


def metadata(name: str, item: Item, keys: tuple[str, ...]) -> dict[str, Json]:
    """The metadata of an item under these keys, and its difficulty, as JSON."""
    source: dict[str, object] = dict(item["metadata"])
    if name == "rush_hour":  # the labels shown are not those of the board's code
        source["board"] = item["question"].split("Board:\n")[1].split()
    kept = {key: as_json(source[key]) for key in keys}
    return {**kept, "difficulty": as_json(source["difficulty"])} if "difficulty" in source else kept


def as_json(value: object) -> Json:
    """Tuples as lists, keys as strings, numpy's values as Python's."""
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return as_json(cast("Any", value).item()) if hasattr(value, "item") else str(value)


def _decimal_arithmetic(item: Item) -> str:
    digits = re.search(r"maximum of (\d+) significant", item["question"])
    formula = item["question"].strip().split("\n")[-1].removesuffix("= ?")
    if digits is None:
        raise ValueError(f"no number of digits in {item['question']!r}")
    value = evaluate(formula, Fractions())
    rounding = Context(prec=int(digits[1]), rounding=ROUND_HALF_UP)
    return f"{rounding.divide(Decimal(value.numerator), Decimal(value.denominator)):f}"


def _power_function(item: Item) -> str:
    return f"{Context(prec=3, rounding=ROUND_HALF_UP).create_decimal(str(item['answer'])):.2e}"


def _advanced_geometry(item: Item) -> str:
    if item["metadata"]["task_type"] != "angle_measure":
        return str(item["answer"])
    a, b, c = (complex(*(float(x) for x in cast("tuple[str, str]", item["metadata"][corner]))) for corner in "ABC")
    quotient = (a - b) / (c - b)
    return f"{abs(math.degrees(math.atan2(quotient.imag, quotient.real))):.3f}°"


def _number_format(item: Item) -> str:
    wanted = cast("float", item["metadata"]["solution"])
    shown = cast("list[str]", item["metadata"]["formatted_candidates"])
    nearest = min((Decimal(text.replace(",", "")) for text in shown), key=lambda value: abs(value - Decimal(wanted)))
    return f"{nearest:f}"


def _intermediate_integration(item: Item) -> str:
    answer = str(item["answer"])
    if "Integral" not in answer:
        return answer
    import sympy  # type: ignore[import-untyped, unused-ignore]

    integrand = sympy.sympify(str(item["metadata"]["integrand"]))
    return f"{sympy.integrate(integrand, sympy.Symbol(str(item['metadata']['variable'])))} + C"


def _graph_color(item: Item) -> str:
    return json.dumps(as_json(item["metadata"]["possible_answer"]))


def _rubiks_cube(item: Item) -> str:
    scramble = str(item["metadata"]["scramble_moves"]).split()
    return " ".join(turn.removesuffix("'") if turn.endswith("'") else f"{turn}'" for turn in reversed(scramble))


_SEARCHED = frozenset({"boxnet", "knight_swap", "rush_hour"})
_REFERENCES: dict[str, Callable[[Item], str]] = {
    "advanced_geometry": _advanced_geometry,
    "decimal_arithmetic": _decimal_arithmetic,
    "graph_color": _graph_color,
    "intermediate_integration": _intermediate_integration,
    "number_format": _number_format,
    "power_function": _power_function,
    "rubiks_cube": _rubiks_cube,
}
