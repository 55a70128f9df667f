"""DAPO's draws: until enough groups hold two different rewards, and never without end."""

import pytest
import torch
from digits import config, digits
from scripted import LONGEST, ScriptedPolicy

from rlenv.env.batch import BatchEnvironment
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.rollouts.collect import Collected, collect
from rlenv.trainers.settings.changes import with_changes
from rlenv.trainers.updates.prepare import Judges, prepared

GROUPS, GROUP_SIZE, MAX_REFILLS = 4, 2, 3


def _seldom(text: str) -> float:
    """Paid for one completion in four: most groups of two are equal."""
    return float(sum(map(ord, text)) % 4 == 0)


def _never(text: str) -> float:
    return 0.0


def _settings(**drawing: bool) -> TrainConfig:
    row = with_changes(
        ALGORITHMS["dapo"],
        {
            "drawing.overlong_buffer": 0.0,
            "drawing.max_refills": MAX_REFILLS,
            **{f"drawing.{name}": value for name, value in drawing.items()},
        },
    )
    return config(algorithm=row, groups=GROUPS, group_size=GROUP_SIZE, max_new_tokens=LONGEST)


def _collected(pay: object, settings: TrainConfig) -> Collected:
    def paid(completion: str, answer: str) -> float:
        return pay(completion)  # type: ignore[operator,no-any-return]

    policy = ScriptedPolicy(tiny_policy(0), pay, GROUP_SIZE)  # type: ignore[arg-type]
    return collect(BatchEnvironment(digits(paid), group_size=GROUP_SIZE), policy, settings, 0)


def test_groups_are_drawn_until_enough_of_them_differ() -> None:
    found = _collected(_seldom, _settings())
    rollout = found.rollout
    assert len(rollout) == GROUPS * GROUP_SIZE
    assert bool(varied(rollout.rewards, rollout.graded, GROUP_SIZE).all())
    assert found.metrics["dynamic_sampling/draws"] > 1
    assert found.metrics["dynamic_sampling/groups_drawn"] == len(found.episodes) / GROUP_SIZE > GROUPS
    assert [e.verdict.reward for e in found.trained] == rollout.rewards.tolist()
    assert len({e.index for e in found.episodes}) == len(found.episodes)


def test_the_draws_end_where_nothing_differs_and_the_rollout_is_filled_up() -> None:
    found = _collected(_never, _settings())
    assert found.metrics["dynamic_sampling/draws"] == 1 + MAX_REFILLS
    assert found.metrics["dynamic_sampling/groups_with_signal"] == 0
    assert len(found.rollout) == GROUPS * GROUP_SIZE


def test_groups_without_a_difference_are_left_out_of_the_denominators() -> None:
    """With the filter, a rollout weighs as if only the groups that differ had been drawn."""
    whole = _collected(_seldom, _settings(refill=False)).rollout
    signal = varied(whole.rewards, whole.graded, GROUP_SIZE)
    assert bool(signal.any())
    assert not bool(signal.all())
    judges = Judges(policy=tiny_policy(0).model, temperature=1.0, micro_batch_tokens=10_000)
    ready, _ = prepared(whole, _settings(refill=False).row, GROUP_SIZE, judges)
    kept = signal.repeat_interleave(GROUP_SIZE)
    assert torch.equal(ready.mask, whole.mask * kept[:, None])


def test_without_the_choice_one_draw_is_all() -> None:
    found = _collected(_never, _settings(refill=False))
    assert len(found.episodes) == GROUPS * GROUP_SIZE
    assert "dynamic_sampling/draws" not in found.metrics


@pytest.mark.parametrize("name", ["refill", "drop_constant_groups"])
def test_dapo_makes_both_choices(name: str) -> None:
    assert getattr(ALGORITHMS["dapo"].drawing, name)
