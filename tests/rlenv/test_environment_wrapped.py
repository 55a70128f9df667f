"""What `rlenv.wrap` makes of a step: reward, info and verdict say the same, and a failure of the checker stays one."""

from dataclasses import replace
from typing import cast

import gymnasium
import pytest
from gymnasium.error import ResetNeeded

import rlenv
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError, TaskError
from rlenv.core.jsontypes import Json
from rlenv.core.verdict import Verdict
from rlenv.env.environment import definition_of, wrap
from rlenv.judge.judge import Judge
from rlenv.wrappers import OverlongPenalty, RunningCentre


def graded(completion: str) -> Verdict:
    """Half a point for anything but a word that breaks the checker."""
    if completion.startswith("break"):
        raise RuntimeError("the checker is broken")
    return Verdict.of(("half", 0.5))


def environment(render_mode: str | None = None) -> rlenv.Environment:
    tasks = rlenv.ListTasks.from_rows([{"prompt": "say a", "id": "a"}, {"prompt": "say b", "id": "b"}])
    verifier = rlenv.FunctionVerifier(graded, cheap=True)
    return rlenv.Environment(rlenv.Definition(tasks=tasks, verifier=verifier), render_mode)


SHORT = OverlongPenalty(limit=4, buffer=2)
"""Takes up to a point from what is longer than two characters."""


def test_the_reward_of_a_wrapped_step_is_that_of_its_verdict() -> None:
    env = wrap(environment(), SHORT)
    for said, reward in (("x", 0.5), ("xxx", 0.0), ("xxxx", -0.5)):
        env.reset(options={"task": 0})
        observation, paid, terminated, truncated, info = env.step(said)
        assert (observation, terminated, truncated) == ("", True, False)
        assert type(paid) is float
        assert paid == reward
        assert info["verdict"].reward == reward
        assert (info["task_id"], info["graded"], info["status"]) == ("a", True, "graded")


def test_a_failure_of_the_checker_is_one_behind_wrappers_too() -> None:
    env = wrap(environment(), SHORT)
    env.reset(seed=0)
    _, paid, terminated, _, info = env.step("break")
    assert (paid, terminated) == (0.0, True)
    assert type(paid) is float
    assert (info["graded"], info["status"], info["verdict"].reward) == (False, "verifier_error", None)


class Withdraws:
    """A wrapper that cannot judge either."""

    name = "withdraws"

    def judge(self, episodes: list[rlenv.Episode], state: dict[str, Json]) -> list[Verdict]:
        return [Verdict.error("the judge is gone") for _ in episodes]


def test_a_wrapper_that_withdraws_a_verdict_takes_the_grade_with_it() -> None:
    env = wrap(environment(), Withdraws())  # type: ignore[arg-type]
    env.reset(seed=0)
    _, paid, _, _, info = env.step("fine")
    assert (paid, info["graded"], info["status"]) == (0.0, False, "verifier_error")
    assert info["verdict"].reason == "the judge is gone"
    assert set(info) == {"task_id", "graded", "status", "verdict"}


def test_a_wrapper_sees_the_task_and_the_completion_of_its_step_and_remembers() -> None:
    seen: list[tuple[object, ...]] = []

    class Watching:
        name = "watching"

        def judge(self, episodes: list[rlenv.Episode], state: dict[str, Json]) -> list[Verdict]:
            state["steps"] = cast("int", state.get("steps", 0)) + 1
            seen.extend((e.task.id, e.completion.text, state["steps"]) for e in episodes)
            return [e.verdict for e in episodes]

    env = wrap(environment(), Watching())  # type: ignore[arg-type]
    for index, said in ((1, "one"), (0, "two")):
        env.reset(options={"task": index})
        env.step(said)
    assert seen == [("b", "one", 1), ("a", "two", 2)]


