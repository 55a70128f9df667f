"""What an outcome pays, and what its verdict says."""

import pytest

from rlenv.core.errors import ConfigError
from rlenv.envs.code.outcome import Outcome, Pay, TestResult, check_pay, refused, verdict_of

PASS, FAIL, LOST = TestResult(True), TestResult(False, note="gave 2"), TestResult(False, answered=False)
SHOWN, SHOWN_FAIL = TestResult(True, shown=True), TestResult(False, shown=True)


@pytest.mark.parametrize(
    ("tests", "pay", "parts"),
    [
        ((PASS, PASS), "all", [("tests", 1.0)]),
        ((PASS, FAIL), "all", [("tests", 0.0)]),
        ((PASS, FAIL, FAIL, FAIL), "share", [("tests", 0.25)]),
        ((SHOWN, FAIL), "all", [("tests", 0.0)]),
        ((SHOWN, SHOWN, FAIL), "share", [("tests", 0.0)]),
        ((SHOWN, PASS), "all", [("tests", 1.0)]),
        ((SHOWN_FAIL, PASS), "all", [("tests", 0.0)]),
        ((SHOWN, SHOWN_FAIL, PASS, FAIL), "share", [("tests", 0.25)]),
        ((SHOWN_FAIL, PASS), "share", [("tests", 0.0)]),
        ((SHOWN, SHOWN_FAIL), "share", [("tests", 0.5)]),
        ((SHOWN_FAIL, PASS), "staged", [("parses", 0.1), ("runs", 0.1), ("passes", 0.0)]),
        ((PASS, PASS), "staged", [("parses", 0.1), ("runs", 0.1), ("passes", 0.8)]),
        ((PASS, FAIL), "staged", [("parses", 0.1), ("runs", 0.1), ("passes", 0.0)]),
        ((PASS, LOST), "staged", [("parses", 0.1), ("runs", 0.0), ("passes", 0.0)]),
    ],
)
def test_hidden_tests_pay_as_declared_and_failing_shown_ones_costs(
    tests: tuple[TestResult, ...], pay: Pay, parts: list[tuple[str, float]]
) -> None:
    verdict = verdict_of(Outcome(tests), pay)
    assert [tuple(part) for part in verdict.parts] == parts


def test_a_staged_right_answer_earns_exactly_one() -> None:
    assert verdict_of(Outcome((PASS,)), "staged").reward == 1.0


def test_code_that_does_not_parse_earns_no_stage() -> None:
    assert verdict_of(Outcome((LOST,), parsed=False), "staged").reward == 0.0


def test_the_scores_say_which_test_passed() -> None:
    verdict = verdict_of(Outcome((SHOWN, PASS, FAIL)), "all")
    assert verdict.scores == {"tests": 2, "passed": 1, "shown": 1, "shown_passed": 1, "test/0": 1, "test/1": 0}
    assert verdict.reason == "1 of 2 hidden tests pass; the first that fails: gave 2"


def test_passing_only_what_is_shown_is_flagged_at_the_code() -> None:
    [flag] = verdict_of(Outcome((SHOWN, FAIL)), "all", 3, 9).flags
    assert (flag.name, flag.start, flag.end) == ("shown_only", 3, 9)
    assert verdict_of(Outcome((SHOWN, PASS)), "all").flags == ()
    assert verdict_of(Outcome((SHOWN, PASS, FAIL)), "all").flags == ()
    assert verdict_of(Outcome((FAIL,)), "all").flags == ()


def test_a_failure_of_the_machinery_is_no_wrong_answer() -> None:
    verdict = verdict_of(Outcome((FAIL,), failure="the sandbox failed"), "all")
    assert (verdict.reward, verdict.reason) == (None, "the sandbox failed")


def test_a_task_without_hidden_tests_is_judged_by_the_shown_ones_and_says_so() -> None:
    verdict = verdict_of(Outcome((SHOWN,)), "all")
    assert (verdict.reward, verdict.scores["tests"], verdict.flags) == (1.0, 0, ())
    assert "no hidden test" in verdict.reason
    assert verdict_of(Outcome((SHOWN, SHOWN_FAIL)), "all").reward == 0.0


def test_a_task_without_tests_is_a_failure_of_the_checker() -> None:
    assert verdict_of(Outcome(()), "all").reward is None


@pytest.mark.parametrize("pay", ["all", "share", "staged"])
def test_a_completion_without_code_has_the_parts_of_any_other(pay: Pay) -> None:
    nothing, something = refused("no_code", "no code", pay), verdict_of(Outcome((FAIL,)), pay)
    assert [part.name for part in nothing.parts] == [part.name for part in something.parts]
    assert (nothing.reward, [flag.name for flag in nothing.flags]) == (0.0, ["no_code"])


def test_an_unknown_way_to_pay_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="all, share, staged"):
        check_pay("some")
