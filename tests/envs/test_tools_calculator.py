"""The tool `calculator`: right on sums, bounded on whatever a policy writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rlenv
from rlenv.envs.tools.calculator import calculate
from rlenv.text.expression import MAX_CHARS
from rlenv.turns.tool_prompt import call_text


@pytest.mark.parametrize("expression", ["", "2**9", "9/3", "9//2", "5(3)", "__import__('os')", "1" * (MAX_CHARS + 1)])
def test_what_is_no_sum_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="expected whole numbers"):
        calculate(expression)


@given(st.text("0123456789+-*() ", max_size=MAX_CHARS))
def test_every_text_of_its_characters_is_worked_out_or_refused(expression: str) -> None:
    try:
        assert len(calculate(expression)) <= MAX_CHARS
    except ValueError:
        return


def test_an_episode_hears_the_value_or_why_there_is_none_and_is_paid_for_the_answer() -> None:
    env = rlenv.make("math/arithmetic-v0", level=4, tools="calculator")
    env.reset(options={"task": {"prompt": "3+8+5+9=?", "answer": "25"}})
    assert "ValueError: expected whole numbers" in env.step(call_text("calculate", expression="2**9"))[0]
    assert "25" in env.step(call_text("calculate", expression="3+8+5+9"))[0]
    assert env.step("\\boxed{25}")[1:3] == (1.0, True)