def test_wrappers_of_a_definition_and_around_it_judge_one_after_the_other() -> None:
    env = wrap(environment(), RunningCentre(decay=0.0), SHORT)
    paid = []
    for _ in range(2):
        env.reset(options={"task": 0})
        paid.append(env.step("xxx")[1])
    assert paid == [0.0, -0.5]  # half a point less the mean so far, less half a point for length
    assert [w.name for w in definition_of(env).wrappers] == ["centre", "overlong"]


def test_the_wrappers_of_a_definition_are_applied_in_a_step() -> None:
    env = rlenv.Environment(replace(environment().definition, wrappers=(RunningCentre(decay=0.0),)))
    paid = []
    for _ in range(2):
        env.reset(options={"task": 0})
        paid.append(env.step("x")[1])
    assert paid == [0.5, 0.0]  # the second step knows of the first


def test_texts_of_the_lengths_allowed_are_in_the_spaces() -> None:
    env = rlenv.Environment(replace(environment().definition, max_prompt_chars=5, max_completion_chars=3))
    assert "12345" in env.observation_space
    assert "123456" not in env.observation_space
    assert "123" in env.action_space
    assert "1234" not in env.action_space


def test_a_wrapped_environment_is_made_again_from_its_specification() -> None:
    env = wrap(rlenv.make("math/arithmetic-v0", level=2), SHORT)
    assert env.spec is not None
    again = gymnasium.make(env.spec)
    assert [w.name for w in definition_of(again).wrappers] == ["overlong"]


def test_a_seed_reaches_the_environment_within() -> None:
    def drawn(env: gymnasium.Env[str, str]) -> list[str]:
        return [env.reset(seed=7 if first else None)[0] for first in (True, *[False] * 9)]

    assert drawn(wrap(environment(), SHORT)) == drawn(environment())


def test_a_step_before_the_reset_is_refused() -> None:
    with pytest.raises(ResetNeeded):
        wrap(environment(), SHORT).step("x")


def test_the_prompt_and_the_task_under_way_are_at_hand_until_the_step() -> None:
    env = environment()
    assert env.task is None
    assert env.prompt is None
    env.reset(options={"task": 1})
    assert env.task is not None
    assert (env.task.id, env.prompt) == ("b", "say b")
    env.step("x")
    assert env.prompt is None
    assert vars(env)["_task"] is None


def test_an_episode_alone_is_a_group_of_one() -> None:
    judge = Judge(replace(environment().definition, wrappers=(RunningCentre(decay=0.0),)))
    episode = Episode(rlenv.Task("?"), rlenv.Completion("x"), Verdict.of(("half", 0.5)))
    assert [judge.wrapped([episode])[0].verdict.reward for _ in range(2)] == [0.5, 0.0]


def test_a_prompt_of_exactly_the_length_allowed_is_given() -> None:
    definition = replace(environment().definition, max_prompt_chars=5)
    assert rlenv.Environment(definition).reset(options={"task": 0})[0] == "say a"
    with pytest.raises(TaskError, match="at most 4 characters, got 5"):
        rlenv.Environment(replace(definition, max_prompt_chars=4)).reset(seed=0)


@pytest.mark.parametrize("choice", [0, 1])
def test_the_first_and_the_last_task_may_be_chosen_and_no_other_number(choice: int) -> None:
    assert environment().reset(options={"task": choice})[1]["task_id"] == "ab"[choice]
    for outside in (-1, 2):
        with pytest.raises(TaskError, match="an index below 2"):
            environment().reset(options={"task": outside})


def test_nothing_is_rendered_unless_it_was_asked_for() -> None:
    silent, shown = environment(), environment("ansi")
    assert (silent.render(), shown.render()) == (None, "")
    for env in (silent, shown):
        env.reset(options={"task": 0})
        env.step("xx")
    assert silent.render() is None
    assert shown.render() == "say a\n\n> xx\n\n0.5"


def test_foreign_wrappers_that_change_a_step_cannot_go_into_a_batch() -> None:
    class Doubling(gymnasium.RewardWrapper[str, str]):
        def reward(self, reward: object) -> float:
            return 2.0

    with pytest.raises(ConfigError, match="Doubling acts on single steps only"):
        definition_of(Doubling(environment()))
