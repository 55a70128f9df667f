"""Edits: each makes what its name says, of the content alone."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rlenv.core.completion import Completion, as_completion
from rlenv.core.task import Task
from rlenv.core.verdict import PASS
from rlenv.evidence.catalogue import (
    ANOTHER_TASK,
    BEGINNING,
    CATALOGUE,
    LISTED_VALUE,
    MADE_UP_WORDS,
    MARKED_VALUE,
    MIXED_WORDS,
    NEIGHBOUR_VALUE,
    SAID_ONCE,
    SAID_VALUE,
)
from rlenv.evidence.catalogue.values import is_number
from rlenv.evidence.edit import Edit, Scene, Variant


def _made(edit: Edit, text: str | Completion, task: Task | None = None, *others: Task) -> list[Variant]:
    scene = Scene(task or Task("6 * 7?", "42"), as_completion(text), PASS, others, lambda: np.random.default_rng(0))
    return list(edit.make(scene))


def test_names_are_unique_and_told_by_the_catalogue() -> None:
    assert all(name == edit.name for name, edit in CATALOGUE.items())


def test_another_task_keeps_the_completion() -> None:
    other = Task("5 * 5?", "25")
    assert [(v.task, v.completion.text) for v in _made(ANOTHER_TASK, "42", None, other)] == [(other, "42")]


def test_marked_values_are_those_of_boxes_tags_and_answer_lines() -> None:
    text = "\\boxed{41} \\boxed{42}\n<answer>43</answer>\nAnswer: 44"
    assert [v.detail for v in _made(MARKED_VALUE, text)] == ["44", "", "43", "41"]


@pytest.mark.parametrize("reference", ["42", 42])
def test_said_values_have_the_type_of_the_reference(reference: str | int) -> None:
    variants = _made(SAID_VALUE, "1. 41, 42 or 43", Task("6 * 7?", reference))
    assert [v.detail for v in variants] == ["43", "", "41"]
    assert all(isinstance(v.task.reference, type(reference)) for v in variants)
    assert all(v.detail in ("", str(v.task.reference)) for v in variants)


def test_of_many_values_some_from_all_over_the_text_are_asked() -> None:
    asked = [int(v.detail) for v in _made(SAID_VALUE, " ".join(map(str, range(100, 400)))) if v.detail]
    assert len(asked) == 6
    assert max(asked) - min(asked) > 200


def test_said_values_of_a_label_are_the_answers_of_other_tasks() -> None:
    others = Task("b", "no"), Task("c", "maybe")
    assert [v.detail for v in _made(SAID_VALUE, "yes and no", Task("a", "yes"), *others)] == ["no", ""]


def test_said_values_of_a_label_are_the_options_of_the_prompt_too() -> None:
    task = Task("Is the review good, bad or in between: 'A fair price'?", "bad")
    made = _made(SAID_VALUE, "There is good and bad in it, in short.", task)
    assert [v.detail for v in made] == ["good", ""]


@pytest.mark.parametrize("edit", [MARKED_VALUE, SAID_VALUE], ids=lambda edit: edit.name)
def test_a_value_without_a_detail_stands_nowhere_in_the_text(edit: Edit) -> None:
    text = "\\boxed{61473}, \\boxed{42}, 43 or 44"
    unsaid = [str(v.task.reference) for v in _made(edit, text) if not v.detail]
    assert len(unsaid) == 2, "a strange one and one between those that are said"
    assert not any(value in text for value in unsaid)


def test_repeats_are_said_once_and_the_reasoning_stays() -> None:
    (made,) = _made(SAID_ONCE, "<think>so so so</think>Yes. Yes. 42.")
    assert made.completion.text == "<think>so so so</think>Yes. 42."
    assert not _made(SAID_ONCE, "Yes. 42.")


def test_beginnings_of_what_was_cut_end_between_words() -> None:
    text = "one two three four five six"
    cut = _made(BEGINNING, Completion(text, finished=False))
    assert [v.completion.text.strip() for v in cut] == ["one", "one two three"]
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


def test_neighbours_that_stand_in_the_text_only_within_other_words_are_asked() -> None:
    assert _made(NEIGHBOUR_VALUE, "1234567890", Task("How many?", "8"))
    assert not _made(NEIGHBOUR_VALUE, "0 1 2 3 4 5 6 7 8 9", Task("How many?", "8"))


def test_what_is_listed_beside_the_answer_takes_the_place_of_all_its_names() -> None:
    task = Task("Which?", metadata={"names": ["Danube", "Donau"]})
    made = _made(LISTED_VALUE, "Rhine, Danube, Elbe or Oder.", task)
    assert sorted(v.detail for v in made) == ["", "Elbe", "Oder", "Rhine"]
    assert all(v.task.metadata["names"] == [v.detail] * 2 for v in made if v.detail)
    assert not _made(LISTED_VALUE, "Of Rhine, Danube, Elbe and Oder it is the Danube.", task)


@pytest.mark.parametrize("edit", CATALOGUE.values(), ids=lambda edit: edit.name)
@pytest.mark.parametrize(
    "text", ["", "\ud800", "a" * 50_000, "( " * 20_000, "1 " * 20_000, "<answer>" * 5_000, "\n" * 9_000]
)
def test_hostile_text_breaks_no_edit(edit: Edit, text: str) -> None:
    assert len(_made(edit, text, None, Task("x", "y"))) <= edit.cost


def test_words_are_mixed_and_made_up_where_they_are_no_form() -> None:
    text = '# Aim\n{"sold": true, "age": 12}\n<answer>four of them</answer>'
    (made,) = _made(MADE_UP_WORDS, text)
    lines = made.completion.text.splitlines()
    assert lines[0] == "# Aim"
    assert re.fullmatch(r'\{"sold": true, "age": [1-9]{2}\}', lines[1])
    assert re.fullmatch(r"<answer>[a-z]{4} [a-z]{2} [a-z]{4}</answer>", lines[2])
    assert "four" not in lines[2]
    for mixed in _made(MIXED_WORDS, text):
        assert sorted(re.findall(r"\w+", mixed.completion.text)) == sorted(re.findall(r"\w+", text))
