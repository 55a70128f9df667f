"""JSON by a schema: readable, conforming and equal to the reference, or nothing."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv import Completion, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.core.verifier import judge
from rlenv.envs.format.json_schema import JsonVerifier, json_format
from rlenv.envs.format.json_text import Unreadable, find_value, same

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
TASK = Task("Ann is 34.", {"name": "Ann", "age": 34}, metadata={"schema": SCHEMA})
GOOD = '{"name": "Ann", "age": 34}'


def verdict(said: str, task: Task = TASK, **options: bool) -> Verdict:
    return judge(JsonVerifier(**options), task, Completion(said))


@pytest.mark.parametrize("split", ["train", "test", "demonstrations", "all"])
def test_the_solution_of_every_task_is_accepted_and_a_near_miss_is_not(split: str) -> None:
    definition = json_format(split)
    for i in range(40):
        task = definition.tasks[i]
        said = definition.solution(task)
        value = json.loads(said)
        assert definition.verifier.verify(task, Completion(said)).reward == 1.0
        misses = [said[:-1], f"{said} ok", json.dumps([value]), json.dumps({**value, "extra": 1})]
        misses += [json.dumps({k: v for k, v in value.items() if k != key}) for key in value]
        misses += [json.dumps({**value, key: _other(value[key])}) for key in value]
        for miss in misses:
            assert definition.verifier.verify(task, Completion(miss)).reward == 0.0, miss


def _other(value: Any) -> Any:
    """A value of the same type that says something else."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value[::-1] if len(value) > 1 else value * 2
    return f"{value}x" if value is not None else 1


@pytest.mark.parametrize(
    "said", [GOOD, f"\n{GOOD} \n", '{"age": 34.0, "name": "A\\u006en"}', '{\n "age":34,\n"name":"Ann"}']
)
def test_white_space_key_order_and_spelling_are_free(said: str) -> None:
    assert verdict(said).reward == 1.0
    assert [tuple(part) for part in verdict(said).parts] == [("format", 0.2), ("correct", 0.8)]


@pytest.mark.parametrize(
    "said",
    ["", "Ann, 34", "{", "{}", "[]", "null", "{'name': 'Ann', 'age': 34}", '{"name": "Ann", "age": 34,}',
     '{"name": "Ann", "age": "34"}', '{"name": "Ann", "age": true}', '{"name": "Bob", "age": 34, "name": "Ann"}',
     '{"name": "Ann", "age": NaN}', '{"name": "Ann", "age": 1e999}', GOOD + GOOD, f"// a\n{GOOD}",
     f"```json\n{GOOD}\n```",
     f"Sure: {GOOD}", '{"name": "Ann", "age": ' + "9" * 5000 + "}", "[" * 50_000],
)  # fmt: skip
def test_what_is_not_that_one_value_is_worth_nothing(said: str) -> None:
    assert verdict(said).reward == 0.0
    assert verdict(said, pay_shape=True).reward == 0.0
    assert verdict(said).flags


def test_a_wrong_value_that_conforms_pays_only_on_request() -> None:
    said = '{"name": "", "age": 0}'
    assert (verdict(said).reward, verdict(said, pay_shape=True).reward) == (0.0, 0.2)
    assert verdict(said).scores == {"format": 1.0, "correct": 0.0}


@pytest.mark.parametrize(
    "said",
    [GOOD, f"Sure:\n```json\n{GOOD}\n```\nDone.", f"Sure: {GOOD}. Done.", f"a {{b}} [c] {GOOD}", f"```\n{GOOD}\n```"],
)
def test_text_around_the_value_is_a_policy(said: str) -> None:
    assert verdict(said, allow_text=True).reward == 1.0
    assert said == GOOD or verdict(said).reward == 0.0


@pytest.mark.parametrize(
    "said", [f"{GOOD} or {GOOD}", f"```\n{GOOD}\n```\n```\n{GOOD}\n```", "Ann is 34", "{" * 200 + GOOD, f"[1] {GOOD}"]
)
def test_running_text_must_hold_exactly_one_value(said: str) -> None:
    assert verdict(said, allow_text=True).reward == 0.0


def test_a_reference_to_an_address_is_never_fetched() -> None:
    task = Task("?", {}, metadata={"schema": {"$ref": "http://127.0.0.1:9/schema.json"}})
    assert verdict("{}", task).status == "verifier_error"


@pytest.mark.parametrize("schema", [None, "string", {"type": "no such type"}, {"minimum": "3"}])
def test_a_schema_that_cannot_be_used_is_the_checkers_failure(schema: Any) -> None:
    assert verdict("{}", Task("?", {}, metadata={"schema": schema})).status == "verifier_error"


def test_a_pattern_that_would_backtrack_for_ever_is_decided_at_once() -> None:
    task = Task("?", "b", metadata={"schema": {"type": "string", "pattern": "^(a+)+$"}})
    assert "does not match" in verdict(json.dumps("a" * 40 + "!"), task).reason


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())), st.booleans())
def test_hostile_text_is_worth_nothing(said: str, allow: bool) -> None:
    assert verdict(said, allow_text=allow).reward == 0.0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(JSON, JSON)
def test_same_is_symmetric_and_holds_after_a_round_trip(left: Any, right: Any) -> None:
    assert same(left, json.loads(json.dumps(left)))
    assert same(left, right) == same(right, left)
    assert same(find_value(json.dumps(left), False).value, left)


def test_an_unreadable_text_says_where() -> None:
    with pytest.raises(Unreadable) as caught:
        find_value(' {"a": 1 2}', False)  # the place that Python 3.13 gives a comma too many is another
    assert (caught.value.start, caught.value.end) == (9, 10)


@pytest.mark.parametrize(
    ("kwargs", "problem"),
    [({"pay": "x"}, "pay"), ({"extra_text": "x"}, "extra_text"), ({"split": "x"}, "split"), ({"size": 0}, "size")],
)
def test_settings_out_of_range_are_named(kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rlenv.load("format/json-v0", **kwargs)
