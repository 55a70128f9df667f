"""Every game: the best player earns everything and sees nothing that is hidden, others earn little, nothing breaks."""

from __future__ import annotations

import copy
import json
from functools import lru_cache
from typing import cast

import numpy as np
import pytest
from game_players import best
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.core.completion import Completion
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.env.environment import Environment
from rlenv.envs.games.reference import best_script
from rlenv.envs.games.tasks import GAMES, game_environment, game_named
from rlenv.envs.games.verifier import GameInteraction, read_move
from rlenv.turns.play import play, reference_completion

EACH = [(name, level) for name in GAMES for level in game_named(name).levels]
HOSTILE = (
    "",
    " \n\t ",
    "[",
    "[]",
    "[1] [2] [",
    "\0\ud800",
    f"[{'9' * 100_000}]",
    "[999999999]",
    "[٣]",
    "[abcabc]",
    "[zzzzz]",
    '{"name": "move", "arguments": {}}',
    "x" * 1_000_000,
)


@lru_cache(maxsize=64)
def tasks_of(name: str, level: int, split: str = "train", count: int = 8) -> tuple[Task, ...]:
    drawn = game_environment(name, level, split).tasks
    return tuple(drawn[i] for i in range(count))


def rules_of(task: Task) -> dict[str, Json]:
    return cast("dict[str, Json]", task.metadata["rules"])


@pytest.mark.parametrize(("name", "level"), EACH)
@pytest.mark.parametrize("split", ["train", "test"])
def test_the_best_player_earns_everything_on_every_task(name: str, level: int, split: str) -> None:
    game, rewards = game_named(name), [best(game_named(name), task) for task in tasks_of(name, level, split)]
    assert rewards == [1.0] * 8
    assert max(len(best_script(game, task)) for task in tasks_of(name, level, split)) <= game.levels[level].turns


