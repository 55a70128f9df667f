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
from rlenv.trainers.loop.async_rollouts import AsyncRollouts
from rlenv.trainers.loop.checkpoint import fingerprint
from rlenv.trainers.loop.environments import Environments
from rlenv.trainers.networks.processes import Processes
from rlenv.trainers.rollouts.collect import GENERATE, derived_seed
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


def test_each_rollout_is_of_the_weights_so_many_rollouts_before(tmp_path: Path) -> None:
    """What is drawn is what the policy of that moment says itself, to the last bit of its log-probs."""
    given, env = settings(staleness=2, groups=8), digits()
    trainer = Trainer(given, env, warm(), tmp_path, quiet=True)
    versions, apart = [copied(trainer.policy)], list[float]()
    for _ in range(4):
        apart.append(trainer.step()["sampling/sampling_logp_difference/mean"])
        versions.append(copied(trainer.policy))
    trainer.close()
    assert len({fingerprint(weights) for weights in versions}) == 5
    assert apart[0] < 1e-5 < 1e-4 < min(apart[1:])  # the present policy is weighed against the one that sampled
    for step in range(4):
        trainer.policy.model.load_state_dict(versions[max(0, step - 2)])
        trainer.source.env.reset(given.groups, step=step)
        sampling = given.sampling(derived_seed(given.seed, step, GENERATE))
        alone = play(env, trainer.policy, trainer.source.env.tasks, given.group_size, sampling)
        tasks = [task.id for task in trainer.source.env.tasks for _ in range(given.group_size)]
        wanted = [(task, said.text, said.logprobs) for task, said in zip(tasks, alone, strict=True)]
        assert said_of(tmp_path, step) == wanted


def mixture() -> Mixture:
    return Mixture([Member(env=digits(), sampler="pass-rate"), Member(env=guessing(), group_size=6)], curriculum=True)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "generators"), [(digits, 2), (mixture, 1)])
def test_a_run_that_was_cut_goes_on_with_what_was_drawn_ahead(make: Any, generators: int, tmp_path: Path) -> None:
    """Shorter, cut within a rollout, longer, and with any number of generators: it is the same run."""
    given: dict[str, Any] = {"staleness": 2, "groups": 6, "minibatches": 2, "generation_batch_tokens": 160, "steps": 4}
    whole = train(settings(**given), make(), warm(), tmp_path / "whole", quiet=True)
    cut = settings(**{**given, "steps": 3}, generators=generators)
    trainer = Trainer(cut, make(), warm(), tmp_path / "cut", quiet=True)
    trainer.step()
    trainer.learner.update(trainer.collect(), trainer.position)
    trainer.save()
    trainer.close()
    resumed = train(settings(**given), make(), warm(), tmp_path / "cut", resume=True, quiet=True)
    assert fingerprint(resumed.model.state_dict()) == fingerprint(whole.model.state_dict())
    said = [said_of(tmp_path / "whole", step) for step in range(4)]
    assert [said_of(tmp_path / "cut", step) for step in range(4)] == said
    assert len({text for step in said for _, text, _ in step}) > 3


@pytest.mark.slow
def test_generators_without_work_are_refused_and_one_that_died_ends_the_run_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected at most 1 generators, got 2: .* make it smaller"):
        train(settings(generators=2), digits(), warm(), tmp_path / "idle", quiet=True)
    trainer = Trainer(settings(steps=3), digits(), warm(), tmp_path / "cut", quiet=True)
    trainer.step()
    assert trainer.source.ahead is not None
    (generator,) = trainer.source.ahead._generators[0]._processes
    os.kill(generator, signal.SIGKILL)
    with pytest.raises(RunError, match="continue with --resume"):
        _steps(trainer, 2)  # what was drawn before may still be there
    trainer.close()


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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"algorithm": "rloo"}, r"set correction\.kind='truncate'"),
        ({"algorithm": "dapo"}, "drawn in one go: set staleness=0 for the refills of dapo"),
        ({"algorithm": "trpo"}, "bounds one step from the policy that sampled: set staleness=0"),
        ({"staleness": 0, "generators": 2}, "set staleness=1"),
        ({"staleness": -1}, "expected staleness of at least 0, got -1"),
    ],
)
def test_what_cannot_learn_from_an_older_policy_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        settings(**given)


def test_several_processes_are_refused() -> None:
    with pytest.raises(ConfigError, match="expected staleness=0 with 2 processes, got 1"):
        AsyncRollouts(warm(), Environments(digits(), settings(), None), settings(), Processes(1, 2))
