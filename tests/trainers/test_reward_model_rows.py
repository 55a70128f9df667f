"""Files of pairs and of labelled steps: what is read, what is refused in one line, who is held out."""

import json
from pathlib import Path

import pytest

from rlenv.core.errors import ConfigError, TaskError
from rlenv.trainers.branches.preference import Pair
from rlenv.trainers.reward_models.config import RewardModelConfig, StepModelConfig
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


@pytest.mark.parametrize(
    "settings",
    [
        {"batch_size": 0},
        {"epochs": 0},
        {"learning_rate": 0},
        {"eval_share": 1.0},
        {"batch_size": 8, "micro_batch_size": 3},
        {"lora_rank": 4, "frozen_layers": 1},
        {"lora_rank": 4, "frozen_embedding": True},
        {"members": 0},
        {"center": -1},
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        RewardModelConfig(**settings)  # type: ignore[arg-type]


def test_a_step_model_needs_a_separator() -> None:
    with pytest.raises(ConfigError, match="separator"):
        StepModelConfig(separator="")
