"""Every game: the best player earns everything and sees nothing that is hidden, others earn little, nothing breaks."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.interaction import Reply
from rlenv.core.jsontypes import Json
from rlenv.core.policy import ScriptedPolicy
from rlenv.core.task import Task
from rlenv.env.environment import Environment
from rlenv.envs.games.game import Game
from rlenv.envs.games.reference import best, best_script, chance, noise
from rlenv.envs.games.tasks import GAMES, game_environment, game_named
from rlenv.envs.games.verifier import GameInteraction, read_move
from rlenv.turns.play import play, reference_completion

EACH = [(name, level) for name in GAMES for level in game_named(name).levels]
HOSTILE = (
    "",
    " \n\t ",
    "[",
    "]",
    "][",
    "[]",
    "[[[[" * 1000,
    "[1] [2] [",
    "[42",
    "\0\ud800",
    "[\0]",
    "9" * 100_000,
    f"[{'9' * 100_000}]",
    "[-1]",
    "[999999999]",
    "[٣]",
    "[z99]",
    "[a0]",
    "[aa]",
    "[abcabc]",
    "[double]",
    "[zzzzz]",
    "[north south]",
    "<think>[1]</think>",
    '{"name": "move", "arguments": {}}',
    "x" * 1_000_000,
)


@lru_cache(maxsize=64)
def tasks_of(name: str, level: int, split: str = "train", count: int = 30) -> tuple[Task, ...]:
    drawn = game_environment(name, level, split).tasks
    return tuple(drawn[i] for i in range(count))


def rules_of(task: Task) -> dict[str, Json]:
    return cast("dict[str, Json]", task.metadata["rules"])


def heard_by_best(game: Game, task: Task) -> tuple[Sequence[str], list[str]]:
    """The best player's moves, and what it is told after each."""
    interaction, heard = GameInteraction(game), []
    state, script = interaction.start(task), best_script(game, task)
    for said in script:
        reply = interaction.respond(state, Completion(said))
        state = reply.state
        heard.append(str(reply.observation))
    return script, heard


@pytest.mark.parametrize(("name", "level"), EACH)
@pytest.mark.parametrize("split", ["train", "test", "demonstrations"])
def test_the_best_player_earns_everything_on_every_task(name: str, level: int, split: str) -> None:
    game, rewards = game_named(name), [best(game_named(name), task) for task in tasks_of(name, level, split)]
    assert rewards == [1.0] * 30
    assert max(len(best_script(game, task)) for task in tasks_of(name, level, split)) <= game.levels[level].turns


@pytest.mark.parametrize("name", GAMES)
def test_the_reference_of_an_evaluation_is_the_best_player(name: str) -> None:
    report = rlenv.evaluate(f"games/{name}-v0", "reference", limit=20, quiet=True)
    assert report.mean_reward == 1.0


@pytest.mark.parametrize(("name", "level"), EACH)
def test_the_best_player_chooses_by_what_it_is_told_alone(name: str, level: int) -> None:
    """Two games of the same rules that hide different things: the moves are the same as long as the answers are."""
    game = game_named(name)
    tasks = tasks_of(name, level)
    for task, other in pairwise(tasks):
        if task.reference is None:
            continue
        hidden = _hidden_like(name, task, other)
        swapped = Task(task.prompt, hidden, metadata=task.metadata)
        (said, heard), (said_other, heard_other) = heard_by_best(game, task), heard_by_best(game, swapped)
        same = 0
        while heard[:same] == heard_other[:same] and same < min(len(said), len(said_other)):
            assert said[same] == said_other[same]
            same += 1


def _hidden_like(name: str, task: Task, other: Task) -> Json:
    """Something else that these rules may hide."""
    rules, rng = rules_of(task), np.random.default_rng(len(str(task.reference)))
    if name == "guess":
        return int(rng.integers(cast("int", rules["low"]), cast("int", rules["high"]) + 1))
    if name == "wordle":
        return cast("list[str]", rules["words"])[0]
    if name == "mastermind":
        return str(rules["colours"])[0] * cast("int", rules["pegs"])
    return task.reference if name == "maze" else other.reference


@pytest.mark.parametrize(("name", "level"), EACH)
def test_the_prompt_says_the_rules_and_nothing_that_is_hidden(name: str, level: int) -> None:
    game = game_named(name)
    for task in tasks_of(name, level):
        assert task.prompt == game.prompt(rules_of(task))
        assert str(rules_of(task)["turns"]) in task.prompt or rules_of(task).get("bare")
        assert len(task.prompt) < 2_000


@pytest.mark.parametrize(("name", "level"), EACH)
def test_chance_and_noise_earn_little(name: str, level: int) -> None:
    game, rng, tasks = game_named(name), np.random.default_rng(1), tasks_of(name, level)
    assert np.mean([chance(game, task, rng) for task in tasks]) < 0.35
    assert np.mean([noise(game, task, rng) for task in tasks]) < 0.05


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
def test_the_last_move_said_otherwise_does_not_win(name: str) -> None:
    """A near miss: everything is right but the end."""
    for task in tasks_of(name, 2)[:10]:
        script = best_script(game_named(name), task)
        assert _reward(name, task, (*script[:-1], "[no move]")) < 1.0


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


@pytest.mark.parametrize("name", GAMES)
def test_reasoning_is_no_move(name: str) -> None:
    game, task = game_named(name), tasks_of(name, 1)[0]
    move = best_script(game, task)[0]
    interaction = GameInteraction(game)
    reply = interaction.respond(interaction.start(task), Completion(f"<think>{move}</think>I have to think more."))
    assert reply.flags[0].name == "unreadable_move"


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
    assert [again[i] for i in range(30)] == list(tasks_of(name, 1))
    assert game_environment(name, 1, seed=1).tasks[0].id != again[0].id
    asked = {split: {_asked(task) for task in tasks_of(name, 1, split)} for split in ("train", "test")}
    assert not asked["train"] & asked["test"]


def _asked(task: Task) -> str:
    return json.dumps([task.prompt, None if task.metadata["game"] == "tictactoe" else task.reference])


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=25, deadline=None)
@given(moves=st.lists(st.text(max_size=12), max_size=12), seed=st.integers(0, 20))
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


@pytest.mark.parametrize("name", GAMES)
def test_a_random_legal_move_is_legal(name: str) -> None:
    rng, game = np.random.default_rng(3), game_named(name)
    for task in tasks_of(name, 3)[:10]:
        interaction = GameInteraction(game)
        state = interaction.start(task)
        for move in rng.choice(game.legal(cast("dict[str, Json]", state)["game"]), size=5):
            assert interaction.respond(state, Completion(f"[{move}]")).flags == ()


def test_every_game_is_registered_and_has_a_version_of_its_own() -> None:
    assert rlenv.list_envs("games") == sorted(f"games/{name}-v0" for name in GAMES)
    assert len({game_environment(name).verifier.version for name in GAMES}) == len(GAMES)


def test_levels_take_turns_and_unknown_ones_are_refused() -> None:
    tasks = game_environment("guess", "1-3", size=6).tasks
    assert [tasks[i].metadata["level"] for i in range(6)] == [1, 2, 3, 1, 2, 3]
    for wrong in ({"level": 9}, {"split": "dev"}, {"size": 0}):
        with pytest.raises(ConfigError):
            game_environment("guess", **wrong)
    with pytest.raises(ConfigError, match="expected a game out of"):
        game_named("chess")


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
