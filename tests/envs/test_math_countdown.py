"""Countdown: tasks that can be solved, and a verifier that pays for nothing else."""

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import tables

import rlenv
from rlenv import Completion, Definition, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.core.verifier import judge
from rlenv.envs.math.countdown import LEVELS, USES, CountdownVerifier, Use, countdown, countdown_key, countdown_task

CASES = tables(__file__)

SPLITS = ("train", "test", "demonstrations")
NUMBERS = [2, 3, 4, 9]
TASK = countdown_task(NUMBERS, 24, "(9 - 3) * 4", 4)


def some(definition: Definition, count: int = 40) -> list[Task]:
    return [definition.tasks[i] for i in range(min(count, len(definition.tasks)))]


def judged(said: str, task: Task = TASK, use: Use = "at_most_once") -> Verdict:
    return judge(CountdownVerifier(use), task, Completion(said))


def answer(expression: str, task: Task = TASK, use: Use = "at_most_once") -> Verdict:
    return judged(f"<think>let me see</think>\n<answer>{expression}</answer>", task, use)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("use", USES)
def test_every_task_is_solved_by_its_solution_and_not_by_near_misses(level: int, use: Use) -> None:
    definition = countdown(level, use=use)
    for task in some(definition):
        said = definition.solution(task)
        assert definition.verifier.verify(task, Completion(said)).reward == 1.0
        assert definition.verifier.verify(task, Completion(said)) == definition.verifier.verify(task, Completion(said))
        expression = str(task.metadata["solution"])
        for miss in (f"{expression} + 1", str(task.reference), said[:-1], f"{expression} = {expression}"):
            assert definition.verifier.verify(task, Completion(f"<answer>{miss}</answer>")).reward == 0.0, miss


@pytest.mark.parametrize("level", LEVELS)
def test_targets_and_numbers_are_those_of_the_level(level: int) -> None:
    for task in some(countdown(level), 100):
        numbers, target = task.metadata["numbers"], task.reference
        assert isinstance(numbers, list)
        assert isinstance(target, int)
        assert target in LEVELS[level].targets
        assert target not in numbers
        assert task.metadata["level"] == level
        assert sorted(numbers) == sorted(map(int, re.findall("[0-9]+", str(task.metadata["solution"]))))


@pytest.mark.parametrize("level", [2, 5])
def test_splits_share_no_question_in_whatever_order_the_numbers_stand(level: int) -> None:
    keys = [
        {countdown_key(t.metadata["numbers"], t.reference) for t in some(countdown(level, split), 100)}  # type: ignore[arg-type]
        for split in SPLITS
    ]
    assert [left & right for left, right in itertools.combinations(keys, 2)] == [set()] * 3
    assert countdown_key([3, 1, 2], 6) == countdown_key([2, 3, 1], 6)


def test_the_same_seed_gives_the_same_tasks() -> None:
    ids = [[task.id for task in some(countdown("1-7", seed=seed))] for seed in (3, 3, 4)]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize("expression", CASES["right"])
def test_any_way_to_the_target_is_right(expression: str) -> None:
    assert answer(expression).reward == 1.0


@pytest.mark.parametrize(("expression", "flag"), CASES["wrong"])
def test_nothing_else_is(expression: str, flag: str | None) -> None:
    verdict = answer(expression)
    assert verdict.reward == 0.0
    assert verdict.reason
    assert [f.name for f in verdict.flags] == ([] if flag is None else [flag])


def test_numbers_may_be_left_out_unless_the_task_says_otherwise() -> None:
    assert [answer("(9 - 3) * 4", use=use).reward for use in USES] == [1.0, 0.0]
    assert [answer("9 * 4 - 3 * (2 + 2)", use=use).reward for use in USES] == [0.0, 0.0]
    assert [answer("(9 + 3) * 4 / 2", use=use).reward for use in USES] == [1.0, 1.0]
    assert "2 is left" in answer("(9 - 3) * 4", use="exactly_once").reason
    assert "exactly once" in str(countdown(use="exactly_once").tasks[0].prompt)


@pytest.mark.parametrize(("said", "reward"), CASES["places"])
def test_the_answer_stands_in_the_last_tag_or_box_after_the_thinking(said: str, reward: float) -> None:
    assert judged(said).reward == reward


@pytest.mark.parametrize("metadata", [{}, {"numbers": []}, {"numbers": ["2"]}, {"numbers": 7}, {"numbers": [True]}])
def test_a_task_without_numbers_is_a_failure_of_the_checker(metadata: dict[str, object]) -> None:
    assert answer("1 + 1", Task("?", 2, metadata=metadata)).status == "verifier_error"  # type: ignore[arg-type]


def test_a_task_without_a_whole_target_is_a_failure_of_the_checker() -> None:
    for target in ("many", 2.5, None, True):
        assert answer("1 + 1", Task("?", target, metadata={"numbers": [1, 1]})).status == "verifier_error"
    assert answer("1 + 1", Task("?", "2", metadata={"numbers": [1, 1]})).reward == 1.0


@settings(deadline=None)
@given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("23490123456789+-*/()= "))))
def test_hostile_text_is_worth_nothing(said: str) -> None:
    out_of_reach = countdown_task([2, 3], 997, "", 1)
    for text in (said, f"<answer>{said}</answer>", f"\\boxed{{{said}}}", f"<answer>{said} = 997</answer>"):
        verdict = judged(text, out_of_reach)
        assert (verdict.graded, verdict.reward) == (True, 0.0)


@pytest.mark.parametrize(
    ("kwargs", "problem"),
    [
        ({"level": 8}, "level"),
        ({"split": "validation"}, "split"),
        ({"size": 0}, "size"),
        ({"use": "twice"}, "use out of at_most_once, exactly_once"),
        ({"template": "{numbers}"}, "template"),
        ({"demonstration_percent": 90}, "demonstration_percent"),
    ],
)
def test_settings_out_of_range_are_named(kwargs: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rlenv.load("math/countdown-v0", **kwargs)
