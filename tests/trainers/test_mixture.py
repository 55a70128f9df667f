"""Several environments in one run: shares, rewards that never meet, one that stops alone, and an exact resume."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import config, digits, policy, warm
from number_game import guessing

from rlenv import Completion, Definition, Episode, Task, Verdict, read_episodes
from rlenv.core.errors import ConfigError, TooManyVerifierErrors
from rlenv.trainers import ALGORITHMS, Member, Mixture, TrainConfig, Trainer, train, with_changes
from rlenv.trainers.loop.checkpoint import fingerprint
from rlenv.trainers.loop.environments import Environments
from rlenv.trainers.loop.source import joined_rollouts
from rlenv.trainers.records.logs import read_alarms, read_metrics
from rlenv.trainers.rollouts.rollout import Part, Rollout, group_numbers, in_groups, rollout_of
from rlenv.trainers.updates.prepare import FrozenModels, prepared
from rlenv.trainers.updates.update import Step

NOBODY = FrozenModels(policy=None, temperature=1.0, micro_batch_tokens=99)  # type: ignore[arg-type]


def broken(completion: str, answer: str) -> bool:
    raise OSError("the checker's database is away")


def named(definition: Definition, id: str) -> Definition:
    return replace(definition, id=id)


def members(*weights: float) -> list[Member]:
    return [Member(env=named(digits(), f"test/{place}-v0"), weight=weight) for place, weight in enumerate(weights)]


def mixture(checker: Any = broken) -> Mixture:
    """A digit, a game of several turns in larger groups, and a checker that fails whenever it is asked."""
    return Mixture(
        [
            Member(env=digits(), weight=2),
            Member(env=guessing(), group_size=6, sampler="pass-rate"),
            Member(env=named(digits(checker), "test/broken-v0")),
        ]
    )


def settings(**given: Any) -> TrainConfig:
    return config(**{"groups": 12, "steps": 6, "warmup_steps": 0, "save_every": 1, **given})


def groups_of(environments: Environments, step: int) -> dict[str, int]:
    return {name: own.groups for name, _, own in environments.drawing(step)}


def test_groups_follow_the_weights_at_every_rollout_to_within_one() -> None:
    environments = Environments(Mixture(members(5, 3, 1)), settings(groups=7), None)
    exact = {"test/0-v0": 35 / 9, "test/1-v0": 21 / 9, "test/2-v0": 7 / 9}
    drawn = [groups_of(environments, step) for step in range(600)]
    for groups in drawn:
        assert sum(groups.values()) == 7
        assert all(abs(groups.get(name, 0) - wanted) < 1 for name, wanted in exact.items())
    means = {name: sum(groups.get(name, 0) for groups in drawn) / 600 for name in exact}
    assert means == pytest.approx(exact, abs=0.1)


@pytest.mark.parametrize(("temperature", "shares"), [(1.0, [0.1, 0.9]), (2.0, [0.25, 0.75]), (0.5, [1 / 82, 81 / 82])])
def test_a_temperature_evens_the_shares_out_or_sharpens_them(temperature: float, shares: list[float]) -> None:
    environments = Environments(Mixture(members(1, 9), temperature), settings(), None)
    assert list(environments.shares().values()) == pytest.approx(shares)


def _episode(reward: float | None, length: int, env: str = "", group: int = 0) -> Episode:
    verdict = Verdict.error("broken") if reward is None else Verdict.of(("correct", reward))
    said = Completion("x", (7,) * length, (-1.0,) * length)
    return Episode(Task("?"), said, verdict, (5,) * length, env_id=env, group=group)


def _rollout(rewards: list[float | None], first: int) -> Rollout:
    episodes = [_episode(reward, first + place) for place, reward in enumerate(rewards)]
    rollout = rollout_of(episodes, 0, [[]] * len(rewards))
    return replace(rollout, ref_logprobs=rollout.old_logprobs - 0.5 * rollout.mask)


@pytest.mark.parametrize(
    "name", ["reinforce-baseline", "reinforce++", "reinforce++-baseline", "rloo", "grpo", "gfpo", "dapo", "pass-at-k"]
)
def test_advantages_are_those_that_each_environment_has_alone(name: str) -> None:
    row, baselines = ALGORITHMS[name], {"few": 0.25, "many": -3.0}
    few, many = _rollout([0.0, 1.0, None, 0.5], 2), _rollout([80.0, 20.0, 50.0, 50.0, 50.0, 50.0], 3)
    parts = [Part("few", 4, 2), Part("many", 6, 3)]
    ready, _ = prepared(joined_rollouts([few, many], 0), row, parts, NOBODY, baselines)
    for alone, rows, part in ((few, slice(0, 4), parts[0]), (many, slice(4, 10), parts[1])):
        wanted, _ = prepared(alone, row, part.group_size, NOBODY, {"": baselines[part.name]})
        width = alone.mask.shape[1]
        torch.testing.assert_close(ready.advantages[rows, :width], wanted.advantages, rtol=0, atol=0)
        assert torch.equal(ready.mask[rows, :width], wanted.mask)
        assert not ready.advantages[rows, width:].any()


def test_groups_of_two_sizes_stay_whole() -> None:
    parts = [Part("a", 4, 2), Part("b", 6, 3)]
    assert group_numbers(torch.arange(10), parts).tolist() == [0, 0, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [rows.tolist() for rows in in_groups(torch.tensor([7, 8, 9, 0, 1]), parts)] == [[7, 8, 9], [0, 1]]
    shared = [index for index, _ in Step(row=ALGORITHMS["grpo"]).shares(_rollout([1.0] * 10, 1), torch.arange(10))]
    assert sorted(torch.cat(shared).tolist()) == list(range(10))


def test_an_environment_whose_checker_fails_stops_only_itself(tmp_path: Path) -> None:
    train(settings(), mixture(), warm(), tmp_path, quiet=True)
    found = Counter((e.step, e.env_id) for e in read_episodes(tmp_path))
    assert sum(count for (step, _), count in found.items() if step >= 3) > 0
    last = max(step for (step, name) in found if name == "test/broken-v0")
    assert found[last, "test/digits-v0"] < found[5, "test/digits-v0"] == 32  # two thirds of twelve groups of four
    assert found[5, "test/guessing-v0"] == 24
    (alarm,) = read_alarms(tmp_path)
    assert (alarm.name, alarm.step, alarm.stop, alarm.value) == ("environment_stopped", last, False, 1.0)
    assert alarm.message.startswith("test/broken-v0 has stopped and the others go on in its place: the verifier failed")
    assert "the checker's database is away" in alarm.message


def test_metrics_are_of_each_environment_and_of_all(tmp_path: Path) -> None:
    train(settings(steps=1), mixture(lambda completion, answer: completion == answer), warm(), tmp_path, quiet=True)
    (metrics,) = read_metrics(tmp_path / "metrics.jsonl")
    episodes = list(read_episodes(tmp_path))
    assert [e.index for e in episodes] == list(range(len(episodes)))
    sizes = {"test/digits-v0": 4, "test/guessing-v0": 6, "test/broken-v0": 4}
    rewards = {name: [e.verdict.reward or 0.0 for e in episodes if e.env_id == name] for name in sizes}
    varied = 0
    for name, size in sizes.items():
        assert metrics[f"env/{name}/reward"] == pytest.approx(sum(rewards[name]) / len(rewards[name]))
        groups = [rewards[name][i : i + size] for i in range(0, len(rewards[name]), size)]
        assert metrics[f"env/{name}/groups"] == len(groups)
        differ = sum(len(set(group)) > 1 for group in groups)
        assert metrics[f"env/{name}/frac_reward_zero_std"] == pytest.approx(1 - differ / len(groups))
        varied += differ
    assert metrics["reward"] == pytest.approx(sum(map(sum, rewards.values())) / len(episodes))
    assert metrics["frac_reward_zero_std"] == pytest.approx(1 - varied / 12)
    assert metrics["env/test/guessing-v0/turns/mean"] > 1
    assert [len({e.task.id for e in members}) for members in _by_group(episodes)] == [1] * 12


def _by_group(episodes: list[Episode]) -> list[list[Episode]]:
    return [[e for e in episodes if e.group == group] for group in sorted({e.group for e in episodes})]


@pytest.mark.parametrize(
    "row", [with_changes(ALGORITHMS["reinforce-baseline"], {"advantage.whiten": True}), "ppo", "kto", "star"]
)
def test_a_run_that_was_cut_in_the_middle_of_a_rollout_ends_the_same(row: Any, tmp_path: Path) -> None:
    given = settings(algorithm=row, steps=2, minibatches=3, save_every=1)
    whole = train(given, mixture(), warm(), tmp_path / "whole", quiet=True)
    trainer = Trainer(given, mixture(), warm(), tmp_path / "cut", quiet=True)
    trainer.step()
    trainer.learner.update(trainer.collect(), trainer.position)
    trainer.save()
    trainer.close()
    resumed = train(given, mixture(), warm(), tmp_path / "cut", resume=True, quiet=True)
    assert fingerprint(resumed.model.state_dict()) == fingerprint(whole.model.state_dict())
    said = [[(e.env_id, e.task.id, e.completion.text) for e in read_episodes(tmp_path / n)] for n in ("whole", "cut")]
    assert said[0] == said[1]
    assert {env for env, _, _ in said[0]} == {"test/digits-v0", "test/guessing-v0", "test/broken-v0"}


def test_an_environment_that_was_mended_is_there_again(tmp_path: Path) -> None:
    train(settings(steps=3), mixture(), warm(), tmp_path, quiet=True)
    mended = mixture(lambda completion, answer: completion == answer)
    with pytest.raises(ConfigError, match="changed_verifier=true allows it"):
        train(settings(steps=4), mended, warm(), tmp_path, resume=True, quiet=True)
    train(settings(steps=4), mended, warm(), tmp_path, resume=True, changed_verifier=True, quiet=True)
    last = [e for e in read_episodes(tmp_path) if e.step == 3 and e.env_id == "test/broken-v0"]
    assert last
    assert all(e.verdict.graded for e in last)


def test_a_run_ends_where_no_environment_is_left(tmp_path: Path) -> None:
    every = Mixture([Member(env=named(digits(broken), f"test/{name}-v0")) for name in "ab"])
    with pytest.raises(TooManyVerifierErrors, match=r"has stopped: test/a-v0: .* database is away; test/b-v0: .* away"):
        train(settings(groups=16), every, policy(), tmp_path, quiet=True)


def test_a_curriculum_gives_more_to_what_shows_a_difference() -> None:
    environments = Environments(Mixture(members(1, 1), curriculum=True), settings(), None)
    assert list(environments.shares().values()) == [0.5, 0.5]
    solved = [_episode(1.0, 2, "test/0-v0", i // 4) for i in range(24)]
    tried = [_episode(float(i % 2), 2, "test/1-v0", i // 4) for i in range(24)]
    environments.observe(0, [*solved, *tried], 0.2)
    signal = (0.5 / 7, 6.5 / 7)
    wanted = [0.05 + 0.9 * own / sum(signal) for own in signal]
    assert list(environments.shares().values()) == pytest.approx(wanted)
    again = Environments(Mixture(members(1, 1), curriculum=True), settings(), None)
    again.load_state_dict(json.loads(json.dumps(environments.state_dict())))
    assert again.shares() == environments.shares()


def test_a_warm_start_learns_of_each_environment_as_much_as_its_share() -> None:
    environments = Environments(mixture(), settings(), None)
    shown = environments.demonstrations(policy(), 1000)
    assert len(shown) == 32  # the broken one has eight tasks, a quarter
    assert sum(any(m == 0 for m in d.mask) for d in shown) == 8  # the environment speaks in the game alone


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([Member(env=digits())], "at least two environments in a mixture, got 1"),
        ([Member(env=digits()), Member(env=digits())], "different environments"),
        (members(1, 0), "test/1-v0: expected a weight above 0 and finite, got 0"),
    ],
)
def test_a_mixture_that_cannot_be_is_refused(given: list[Member], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Mixture(given)


def test_a_group_that_a_member_cannot_have_is_refused_at_the_start() -> None:
    alone = [Member(env=digits(), group_size=1), Member(env=guessing())]
    with pytest.raises(ConfigError, match="expected a group_size of at least 2, got 1"):
        Environments(Mixture(alone), settings(), None)
