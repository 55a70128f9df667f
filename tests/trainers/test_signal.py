"""Filters, samplers and selections read what the verifier said; a penalty on length alone is no signal."""

from dataclasses import replace

import pytest
import torch
from digits import config, digits
from scripted import LONGEST, ScriptedPolicy

from rlenv import Completion, Episode, PassRateSampler, Task, Verdict
from rlenv.core.wrapper import State
from rlenv.env.batch import BatchEnvironment
from rlenv.judge.wrapping import apply_wrappers
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS, TrainConfig
from rlenv.trainers.algorithms.advantages import varied
from rlenv.trainers.algorithms.choices import Signal
from rlenv.trainers.branches.rationalise import passes
from rlenv.trainers.mixtures.environments import training_environment
from rlenv.trainers.rollouts.collect import Collected, collect
from rlenv.trainers.settings.changes import with_changes
from rlenv.trainers.updates.prepare import Judges, prepared
from rlenv.trainers.updates.selection import with_selection
from rlenv.trainers.updates.steps import has_signal
from rlenv.wrappers import OverlongPenalty

GROUPS, SIZE = 4, 4
SIGNALS: tuple[Signal, ...] = ("verdict", "reward")


class TakesAway:
    """Judges the answer, as a detector does: what is long loses what it was paid."""

    name = "takes_away"

    def judge(self, episodes: list[Episode], state: State) -> list[Verdict]:
        paid = [e.verdict.reward or 0.0 for e in episodes]
        long = [len(e.completion.token_ids) > 2 for e in episodes]
        judged = zip(episodes, paid, long, strict=True)
        return [e.verdict.with_part(self.name, -p) if x else e.verdict for e, p, x in judged]


def _settings(name: str, signal: Signal) -> TrainConfig:
    changes = {"drawing.signal": signal, "drawing.overlong_buffer": 1.0, "drawing.max_refills": 2}
    row = with_changes(ALGORITHMS[name], changes)
    return config(algorithm=row, groups=GROUPS, group_size=SIZE, max_new_tokens=LONGEST)


def _collected(name: str, signal: Signal, pays: float) -> tuple[Collected, TrainConfig]:
    """A rollout whose verifier pays everything alike, under a penalty on every token."""
    settings = _settings(name, signal)
    policy = ScriptedPolicy(tiny_policy(0), lambda text: pays, SIZE)
    environment = training_environment(digits(lambda completion, answer: pays), settings, None)
    return collect(environment, policy, settings, 0), settings


@pytest.mark.parametrize("signal", SIGNALS)
def test_where_the_verifier_always_pays_0_no_group_of_dapo_counts(signal: Signal) -> None:
    found, settings = _collected("dapo", signal, 0.0)
    rewards = found.rollout.rewards
    assert bool(varied(rewards, found.rollout.graded, SIZE).all())  # the penalty makes every group differ
    expected = 0 if signal == "verdict" else GROUPS
    assert found.metrics["dynamic_sampling/groups_with_signal"] == expected
    assert found.metrics["dynamic_sampling/draws"] == (3 if signal == "verdict" else 1)
    judges = Judges(policy=tiny_policy(0).model, temperature=1.0, micro_batch_tokens=10_000)
    ready, _ = prepared(found.rollout, settings.row, SIZE, judges)
    counted = (ready.mask.sum(1) > 0).view(-1, SIZE).any(1)
    assert int(counted.sum()) == expected
    assert has_signal(ready, settings, SIZE) == (signal == "reward")


@pytest.mark.parametrize("name", ["star", "rest"])
@pytest.mark.parametrize("signal", SIGNALS)
def test_a_right_answer_is_kept_however_long_it_is(name: str, signal: Signal) -> None:
    found, settings = _collected(name, signal, 1.0)
    judges = Judges(policy=tiny_policy(0).model, temperature=1.0, micro_batch_tokens=10_000)
    ready, _ = prepared(found.rollout, settings.row, SIZE, judges)
    rule = settings.row.selection
    assert rule is not None
    kept = with_selection(ready, rule, SIZE).mask.any(1)
    assert bool(kept.all()) if signal == "verdict" else not bool(kept.any())
    assert all(passes(episode, 1.0) for episode in found.trained)


@pytest.mark.parametrize("by_reward", [False, True])
def test_the_pass_rate_is_that_of_the_verdicts(by_reward: bool) -> None:
    environment = digits(lambda completion, answer: 1.0, wrappers=(OverlongPenalty(4, 4),))
    sampler = PassRateSampler(environment.tasks, by="task", by_reward=by_reward)
    batch = BatchEnvironment(environment, sampler=sampler)
    batch.reset(tasks=[environment.tasks[0]])
    [episode] = batch.step([Completion("x", (5, 6), (0.0, 0.0))])
    assert episode.verdict.reward == 0.5
    rate = sampler.pass_rates()[environment.tasks[0].id]
    assert rate == (0.25 if by_reward else 0.75)


def _judged(*wrappers: object, reward: float | None = 1.0) -> list[float | None]:
    verdict = Verdict.error("broken") if reward is None else Verdict.of(("correct", reward))
    said = [Completion("x", (5,) * n, (0.0,) * n) for n in (1, 4)]
    group = [Episode(Task("?"), completion, verdict) for completion in said]
    return [e.signal for e in apply_wrappers(wrappers, group, {})]  # type: ignore[arg-type]


def test_a_wrapper_that_judges_the_answer_is_heard_and_one_that_shapes_is_not() -> None:
    overlong = OverlongPenalty(4, 4)
    assert _judged() == [1.0, 1.0]
    assert _judged(overlong) == [1.0, 1.0]
    assert _judged(TakesAway()) == [1.0, 0.0]
    assert _judged(TakesAway(), overlong) == [1.0, 0.0]
    assert _judged(overlong, replace(overlong, weight=0.5)) == [1.0, 1.0]
    assert _judged(overlong, reward=None) == [None, None]


def test_the_episode_that_is_kept_is_the_same_with_and_without_what_was_not_saved() -> None:
    episode = Episode(Task("?"), Completion("x"), Verdict.of(("correct", 1.0)), unshaped=0.5)
    again = Episode.from_json(episode.to_json())
    assert again == episode
    assert again.signal == 1.0


def test_a_rollout_saved_before_there_were_signals_reads_its_rewards() -> None:
    found, _ = _collected("dapo", "verdict", 0.0)
    state = found.rollout.state()
    older = {name: value for name, value in state.items() if name not in ("signals", "cut")}
    again = type(found.rollout).from_state(older)
    torch.testing.assert_close(again.signals, found.rollout.rewards)
    assert not bool(again.cut.any())
