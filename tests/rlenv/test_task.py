"""Tasks: rows in, stable ids, JSON out and back."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task, prompt_messages, prompt_text

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
rows = st.fixed_dictionaries(
    {"prompt": st.text()}, optional={"answer": json_values, "level": json_values, "source": json_values}
)


@settings(deadline=None)
@given(rows)
def test_task_survives_json(row: dict[str, Json]) -> None:
    task = Task.from_row(row)
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


@settings(deadline=None)
@given(rows)
def test_id_ignores_the_order_of_columns(row: dict[str, Json]) -> None:
    assert Task.from_row(row).id == Task.from_row(dict(reversed(row.items()))).id


@pytest.mark.parametrize("change", [{"prompt": "3?"}, {"answer": "3"}, {"answer": 2}, {"level": 2}, {"more": None}])
def test_id_changes_with_every_column(change: dict[str, Json]) -> None:
    row: dict[str, Json] = {"prompt": "2?", "answer": "2", "level": 1}
    assert Task.from_row({**row, **change}).id != Task.from_row(row).id


def test_id_is_the_same_in_every_process() -> None:
    program = "from rlenv import Task; print(Task.from_row({'prompt': 'é?', 'answer': [1, 'x'], 'b': {'k': 0.1}}).id)"
    ids = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert ids == {Task.from_row({"prompt": "é?", "answer": [1, "x"], "b": {"k": 0.1}}).id}


def test_an_answer_that_is_not_a_number_is_refused_by_what_to_do() -> None:
    with pytest.raises(TaskError, match="got NaN; leave the row out"):
        Task.from_row({"prompt": "?", "answer": float("nan")})
    assert Task.from_row({"prompt": "?", "answer": float("inf")}).reference == float("inf")


@pytest.mark.parametrize(("given_id", "expected"), [("q1", "q1"), (7, "7"), (0, "0")])
def test_id_of_the_row_is_kept(given_id: Json, expected: str) -> None:
    assert Task.from_row({"prompt": "?", "id": given_id}).id == expected


def test_answer_or_reference_names_the_reference() -> None:
    assert Task.from_row({"prompt": "?", "answer": "4"}) == Task.from_row({"prompt": "?", "reference": "4"})


def test_other_columns_become_metadata() -> None:
    assert Task.from_row({"prompt": "?", "answer": "4", "id": "a", "level": 3}).metadata == {"level": 3}


def test_row_without_prompt_is_refused_with_its_columns() -> None:
    with pytest.raises(TaskError, match=r"'prompt' column, got columns \['answer', 'question'\]"):
        Task.from_row({"question": "?", "answer": "4"})


@pytest.mark.parametrize(
    "prompt", [None, 3, [], ["text"], [{"role": "user"}], [{"role": "user", "content": 3}], {"role": "user"}]
)
def test_prompt_that_is_neither_text_nor_messages_is_refused(prompt: Json) -> None:
    with pytest.raises(TaskError, match=r"expected 'prompt' to be a string or a list of"):
        Task.from_row({"prompt": prompt})


def test_row_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TaskError, match="JSON cannot hold"):
        Task("?", metadata={"when": object()})  # type: ignore[dict-item]


def test_chat_prompt_keeps_its_messages() -> None:
    messages: list[Json] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    task = Task.from_row({"prompt": messages})
    assert prompt_messages(task.prompt) == messages
    assert prompt_text(task.prompt) == "system: Be brief.\n\nuser: Hi"
    assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


def test_text_prompt_and_single_user_message_read_alike() -> None:
    asked = Task.from_row({"prompt": [{"role": "user", "content": "Hi"}]})
    assert prompt_text(asked.prompt) == prompt_text("Hi") == "Hi"
    assert prompt_messages("Hi") == prompt_messages(asked.prompt)


def test_tasks_are_frozen_and_hashable() -> None:
    task = Task("?", {"tests": [1]})
    with pytest.raises(AttributeError):
        task.prompt = "!"  # type: ignore[misc]
    assert len({task, Task("?", {"tests": [1]})}) == 1


def test_content_in_parts_of_text_is_one_text() -> None:
    parts: Json = [{"role": "user", "content": [{"type": "text", "text": "2+"}, {"type": "text", "text": "2=?"}]}]
    assert Task.from_row({"prompt": parts}).prompt == ({"role": "user", "content": "2+2=?"},)


def test_parts_that_are_no_text_are_named() -> None:
    parts: Json = [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]
    with pytest.raises(TaskError, match="message 1 of 'prompt' has parts of image_url; give text"):
        Task.from_row({"prompt": parts})
