"""Rows that change a reward by the others of its group: shorter right answers, different ones; written anew here."""

import math
from typing import Any

import pytest

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.trainers import ALGORITHMS, changed
from rlenv.trainers.algorithms.choices import AdvantageRule
from rlenv.trainers.rollouts.rollout import Rollout, rollout_of
from rlenv.trainers.updates.prepare import with_advantages

WITHIN = 1e-6
"""Rewards of a rollout are float32."""


def _rollout(said: list[tuple[float | None, str]]) -> Rollout:
    """Completions of these rewards, a token a letter."""
    verdicts = [Verdict.error("broken") if r is None else Verdict.of(("correct", r)) for r, _ in said]
    tokens = [tuple(map(ord, text)) for _, text in said]
    episodes = [
        Episode(Task("?"), Completion(text, ids, (-1.0,) * len(ids)), verdict, (5,), index=i)
        for i, ((_, text), ids, verdict) in enumerate(zip(said, tokens, verdicts, strict=True))
    ]
    return rollout_of(episodes, 0, [[]] * len(episodes))


SAID: list[tuple[float | None, str]] = [
    (1.0, "abcd"),
    (1.0, "ab"),
    (0.0, "a"),
    (1.0, "abc"),
    (1.0, "ab"),
    (None, "abcdefgh"),
    (1.0, "xy"),
    (0.0, "ab"),
]
SIZE = 4


@pytest.mark.parametrize("weight", [0.1, 0.4, 1.0])
def test_a_right_answer_is_paid_less_the_longer_it_is_among_the_right_ones(weight: float) -> None:
    """1[right] (1 - alpha sigmoid((|y| - mean) / std)), mean and std over the right answers of the prompt."""
    row = changed(ALGORITHMS["length-aware"], "advantage.length_weight", weight)
    found = with_advantages(_rollout(SAID), row, SIZE).advantages[:, 0]
    for first in (0, SIZE):
        group = SAID[first : first + SIZE]
        long = [len(text) for reward, text in group if reward == 1.0]
        mean = sum(long) / len(long)
        std = math.sqrt(sum((n - mean) ** 2 for n in long) / len(long))
        paid = [
            None if r is None else r * (1 - weight / (1 + math.exp(-((len(t) - mean) / std if std else 0.0))))
            for r, t in group
        ]
        for i, reward in enumerate(paid):
            others = [p for j, p in enumerate(paid) if j != i and p is not None]
            expected = 0.0 if reward is None else reward - sum(others) / len(others)
            assert float(found[first + i]) == pytest.approx(expected, abs=WITHIN)


def test_a_group_that_is_right_at_one_length_has_no_advantage() -> None:
    found = with_advantages(_rollout([(1.0, "abc"), (1.0, "xyz"), (1.0, "ab?")]), ALGORITHMS["length-aware"], 3)
    assert not bool(found.advantages.any())


def test_darling_pays_by_how_many_of_the_others_say_something_else() -> None:
    """r (1/(n-1)) sum_j 1[y_j is another], less the group's mean."""
    found = with_advantages(_rollout(SAID), ALGORITHMS["darling"], SIZE).advantages[:, 0]
    for first in (0, SIZE):
        group = [(i, *SAID[first + i]) for i in range(SIZE) if SAID[first + i][0] is not None]
        paid = {
            i: (r or 0.0) * sum(other != text for j, _, other in group if j != i) / (len(group) - 1)
            for i, r, text in group
        }
        mean = sum(paid.values()) / len(paid)
        for i in range(SIZE):
            expected = paid[i] - mean if i in paid else 0.0
            assert float(found[first + i]) == pytest.approx(expected, abs=WITHIN)


def test_darling_hears_nothing_in_a_right_answer_that_everybody_gives() -> None:
    found = with_advantages(_rollout([(1.0, "ab")] * 3), ALGORITHMS["darling"], 3)
    assert not bool(found.advantages.any())


@pytest.mark.parametrize("settings", [{"length_weight": 0.1}, {"diversity": True}])
def test_what_compares_within_a_group_needs_one(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="compare within a group"):
        AdvantageRule(**settings)
