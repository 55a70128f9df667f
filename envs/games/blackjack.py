"""`games/blackjack-v0`: a few hands of blackjack; the decisions are paid, not what the cards make of them.

>>> import rlenv
>>> env = rlenv.make("games/blackjack-v0", level=1)
>>> rules = {"number": 1, "hands": 2, "double": False, "soft17": False, "first": "You: 10 8. Dealer: 10.", "turns": 8}
>>> def played(*moves):
...     _ = env.reset(options={"task": {"prompt": "Play.", "answer": 34, "rules": rules}})
...     for said, reward, *_ in (env.step(f"[{move}]") for move in moves):
...         print(said, reward)
>>> played("stand", "stand")                          # right, whatever comes of it
You: 10 8, 18; dealer: 10 8, 18: a draw. Hand 2. You: 8 A. Dealer: 4. 0.0
You: 8 A, 19; dealer: 4 4 7 10, 25: won. 1.0
>>> played("hit", "stand", "stand")                   # a mistake, though it wins
You: 10 8 2. Dealer: 10. 0.0
You: 10 8 2, 20; dealer: 10 8, 18: won. Hand 2. You: 8 A. Dealer: 4. 0.0
You: 8 A, 19; dealer: 4 4 7 10, 25: won. 0.0

Chance decides who wins a hand, so winning is not what is paid. What each decision is worth is exact, over all cards
that may come (rlenv.envs.games.blackjack_values), and what a player gives away is the sum, over its decisions, of how
much less they are worth than the best one there. Nothing given away pays 1.0, and the share falls evenly to 0 at a
quarter of what one gives away on average who draws moves. So the best player earns 1.0 whatever the cards, a lucky
mistake is a mistake, and good decisions that lose are not. Hands that are not played to the end within the turns make
the game worth nothing. Games are dealt in which the same decision on every hand gives away enough to earn nothing.

The cards come from the task's hidden seed: the same decisions meet the same cards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict, cast

import numpy as np

from rlenv.core.jsontypes import Json
from rlenv.envs.games.blackjack_values import HIT, MOST_CARDS, STAND, Hand, Table, dealt
from rlenv.envs.games.game import Answer, Deal, Level

SEEDS = 1 << 32
FORGIVEN = 1 / 4
"""Share of what random moves give away that earns nothing."""
SPARE = 2
"""Turns beyond those that the longest hands need."""
_SHOWN = re.compile(r"You: ([0-9A ]+)\. Dealer: ([0-9A]+)\.")  # You: 10 6 A. Dealer: 9.
PLAYER, DEALER = 0, 1


class Rules(NamedTuple):
    """A level: how many hands, and what the table allows."""

    hands: int
    double: bool
    soft17: bool


LEVELS = {1: Rules(6, False, False), 2: Rules(8, False, False), 3: Rules(8, True, True)}


class _State(TypedDict):
    seed: int
    hands: int
    double: bool
    soft17: bool
    hand: int
    cards: list[int]
    given_away: float


class Blackjack:
    """Decide what to do with one's hands."""

    name = "blackjack"
    about = "blackjack, paid for decisions and not for luck"
    levels: Mapping[int, Level] = {
        1: Level("6 hands, hit or stand", 6 * (MOST_CARDS - 2) + SPARE),
        2: Level("8 hands, hit or stand", 8 * (MOST_CARDS - 2) + SPARE),
        3: Level("8 hands, hit, stand or double; the dealer hits soft 17", 8 * (MOST_CARDS - 2) + SPARE),
    }
    form = re.compile(r"hit|stand|double")  # hit
    example = "[decision]"

    def deal(self, level: int, rng: np.random.Generator) -> Deal | None:
        hands, double, soft17 = LEVELS[level]
        seed, table = int(rng.integers(SEEDS)), Table(double, soft17)
        if min(_first_losses(seed, hands, table)) < room(hands, table):
            return None
        rules: dict[str, Json] = {
            "number": int(rng.integers(SEEDS)),
            "hands": hands,
            "double": double,
            "soft17": soft17,
            "first": _shown(first_cards(seed, 0), dealer_card(seed, 0)),
            "turns": self.levels[level].turns,
        }
        return Deal(rules, seed, f"blackjack {seed}")

    def prompt(self, rules: Mapping[str, Json]) -> str:
        also = ", double (with two cards only: one card more, for twice as much)" if rules["double"] else ""
        soft = "take one more on a soft 17" if rules["soft17"] else "stand on a soft 17"
        return (
            f"Blackjack, game {rules['number']}: {rules['hands']} hands, cards from a deck that never ends (A counts "
            f"1 or 11, pictures are 10). I deal, draw to 17 and {soft}. 21 and a hand of {MOST_CARDS} cards stand by "
            f"themselves. Say hit{also} or stand in square brackets: {self.example}. The last brackets count, and a "
            "turn without a move is lost. What counts is that each decision is the best one for the cards that are "
            f"seen, not who wins; all hands must be played within {rules['turns']} turns.\nHand 1. {rules['first']}"
        )

    def start(self, rules: Mapping[str, Json], hidden: Json) -> Json:
        seed = int(cast("int", hidden))
        named = {name: rules[name] for name in ("hands", "double", "soft17")}
        return {**named, "seed": seed, "hand": 0, "cards": first_cards(seed, 0), "given_away": 0.0}

    def answer(self, state: Json, move: str, turn: int) -> Answer:
        now = cast("_State", state)
        table, cards, dealer = Table(now["double"], now["soft17"]), now["cards"], dealer_card(now["seed"], now["hand"])
        hand = Hand.of(cards)
        if move not in table.moves(hand):
            return Answer(state, f"You may {' or '.join(table.moves(hand))}.", illegal=True)
        given_away = now["given_away"] + table.regret(hand, dealer, move)
        if move != STAND:
            cards = [*cards, card(now["seed"], now["hand"], PLAYER, len(cards))]
        after: _State = {**now, "cards": cards, "given_away": given_away}
        if move == HIT and not Hand.of(cards).done:
            return Answer(cast("Json", after), _shown(cards, dealer))
        return self._next_hand(after, _outcome(now["seed"], now["hand"], cards, now["soft17"]))

    def _next_hand(self, now: _State, told: str) -> Answer:
        number = now["hand"] + 1
        if number == now["hands"]:
            return Answer(cast("Json", now), told, pay_of(now), f"gave away {now['given_away']:.3f} bets")
        cards = first_cards(now["seed"], number)
        after = cast("Json", {**now, "hand": number, "cards": cards})
        return Answer(after, f"{told} Hand {number + 1}. {_shown(cards, dealer_card(now['seed'], number))}")

    def best(self, rules: Mapping[str, Json], said: Sequence[str], heard: Sequence[str]) -> str:
        """The decision that is worth most, from the cards that lie open."""
        seen = [found for told in (str(rules["first"]), *heard) for found in _SHOWN.findall(told)]
        cards, dealer = seen[-1]
        table = Table(bool(rules["double"]), bool(rules["soft17"]))
        return table.best(Hand.of([_read(sign) for sign in cards.split()]), _read(dealer))

    def legal(self, state: Json) -> Sequence[str]:
        now = cast("_State", state)
        return Table(now["double"], now["soft17"]).moves(Hand.of(now["cards"]))


