"""Rows of somebody else's table: one call judges them as the environment would, and never raises."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

import rlenv
from rlenv.core.episode import Episode
from rlenv.core.task import Task
from rlenv.core.verdict import Verdict
from rlenv.env import registry
from rlenv.env.rows import RowJudge, judge_row, judge_rows, rows_of, to_row
from rlenv.wrappers import State

ENV = "math/arithmetic-v0"
LEVEL = {"level": 2}


def test_a_row_holds_all_that_judging_needs() -> None:
    definition = rlenv.load(ENV, level=2)
    rows = rows_of(ENV, range(8), level=2)
    said = [definition.solution(definition.tasks[i]) for i in range(8)]
    batch = rlenv.BatchEnvironment(definition)
    batch.reset(tasks=[definition.tasks[i] for i in range(8)])
    assert judge_rows(rows, said) == [episode.verdict for episode in batch.step(said)]
    assert json.loads(rows[0])["kwargs"] == LEVEL


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("no json", "JSONDecodeError"),
        ("[]", "TypeError"),
        ('{"env": "math/arithmetic-v0"}', "KeyError: 'task'"),
        ('{"env": "no/such-v0", "task": {"prompt": "?"}}', "no environment 'no/such-v0'"),
        ('{"env": "math/arithmetic-v0", "kwargs": {"levels": 1}, "task": {"prompt": "?"}}', "levels"),
    ],
)
def test_a_row_that_nobody_can_judge_is_no_wrong_answer(row: str, why: str) -> None:
    verdict = judge_row(row, r"\boxed{4}")
    assert (verdict.reward, verdict.status) == (None, "verifier_error")
    assert why in verdict.reason


@pytest.fixture
def sums(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Registers sums with changes to their definition; the id."""

    def register(**changes: object) -> str:
        definition = rlenv.load(ENV)
        rlenv.register("test/changed-sums-v0", tasks=definition.tasks, verifier=definition.verifier)
        changed = replace(definition, id="test/changed-sums-v0", **changes)  # type: ignore[arg-type]
        monkeypatch.setitem(registry._definitions, changed.id, changed)
        return changed.id

    return register


class Counting:
    """Counts the groups that it sees, and notes their sizes."""

    name = "counting"

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def judge(self, episodes: Sequence[Episode], state: State) -> list[Verdict]:
        self.sizes.append(len(episodes))
        state["groups"] = cast("int", state.get("groups", 0)) + 1
        return [episode.verdict for episode in episodes]


@pytest.mark.filterwarnings("ignore:.*Overriding environment")
def test_equal_rows_are_a_group_for_the_wrappers(sums: Callable[..., str]) -> None:
    counting = Counting()
    env = sums(wrappers=(counting,))
    rows = [to_row(env, Task(f"{i}+1=?", str(i + 1))) for i in (1, 2)]
    judge = RowJudge()
    episodes = judge.judge([rows[0], rows[1], rows[0]], [r"\boxed{2}", r"\boxed{3}", "?"], step=3)
    assert counting.sizes == [2, 1]
    assert [(e.group, e.index, e.step, e.verdict.reward) for e in episodes] == [
        (0, 0, 3, 1.0),
        (1, 1, 3, 1.0),
        (0, 2, 3, 0.0),
    ]
    again = RowJudge()
    again.load_state_dict(json.loads(json.dumps(judge.state_dict())))
    again.judge(rows[:1], ["?"])
    assert again.state_dict() == {json.dumps([env, {}], separators=(",", ":")): {"0:counting": {"groups": 3}}}
    assert judge_rows(rows, ["?"] * 2)[0].reward == 0.0
    assert counting.sizes == [2, 1, 1]  # the plain call leaves wrappers out


@pytest.mark.filterwarnings("ignore:.*Overriding environment")
def test_groups_of_the_same_row_are_told_apart(sums: Callable[..., str]) -> None:
    counting = Counting()
    row = to_row(sums(wrappers=(counting,)), Task("1+1=?", "2"))
    episodes = RowJudge().judge([row] * 4, ["?"] * 4, groups=["a", "b", "a", "a"])
    assert [episode.group for episode in episodes] == [0, 1, 0, 0]
    assert counting.sizes == [3, 1]


@pytest.mark.filterwarnings("ignore:.*Overriding environment")
def test_what_is_for_evaluation_only_trains_nobody(sums: Callable[..., str]) -> None:
    row = to_row(sums(evaluation_only="the program holds the tests"), Task("1+1=?", "2"))
    trained, evaluated = (RowJudge(training=t).judge([row], [r"\boxed{2}"])[0].verdict for t in (True, False))
    assert (trained.reward, evaluated.reward) == (None, 1.0)
    assert "for evaluation only: the program holds the tests" in trained.reason
