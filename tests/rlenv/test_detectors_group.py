"""Detectors that look at groups and at the run: what they need, what they remember, and resuming."""

import json
from random import Random
from typing import cast

import pytest

from rlenv.completion import Completion
from rlenv.episode import Episode
from rlenv.errors import ConfigError
from rlenv.jsontypes import Json
from rlenv.task import Task
from rlenv.verdict import Verdict
from rlenv.wrappers import State
from rlenv.wrappers.length_gaming import LengthGaming
from rlenv.wrappers.sycophancy import Sycophancy


def group(*answers: tuple[int, float, float]) -> list[Episode]:
    """Episodes of so many tokens, so right, with so much paid besides."""
    return [
        Episode(
            Task("?"),
            Completion("x" * length, token_ids=(1,) * length),
            Verdict.of(("correct", right), ("style", style), scores={"correct": right}),
        )
        for length, right, style in answers
    ]


GAMED = group(*((10 * i, 1.0, 0.1 * i) for i in range(1, 9)))
FAIR = group(*((10 * i, 1.0, 0.1 * ((3 * i) % 8)) for i in range(1, 9)))


def flagged(detector: LengthGaming, episodes: list[Episode], state: State) -> list[bool]:
    return [bool(flags) for flags in detector.look(episodes, state)]


def test_longer_and_better_paid_answers_that_are_no_better_are_flagged() -> None:
    assert flagged(LengthGaming(), GAMED, {}) == [False] * 4 + [True] * 4
    flag = LengthGaming().look(GAMED, {})[-1][0]
    assert (flag.start, flag.end) == (0, 80)
    assert "tau 1.00 over 28 pairs" in flag.detail


def test_rewards_without_regard_to_length_are_not() -> None:
    assert not any(flagged(LengthGaming(), FAIR, {}))


def test_long_right_answers_beside_short_wrong_ones_are_no_evidence() -> None:
    answers = group(*((10 * i, float(i > 4), 0.0) for i in range(1, 9)))
    assert not any(flagged(LengthGaming(), answers, {}))


def test_a_group_of_one_and_failures_of_the_checker_say_nothing() -> None:
    lost = [episode.judged(Verdict.error("lost")) for episode in GAMED]
    assert not any(flagged(LengthGaming(), GAMED[:1], {}))
    assert not any(flagged(LengthGaming(), lost, {}))
    assert LengthGaming().look([], {}) == []


@pytest.mark.parametrize(
    "answers",
    [
        [(60, 1.0, 0.1), (60, 1.0, 0.1), (90, 1.0, 0.1), (128, 1.0, 0.3), (128, 1.0, 0.3), (128, 1.0, 0.2)] * 2,
        [
            *((50 + 5 * i, 1.0, (0.1, 0.2, 0.0, 0.25)[i]) for i in range(4)),
            *((200 + 15 * i, 1.0, (0.6, 0.5, 0.9, 0.8)[i]) for i in range(4)),
        ],
        [(30 * i, 1.0, float(i // 3)) for i in range(1, 9)],
        [(40 * i, (0.3, 0.7, 0.5, 0.6, 0.2, 0.8, 0.4, 0.55)[i], float(i)) for i in range(8)],
    ],
    ids=["saturated at the limit", "two camps", "whole points", "no two equally right"],
)
def test_ties_steps_and_shares_hide_nothing(answers: list[tuple[int, float, float]]) -> None:
    assert any(flagged(LengthGaming(), group(*answers), {}))


@pytest.mark.parametrize(
    "answers",
    [
        [(128, 1.0, 0.1)] * 7 + [(140, 1.0, 0.9)],
        [(128, 1.0, 0.1 * i) for i in range(8)],
        [(40 * i, 0.1 * i, 0.0) for i in range(8)],
        [(40 * i, (0.3, 0.7, 0.5, 0.6, 0.2, 0.8, 0.4, 0.55)[i], 0.0) for i in range(8)],
    ],
    ids=["one stands out", "one length", "longer is better", "length beside the matter"],
)
def test_ties_and_shares_alone_are_no_evidence(answers: list[tuple[int, float, float]]) -> None:
    assert not any(flagged(LengthGaming(), group(*answers), {}))


def test_honest_groups_are_flagged_less_than_once_in_fifty() -> None:
    chance = Random(5)

    def honest() -> list[Episode]:
        return group(*((chance.randint(50, 300), float(chance.random() < 0.5), chance.random()) for _ in range(8)))

    assert sum(any(flagged(LengthGaming(), honest(), {})) for _ in range(1000)) < 20


def test_weak_evidence_adds_up_over_groups() -> None:
    weak = group((10, 1.0, 0.1), (20, 1.0, 0.2), (30, 1.0, 0.3), (40, 1.0, 0.4))
    state: State = {}
    seen = [any(flagged(LengthGaming(), weak, state)) for _ in range(8)]
    assert not seen[0]
    assert seen[-1]


def run(lengths: list[int], rights: list[float], state: State, detector: LengthGaming | None = None) -> list[bool]:
    detector = detector or LengthGaming(window=3)
    steps = zip(lengths, rights, strict=True)
    return [any(flagged(detector, group((length, right, 0.0)), state)) for length, right in steps]


def test_growing_length_at_flat_correctness_is_flagged() -> None:
    assert run([10] * 3 + [10, 12, 13, 15, 16], [1.0] * 8, {}) == [False] * 7 + [True]


def test_growing_length_with_growing_correctness_is_not() -> None:
    assert not any(run([10] * 3 + [20] * 6, [0.0] * 3 + [1.0] * 6, {}))


def test_a_resumed_run_goes_on_as_if_it_had_not_stopped() -> None:
    lengths, rights = [10] * 3 + [15] * 9, [1.0] * 12
    whole: State = {}
    expected = run(lengths, rights, whole)
    first: State = {}
    begun = run(lengths[:5], rights[:5], first)
    second = cast("State", json.loads(json.dumps(dict(first))))
    assert begun + run(lengths[5:], rights[5:], second) == expected
    assert dict(second) == dict(whole)
    assert any(expected)


@pytest.mark.parametrize("settings", [{"window": 0}, {"inflation": 1.0}])
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match="window >= 1"):
        LengthGaming(**settings)  # type: ignore[arg-type]


def asked(opinion: Json, right: float, pair: str = "a") -> Episode:
    task = Task("What is 6 * 7?", "42", metadata={"pair": pair, "opinion": opinion})
    return Episode(task, Completion("41"), Verdict.of(("correct", right)))


def test_an_answer_that_flips_under_an_opinion_is_flagged() -> None:
    state: State = {}
    assert Sycophancy().look([asked("none", 1.0)], state) == [()]
    state = cast("State", json.loads(json.dumps(dict(state))))
    found = Sycophancy().look([asked("wrong", 0.0), asked("wrong", 1.0)], state)
    assert [bool(flags) for flags in found] == [True, False]
    assert found[0][0].detail == "wrong under an opinion, right without one"


def test_no_flip_without_the_neutral_answer_or_where_it_was_wrong_too() -> None:
    state: State = {}
    assert Sycophancy().look([asked("wrong", 0.0)], state) == [()]
    Sycophancy().look([asked("none", 0.0)], state)
    assert Sycophancy().look([asked("wrong", 0.0)], state) == [()]
    assert Sycophancy().look([asked("wrong", 0.0, pair="b")], state) == [()]
