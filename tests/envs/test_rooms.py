"""What all rooms keep: levels, tasks by seed, splits apart, settings that are named, and nothing for hostile text."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv import Completion, Definition, ListTasks, Task
from rlenv.core.errors import ConfigError
from rlenv.core.task import prompt_text
from rlenv.envs.levels import LevelledTasks, levels_named

FORMATS = {
    "format/tags-v1": ("pay",),
    "format/json-v0": ("pay", "extra_text"),
    "format/regex-v0": ("pay", "engine"),
    "format/instructions-v0": ("pay", "mode", "reward"),
}
"""Their settings out of a few words."""
SAFETY = ("safety/agreement-v0", "safety/pressure-v0")
MADE = (*FORMATS, *SAFETY, "tools/orders-v0", "tools/search-v0", "reasoning_gym/chain_sum-v0")
"""Tasks are made by code out of a seed."""
BAD: list[tuple[str, dict[str, Any], str]] = [
    *((name, {knob: "x"}, knob) for name, knobs in FORMATS.items() for knob in knobs),
    *((name, {"split": "dev"}, "split") for name in (*MADE, "code/snippets-v0", "code/mbpp-v0", "code/apps-v0")),
    *((name, {"size": 0}, "size") for name in MADE),
    *(("format/instructions-v0", bad, "kinds") for bad in ({"kinds": ["rhyme"]}, {"kinds": ["title", "title"]})),
    *(("format/instructions-v0", bad, "fewest") for bad in ({"most": 9}, {"fewest": 3, "most": 2})),
    *((name, {"level": 9}, "level") for name in (*SAFETY, "tools/orders-v0", "tools/search-v0", "code/snippets-v0")),
    *((name, {"questions": "poetry"}, "arithmetic, trivia, gsm8k") for name in SAFETY),
    *(("safety/pressure-v0", {"rounds": rounds}, "rounds") for rounds in (1, 9)),
    ("safety/agreement-v0", {"data": "x.jsonl"}, "GSM8K"),
    *(
        ("safety/refusal-v0", {"scorer": "toy", "harmful_partial": share}, r"in \[0, 1\]|float")
        for share in (1.5, float("nan"))
    ),
    ("code/snippets-v0", {"style": "long"}, "style"),
    ("code/snippets-v0", {"pay": "some"}, "all, share, staged"),
    ("code/apps-v0", {"difficulty": "easy"}, "difficulty"),
    ("code/repair-v0", {"source": "poems"}, "source"),
    *(("code/repair-v0", {"attempts": attempts}, "attempts") for attempts in (0, 99)),
    ("code/repair-v0", {"discount": 0}, "discount"),
]


def made(name: str, **kwargs: Any) -> Definition:
    if name == "tools/search-v0":
        pytest.importorskip("bm25s", reason="the extra search is not installed")
    return rlenv.load(name, **kwargs)


@pytest.mark.parametrize(("name", "kwargs", "words"), BAD)
def test_settings_out_of_range_are_named(name: str, kwargs: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        made(name, **kwargs)


@pytest.mark.parametrize("name", MADE)
def test_the_same_seed_gives_the_same_tasks_and_splits_share_no_question(name: str) -> None:
    ids = [[made(name, seed=seed).tasks[i].id for i in range(9)] for seed in (3, 3, 4)]
    assert ids[0] == ids[1] != ids[2]
    splits = ("train", "test") if name in SAFETY else ("train", "test", "demonstrations")
    sets = [made(name, split=split).tasks for split in splits]
    asked = [{_question(prompt_text(tasks[i].prompt)) for i in range(40)} for tasks in sets]
    assert not any(one & other for one, other in combinations(asked, 2))


def _question(prompt: str) -> str:
    """A question without what is asked of its form; a sum and its mirror are one."""
    question = prompt.partition("?")[0]
    return " ".join(sorted(question.split())) if "+" in question else question


def test_versions_tell_the_options_apart() -> None:
    other = {"pay": "shape", "extra_text": "allow", "engine": "re", "mode": "loose", "reward": "share"}
    for name, knobs in FORMATS.items():
        pay = {"pay": "instructions"} if name == "format/instructions-v0" else {}
        options = [{}, *({knob: {**other, **pay}[knob]} for knob in knobs)]
        assert len({rlenv.load(name, **chosen).verifier.version for chosen in options}) == len(options)


@pytest.mark.parametrize("name", [*FORMATS, *SAFETY, "tools/search-v0", "process/arithmetic-v0"])
@settings(deadline=None, max_examples=30)
@given(said=st.text(st.characters(exclude_categories=())))
def test_hostile_text_is_worth_nothing(name: str, said: str) -> None:
    definition = made(name)
    reward = definition.verifier.verify(definition.tasks[0], Completion(said)).reward
    assert reward is not None
    assert reward <= 0.0


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