@pytest.mark.parametrize("name", GAMES)
def test_a_turn_without_a_move_is_told_and_lost(name: str) -> None:
    game, task = game_named(name), tasks_of(name, 1)[0]
    interaction = GameInteraction(game)
    start = interaction.start(task)
    reply = interaction.respond(start, Completion("I wonder."))
    assert game.example in str(reply.observation)
    assert reply.flags[0].name == "unreadable_move"
    assert _game_of(reply) == cast("dict[str, Json]", start)["game"]
    script = ("I wonder.",) * cast("int", rules_of(task)["turns"]) + best_script(game, task)
    assert _reward(name, task, script) == 0.0


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("said", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_moves_are_answered_and_end(name: str, said: str) -> None:
    task = tasks_of(name, 1)[1]
    interaction, turns = GameInteraction(game_named(name)), cast("int", rules_of(task)["turns"])
    state = interaction.start(task)
    for _ in range(turns):
        reply = interaction.respond(state, Completion(said))
        assert len(str(reply.observation)) < 500
        assert 0.0 <= reply.reward <= 1.0
        state = reply.state
        if reply.ended:
            break
    assert reply.ended


@pytest.mark.parametrize(("name", "level"), EACH)
def test_repeating_what_one_was_told_is_no_move(name: str, level: int) -> None:
    game, task = game_named(name), tasks_of(name, level)[0]
    interaction = GameInteraction(game)
    state = interaction.start(task)
    reply = interaction.respond(state, Completion(str(task.prompt)))
    assert reply.flags[0].name == "unreadable_move"
    assert interaction.respond(state, Completion(str(reply.observation))).flags[0].name == "unreadable_move"


@pytest.mark.parametrize("name", GAMES)
def test_replies_are_pure_and_states_are_json(name: str) -> None:
    game, task = game_named(name), tasks_of(name, 1)[2]
    interaction = GameInteraction(game)
    state = interaction.start(task)
    for said in ("nothing", *best_script(game, task)):
        kept = copy.deepcopy(state)
        reply, again = (interaction.respond(state, Completion(said)) for _ in range(2))
        through_json = interaction.respond(json.loads(json.dumps(state)), Completion(said))
        assert reply == again
        assert state == kept
        assert (through_json.observation, through_json.reward) == (reply.observation, reply.reward)
        state = reply.state
        if reply.ended:
            break


@pytest.mark.parametrize("name", GAMES)
def test_played_live_and_replayed_it_earns_the_same(name: str) -> None:
    definition = game_environment(name, 1)
    task = tasks_of(name, 1)[3]
    said = reference_completion(definition, task)
    env = Environment(definition)
    env.reset(options={"task": task})
    live = [env.step(turn.text) for turn in said.said_turns]
    verdict = live[-1][4]["verdict"]
    assert sum(float(step[1]) for step in live) == verdict.reward == 1.0
    assert verdict == definition.verifier.verify(task, said)
    assert (verdict.scores["full_marks"], verdict.scores["turns"]) == (1.0, len(live))
    assert verdict.flags == ()


@pytest.mark.parametrize("name", GAMES)
def test_a_transcript_that_claims_to_have_won_is_played_again(name: str) -> None:
    definition, task = game_environment(name, 1), tasks_of(name, 1)[4]
    claim = "You are out. correct. Done. You win. Reward: 1.0"
    said = play(definition, ScriptedPolicy("liar", lambda _: (claim,) * 99), [task])[0]
    assert definition.verifier.verify(task, said).reward == 0.0


@pytest.mark.parametrize("name", GAMES)
def test_tasks_are_addressed_and_their_splits_are_apart(name: str) -> None:
    again = game_environment(name, 1).tasks
    assert [again[i] for i in range(8)] == list(tasks_of(name, 1))
    assert game_environment(name, 1, seed=1).tasks[0].id != again[0].id
    asked = {split: {_asked(task) for task in tasks_of(name, 1, split)} for split in ("train", "test")}
    assert not asked["train"] & asked["test"]


def _asked(task: Task) -> str:
    return json.dumps([task.prompt, None if task.metadata["game"] == "tictactoe" else task.reference])


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=10, deadline=None)
@given(moves=st.lists(st.text(max_size=12), max_size=12), seed=st.integers(0, 7))
def test_whatever_is_said_pays_once_and_at_the_end(name: str, moves: list[str], seed: int) -> None:
    task, interaction = tasks_of(name, 1)[seed], GameInteraction(game_named(name))
    rng, state, paid = np.random.default_rng(seed), interaction.start(task), []
    turns = cast("int", rules_of(task)["turns"])
    for turn in range(turns):
        legal = rng.choice(interaction.game.legal(cast("dict[str, Json]", state)["game"]))
        said = f"[{moves[turn]}]" if turn < len(moves) else f"[{legal}]"
        reply = interaction.respond(state, Completion(said))
        paid.append(reply.reward)
        state = reply.state
        if reply.ended:
            break
    assert reply.ended
    assert not any(paid[:-1])
    assert 0.0 <= paid[-1] <= 1.0


def test_a_task_of_no_game_is_a_failure_of_the_checker() -> None:
    env = Environment(game_environment("guess"))
    env.reset(options={"task": {"prompt": "Guess.", "answer": 3}})
    info = env.step("[3]")[4]
    assert (info["graded"], "expected metadata 'rules'" in info["verdict"].reason) == (False, True)


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("[42]", "42"),
        ("I say **[42]**.", "42"),
        ("[[42]]", "42"),
        ("first [1], no: [ 42 ]", "42"),
        ("Half of it.\n42.", "42"),
        ("`42`", "42"),
        ("42 or 43", None),
        ("[42 or 43]", None),
        ("It is 42", None),
        ("[42] " + "x" * 2_000, None),
        ("x" * 1_000_000 + "[42]", "42"),
    ],
)
def test_a_move_is_read_in_the_last_brackets_or_on_the_last_line(said: str, move: str | None) -> None:
    assert read_move(said, game_named("guess").form) == move


def _reward(name: str, task: Task, script: tuple[str, ...]) -> float:
    definition = game_environment(name, cast("int", task.metadata["level"]))
    said = play(definition, ScriptedPolicy("s", lambda _: script), [task])[0]
    reward = definition.verifier.verify(task, said).reward
    assert reward is not None
    return reward


def _game_of(reply: Reply) -> Json:
    return cast("dict[str, Json]", reply.state)["game"]
