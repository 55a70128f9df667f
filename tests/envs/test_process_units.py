"""One step an equation, whatever the layout."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import assert_linear

from rlenv.envs.process.units import units

LINES = (
    "He bakes 6*12=72 buns in all.",
    "After selling 50 there are 72-50=22 buns left, which is half of 44.",
    "Each costs $1.50, so he gets 50*$1.50=$75.",
    "That is $75/6 = $12.50 a tray",
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in units(text)]


@pytest.mark.parametrize("glue", ["\n", "\n\n", " ", "  ", "; "])
def test_the_number_of_steps_does_not_depend_on_how_lines_are_joined(glue: str) -> None:
    found = cut(glue.join(LINES))
    assert len(found) == len(LINES)
    assert all(step.count("=") == 1 for step in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("No equation here.\nNor there.", ["No equation here.\nNor there."]),
        ("3+4=7", ["3+4=7"]),
        ("3+4=6+1=7", ["3+4=6+1=7"]),
        ("12 + 5\n= 17\n= 10 + 7", ["12 + 5\n= 17\n= 10 + 7"]),
        ("3 eggs * $2 = $6 = 600 cents", ["3 eggs * $2 = $6 = 600 cents"]),
        ("3+4=7 7+1=8", ["3+4=7", "7+1=8"]),
        ("3+4=7, 7+1=8", ["3+4=7,", "7+1=8"]),
        ("3+4=7 and 7+1=8", ["3+4=7", "and 7+1=8"]),
        ("20% of 50 = 10% of 100 = 10", ["20% of 50 = 10% of 100 = 10"]),
        (r"\frac{3}{4} = 3 \times 0.25 = 0.75", [r"\frac{3}{4} = 3 \times 0.25 = 0.75"]),
        ("x == 3 and y = 4", ["x == 3 and y = 4"]),
        ("She has 3+4 which equals 7. Then 7+1 equals 8.", ["She has 3+4 which equals 7.", "Then 7+1 equals 8."]),
    ],
)
def test_where_it_cuts(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@given(st.one_of(st.text(), st.text(alphabet="=1 2+x.\n,$")))
def test_steps_are_in_order_disjoint_and_hold_all_that_is_not_blank(text: str) -> None:
    found = units(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in found)
    assert all(one[1] <= other[0] for one, other in pairwise(found))
    assert "".join("".join(cut(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("before", "unit", "after"), [("", "=", ""), ("", "1=", ""), ("", "1 a", "="), ("=1 ", "a, ", "=")]
)
def test_hostile_text_takes_linear_work(before: str, unit: str, after: str) -> None:
    assert_linear(lambda length: units(before + unit * (length // len(unit)) + after), 300_000)
