"""Blackjack: values are exact, luck is not paid, and good decisions that lose are."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from rlenv.core.completion import Completion
from rlenv.core.jsontypes import Json
from rlenv.core.task import Task
from rlenv.envs.games.blackjack import Blackjack, card, first_cards
from rlenv.envs.games.blackjack_values import CARDS, HIT, STAND, Hand, Table, dealt
from rlenv.envs.games.reference import best_script, chance, reward_of
from rlenv.envs.games.tasks import game_environment, game_named
from rlenv.envs.games.verifier import GameInteraction


def tasks_of(level: int, count: int = 100) -> list[Task]:
    tasks = game_environment("blackjack", level).tasks
    return [tasks[i] for i in range(count)]


def simulated(table: Table, hand: Hand, dealer: int, move: str, games: int, rng: np.random.Generator) -> float:
    """What a hand comes to on average, by playing it out."""
    ranks, chances = list(CARDS), list(CARDS.values())
    drawn = iter(rng.choice(ranks, p=chances, size=games * 24).tolist())
    total = 0.0
    for _ in range(games):
        mine, decided = hand, move
        while decided == HIT:
            mine = mine.with_card(next(drawn))
            decided = STAND if mine.bust or mine.done else table.best(mine, dealer)
        theirs = [dealer]
        while dealt(theirs, table.soft17):
            theirs.append(next(drawn))
        end = Hand.of(theirs).total
        total += -1 if mine.bust else 1 if end > 21 or end < mine.total else -1 if end > mine.total else 0
    return total / games


@pytest.mark.parametrize(
    ("cards", "dealer", "move"),
    [([10, 6], 10, HIT), ([10, 6], 10, STAND), ([1, 6], 5, HIT), ([10, 9], 1, STAND), ([5, 4], 2, HIT)],
)
@pytest.mark.parametrize("soft17", [False, True])
def test_values_are_those_of_many_hands_played_out(cards: list[int], dealer: int, move: str, soft17: bool) -> None:
    table = Table(soft17=soft17)
    worth = table.worth(Hand.of(cards), dealer, move)
    assert abs(worth - simulated(table, Hand.of(cards), dealer, move, 20_000, np.random.default_rng(0))) < 0.03


@pytest.mark.parametrize(
    ("cards", "dealer", "best"),
    [
        ([10, 6], 6, "stand"),
        ([10, 6], 7, "hit"),
        ([10, 2], 3, "hit"),
        ([10, 2], 4, "stand"),
        ([1, 7], 9, "hit"),
        ([1, 7], 8, "stand"),
        ([6, 5], 6, "double"),
        ([5, 4], 2, "hit"),
        ([10, 10], 6, "stand"),
    ],
)
def test_the_best_decisions_are_those_of_the_books(cards: list[int], dealer: int, best: str) -> None:
    assert Table(double=True).best(Hand.of(cards), dealer) == best


def test_the_best_player_loses_hands_and_is_paid_all_the_same() -> None:
    game, lost = Blackjack(), 0
    for task in tasks_of(1):
        interaction = GameInteraction(game)
        state = interaction.start(task)
        for said in best_script(game, task):
            reply = interaction.respond(state, Completion(said))
            state = reply.state
            lost += "lost" in str(reply.observation)
        assert reply.reward == 1.0
    assert lost > 50


def test_a_mistake_that_wins_is_a_mistake() -> None:
    """A hit on a hard 17 or more is never right, and now and then it wins."""
    game, won = Blackjack(), 0
    for task in tasks_of(1, 200):
        interaction = GameInteraction(game)
        cards = first_cards(cast("int", task.reference), 0)
        hand = Hand.of(cards)
        if hand.soft or hand.total < 17:
            continue
        reply = interaction.respond(interaction.start(task), Completion("[hit]"))
        after = cast("dict[str, dict[str, Json]]", reply.state)["game"]
        assert cast("float", after["given_away"]) > 0.03
        won += "won" in str(reply.observation) or str(reply.observation).startswith("You")
    assert won > 0


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("word", ["[hit]", "[stand]", "[double]"])
def test_saying_the_same_always_earns_little(level: int, word: str) -> None:
    rewards = [reward_of(game_named("blackjack"), task, lambda _: word) for task in tasks_of(level)]
    assert set(rewards) == {0.0}


def test_the_same_decisions_meet_the_same_cards() -> None:
    task, game = tasks_of(2)[0], game_named("blackjack")
    rewards = {chance(game, task, np.random.default_rng(5)) for _ in range(3)}
    assert len(rewards) == 1


def test_cards_come_as_often_as_they_should() -> None:
    drawn = [card(seed, 0, 0, 0) for seed in range(4_000)]
    for value, share in CARDS.items():
        assert abs(drawn.count(value) / len(drawn) - share) < 0.03


def test_doubling_is_for_two_cards_and_for_tables_that_allow_it() -> None:
    assert Table().moves(Hand(11, False, 2)) == ("hit", "stand")
    assert Table(double=True).moves(Hand(11, False, 2)) == ("hit", "stand", "double")
    assert Table(double=True).moves(Hand(11, False, 3)) == ("hit", "stand")
