"""The rules over a run: each breaks on what it is for, holds beside it, and says so once."""

import csv
import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from rlenv.core.completion import Completion
from rlenv.core.episode import Episode
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.core.verdict import Flag, Verdict
from rlenv.trainers.monitors import RULES, Monitor, Rules, default_monitors
from rlenv.trainers.monitors.kinds import (
    EntropyCollapse,
    FlagRise,
    Jump,
    KlBound,
    LengthDrift,
    LikelihoodDisplacement,
    PartDomination,
    RewardFall,
    VerifierFailures,
    ZeroVariance,
)
from rlenv.trainers.monitors.rules import RolloutMetrics, Rule, mean, reading_of

CALM = RolloutMetrics(
    reward=0.5,
    correct=0.5,
    length=20.0,
    errors=0.0,
    parts={"correct": 0.5},
    flags={},
    zero_variance=0.3,
    entropy=0.4,
    kl=0.01,
    error=0.03,
    chosen=-6.0,
)


def raised(rule: Rule, *readings: RolloutMetrics, window: int = 1) -> list[int]:
    """At which rollouts the rule raised an alarm."""
    rules = Rules([rule], window=window)
    return [alarm.step for step, reading in enumerate(readings) for alarm in rules.read(step, reading)]


def paid(correct: float, style: float) -> RolloutMetrics:
    return replace(CALM, reward=correct + style, correct=correct, parts={"correct": correct, "style": style})


def test_length_that_grows_without_rightness_is_seen_and_with_rightness_is_not() -> None:
    longer = replace(CALM, length=27.0)
    assert raised(LengthDrift(), CALM, CALM, longer) == [2]
    assert raised(LengthDrift(), CALM, CALM, replace(longer, correct=0.6, reward=0.6)) == []
    assert raised(LengthDrift(), CALM, CALM, replace(CALM, length=25.0)) == []


def test_length_that_slowly_creeps_up_over_many_windows_is_seen() -> None:
    creeping = [replace(CALM, length=20.0 * 1.03**i) for i in range(20)]
    assert raised(LengthDrift(), *creeping) == [9]


def windows(*means: float, error: float | None = 0.03) -> list[RolloutMetrics]:
    """Windows of four rollouts with these mean rewards, each known to within a standard error."""
    return [replace(CALM, reward=mean, error=error) for mean in means for _ in range(4)]


@pytest.mark.parametrize(
    ("means", "falls"),
    [
        ((0.3, 0.6, 0.6, 0.4), True),
        ((0.3, 0.6, 0.6, 0.55), False),
        ((0.3, 0.6, 0.6, 0.6), False),
        ((0.6, 0.5, 0.4, 0.3), True),  # slowly, below the first window, which is the best
        ((-0.2, -0.2, -0.6), True),
    ],
)
def test_a_reward_that_falls_is_seen_once_and_not_before_it_falls(means: tuple[float, ...], falls: bool) -> None:
    alarms = raised(RewardFall(), *windows(*means), window=4)
    assert len(alarms) == falls
    assert all(step >= 8 for step in alarms)


@pytest.mark.parametrize("error", [0.08, None])
def test_a_reward_that_may_have_fallen_by_chance_is_no_fall(error: float | None) -> None:
    assert raised(RewardFall(), *windows(0.5, 0.5, 0.3, error=error), window=4) == []


def test_the_error_of_a_reward_is_over_tasks_and_shrinks_with_the_window() -> None:
    rewards = {"a": (1.0, 1.0), "b": (0.0, 1.0), "c": (0.0, 0.0)}
    episodes = [
        Episode(Task("?", id=name), Completion("!"), Verdict(reward)) for name, two in rewards.items() for reward in two
    ]
    reading = reading_of(episodes, {})
    assert reading is not None
    assert reading.error == pytest.approx(0.5 / 3**0.5)
    assert mean([reading] * 4).error == pytest.approx(0.5 / 3**0.5 / 2)
    assert mean([reading, replace(reading, error=None)]).error is None
    one = reading_of(episodes[:2], {})
    assert one is not None
    assert one.error is None


