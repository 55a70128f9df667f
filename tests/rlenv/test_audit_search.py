"""The search earns where no entry of the catalogue has to, and calls nothing sound a hole."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from rlenv.audit import Finding
from rlenv.audit.functions import reward_definition
from rlenv.audit.search import _away, _blind, search_findings, surely_wrong
from rlenv.audit.subject import Subject
from rlenv.evidence.exploits.moves import MOVES

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
