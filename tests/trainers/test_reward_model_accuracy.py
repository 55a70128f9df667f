"""Pair accuracy, its baselines, and the accuracy on steps: re-derived by hand."""

import math

import numpy as np
import pytest

from rlenv.core.errors import ConfigError
from rlenv.scorers.scorer import FunctionScorer, FunctionStepScorer
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models.baselines import bag_of_words_differences, length_differences
from rlenv.trainers.reward_models.pair_accuracy import measured
from rlenv.trainers.reward_models.report import pair_table
from rlenv.trainers.reward_models.rows import Preference, StepLabels
from rlenv.trainers.reward_models.step_accuracy import area_under_roc, measured_steps, stepped


def test_ties_count_one_half_and_groups_count_alike() -> None:
    rows = [
        Preference(Pair("a", "xx", "y"), kind="long"),
        Preference(Pair("a", "x", "yy"), kind="short"),
        Preference(Pair("b", "x", "y"), kind="equal"),
    ]
    found = measured(FunctionScorer(lambda completion: float(len(completion))), rows, rows)
    assert found.model.value == pytest.approx((0.5 + 0.5) / 2)
    assert {kind: share for kind, (_, share, _) in found.kinds.items()} == {"long": 1.0, "short": 0.0, "equal": 0.5}
    assert found.pairs == 3
    assert found.model.problems == 2
    assert any("| long | 1 | 1.000 |" in line for line in pair_table(found))


def test_a_pair_that_the_scorer_failed_on_is_left_out_and_counted() -> None:
    def failing(completion: str) -> float:
        return math.nan if completion == "bad" else float(len(completion))

    rows = [Preference(Pair("a", "xx", "y")), Preference(Pair("b", "bad", "y"))]
    found = measured(FunctionScorer(failing), rows, rows)
    assert (found.pairs, found.failures, found.model.value) == (1, 1, 1.0)
    with pytest.raises(ConfigError, match="none out of 1"):
        measured(FunctionScorer(failing), rows, rows[1:])


def test_length_takes_the_direction_that_holds_among_the_pairs_it_learned_from() -> None:
    short = [Pair("p", "a", "bbb"), Pair("p", "a", "bb"), Pair("p", "aaa", "b")]
    assert length_differences(short, [Pair("q", "c", "dddd")]) == [3.0]
    assert length_differences([Pair("p", "aaa", "b")], [Pair("q", "c", "dddd")]) == [-3.0]


def test_bag_of_words_minimises_its_objective_with_few_words_and_with_many() -> None:
    few = [Pair("p", "yes", "no"), Pair("p", "yes", "no"), Pair("p", "no", "yes"), Pair("p", "yes yes", "no")]
    many = [Pair("p", f"good {n} {n + 50}", f"bad {n + 100} {n + 150}") for n in range(4)]
    for pairs in (few, many):
        asked = pairs[0]
        value = bag_of_words_differences(pairs, [asked])[0]
        assert value == pytest.approx(by_gradient_descent(pairs, asked), abs=1e-4)


def by_gradient_descent(pairs: list[Pair], asked: Pair) -> float:
    """The same objective, minimised slowly."""
    vocabulary = sorted({word for pair in pairs for word in f"{pair.chosen} {pair.rejected}".split()})

    def difference(pair: Pair) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        chosen, rejected = pair.chosen.split(), pair.rejected.split()
        return np.array([float(chosen.count(word) - rejected.count(word)) for word in vocabulary])

    rows = np.stack([difference(pair) for pair in pairs])
    weights = np.zeros(len(vocabulary))
    for _ in range(5000):
        weights -= 0.05 * (weights - rows.T @ (1 / (1 + np.exp(rows @ weights))))
    return float(difference(asked) @ weights)


def test_bag_of_words_cannot_tell_what_only_the_prompt_decides() -> None:
    pairs = [Pair("say a", "a", "b"), Pair("say b", "b", "a")]
    assert bag_of_words_differences(pairs, pairs) == pytest.approx([0.0, 0.0], abs=1e-9)


def test_area_under_roc_equals_the_count_over_all_couples() -> None:
    rng = np.random.default_rng(0)
    right, wrong = (rng.integers(0, 5, size=size).tolist() for size in (13, 7))
    couples = [0.5 if r == w else float(r > w) for r in right for w in wrong]
    assert area_under_roc(right, wrong) == pytest.approx(sum(couples) / len(couples))
    assert area_under_roc([1.0], []) is None


def test_steps_are_measured_up_to_the_first_wrong_one() -> None:
    rows = [
        StepLabels("p", ("good", "bad"), (True, False)),
        StepLabels("q", ("bad", "good"), (True, False)),
        StepLabels("r", ("good", "good"), (True, True)),
        StepLabels("s", ("good", "bad"), (True, None)),
    ]
    scorer = FunctionStepScorer(lambda prompt, steps: [0.9 if step == "good" else 0.1 for step in steps])
    found = measured_steps(scorer, rows)
    assert found.first_wrong is not None
    assert found.all_right is not None
    assert (found.first_wrong.value, found.all_right.value) == (0.5, 1.0)
    assert (found.completions, found.steps, found.wrong_steps, found.failures) == (4, 7, 2, 0)


def test_the_spans_of_a_row_are_its_steps() -> None:
    assert stepped(StepLabels("p", ("one", "", "three"), (True, None, True))).texts == ("one", "", "three")
