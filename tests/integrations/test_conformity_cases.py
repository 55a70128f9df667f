"""The cases that adapters are held to tell right from wrong, and rows give their rewards."""

from collections import Counter

from conformity import (
    GROUP_SIZE,
    cases,
    completion_of,
    differences,
    differences_of_games,
    expected,
    expected_of_games,
    games,
)

from rlenv.env.rows import RowJudge, judge_rows


def test_fifty_tasks_with_four_completions_each_of_every_kind() -> None:
    rows = [case.row for case in cases()]
    assert len(rows) == 50 * GROUP_SIZE
    assert all(len(set(rows[i : i + GROUP_SIZE])) == 1 for i in range(0, len(rows), GROUP_SIZE))
    assert Counter(case.kind for case in cases()) == {"right": 50, "wrong": 40, "cut": 50, "hostile": 50, "failed": 10}
    assert {isinstance(case.task.prompt, str) for case in cases()} == {True, False}


def test_rows_give_what_the_environment_gives() -> None:
    rows, texts = [case.row for case in cases()], [case.text for case in cases()]
    ends = [case.finished for case in cases()]
    assert differences([verdict.reward for verdict in judge_rows(rows, texts, finished=ends)]) == []
    judged = RowJudge(training=True).judge(rows, texts, finished=ends)
    assert differences([episode.verdict.reward for episode in judged]) == []
    unseen = [verdict.reward for verdict in judge_rows(rows, texts)]
    assert differences(unseen, cuts_seen=False) == []


def test_rows_give_the_returns_of_the_games() -> None:
    returns = expected_of_games()
    assert returns[:4] == (1.0,) * 4
    assert max(r for r in returns[4:] if r is not None) < 1.0
    verdicts = judge_rows([game.row for game in games()], [completion_of(game) for game in games()])
    assert differences_of_games([verdict.reward for verdict in verdicts]) == []


def test_a_failure_that_becomes_0_is_told() -> None:
    assert len(differences([reward or 0.0 for reward in expected()])) == 10
    assert len(differences([reward or 0.0 for reward in expected()], failed="mean")) == 10
