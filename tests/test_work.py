"""The measures of work that tests assert: what grows too fast is seen, and what is linear is not."""

import pytest
from work import assert_linear, few_calls


def test_linear_work_is_let_through() -> None:
    assert_linear(lambda length: sum(range(length)), 400_000)


def test_quadratic_work_is_seen() -> None:
    with pytest.raises(AssertionError, match="times the work"):
        assert_linear(lambda length: [sum(range(length)) for _ in range(length)], 1_600)


def test_too_many_calls_are_seen_before_they_are_all_made() -> None:
    def endless() -> None:
        while True:
            len("")

    with pytest.raises(AssertionError, match="more than 1000 calls"):
        few_calls(1_000, endless)


def test_few_calls_are_let_through() -> None:
    assert few_calls(1_000, lambda: sum(len("a") for _ in range(200))) == 200