def test_a_part_that_carries_the_rise_is_seen_unless_it_pays_for_being_right() -> None:
    before = paid(0.5, 0.0)
    assert raised(PartDomination(), before, before, paid(0.5, 0.2)) == [2]
    assert raised(PartDomination(), before, before, paid(0.7, 0.0)) == []
    assert raised(PartDomination(), before, before, paid(0.6, 0.1)) == []
    assert raised(PartDomination(), before, before, paid(0.5, 0.05)) == []


def test_a_penalty_that_is_no_longer_incurred_is_no_hack() -> None:
    assert raised(PartDomination(), paid(0.5, -0.4), paid(0.5, -0.4), paid(0.5, 0.0)) == []


def test_a_flag_that_spreads_is_seen_and_one_that_was_always_there_is_not() -> None:
    often, rare = replace(CALM, flags={"hedging": 0.3}), replace(CALM, flags={"hedging": 0.05})
    assert raised(FlagRise(), CALM, CALM, rare, often) == [3]
    assert raised(FlagRise(), often, often, often, replace(CALM, flags={"hedging": 0.38})) == []


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        (ZeroVariance(), replace(CALM, zero_variance=0.95), replace(CALM, zero_variance=0.85)),
        (ZeroVariance(), replace(CALM, zero_variance=1.0), replace(CALM, zero_variance=None)),
        (VerifierFailures(), replace(CALM, errors=0.03), replace(CALM, errors=0.02)),
        (EntropyCollapse(), replace(CALM, entropy=0.03, correct=1.0), replace(CALM, entropy=0.05, correct=1.0)),
        (EntropyCollapse(), replace(CALM, entropy=0.0), replace(CALM, entropy=None)),
        (EntropyCollapse(), replace(CALM, entropy=0.19), replace(CALM, entropy=0.21)),
        (EntropyCollapse(), replace(CALM, entropy=0.09, correct=0.75), replace(CALM, entropy=0.11, correct=0.75)),
        (LikelihoodDisplacement(), replace(CALM, chosen=-7.6), replace(CALM, chosen=-7.4)),
        (LikelihoodDisplacement(), replace(CALM, chosen=-20.0), replace(CALM, chosen=None)),
        (KlBound(), replace(CALM, kl=1.5), replace(CALM, kl=0.9)),
        (KlBound(), replace(CALM, kl=1.5), replace(CALM, kl=None)),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else "",
)
def test_a_level_is_crossed_or_is_not(rule: Rule, bad: RolloutMetrics, good: RolloutMetrics) -> None:
    assert raised(rule, CALM, CALM, bad) == [2]
    assert raised(rule, CALM, CALM, good) == []


@pytest.mark.parametrize(("reward", "at"), [(0.9, [5]), (0.1, [5]), (0.65, [])])
def test_a_reward_that_jumps_up_or_down_is_seen(reward: float, at: list[int]) -> None:
    steady = [replace(CALM, reward=0.5 + 0.01 * (-1) ** i) for i in range(5)]
    assert raised(Jump(), *steady, replace(CALM, reward=reward), window=5) == at


def test_a_reward_that_always_swings_widely_does_not_jump() -> None:
    swinging = [replace(CALM, reward=0.5 + 0.3 * (-1) ** i) for i in range(10)]
    assert raised(Jump(), *swinging, window=5) == []


def test_a_rule_speaks_once_and_again_only_after_it_held_for_a_whole_window() -> None:
    bad = replace(CALM, errors=1.0)
    assert raised(VerifierFailures(), bad, bad, bad) == [0]
    assert raised(VerifierFailures(), bad, CALM, bad, CALM, CALM, bad, window=1) == [0, 2, 5]
    wide = [bad, *[CALM] * 2, bad, *[CALM] * 5, bad]
    assert raised(VerifierFailures(), *wide, window=2) == [1, 9]


def test_a_few_failures_of_the_verifier_are_chance_and_as_large_a_share_of_many_is_not() -> None:
    few, many = (replace(CALM, errors=0.03, episodes=count) for count in (128, 12_800))
    assert raised(VerifierFailures(), few, few) == []
    assert raised(VerifierFailures(), many) == [0]
    assert raised(VerifierFailures(), *[few] * 20, window=20) == [19]


