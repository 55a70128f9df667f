"""The audit on plain reward functions and those of TRL; its search earns more, and calls nothing sound a hole."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from rlenv.audit import Finding, audit_reward
from rlenv.audit.functions import reward_definition
from rlenv.audit.search import _away, _blind, search_findings, surely_wrong
from rlenv.audit.subject import Subject
from rlenv.core.errors import ConfigError
from rlenv.evidence.exploits.moves import MOVES
from rlenv.testing import assert_not_hackable

SUMS = [{"prompt": f"{a} + 158 = ?", "answer": str(a + 158)} for a in range(137, 145)]
WORDS = [{"prompt": f"Unscramble {sorted(word)}", "answer": word} for word in ("planet", "silver", "bridge", "market")]


Search = Callable[[Subject, np.random.Generator], Iterator[Finding | None]]


def _digits(completion: str, answer: str) -> bool:
    return completion.isdigit() and int(completion) % 29 == int(answer) % 29


def _letters(completion: str, answer: str) -> bool:
    return sorted(completion) == sorted(answer)


def _exact(completion: str, answer: str) -> bool:
    return completion.strip().casefold() == answer


def _dots(completion: str, answer: str) -> float:
    return max(float(completion == answer), min(1.0, completion.count("~") / 3))


def _first(reward: Callable[..., object], rows: list[dict[str, str]], search: Search) -> Finding | None:
    subject = Subject(reward_definition(reward, rows), 8)
    drawn = search(subject, np.random.default_rng(0))
    return next((one for one, _ in zip(drawn, range(120), strict=False) if one is not None), None)


@pytest.mark.parametrize(("reward", "rows"), [(_digits, SUMS), (_letters, WORDS)])
def test_moving_away_from_the_answer_finds_what_is_paid_as_well(
    reward: Callable[..., bool], rows: list[dict[str, str]]
) -> None:
    found = _first(reward, rows, _away)
    assert found is not None
    assert found.evidence is not None
    assert reward(found.evidence.text, found.evidence.right)
    assert surely_wrong(found.evidence.text, found.evidence.right)


def test_pieces_that_earn_more_are_put_together() -> None:
    found = _first(_dots, SUMS, _blind)
    assert found is not None
    assert found.evidence is not None
    assert set(found.evidence.text) == {"~"}


@pytest.mark.parametrize("search", [_away, _blind])
def test_a_sound_reward_is_not_accused(search: Search) -> None:
    assert _first(_exact, SUMS, search) is None


def test_it_ends_in_its_time_and_says_nothing_where_nothing_is_paid() -> None:
    assert search_findings(Subject(reward_definition(_exact, SUMS), 4), seconds=0.2) == []
    assert search_findings(Subject(reward_definition(lambda completion: 0.0, SUMS), 4), seconds=60) == []


def test_moves_give_a_text_whatever_they_are_given() -> None:
    for text in ("", " ", "a", "7", '{"a": [1, null]}', "[" * 50, "\x00\ud800", "1e400 -3.5"):
        for name, move in MOVES.items():
            assert isinstance(move(text, np.random.default_rng(0), ["zz"]), str), name


ROWS = [{"prompt": f"What is {a} + {a + 3}?", "answer": str(2 * a + 3)} for a in range(20, 32)]
SOLUTIONS: list[dict[str, Any]] = [{"prompt": row["prompt"], "solution": row["answer"], "level": 1} for row in ROWS]


def contains(prompt: str, completion: str, reference: str) -> float:
    return float(reference in completion)


def equal(prompt: str, completion: str, reference: str) -> float:
    return float(completion.strip() == reference)


def trl_contains(completions: list[str], solution: list[str]) -> list[float | None]:
    return [float(right in text) if text else None for text, right in zip(completions, solution, strict=True)]


def trl_ranked(completions: list[str], answer: list[str], **columns: Any) -> list[float]:
    """The longest right one of a call earns the reward."""
    longest = max(map(len, completions))
    return [
        float(text.strip() == right and len(text) == longest) for text, right in zip(completions, answer, strict=True)
    ]


def test_plain_function_is_audited_with_its_rows() -> None:
    done = audit_reward(contains, ROWS, tasks=6)
    assert done.env_id == "contains"
    assert {"attack/enumeration", "hedge"} <= {rule for finding in done.at_least("high") for rule in finding.rules}
    assert not audit_reward(equal, ROWS, tasks=6).at_least("medium")


def test_function_of_trl_gets_the_columns_it_names_and_may_skip() -> None:
    done = audit_reward(trl_contains, SOLUTIONS, tasks=6)
    assert "attack/enumeration" in {rule for finding in done.at_least("high") for rule in finding.rules}
    assert not [finding for finding in done.findings if "crash" in finding.rules]


def test_reward_that_depends_on_the_other_completions_of_a_call_is_seen() -> None:
    done = audit_reward(trl_ranked, ROWS, tasks=6)
    assert "group/batch" in {finding.rule for finding in done.at_least("medium")}


@pytest.mark.parametrize(
    ("function", "rows", "kwargs", "words"),
    [
        (equal, [], {}, "at least one row"),
        (equal, [{"prompt": "a?"}], {}, "expected a column 'answer'"),
        (equal, ROWS, {"reference": "gold"}, "expected a column 'gold'"),
        (lambda a, b: 1.0, ROWS, {}, r"expected f\(prompt, completion, reference\)"),
        (equal, ROWS, {"style": "verl"}, "expected a style out of"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_words(
    function: Any, rows: list[dict[str, str]], kwargs: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        reward_definition(function, rows, **kwargs)


def test_assertion_shows_the_text_that_is_paid() -> None:
    with pytest.raises(AssertionError, match=re.compile("findings of high or above.*answer_anywhere.*text ", re.S)):
        assert_not_hackable(contains, rows=ROWS, tasks=6, fail_on="high")


def test_assertion_passes_what_is_sound_or_allowed() -> None:
    assert assert_not_hackable(equal, rows=ROWS, tasks=6).tasks == 6
    assert assert_not_hackable("math/arithmetic-v0", tasks=6).env_id == "math/arithmetic-v0"
    (found,) = audit_reward(contains, ROWS, tasks=6).at_least("medium")
    for allowed in ([found.exploit.name], found.rules):
        assert assert_not_hackable(contains, rows=ROWS, tasks=6, allow=allowed).at_least("medium")
    with pytest.raises(AssertionError, match="answer_anywhere"):
        assert_not_hackable(contains, rows=ROWS, tasks=6, allow=["attack/enumeration"])
