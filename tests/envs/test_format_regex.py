"""Notations: the whole completion matches the whole pattern and holds the right value, or nothing is paid."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv import Completion, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.core.verifier import judge
from rlenv.envs.format.regular_expression import RegexVerifier, regex_format

TASK = Task("?", "2021-03-03", metadata={"pattern": r"\d{4}-\d{2}-\d{2}"})


def verdict(said: str, task: Task = TASK, **options: bool) -> Verdict:
    return judge(RegexVerifier(**options), task, Completion(said))


@pytest.mark.parametrize("split", ["train", "test", "demonstrations", "all"])
def test_the_solution_of_every_task_is_accepted_and_a_near_miss_is_not(split: str) -> None:
    definition = regex_format(split)
    for i in range(300):
        task = definition.tasks[i]
        said = definition.solution(task)
        assert definition.verifier.verify(task, Completion(said)).reward == 1.0
        digit = re.search(r"\d", said)
        changed = said.replace(digit[0], str((int(digit[0]) + 1) % 10), 1) if digit else said.lower()
        for miss in (said + ".", f"It is {said}", said[:-1], f"{said}\n{said}", changed, said + "\x00"):
            assert definition.verifier.verify(task, Completion(miss)).reward == 0.0, miss


def test_no_two_values_of_a_kind_are_written_alike() -> None:
    tasks = regex_format("all").tasks
    told: dict[tuple[str, str], str] = {}
    for i in range(1000):
        key = (str(tasks[i].metadata["pattern"]), str(tasks[i].reference))
        assert told.setdefault(key, str(tasks[i].prompt)) == tasks[i].prompt


def test_a_wrong_value_in_the_right_form_pays_only_on_request() -> None:
    assert (verdict("2021-03-30").reward, verdict("2021-03-30", pay_shape=True).reward) == (0.0, 0.2)
    assert verdict("2021-03-30").scores == {"format": 1.0, "correct": 0.0}
    assert (verdict("3 March").flags[0].name, verdict("3 March", pay_shape=True).reward) == ("format", 0.0)


@pytest.mark.parametrize("pattern", [None, 3, "(", r"\d"])
def test_a_pattern_that_cannot_be_used_is_the_checkers_failure(pattern: object) -> None:
    task = Task("?", "2021-03-03", metadata={"pattern": pattern})  # type: ignore[dict-item]
    assert verdict("2021-03-03", task).status == "verifier_error"


def test_a_pattern_that_backtracks_for_ever_costs_a_process_and_not_the_run(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([{"prompt": "?", "answer": "aa", "pattern": "(a+)+"}]))
    env = rlenv.make("format/regex-v0", data=str(file), engine="re", time_limit_s=0.5)
    env.reset(seed=0)
    _, reward, _, _, info = env.step("a" * 40 + "!")
    assert (reward, info["graded"], [flag.name for flag in info["verdict"].flags]) == (0.0, True, ["over_limit"])


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=())))
def test_hostile_text_is_worth_nothing(said: str) -> None:
    assert verdict(said).reward == 0.0


@pytest.mark.parametrize(
    ("kwargs", "problem"),
    [({"pay": "x"}, "pay"), ({"engine": "x"}, "engine"), ({"split": "x"}, "split"), ({"size": 0}, "size")],
)
def test_settings_out_of_range_are_named(kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rlenv.load("format/regex-v0", **kwargs)