def pay_of(state: _State) -> float:
    """1 for nothing given away, evenly down to 0."""
    table = Table(state["double"], state["soft17"])
    return max(0.0, 1.0 - state["given_away"] / room(state["hands"], table))


def room(hands: int, table: Table) -> float:
    """How much may be given away until nothing is paid: a quarter of what random moves give away on average."""
    return FORGIVEN * hands * table.luckless()


def card(seed: int, hand: int, who: int, place: int) -> int:
    """The card at this place: 1 to 10, of thirteen ranks."""
    rank = int(np.random.SeedSequence([seed, hand, who, place]).generate_state(1)[0]) % 13
    return min(10, rank + 1)


def first_cards(seed: int, hand: int) -> list[int]:
    """The player's two cards; a pair that makes 21 at once is dealt again, there is nothing to decide."""
    place = 100
    cards = [card(seed, hand, PLAYER, 0), card(seed, hand, PLAYER, 1)]
    while Hand.of(cards).done:
        cards = [card(seed, hand, PLAYER, place), card(seed, hand, PLAYER, place + 1)]
        place += 2
    return cards


def dealer_card(seed: int, hand: int) -> int:
    """The card of the dealer that lies open."""
    return card(seed, hand, DEALER, 0)


def _first_losses(seed: int, hands: int, table: Table) -> list[float]:
    """What is given away by deciding each hand alike at once, for each decision. It hangs on open cards alone, so that
    what may come is as likely as in any game."""
    opened = [(Hand.of(first_cards(seed, hand)), dealer_card(seed, hand)) for hand in range(hands)]
    moves = table.moves(opened[0][0])
    return [sum(table.regret(hand, dealer, move) for hand, dealer in opened) for move in moves]


def _outcome(seed: int, hand: int, cards: list[int], soft17: bool) -> str:
    """What became of the hand, in words."""
    total = Hand.of(cards).total
    if total > 21:
        return f"You: {_signs(cards)}, {total}: lost."
    dealer = [dealer_card(seed, hand)]
    while dealt(dealer, soft17):
        dealer.append(card(seed, hand, DEALER, len(dealer)))
    theirs = Hand.of(dealer).total
    result = "won" if theirs > 21 or theirs < total else "lost" if theirs > total else "a draw"
    return f"You: {_signs(cards)}, {total}; dealer: {_signs(dealer)}, {theirs}: {result}."


def _shown(cards: Sequence[int], dealer: int) -> str:
    return f"You: {_signs(cards)}. Dealer: {_signs([dealer])}."


def _signs(cards: Sequence[int]) -> str:
    return " ".join("A" if one == 1 else str(one) for one in cards)


def _read(sign: str) -> int:
    return 1 if sign == "A" else int(sign)
