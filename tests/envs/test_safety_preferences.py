"""The preference pairs: splits that share nothing, templates held, and neither length nor completion telling."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import get_args

import pytest

from rlenv.core.errors import ConfigError
from rlenv.envs.safety import degenerate
from rlenv.envs.safety.frames import frame, normalised
from rlenv.envs.safety.preferences import (
    KINDS,
    MOST_OF_ONE_TEXT,
    Preference,
    Split,
    main,
    preference_rows,
    preferences,
    split_of_row,
)
from rlenv.envs.safety.prompts import MOST_OF_ONE_TEMPLATE, prompt_pairs
from rlenv.trainers.branches.preference import read_pairs

SPLITS: tuple[Split, ...] = get_args(Split)
ROWS = {pair.id: pair for pair in prompt_pairs()}


def longer_share(pairs: list[Preference], by_words: bool = False) -> float:
    """How often the chosen text is the longer one; equal lengths count half."""

    def length(text: str) -> int:
        return len(text.split()) if by_words else len(text)

    signs = [(length(p.chosen) > length(p.rejected)) + (length(p.chosen) >= length(p.rejected)) for p in pairs]
    return sum(signs) / (2 * len(signs))


def test_a_quarter_of_the_rows_is_for_testing_and_no_prompt_or_text_is_in_both_splits() -> None:
    seen: dict[str, set[str]] = {}
    for split in SPLITS:
        pairs = preferences(split)
        assert {split_of_row(ROWS[p.id]) for p in pairs} == {split}
        seen[split] = {normalised(text) for p in pairs for text in (p.prompt, p.chosen, p.rejected)}
    assert 0.2 < len({p.id for p in preferences("test")}) / len(ROWS) < 0.32
    nothing, praise = map(normalised, degenerate.NEXT_TO_NOTHING), list(map(normalised, degenerate.FLATTERY))
    shared = (seen["train"] & seen["test"]) - set(nothing)
    assert not [text for text in shared if not any(sentence in text for sentence in praise)]


def test_at_most_eight_preference_pairs_share_the_frame_of_the_prompt() -> None:
    counts = Counter(frame(p.prompt) for split in SPLITS for p in preferences(split))
    assert counts.most_common(1)[0][1] == MOST_OF_ONE_TEMPLATE


def test_no_text_that_is_not_the_rows_own_is_used_more_than_eight_times() -> None:
    counts: Counter[str] = Counter()
    for split in SPLITS:
        for p in preferences(split):
            if p.rejected not in (ROWS[p.id].helpful_answer, ROWS[p.id].refusal):
                counts[p.rejected] += 1
    assert counts.most_common(1)[0][1] <= MOST_OF_ONE_TEXT


@pytest.mark.parametrize("split", SPLITS)
def test_every_kind_of_pair_is_there_and_every_margin_is_positive(split: Split) -> None:
    kinds = Counter(p.kind for p in preferences(split))
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 20
    assert {p.margin for p in preferences(split)} == {1, 2, 3, 4}


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("by_words", [False, True])
def test_length_does_not_tell_which_is_better(split: Split, by_words: bool) -> None:
    assert abs(longer_share(list(preferences(split)), by_words) - 0.5) < 0.06


@pytest.mark.parametrize("split", SPLITS)
def test_refusal_and_helpful_answer_stand_in_opposite_order_under_the_two_prompts(split: Split) -> None:
    ordered: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for p in preferences(split):
        if p.kind in ("answer_over_refusal", "refusal_over_lookalike"):
            ordered[min(p.chosen, p.rejected), max(p.chosen, p.rejected)].add(p.kind)
    assert ordered
    assert {len(kinds) for kinds in ordered.values()} == {2}


@pytest.mark.parametrize("split", SPLITS)
def test_what_is_chosen_is_the_rows_own_best_or_its_partial_refusal(split: Split) -> None:
    for p in preferences(split):
        row = ROWS[p.id]
        best = row.refusal if p.prompt == row.harmful else row.helpful_answer
        assert p.chosen == (row.partial if p.kind == "partial_over_agreement" else best)
        assert p.rejected != best


def test_texts_of_other_rows_come_from_the_same_split_and_another_category() -> None:
    owner = {text: pair for pair in ROWS.values() for text in (pair.refusal, pair.helpful_answer)}
    others = [(p, owner[p.rejected]) for split in SPLITS for p in preferences(split) if p.kind.endswith("_over_other")]
    assert len(others) > 400
    assert all(split_of_row(ROWS[p.id]) == split_of_row(other) for p, other in others)
    assert all(ROWS[p.id].category != other.category for p, other in others)


def test_degenerate_texts_answer_nothing() -> None:
    answering = [
        p.id
        for split in SPLITS
        for p in preferences(split)
        if p.kind == "answer_over_degenerate" and len(p.rejected) > len(p.chosen) and p.rejected in p.chosen
    ]
    assert answering == []
    assert degenerate.cut("One whole sentence.", 0.5) == "One whole s"
    assert degenerate.repeated("a b c d", 0, 12) == "a b c a b c a b c"
    assert len(degenerate.echo("Why?", 20)) >= 20
    assert degenerate.flattery(3, 10) == degenerate.FLATTERY[3]
    assert degenerate.next_to_nothing(16) == degenerate.next_to_nothing(0)


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(ConfigError, match="train, test"):
        preferences("all")  # type: ignore[arg-type]


def test_the_written_file_is_what_the_preference_trainer_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.jsonl"
    main([str(path), "--split", "test"])
    assert f"{len(preferences('test'))} pairs" in capsys.readouterr().out
    read = read_pairs(path)
    assert [(pair.prompt, pair.chosen, pair.rejected) for pair in read] == [
        (p.prompt, p.chosen, p.rejected) for p in preferences("test")
    ]
    rows = [json.loads(line) for line in path.read_text("ascii").splitlines()]
    assert rows == preference_rows("test")
    assert all(isinstance(row["margin"], float) for row in rows)
