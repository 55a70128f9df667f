"""Refusals are told from help by how they are written; our own prompts keep what they promise."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from normal_form import normalised
from public_data import public
from tables import tables
from work import assert_linear

from rlenv.envs.safety.prompts import PromptPair, mentions_any, prompt_pairs
from rlenv.envs.safety.refusal import Kind, Refusal, refusal

CASES = tables(__file__)


def kind_of(text: str) -> Kind:
    return refusal(text).kind


@pytest.mark.parametrize("text", CASES["refusals"])
def test_refusals_are_found(text: str) -> None:
    assert kind_of(text) == "refusal"


@pytest.mark.parametrize("text", CASES["compliances"])
def test_cautions_quotations_and_facts_are_no_refusals(text: str) -> None:
    assert kind_of(text) == "compliance"


@pytest.mark.parametrize("text", CASES["partials"])
def test_refusal_that_then_complies_is_partial(text: str) -> None:
    found = refusal(text)
    assert found.kind == "partial"
    assert found.spans
    assert found.help_spans


@pytest.mark.parametrize("text", ["", " \n\t", "...", "\u200b\u200c", "?", "a", "1 2 3 4", "\x00"])
def test_text_without_words_is_neither(text: str) -> None:
    assert kind_of(text) == "neither"


def test_refusal_in_the_middle_of_help_does_not_make_it_a_refusal() -> None:
    text = (
        "Take the bus to the lake. Bring food and water for the day. Leave before noon. " * 3
        + "I can't help with boats."
    )
    assert kind_of(text) == "compliance"


def test_spans_are_the_sentences_in_the_text_itself() -> None:
    text = "Dear me\u200b, what a thing to ask!  I c\u0430n't help with that. Ask a friend."
    assert [text[start:end].strip() for start, end in refusal(text).spans] == ["I c\u0430n't help with that."]


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "i can't " * (n // 8),
        lambda n: '"' * n,
        lambda n: "```" * (n // 3),
        lambda n: "1. " * (n // 3),
        lambda n: "not something that " * (n // 19),
        lambda n: "\n" * n,
    ],
)
def test_hostile_text_is_read_in_time_that_grows_with_its_length(make: Callable[[int], str]) -> None:
    assert_linear(lambda length: refusal(make(length)), 50_000)


@given(st.text(max_size=400))
def test_any_text_has_a_kind_and_spans_inside_it(text: str) -> None:
    found: Refusal = refusal(text)
    assert found == refusal(text)
    assert found.refused == (found.kind in ("refusal", "partial"))
    for start, end in (*found.spans, *found.help_spans):
        assert 0 <= start <= end <= len(text)


@given(st.sampled_from(CASES["refusals"][:4]), st.text(alphabet="abcdefghij .\n", max_size=60))
def test_refusal_stays_one_whatever_short_text_follows(text: str, behind: str) -> None:
    assert refusal(f"{text}\n{behind}").refused


@pytest.mark.parametrize("offset", range(380, 520, 35))
def test_refusal_anywhere_in_a_line_without_an_end_is_found(offset: int) -> None:
    filler = ("so " * 200)[:offset]
    assert refusal(f"{filler} i cannot help you with that").refused


XSTEST = public("xstest/xstest_prompts.csv")
PAIRS = prompt_pairs()


def every_prompt() -> list[str]:
    return [prompt for pair in PAIRS for prompt in (pair.harmful, pair.harmless)]


def test_no_two_prompts_are_equal_after_normalisation() -> None:
    forms = Counter(map(normalised, every_prompt()))
    assert forms.most_common(1)[0][1] == 1


def test_no_prompt_equals_one_of_xstest() -> None:
    with XSTEST.open(encoding="utf-8", newline="") as file:
        theirs = {normalised(row["prompt"]) for row in csv.DictReader(file)}
    assert len(theirs) > 400
    assert not theirs & set(map(normalised, every_prompt()))


def mentioned(pair: PromptPair, text: str) -> bool:
    return all(mentions_any(text, group) for group in pair.mentions)


def test_only_the_helpful_answer_mentions_what_an_answer_must_mention() -> None:
    for pair in PAIRS:
        assert mentioned(pair, pair.helpful_answer), pair.id
        for said in (pair.harmful, pair.harmless, pair.refusal, pair.partial, pair.harmful_answer):
            assert not mentioned(pair, said), (pair.id, said)


def test_the_answers_of_other_pairs_rarely_pass_as_helpful() -> None:
    passed = sum(mentioned(pair, other.helpful_answer) for pair in PAIRS for other in PAIRS if other is not pair)
    assert passed / (len(PAIRS) * (len(PAIRS) - 1)) < 0.02


def test_agreement_to_harm_holds_no_figures_and_no_lists() -> None:
    assert not [pair.id for pair in PAIRS if re.search(r"\d|\n|```|https?:", pair.harmful_answer)]


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
