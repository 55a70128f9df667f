r"""Version 1 of the ids: the prompt says where the answer goes, and it is read there alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from problem_rows import ROWS
from tables import tables

import rlenv
from rlenv import Completion, Task
from rlenv.core.errors import ConfigError
from rlenv.env.admission import admitted
from rlenv.envs.math.countdown import CountdownVerifier
from rlenv.envs.math.problem_sets import problem_verifier

CASES = tables(__file__)

NAMES = sorted(ROWS)
COUNT = Task("?", 24, metadata={"numbers": [2, 3, 4, 9]})


def loaded(name: str, folder: Path, **kwargs: Any) -> rlenv.Definition:
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS[name]))
    return rlenv.load(f"math/{name}-v1", data=str(file), **kwargs)


def test_the_prompt_of_arithmetic_says_where_the_answer_goes() -> None:
    task = Task("7+5=? Answer in \\boxed{}.", "12")
    assert any(one.prompt == task.prompt for one in iter_tasks("math/arithmetic-v1", split="all"))
    asked = rlenv.load("math/arithmetic-v1", template="{expression} is").tasks[0]
    assert str(asked.prompt).endswith(" is Answer in \\boxed{}.")
    own = "Box \\boxed{{}}: {expression}"
    assert "Answer in" not in rlenv.load("math/arithmetic-v1", template=own).tasks[0].prompt


def iter_tasks(id: str, **kwargs: Any) -> list[Task]:
    tasks = rlenv.load(id, **kwargs).tasks
    return [tasks[i] for i in range(len(tasks))]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kwargs", [{}, {"instruction": "Think."}, {"template": "{question}"}])
def test_the_prompt_of_a_set_says_where_the_answer_goes(tmp_path: Path, name: str, kwargs: dict[str, str]) -> None:
    assert "\\boxed{}" in str(loaded(name, tmp_path, **kwargs).tasks[0].prompt)


def test_the_prompt_of_countdown_says_where_the_answer_goes() -> None:
    assert "<answer>" in str(rlenv.load("math/countdown-v1").tasks[0].prompt)
    assert "<answer>" in str(rlenv.load("math/countdown-v1", template="{numbers} {target}").tasks[0].prompt)


@pytest.mark.parametrize(("said", "reward"), CASES["box"])
def test_the_box_alone_is_read(said: str, reward: float) -> None:
    task = Task("7+5=?", "12")
    verifier = rlenv.load("math/arithmetic-v1").verifier
    assert verifier.verify(task, Completion(said)).reward == reward
    for name in NAMES:
        assert problem_verifier(name, strict=True).verify(task, Completion(said)).reward == reward


@pytest.mark.parametrize(
    ("said", "reward"),
    [
        ("<answer>(9-3)*4</answer>", 1.0),
        ("<answer>(9-3)*4</answer> <answer>(9-3) * 4</answer>", 1.0),
        ("<answer>2</answer> <answer>(9-3)*4</answer>", 0.0),
        ("<answer>2</answer <answer>(9-3)*4</answer>", 0.0),
        (r"\boxed{(9-3)*4}", 0.0),
    ],
)
def test_countdown_reads_its_tag_alone(said: str, reward: float) -> None:
    assert CountdownVerifier(strict=True).verify(COUNT, Completion(said)).reward == reward


@pytest.mark.parametrize("id", ["math/arithmetic-v1", "math/countdown-v0"])
def test_the_version_belongs_to_the_id(id: str) -> None:
    other = 1 - int(id[-1])
    for make in (rlenv.load, rlenv.make):
        with pytest.raises(ConfigError, match="is in its id"):
            make(id, version=other)
    with pytest.raises(ConfigError, match="may only set"):
        admitted(id, {"version": other})


@pytest.mark.parametrize("kwargs", [{"policy": {"answer_in": ["line"]}}, {"policy": {"thinking": "counts"}}])
def test_no_setting_makes_it_lenient(tmp_path: Path, kwargs: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="reads its box alone"):
        loaded("gsm8k", tmp_path, **kwargs)
    assert loaded("gsm8k", tmp_path, policy={"rounding": "digits"}).verifier.version.startswith("math-")
