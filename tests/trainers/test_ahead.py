"""Rollouts drawn by a process beside the updates: from which weights, the same every time, and across kills."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import config, digits, warm
from number_game import guessing

from rlenv import read_episodes
from rlenv.core.errors import ConfigError, RunError
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, Member, Mixture, TrainConfig, Trainer, train, with_changes
from rlenv.trainers.loop.ahead import Ahead
from rlenv.trainers.loop.checkpoint import fingerprint
from rlenv.trainers.mixtures.environments import Environments
from rlenv.trainers.networks.logprobs import completion_logprobs
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.rollouts.collect import GENERATE, derived_seed, tensors
from rlenv.turns.play import play

CORRECTED = with_changes(ALGORITHMS["grpo"], {"correction.kind": "truncate"})


def settings(**given: Any) -> TrainConfig:
    return config(**{"steps": 5, "staleness": 1, "algorithm": CORRECTED, "warmup_steps": 0, "save_every": 100, **given})


def copied(policy: TransformersPolicy) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in policy.model.state_dict().items()}


def _steps(trainer: Trainer, count: int) -> None:
    for _ in range(count):
        trainer.step()


def said_of(folder: Path, step: int) -> list[tuple[str, str, tuple[float, ...]]]:
    return [(e.task.id, e.completion.text, e.completion.logprobs) for e in read_episodes(folder) if e.step == step]


@pytest.mark.parametrize(("make", "staleness"), [(digits, 2), (guessing, 1)])
def test_each_rollout_is_of_the_weights_so_many_rollouts_before(make: Any, staleness: int, tmp_path: Path) -> None:
    """What is drawn is what the policy of that moment says itself, to the last bit of its log-probs."""
    given, env = settings(staleness=staleness, groups=8), make()
    trainer = Trainer(given, env, warm(), tmp_path, quiet=True)
    versions = [copied(trainer.policy)]
    for _ in range(4):
        trainer.step()
        versions.append(copied(trainer.policy))
    trainer.close()
    assert len({fingerprint(weights) for weights in versions}) == 5
    for step in range(4):
        trainer.policy.model.load_state_dict(versions[max(0, step - staleness)])
        trainer.env.reset(given.groups, step=step)
        sampling = given.sampling(derived_seed(given.seed, step, GENERATE))
        alone = play(env, trainer.policy, trainer.env.tasks, given.group_size, sampling)
        tasks = [task.id for task in trainer.env.tasks for _ in range(given.group_size)]
        wanted = [(task, said.text, said.logprobs) for task, said in zip(tasks, alone, strict=True)]
        assert said_of(tmp_path, step) == wanted


def drawn_with(folder: Path, generators: int, **given: Any) -> list[Any]:
    """What a run with so many generators says, of batches of at most two groups."""
    wanted = settings(steps=4, groups=6, generators=generators, generation_batch_tokens=160, **given)
    train(wanted, digits(), warm(), folder, quiet=True)
    return [said_of(folder, step) for step in range(4)]


@pytest.mark.slow
def test_any_number_of_generators_draws_the_same(tmp_path: Path) -> None:
    said = [drawn_with(tmp_path / str(count), count, staleness=2) for count in (1, 3)]
    assert said[0] == said[1]
    texts = [text for step in said[0] for _, text, _ in step]
    assert len(said[0][0]) == 24
    assert len(set(texts)) > 3


@pytest.mark.slow
def test_a_run_goes_on_with_another_number_of_generators(tmp_path: Path) -> None:
    given = {"steps": 4, "groups": 6, "generation_batch_tokens": 160}
    whole = train(settings(**given), digits(), warm(), tmp_path / "whole", quiet=True)
    train(settings(**{**given, "steps": 2}), digits(), warm(), tmp_path / "more", quiet=True)
    more = train(settings(**given, generators=2), digits(), warm(), tmp_path / "more", resume=True, quiet=True)
    assert fingerprint(more.model.state_dict()) == fingerprint(whole.model.state_dict())


@pytest.mark.slow
def test_generators_without_work_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected at most 1 generators, got 2: .* make it smaller"):
        train(settings(generators=2), digits(), warm(), tmp_path, quiet=True)


def test_each_token_of_a_partial_rollout_is_of_the_weights_that_drew_it(tmp_path: Path) -> None:
    """One token from each version: the first from two rollouts before, the last from the present weights."""
    given = settings(staleness=2, partial_tokens=1, groups=8, learning_rate=2e-3)
    trainer = Trainer(given, digits(), warm(), tmp_path, quiet=True)
    versions = [copied(trainer.policy)]
    for _ in range(4):
        trainer.step()
        versions.append(copied(trainer.policy))
    trainer.close()
    said = [e for e in read_episodes(tmp_path) if e.step == 3]
    assert {3} < {len(e.completion.token_ids) for e in said}
    for place, version in enumerate((1, 2, 3)):
        trainer.policy.model.load_state_dict(versions[version])
        rollout = tensors(trainer.policy, said)
        now, _ = completion_logprobs(trainer.policy.model, rollout.ids, rollout.attention_mask, rollout.mask)
        drawn = rollout.mask[:, place] > 0
        off = (now.detach() - rollout.old_logprobs)[drawn].abs()
        assert float(off[:, place].max()) < 1e-5
        assert all(float(off[rollout.mask[drawn, other] > 0, other].max()) > 1e-4 for other in {0, 1, 2} - {place})


def mixture() -> Mixture:
    return Mixture([Member(env=digits(), sampler="pass-rate"), Member(env=guessing(), group_size=6)], curriculum=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "more"),
    [(digits, {}), (mixture, {"staleness": 2}), (digits, {"staleness": 2, "partial_tokens": 1, "generators": 2})],
)
def test_a_run_that_was_cut_goes_on_with_what_was_drawn_ahead(make: Any, more: dict[str, Any], tmp_path: Path) -> None:
    given = settings(save_every=2, minibatches=2, groups=6, **more)
    whole = train(given, make(), warm(), tmp_path / "whole", quiet=True)
    trainer = Trainer(given, make(), warm(), tmp_path / "cut", quiet=True)
    for _ in range(3):
        trainer.step()
    trainer._collect()
    rollout = trainer._rollout
    assert rollout is not None
    trainer._update(rollout, 0)
    trainer.position.update, trainer.position.optimiser_steps = 1, 7
    trainer.save()
    trainer.close()
    resumed = train(given, make(), warm(), tmp_path / "cut", resume=True, quiet=True)
    assert fingerprint(resumed.model.state_dict()) == fingerprint(whole.model.state_dict())
    assert said_of(tmp_path / "cut", 4) == said_of(tmp_path / "whole", 4)


@pytest.mark.slow
def test_a_longer_run_begins_as_a_shorter_one(tmp_path: Path) -> None:
    whole = train(settings(steps=4), digits(), warm(), tmp_path / "whole", quiet=True)
    train(settings(steps=2), digits(), warm(), tmp_path / "more", quiet=True)
    more = train(settings(steps=4), digits(), warm(), tmp_path / "more", resume=True, quiet=True)
    assert fingerprint(more.model.state_dict()) == fingerprint(whole.model.state_dict())


@pytest.mark.slow
def test_a_generator_that_died_ends_the_run_with_what_to_do(tmp_path: Path) -> None:
    whole = train(settings(steps=3), digits(), warm(), tmp_path / "whole", quiet=True)
    trainer = Trainer(settings(steps=3), digits(), warm(), tmp_path / "cut", quiet=True)
    trainer.step()
    trainer.save()
    assert trainer.ahead is not None
    (generator,) = trainer.ahead._generators[0]._processes
    os.kill(generator, signal.SIGKILL)
    with pytest.raises(RunError, match="continue with --resume"):
        _steps(trainer, 2)  # what was drawn before may still be there
    trainer.close()
    resumed = train(settings(steps=3), digits(), warm(), tmp_path / "cut", resume=True, quiet=True)
    assert fingerprint(resumed.model.state_dict()) == fingerprint(whole.model.state_dict())


SCRIPT = """
from digits import config, digits, policy
from rlenv.trainers import train
train(config(steps=2, staleness=1), digits(), policy(), "run", quiet=True)
"""


@pytest.mark.slow
def test_a_script_that_trains_when_it_is_imported_is_told_so_and_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    support = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent / "support"), "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env=support,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 1
    assert "without `if __name__ == '__main__':` before it" in ended.stderr


@pytest.mark.slow
def test_the_present_policy_is_weighed_against_the_one_that_sampled(tmp_path: Path) -> None:
    trainer = Trainer(settings(algorithm="grpo", learning_rate=0.01), digits(), warm(), tmp_path, quiet=True)
    ratios = [trainer.step()["sampling/sampling_logp_difference/mean"] for _ in range(3)]
    trainer.close()
    assert ratios[0] < 1e-5 < 1e-3 < min(ratios[1:])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"algorithm": "rloo"}, r"set correction\.kind='truncate'"),
        ({"algorithm": "dapo"}, "drawn in one go: set staleness=0 for the refills of dapo"),
        ({"algorithm": "trpo"}, "bounds one step from the policy that sampled: set staleness=0"),
        ({"staleness": 0, "generators": 2}, "set staleness=1"),
        ({"staleness": 0, "partial_tokens": 8}, "set staleness=1"),
        ({"partial_tokens": 0}, "expected partial_tokens of at least 1, or none, got 0"),
        ({"staleness": -1}, "expected staleness of 0 or more, got -1"),
    ],
)
def test_what_cannot_learn_from_an_older_policy_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        settings(**given)


def test_several_processes_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected staleness=0 with 2 processes, got 1"):
        Ahead(warm(), Environments(digits(), settings(), None), settings(), Processes(1, 2))


def test_episodes_of_several_turns_are_not_drawn_in_parts() -> None:
    given = settings(partial_tokens=2)
    with pytest.raises(ConfigError, match="several turns, which are drawn whole: leave out partial_tokens"):
        Ahead(warm(), Environments(guessing(), given, None), given, Processes())
