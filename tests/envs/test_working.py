"""An expression worked out step by step: by us, and in any order that arithmetic allows, each number once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.envs.math.arithmetic import LEVELS
from rlenv.envs.process.equation_steps import operation
from rlenv.envs.working import MAX_STATES, Part, begin, canonical, equations, reductions, take, totals
from rlenv.text.expression import value


def after(expression: str, steps: str) -> frozenset[Part]:
    """The states after equations between semicolons; none where one of them cannot be taken."""
    states = begin(expression)
    for step in steps.split(";"):
        taken = operation(step)
        assert taken is not None, step
        states = take(states, taken)
    return states


@pytest.mark.parametrize(
    ("expression", "steps"),
    [
        ("3+8+5+9", "3+8=11;11+5=16;16+9=25"), ("3+8+5+9", "5+9=14;8+3=11;14+11=25"), ("3+3+3", "3+3=6;6+3=9"),
        ("9-2-1", "2+1=3;9-3=6"), ("9-2-1", "-2-1=-3;9+-3=6"), ("9-(2-1)", "2-1=1;9-1=8"), ("9-(2-1)", "9-2=7;7+1=8"),
        ("2-7+4", "4-7=-3;2+(-3)=-1"), ("(3-8)*2", "3-8=-5;-5*2=-10"), ("2*(3-8)", "3-8=-5;(-5)*2=-10"),
        ("5-2*3", "2*3=6;5-6=-1"), ("((3+4)*2)-5", "3+4=7;7*2=14;14-5=9"), ("2*(3*4)", "2*3=6;6*4=24"),
        ("0-0", "0-0=0"), ("-3*2+1", "-3*2=-6;-6+1=-5"), ("-(2-1)", "2-1=1;-1*1=-1"),
    ],
)  # fmt: skip
def test_right_steps_lead_to_the_value(expression: str, steps: str) -> None:
    assert after(expression, steps) == {value(expression)}


@pytest.mark.parametrize(
    ("expression", "steps"),
    [
        ("3+8+5", "3+9=12"), ("3+8+5", "3*8=24"), ("3+8+5", "8-3=5"), ("3+8+5", "3+8=11;3+8=11"), ("3+8+5", "3+3=6"),
        ("3+8+5", "3+8=11;11+11=22"), ("3+8+5", "3+0=3"), ("9-2-1", "2-1=1"), ("9-(2-1)", "9-1=8"),
        ("(3+4)*2", "4*2=8"), ("(3+4)*2", "3+4=7;7+2=9"), ("5-2*3", "5-2=3"), ("2*(3-8)", "2*3=6"),
        ("3+4", "3+4=7;7+0=7"),
    ],
)  # fmt: skip
def test_numbers_that_do_not_stand_side_by_side_are_refused(expression: str, steps: str) -> None:
    assert after(expression, steps) == frozenset()


def test_a_wrong_result_is_carried_on_and_steps_that_fit_in_two_places_keep_both_open() -> None:
    assert after("3+8+5", "3+8=12;12+5=17") == {17}
    assert after("3+8+5", "3+8=12;11+5=16") == frozenset()
    assert 1 <= len(after("(2+3)*(2+3)", "2+3=5")) <= MAX_STATES
    assert after("(2+3)*(2+3)", "2+3=5;2+3=5;5*5=25") == {25}


@pytest.mark.parametrize("level", LEVELS)
@settings(deadline=None)
@given(number=st.integers(0, 2**32 - 1))
def test_our_own_working_has_the_value_in_every_line_and_can_be_taken(level: int, number: int) -> None:
    expression = LEVELS[level].expression(np.random.default_rng(number))
    expected = eval(expression)
    lines, steps = reductions(expression), equations(expression)
    assert {value(expression), *map(eval, lines)} == {expected}
    assert lines[-1] == str(expected)
    assert totals(expression)[-1] == expected
    assert after(expression, ";".join(steps)) == {expected}


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("3+8", "8+3", True), ("(3+8)+2", "2+3+8", True), ("9-(2-1)", "9+1-2", True), ("2*(3+4)", "(4+3)*2", True),
        ("2*3*4", "4*(3*2)", True), ("3-8", "8-3", False), ("9-(2-1)", "9-2-1", False), ("2*(3+4)", "2*3+4", False),
        ("3+8", "3*8", False), ("1+11", "11+11", False),
    ],
)  # fmt: skip
def test_expressions_are_the_same_but_for_order_and_brackets_about_a_sum(left: str, right: str, same: bool) -> None:
    assert (canonical(left) == canonical(right)) is same