def test_a_monitor_that_is_saved_anywhere_and_loaded_raises_the_same_alarms() -> None:
    run = [replace(CALM, length=20.0 + i, errors=0.1 * (i % 4 == 0), entropy=0.4 / (i + 1)) for i in range(30)]
    whole = default_monitors(window=3)[0]
    expected = [whole.read(step, reading) for step, reading in enumerate(run)]
    assert sum(map(len, expected)) >= 3
    for stop in (1, 2, 7, 15):
        first, second = default_monitors(window=3)[0], default_monitors(window=3)[0]
        found = [first.read(step, reading) for step, reading in enumerate(run[:stop])]
        second.load_state_dict(json.loads(json.dumps(first.state_dict())))
        found += [second.read(step, reading) for step, reading in enumerate(run) if step >= stop]
        assert found == expected


def test_the_alarm_of_a_rule_that_stops_says_so() -> None:
    rules = Rules([VerifierFailures(), KlBound()], window=1, stop_on=["kl_bound"])
    alarms = rules.read(0, replace(CALM, errors=1.0, kl=9.0))
    assert [(alarm.name, alarm.stop) for alarm in alarms] == [("verifier_failures", False), ("kl_bound", True)]


def test_rules_are_chosen_by_name_and_an_unknown_one_is_refused_with_the_list() -> None:
    assert isinstance(default_monitors()[0], Monitor)
    assert default_monitors("jump,default")[0].rules[0].name == "jump"
    assert len(default_monitors("jump,default")[0].rules) == len(RULES)
    assert default_monitors("") == []
    with pytest.raises(ConfigError, match="no rule 'lenght'; there are: length_drift, part_domination"):
        default_monitors("lenght")
    with pytest.raises(ConfigError, match="stop_on"):
        default_monitors("jump", stop_on=["kl_bound"])


def test_a_reading_counts_what_was_graded() -> None:
    right = Verdict.of(("correct", 1.0), ("style", 0.5), flags=[Flag("odd"), Flag("odd", 1, 2)])
    verdicts = [right, Verdict.of(("correct", 0.0)), Verdict.error("lost")]
    episodes = [Episode(Task("?"), Completion("abc", token_ids=(1, 2)), verdict) for verdict in verdicts]
    reading = reading_of(episodes, {"entropy": 0.5})
    assert reading == RolloutMetrics(
        reward=0.75,
        correct=0.5,
        length=2.0,
        errors=1 - 2 / 3,
        parts={"correct": 0.5, "style": 0.25},
        flags={"odd": 0.5},
        entropy=0.5,
        episodes=3,
    )
    assert reading_of(episodes[2:], {}) is None


def test_correctness_is_the_part_else_the_score_else_the_reward() -> None:
    def correct(verdict: Verdict) -> float:
        reading = reading_of([Episode(Task("?"), Completion("x"), verdict)], {})
        assert reading is not None
        return reading.correct

    assert correct(Verdict.of(("correct", 0.5), ("style", 0.2), scores={"correct": 9.0})) == 0.5
    assert correct(Verdict.of(("judge", 0.7), scores={"correct": 1.0})) == 1.0
    assert correct(Verdict.of(("judge", 0.7))) == 0.7


def test_a_mean_of_readings_takes_what_is_missing_for_nothing() -> None:
    other = replace(CALM, flags={"odd": 0.4}, parts={"correct": 0.5, "style": 0.2}, entropy=None)
    both = mean([CALM, other])
    assert both.flags == {"odd": 0.2}
    assert both.parts == {"correct": 0.5, "style": 0.1}
    assert both.entropy == 0.4


def test_the_table_of_the_docs_has_every_rule_with_its_defaults() -> None:
    with (Path(__file__).parents[2] / "docs" / "data" / "rules.tsv").open(encoding="utf-8", newline="") as file:
        told = {row["rule"].strip("`"): " ".join(row.values()) for row in csv.DictReader(file, delimiter="\t")}
    assert set(told) == {*RULES, "gold_gap", "gold_fall"}
    for name, kind in RULES.items():
        defaults = [field.default for field in fields(kind) if isinstance(field.default, float)]  # type: ignore[arg-type]
        shown = [
            any(text in told[name] for text in (f"{value:g}", f"{value:.0%}".replace("%", " %"))) for value in defaults
        ]
        assert all(shown), (name, defaults)
