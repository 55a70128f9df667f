"""One table of docs/algorithms.md says what the papers used: it is what the code has, or says why not."""

import math
import re
from dataclasses import MISSING, fields, is_dataclass
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest

from rlenv.trainers import ALGORITHMS
from rlenv.trainers.algorithms.row import Algorithm

PAGE = Path(__file__).parents[2] / "docs" / "algorithms.md"


class Line(NamedTuple):
    row: str
    setting: str
    paper: str
    here: str
    why: str


def _lines() -> list[Line]:
    table = PAGE.read_text().partition("## Defaults and the papers'")[2].partition("\n## ")[0]
    cells = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines() if line[:2] == "| "]
    return [Line(*found) for found in cells[1:]]


def _numbers(cell: str) -> tuple[float, ...]:
    """Those before a bracket: '0.5, 0.75, 1' and '0.2 (8 of 40)'."""
    return tuple(float(number) for number in re.findall(r"[\d.]+|inf", cell.partition("(")[0]))


def _value(row: Algorithm, setting: str) -> tuple[float, ...]:
    found: Any = reduce(getattr, setting.split("."), cast("Any", row))
    return tuple(found) if isinstance(found, tuple) else (found,)


def _own_numbers(row: Algorithm) -> set[str]:
    """The settings of this row that are numbers and not what their class begins with."""
    found = {"positive_nll"} if row.positive_nll else set()
    found |= {"divergence"} if row.divergence is not None else set()
    for choice in fields(row):
        value = getattr(row, choice.name)
        for field in fields(value) if is_dataclass(value) else ():
            number = getattr(value, field.name)
            plain = isinstance(number, int | float) and not isinstance(number, bool)
            if plain and (field.default is MISSING or number != field.default):
                found.add(f"{choice.name}.{field.name}")
    return found


@pytest.mark.parametrize("line", _lines(), ids=lambda line: f"{line.row} {line.setting}")
def test_the_code_has_the_papers_number_or_the_table_says_why_not(line: Line) -> None:
    here = _value(ALGORITHMS[line.row], line.setting)
    assert len(here) == len(_numbers(line.here))
    for number, told in zip(here, _numbers(line.here), strict=True):
        assert math.isclose(number, told, rel_tol=2e-3)
    no_bound = line.here == "inf" and line.paper == "none"
    assert bool(line.why) != (_numbers(line.paper) == _numbers(line.here) or no_bound)
    assert _numbers(line.paper) or line.paper in ("none", "open")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_number_that_a_row_sets_stands_in_the_table(name: str) -> None:
    assert _own_numbers(ALGORITHMS[name]) - {line.setting for line in _lines() if line.row == name} == set()
