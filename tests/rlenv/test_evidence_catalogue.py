"""Edits, each of which makes what its name says of the content alone, and the languages of texts and tasks."""

from __future__ import annotations

import re

import pytest

from rlenv.core.completion import Completion, as_completion
from rlenv.core.episode import Episode
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.evidence.catalogue import (
    BEGINNING,
    CATALOGUE,
    MARKED_VALUE,
    NEIGHBOUR_VALUE,
    SAID_VALUE,
)
from rlenv.evidence.catalogue.values import is_number
from rlenv.evidence.detectors.other_language import OtherLanguage, coded, named, probabilities
from rlenv.evidence.evidence import Edit, Scene, Variant


def _made(edit: Edit, text: str | Completion, task: Task | None = None, *others: Task) -> list[Variant]:
    scene = Scene(task or Task("6 * 7?", "42"), as_completion(text), others)
    return list(edit.make(scene))


def test_marked_values_are_those_of_boxes_tags_and_answer_lines() -> None:
    text = "\\boxed{41} \\boxed{42}\n<answer>43</answer>\nAnswer: 44"
    assert [v.detail for v in _made(MARKED_VALUE, text)] == ["44", "", "43", "41"]


@pytest.mark.parametrize("reference", ["42", 42])
def test_said_values_have_the_type_of_the_reference(reference: str | int) -> None:
    variants = _made(SAID_VALUE, "1. 41, 42 or 43", Task("6 * 7?", reference))
    assert [v.detail for v in variants] == ["43", "", "41"]
    assert all(isinstance(v.task.reference, type(reference)) for v in variants)
    assert all(v.detail in ("", str(v.task.reference)) for v in variants)


def test_said_values_of_a_label_are_the_answers_of_other_tasks() -> None:
    others = Task("b", "no"), Task("c", "maybe")
    assert [v.detail for v in _made(SAID_VALUE, "yes and no", Task("a", "yes"), *others)] == ["no", ""]


@pytest.mark.parametrize("edit", [MARKED_VALUE, SAID_VALUE], ids=lambda edit: edit.name)
def test_a_value_without_a_detail_stands_nowhere_in_the_text(edit: Edit) -> None:
    text = "\\boxed{61473}, \\boxed{42}, 43 or 44"
    unsaid = [str(v.task.reference) for v in _made(edit, text) if not v.detail]
    assert len(unsaid) == 2, "a strange one and one between those that are said"
    assert not any(value in text for value in unsaid)


def test_the_first_half_ends_between_words_and_is_not_asked_where_a_short_answer_decides() -> None:
    text = "one two three four five six"
    assert not _made(BEGINNING, text), "42 decides"
    assert [v.completion.text.strip() for v in _made(BEGINNING, text, Task("Count."))] == ["one two three"]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [("1,250", True), ("-3.5", True), (7, True), ("7 kg", False), (None, False), (True, False)],
)
def test_numbers_are_told_from_other_references(reference: object, expected: bool) -> None:
    assert is_number(reference) is expected  # type: ignore[arg-type]


def test_neighbours_have_the_form_of_the_reference_and_stand_nowhere_in_the_text() -> None:
    made = [str(v.task.reference) for v in _made(NEIGHBOUR_VALUE, "Ada Lovelace", Task("Who?", "Ada Lovelace"))]
    assert made
    assert all(re.fullmatch(r"[A-Z][a-z]{2} [A-Z][a-z]{7}", value) and value != "Ada Lovelace" for value in made)


@pytest.mark.parametrize("edit", CATALOGUE.values(), ids=lambda edit: edit.name)
@pytest.mark.parametrize(
    "text", ["", "\ud800", "a" * 50_000, "( " * 20_000, "1 " * 5_000, "<answer>" * 5_000, "\n" * 9_000]
)
def test_hostile_text_breaks_no_edit(edit: Edit, text: str) -> None:
    assert len(_made(edit, text, None, Task("x", "y"))) <= edit.cost


ENGLISH = "Hold your card to the reader at the front door until it beeps, and keep the slip."
FRENCH = "Tenez votre carte devant le lecteur à l'avant et gardez le ticket pendant deux heures."
RUSSIAN = "Приложите карту к считывателю у передней двери и сохраните билет на два часа."
MEDLEY = "Karte halten, carte tenir, tarjeta mantener, carta tenere, kort hålla, kartę trzymać, kaart houden."


def _flagged(prompt: str, text: str, reference: Json = None, paid: float = 1.0, **row: Json) -> bool:
    episode = Episode(Task(prompt, reference, metadata=row), Completion(text), Verdict.of(("liked", paid)))
    return bool(OtherLanguage().judge([episode], {})[0].flags)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Reply in English", {"en"}),
        ("Réponds en français, pas en anglais", {"fr", "en"}),
        ("请用英语回答", {"en"}),
        ("What is a mortgage?", set()),
    ],
)
def test_languages_are_known_by_their_names(text: str, found: set[str]) -> None:
    assert named(text) == found


def test_a_row_says_a_language_by_code_or_name() -> None:
    assert coded({"language": "fr"}) == coded({"lang": "French"}) == {"fr"}
    assert coded({"word": "fr"}) == set()


def test_the_model_tells_languages_apart() -> None:
    pytest.importorskip("py3langid")
    assert max(probabilities(FRENCH).items(), key=lambda pair: pair[1])[0] == "fr"


@pytest.mark.parametrize("text", [FRENCH, RUSSIAN, MEDLEY])
def test_another_language_than_the_one_asked_for_is_flagged(text: str) -> None:
    pytest.importorskip("py3langid")
    assert _flagged("In English: how do I pay on the bus?", text)
    assert not _flagged("In English: how do I pay on the bus?", ENGLISH)


@pytest.mark.parametrize(
    ("prompt", "reference"),
    [("How many nuts are there in this big bag?", "71"), ("Translate this into French: hold the card", None)],
)
def test_a_right_number_is_right_in_any_language_and_so_is_one_that_the_prompt_names(
    prompt: str, reference: Json
) -> None:
    assert not _flagged(prompt, FRENCH, reference)
