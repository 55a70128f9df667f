"""The cost of a tree is known before anything is evaluated, and what it refuses is refused everywhere."""

from __future__ import annotations

import pytest
from work import few_calls

from rlenv.envs.math.equality import compare, readable
from rlenv.envs.math.equality.numeric import too_costly
from rlenv.envs.math.equality.policy import MathPolicy
from rlenv.envs.math.grammar.answer import read

POLICY = MathPolicy()
COSTLY = [
    "9^{9^9}", "10^{10^8}", "(10^8)!", r"(3\cdot 10^7)!", r"\binom{10^9}{5 \cdot 10^8}", "2^{2^{2^{2^{2^2}}}}",
    "e^{10^{10}}", r"\sin(10^{20000})", "((10!)!)!", r"\frac{1}{(10^6)!}", "x^{10^{30}}",
    r"\gcd(3^{10^8}, 7)", r"e^{e^{e^{e^{2}}}}",
]  # fmt: skip
MOST_CALLS = 300_000
CHEAP = ["2^{2024}", r"\frac{2^{2024}-1}{3}", "1000!", r"10^{\frac{-5+\sqrt{13}}{6}}", "e^{-60}", r"\sin(10^{9})",
         "(x+y)^{60}", r"\binom{2000}{1000}", "1^{10^{12}}", "e^{x^2}", "10^{-300}"]  # fmt: skip


@pytest.mark.parametrize("text", COSTLY)
def test_costly_trees_are_refused_unseen_with_a_flag(text: str) -> None:
    assert too_costly(read(text))
    found = few_calls(MOST_CALLS, compare, "7", text, POLICY)
    assert found.equal is False
    assert found.flags == ("cost_guard",)


@pytest.mark.parametrize("text", COSTLY)
def test_costly_trees_still_equal_themselves(text: str) -> None:
    assert compare(text, f"$ {text} $", POLICY).equal


@pytest.mark.parametrize("text", CHEAP)
def test_what_people_write_passes_the_guard(text: str) -> None:
    assert too_costly(read(text)) == ""


def test_a_reference_without_content_or_over_the_limits_cannot_be_read() -> None:
    assert readable("5")
    assert readable(r"\text{The midpoints form a hexagon}")
    assert not readable("  ")
    assert not readable("(" * 500)
    assert not readable("x" * 5000)
