"""The cost of a tree is known before anything is evaluated, and what it refuses is refused everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from work import few_calls

from rlenv.envs.math.comparing import compare, compare_symbolically, readable
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.comparing.polynomial import TooLarge, form
from rlenv.envs.math.comparing.symbolic import same_by_algebra
from rlenv.envs.math.reading.answer import read
from rlenv.envs.math.reading.guard import MAX_NODES, too_costly
from rlenv.envs.math.reading.nodes import ONE, Sum

POLICY = MathPolicy()
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "math_verifier_dos_cases.jsonl"
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
    for judged in (compare, compare_symbolically):
        found = few_calls(MOST_CALLS, judged, "7", text, POLICY)
        assert found.equal is False
        assert found.flags == ("cost_guard",)
    assert same_by_algebra(read("7"), read(text)).flags == ("cost_guard",)


@pytest.mark.parametrize("text", COSTLY)
def test_costly_trees_still_equal_themselves(text: str) -> None:
    assert compare(text, f"$ {text} $", POLICY).equal


@pytest.mark.parametrize("text", CHEAP)
def test_what_people_write_passes_the_guard(text: str) -> None:
    assert too_costly(read(text)) == ""


def test_the_number_of_parts_is_limited() -> None:
    assert too_costly(Sum((ONE,) * (MAX_NODES + 1)))


@pytest.mark.parametrize(
    "text", ["(a+b+c+d+e)^{30}", "".join(f"(x_{k}+1)" for k in range(30)), r"\frac{1}{\sqrt2\sqrt3-\sqrt6}"]
)
def test_forms_that_would_be_too_large_are_not_made(text: str) -> None:
    with pytest.raises(TooLarge):
        form(read(text))


def test_a_reference_without_content_or_over_the_limits_cannot_be_read() -> None:
    assert readable("5")
    assert readable(r"\text{The midpoints form a hexagon}")
    assert not readable("  ")
    assert not readable("(" * 500)
    assert not readable("x" * 5000)


@pytest.mark.skipif(not DATA.exists(), reason="the public cases that must not cost are not here")
def test_every_public_costly_case_is_refused_with_little_work() -> None:
    for line in DATA.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        assert few_calls(MOST_CALLS, compare, case["gold"], case["prediction"], POLICY).equal is False, case["id"]
