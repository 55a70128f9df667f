"""Several levels as one task set, and how levels are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlenv import ListTasks, Task
from rlenv.core.errors import ConfigError
from rlenv.envs.levels import LevelledTasks, levels_named


def part(level: int, count: int) -> ListTasks:
    return ListTasks(Task(f"{level}.{number}", metadata={"level": level}) for number in range(count))


@pytest.mark.parametrize(
    ("level", "levels"),
    [(3, (3,)), ("3", (3,)), ("2-4", (2, 3, 4)), ("4,1-2", (1, 2, 4)), ("2,2-2", (2,)), ("all", (1, 2, 3, 4, 5))],
)
def test_levels_are_read_as_people_write_them(level: int | str, levels: tuple[int, ...]) -> None:
    assert levels_named(level, range(1, 6)) == levels


@pytest.mark.parametrize("level", [0, 6, "", "a", "4-2", "1-9", "1-", "-1", "1.5", "２", "1,,2"])
def test_levels_that_do_not_exist_are_named(level: int | str) -> None:
    with pytest.raises(ConfigError, match=r"expected a level out of 1, 2, 3, 4, 5, a range such as '1-5', or 'all'"):
        levels_named(level, range(1, 6))


@given(st.lists(st.integers(1, 7), min_size=2, max_size=4), st.integers(1, 40))
def test_levels_take_turns_and_members_finds_them(sizes: list[int], size: int) -> None:
    tasks = LevelledTasks({level: part(level, count) for level, count in enumerate(sizes, start=1)}, size)
    assert len(tasks) == min(size, len(sizes) * max(sizes))
    seen = [tasks[index].metadata["level"] for index in range(len(tasks))]
    assert seen == [1 + index % len(sizes) for index in range(len(tasks))]
    for level in tasks.levels:
        assert [index for index in range(len(tasks)) if seen[index] == level] == list(tasks.members(level))


def test_a_smaller_level_comes_round_again_and_nothing_is_left_out() -> None:
    tasks = LevelledTasks({1: part(1, 2), 2: part(2, 3)})
    assert [tasks[index].prompt for index in range(6)] == ["1.0", "2.0", "1.1", "2.1", "1.0", "2.2"]
