"""Arithmetic made by code: levels, splits by operands, and worked solutions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import tables

import rlenv
from rlenv import Completion, Task
from rlenv.core.definition import Definition
from rlenv.core.errors import ConfigError
from rlenv.core.verifier import judge
from rlenv.envs.math.answer_place.boxed import IntegerVerifier
from rlenv.envs.math.arithmetic import LEVELS, arithmetic, expressions_of, solution
from rlenv.envs.splits import split_of
from rlenv.envs.working import canonical
from rlenv.text.expression import value

CASES = tables(__file__)

SPLITS = ("train", "test", "demonstrations")
SIZES = {1: 100, 2: 300, 3: 16_200, 4: 10_000, 5: 1_684_000, 6: 18_000, 7: 1_080_000}
DISTINCT_BUT_FOR_ORDER = {1: 55, 2: 210, 3: 12_195, 4: 715, 6: 4_740}


def some(definition: Definition, count: int = 12) -> list[Task]:
    return [definition.tasks[i] for i in range(min(count, len(definition.tasks)))]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("split", [*SPLITS, "all"])
def test_the_solution_of_every_task_is_accepted_and_its_near_misses_are_not(level: int, split: str) -> None:
    definition = arithmetic(level, split)
    for task in some(definition):
        said = definition.solution(task)
        assert definition.verifier.verify(task, Completion(said)).reward == 1.0
        wrong = int(str(task.reference)) + 1
        for miss in (f"\\boxed{{{wrong}}}", str(task.reference), said[:-1], f"{said} or \\boxed{{{wrong}}}"):
            assert definition.verifier.verify(task, Completion(miss)).reward == 0.0, miss


@pytest.mark.parametrize("level", LEVELS)
def test_levels_have_the_size_that_they_say(level: int) -> None:
    assert LEVELS[level].size == SIZES[level]
    if level in DISTINCT_BUT_FOR_ORDER:
        expressions = list(LEVELS[level].expressions())
        assert len(set(expressions)) == len(expressions) == SIZES[level]
        assert len({canonical(e) for e in expressions}) == DISTINCT_BUT_FOR_ORDER[level]
        listed = [set(expressions_of(level, split)) for split in SPLITS]
        assert sum(map(len, listed)) == len(set().union(*listed)) == SIZES[level]


@pytest.mark.parametrize("level", LEVELS)
def test_splits_are_held_apart_whatever_the_order_of_the_operands(level: int) -> None:
    keys = [{canonical(str(t.metadata["expression"])) for t in some(arithmetic(level, s), 150)} for s in SPLITS]
    assert all(keys)
    assert not keys[0] & keys[1]
    assert not keys[0] & keys[2]
    assert not keys[1] & keys[2]


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_gives_the_same_tasks(level: int) -> None:
    ids = [[t.id for t in some(arithmetic(level, seed=seed))] for seed in (3, 3, 4)]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(("level", "expression", "said"), CASES["workings"])
def test_the_working_ends_in_the_box(level: int, expression: str, said: str) -> None:
    task = Task(f"{expression}=?", str(value(expression)), metadata={"expression": expression, "level": level})
    assert solution(task) == said


@settings(deadline=None)
@given(st.integers(min_value=-99, max_value=99), st.text(st.characters(exclude_categories=())))
def test_hostile_text_is_worth_nothing(answer: int, said: str) -> None:
    verdict = judge(IntegerVerifier(), Task("?", str(answer)), Completion(said))
    assert verdict.reward == 0.0


@pytest.mark.parametrize(("said", "reward"), CASES["boxes"])
def test_the_answer_is_a_whole_number_of_bounded_length(said: str, reward: float) -> None:
    assert IntegerVerifier().verify(Task("3+8=?", "11"), Completion(said)).reward == reward


def test_a_reference_that_is_no_integer_is_a_failure_of_the_checker() -> None:
    assert judge(IntegerVerifier(), Task("?", "eleven"), Completion(r"\boxed{11}")).status == "verifier_error"


@pytest.mark.parametrize(
    ("kwargs", "problem"),
    [
        ({"level": 8}, "level"),
        ({"split": "validation"}, "split"),
        ({"size": 0}, "size"),
        ({"demonstration_percent": 90}, "demonstration_percent"),
        ({"template": "add"}, "template"),
    ],
)
def test_settings_out_of_range_are_named(kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rlenv.load("math/arithmetic-v0", **kwargs)


def test_levels_may_be_mixed_and_take_turns() -> None:
    definition = arithmetic("1-7", split="test", size=30)
    tasks = some(definition, 30)
    assert [task.metadata["level"] for task in tasks] == [1 + index % 7 for index in range(30)]
    assert all(definition.verifier.verify(t, Completion(definition.solution(t))).reward == 1.0 for t in tasks)
    assert definition.demonstrations is not None
    shown = [definition.demonstrations[index] for index in range(70)]
    assert {task.metadata["level"] for task in shown} == set(range(1, 8))
    assert {split_of(canonical(str(task.metadata["expression"]))) for task in shown} == {"demonstrations"}
