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
from rlenv.core.task import Task

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


@pytest.mark.parametrize("change", [{"prompt": "3?"}, {"answer": 2}, {"level": 2}])
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
        for seed in ("1",)
    }
    assert ids == {Task.from_row({"prompt": "é?", "answer": [1, "x"], "b": {"k": 0.1}}).id}


def test_an_answer_that_is_not_a_number_is_refused_by_what_to_do() -> None:
    with pytest.raises(TaskError, match="got NaN; leave the row out"):
        Task.from_row({"prompt": "?", "answer": float("nan")})
    assert Task.from_row({"prompt": "?", "answer": float("inf")}).reference == float("inf")


@pytest.mark.parametrize("prompt", [None, [], ["text"], [{"role": "user", "content": 3}], {"role": "user"}])
def test_prompt_that_is_neither_text_nor_messages_is_refused(prompt: Json) -> None:
    with pytest.raises(TaskError, match=r"expected 'prompt' to be a string or a list of"):
        Task.from_row({"prompt": prompt})


def test_row_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TaskError, match="JSON cannot hold"):
        Task("?", metadata={"when": object()})  # type: ignore[dict-item]


def test_parts_that_are_no_text_are_named() -> None:
    parts: Json = [{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]
    with pytest.raises(TaskError, match="message 1 of 'prompt' has parts of image_url; give text"):
        Task.from_row({"prompt": parts})
