"""The repository's own safety prompts keep what they promise: counts, templates, no doubles, answers that answer."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from public_data import public

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.envs.safety.frames import FUNCTION_WORDS, frame, normalised, opening
from rlenv.envs.safety.prompts import (
    CATEGORIES,
    DATA,
    LIKENESSES,
    MOST_OF_ONE_TEMPLATE,
    PromptPair,
    mentions_any,
    prompt_pairs,
)

XSTEST = public("xstest/xstest_prompts.csv")
ANSWERS = ("helpful_answer", "refusal", "partial", "harmful_answer")
PAIRS = prompt_pairs()


def every_prompt() -> list[str]:
    return [prompt for pair in PAIRS for prompt in (pair.harmful, pair.harmless)]


def test_there_are_240_pairs_over_all_categories_and_every_way_of_looking_harmful() -> None:
    assert len(PAIRS) >= 240
    categories = Counter(pair.category for pair in PAIRS)
    assert set(categories) == set(CATEGORIES)
    assert min(categories.values()) >= 18
    likenesses = Counter(pair.likeness for pair in PAIRS)
    assert set(likenesses) == set(LIKENESSES)
    assert min(likenesses.values()) >= 20


def test_ids_are_unique_and_name_the_category() -> None:
    assert len({pair.id for pair in PAIRS}) == len(PAIRS)
    assert all(re.fullmatch(rf"{pair.category}-\d\d", pair.id) for pair in PAIRS)


def test_no_two_prompts_are_equal_after_normalisation() -> None:
    forms = Counter(map(normalised, every_prompt()))
    assert forms.most_common(1)[0][1] == 1


@pytest.mark.parametrize(
    "template",
    [frame, opening, lambda prompt: opening(prompt, 4), lambda prompt: " ".join(frame(prompt).split()[:6])],
    ids=["frame", "first three words", "first four words", "first six places of the frame"],
)
def test_at_most_eight_pairs_share_a_template_however_it_is_derived(template: Callable[[str], str]) -> None:
    shared = Counter(t for pair in PAIRS for t in {template(pair.harmful), template(pair.harmless)})
    assert shared.most_common(1)[0][1] <= MOST_OF_ONE_TEMPLATE


def test_the_stored_template_is_the_frame_of_the_harmless_prompt() -> None:
    assert all(pair.template == frame(pair.harmless) for pair in PAIRS)
    assert all(set(pair.template.split()) <= FUNCTION_WORDS | {"_"} for pair in PAIRS)


def test_the_prompts_of_a_pair_look_alike() -> None:
    def words(prompt: str) -> set[str]:
        return set(normalised(prompt).split())

    overlaps = [
        len(words(p.harmful) & words(p.harmless)) / min(len(words(p.harmful)), len(words(p.harmless))) for p in PAIRS
    ]
    strangers = [
        len(words(p.harmful) & words(q.harmless)) / min(len(words(p.harmful)), len(words(q.harmless)))
        for p, q in pairwise(PAIRS)
    ]
    assert min(overlaps) > 0.15
    assert sum(overlaps) / len(overlaps) > 2 * sum(strangers) / len(strangers)


def test_no_prompt_equals_one_of_xstest() -> None:
    with XSTEST.open(encoding="utf-8", newline="") as file:
        theirs = {normalised(row["prompt"]) for row in csv.DictReader(file)}
    assert len(theirs) > 400
    assert not theirs & set(map(normalised, every_prompt()))


def test_only_the_helpful_answer_mentions_what_an_answer_must_mention() -> None:
    for pair in PAIRS:
        assert pair.mentioned(pair.helpful_answer), pair.id
        for said in (pair.harmful, pair.harmless, pair.refusal, pair.partial, pair.harmful_answer):
            assert not pair.mentioned(said), (pair.id, said)


def test_mentions_are_one_or_two_groups_of_three_to_eight_stems() -> None:
    assert {len(pair.mentions) for pair in PAIRS} <= {1, 2}
    assert {len(group) for pair in PAIRS for group in pair.mentions} <= set(range(3, 9))


def test_the_answers_of_other_pairs_rarely_pass_as_helpful() -> None:
    passed = sum(pair.mentioned(other.helpful_answer) for pair in PAIRS for other in PAIRS if other is not pair)
    assert passed / (len(PAIRS) * (len(PAIRS) - 1)) < 0.02


def test_helpful_answers_have_25_to_70_words() -> None:
    assert all(25 <= len(pair.helpful_answer.split()) <= 70 for pair in PAIRS)


def test_refusals_open_in_many_ways() -> None:
    openings = Counter(opening(pair.refusal) for pair in PAIRS)
    assert len(openings) >= 150
    assert openings.most_common(1)[0][1] <= 10


def test_no_answer_comes_twice() -> None:
    answers = Counter(normalised(getattr(pair, name)) for pair in PAIRS for name in ANSWERS)
    assert answers.most_common(1)[0][1] == 1


def test_the_lengths_of_the_four_answers_overlap() -> None:
    means = {name: sum(len(getattr(pair, name)) for pair in PAIRS) / len(PAIRS) for name in ANSWERS}
    assert max(means.values()) < 1.15 * min(means.values())


def test_agreement_to_harm_holds_no_figures_and_no_lists() -> None:
    assert not [pair.id for pair in PAIRS if re.search(r"\d|\n|```|https?:", pair.harmful_answer)]


def test_a_row_with_a_missing_column_is_refused() -> None:
    row = json.loads(DATA.read_text("ascii").splitlines()[0])
    assert PromptPair.from_row(row).id == row["id"]
    with pytest.raises(TaskError, match="expected the columns"):
        PromptPair.from_row({key: value for key, value in row.items() if key != "refusal"})


@pytest.mark.parametrize(
    ("column", "value"),
    [("template", "how do i _"), ("mentions", []), ("mentions", [[]]), ("category", "x"), ("harmful", " ")],
)
def test_a_row_with_a_wrong_value_is_refused(column: str, value: Json) -> None:
    row = json.loads(DATA.read_text("ascii").splitlines()[0])
    with pytest.raises(TaskError, match="expected"):
        PromptPair.from_row({**row, column: value})


@pytest.mark.parametrize(
    ("text", "stems", "expected"),
    [
        ("See a veterinarian!", ("vet",), True),
        ("It is velvet.", ("vet",), False),
        ("Let it cool, down there.", ("cool down",), True),
        ("Cooling it DOWN", ("cool down",), False),
        ("", ("a",), False),
    ],
)
def test_a_stem_matches_at_the_beginning_of_a_word(text: str, stems: tuple[str, ...], expected: bool) -> None:
    assert mentions_any(text, stems) is expected


def test_the_same_prompt_is_seen_through_case_marks_numbers_and_plurals() -> None:
    assert normalised("How do I kill 3 Processes?") == normalised("how do I  kill 12 process")
    assert normalised("How do I kill a process?") != normalised("How do I kill a wasp?")
