"""Rows of training files are read or refused by their line; pair accuracy, baselines and steps, re-derived by hand."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from rlenv.core.errors import ConfigError, TaskError
from rlenv.scorers.scorer import FunctionScorer, FunctionStepScorer
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models.accuracy import (
    area_under_roc,
    bag_of_words_differences,
    length_differences,
    measured,
    measured_steps,
    stepped,
)
from rlenv.trainers.reward_models.rows import Preference, StepLabels, read_preferences, read_step_labels, split_by

PAIR = {"prompt": "2+2=?", "chosen": "4", "rejected": "5"}
STEPS = {"prompt": "2+2+3=?", "completions": ["2+2=4", "4+3=8"], "labels": [True, False]}


def written(folder: Path, *rows: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def test_pairs_are_read_with_margin_kind_and_group(tmp_path: Path) -> None:
    rows = read_preferences(written(tmp_path, {**PAIR, "margin": 2, "kind": "sum", "group": "a"}, "", PAIR))
    pair = Pair("2+2=?", "4", "5")
    assert rows == [Preference(pair, 2.0, "sum", "a"), Preference(pair)]
    assert rows[0].held_together == "a"
    assert rows[1].held_together == json.dumps("2+2=?")


def test_labelled_steps_are_read_and_a_label_may_be_unknown(tmp_path: Path) -> None:
    rows = read_step_labels(written(tmp_path, STEPS, {**STEPS, "labels": [True, None]}))
    assert rows[0] == StepLabels("2+2+3=?", ("2+2=4", "4+3=8"), (True, False))
    assert rows[1].labels == (True, None)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 1"),
        ("[]", "expected an object"),
        ({"prompt": "p", "chosen": "c"}, "rejected"),
        ({**PAIR, "margin": "big"}, "margin"),
        ('{"prompt": "p", "chosen": "c", "rejected": "d", "margin": NaN}', "finite"),
        ({**PAIR, "margin": True}, "margin"),
        ({**PAIR, "rejected": "4"}, "differ"),
        ({**PAIR, "prompt": 3}, "prompt"),
    ],
)
def test_a_bad_pair_is_one_line_that_names_its_line(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(TaskError, match=said) as caught:
        read_preferences(written(tmp_path, row))
    assert "line 1" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"prompt": "p", "completions": ["a"]}, "labels"),
        ({**STEPS, "labels": [True]}, "one label a step"),
        ({**STEPS, "labels": [1, 0]}, "true, false or null"),
        ({**STEPS, "completions": "2+2=4"}, "list of steps"),
        ({"prompt": "p", "completions": [], "labels": []}, "one label a step"),
    ],
)
def test_bad_labels_are_one_line(tmp_path: Path, row: object, said: str) -> None:
    with pytest.raises(TaskError, match=said):
        read_step_labels(written(tmp_path, row))


def test_files_without_rows_or_that_are_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="at least one row"):
        read_preferences(written(tmp_path, ""))
    with pytest.raises(TaskError, match="no file"):
        read_preferences(tmp_path / "absent.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TaskError, match="UTF-8"):
        read_preferences(tmp_path / "binary.jsonl")


def test_margins_that_are_asked_for_must_be_in_every_row(tmp_path: Path) -> None:
    path = written(tmp_path, {**PAIR, "margin": 1.0}, PAIR)
    assert len(read_preferences(path)) == 2
    with pytest.raises(TaskError, match=r"line 2.*margin"):
        read_preferences(path, margin=True)


def test_a_prompt_is_on_one_side_whatever_its_case_and_spacing() -> None:
    rows = [f"{spelling} {n}" for n in range(40) for spelling in ("Ask me", "ask  ME")]
    learned, held = split_by(rows, lambda row: row, share=0.25, seed=0)
    assert len(held) == 20
    assert {row[6:].strip() for row in held}.isdisjoint({row[6:].strip() for row in learned})


def test_another_order_of_rows_holds_out_the_same_prompts() -> None:
    rows = [str(n) for n in range(30)]
    first = split_by(rows, lambda row: row, share=0.3, seed=1)[1]
    again = split_by(rows[::-1], lambda row: row, share=0.3, seed=1)[1]
    assert sorted(first) == sorted(again)
    assert sorted(first) != sorted(split_by(rows, lambda row: row, share=0.3, seed=2)[1])


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
    assert any("| long | 1 | 1.000 |" in line for line in found.lines())


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
