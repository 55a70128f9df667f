"""A run whose tasks follow measured pass rates: it goes where there is something to learn, and resumes exactly."""

from collections import Counter
from pathlib import Path

import pytest
from digits import config, warm

from rlenv import Definition, FunctionVerifier, ListTasks, Task, read_episodes
from rlenv.core.errors import ConfigError
from rlenv.env.sampler import PassRateSampler
from rlenv.trainers import TrainConfig, Trainer, train
from rlenv.trainers.loop.checkpoint import fingerprint


def tasks() -> ListTasks:
    """Eight sums; for the last six the policy is never paid."""
    return ListTasks(Task(f"{n}+1=?", str(n + 1), metadata={"hopeless": n > 1}) for n in range(8))


def environment() -> Definition:
    check = FunctionVerifier(lambda completion, answer, hopeless: completion == answer and not hopeless, cheap=True)
    return Definition(tasks=tasks(), verifier=check, id="test/curriculum-v0")


def test_a_run_draws_more_of_what_is_sometimes_solved(tmp_path: Path) -> None:
    settings = config(steps=30, groups=4, group_size=8, sampler="pass-rate", learning_rate=1e-6)
    train(settings, environment(), warm(), tmp_path, quiet=True)
    episodes = list(read_episodes(tmp_path))
    late = Counter(e.task.metadata["hopeless"] for e in episodes if e.step >= 10)
    assert late[False] / late.total() > 0.4 > 2 / 8


def test_a_run_with_a_curriculum_resumes_exactly(tmp_path: Path) -> None:
    settings = config(steps=4, sampler="pass-rate", save_every=1)
    whole = train(settings, environment(), warm(), tmp_path / "whole", quiet=True)
    trainer = Trainer(settings, environment(), warm(), tmp_path / "cut", quiet=True)
    trainer.step()
    trainer.step()
    assert isinstance(trainer.env.sampler, PassRateSampler)
    trainer.close()
    resumed = train(settings, environment(), warm(), tmp_path / "cut", resume=True, quiet=True)
    ids = [[e.task.id for e in read_episodes(tmp_path / name)] for name in ("whole", "cut")]
    assert ids[0] == ids[1]
    assert fingerprint(resumed.model.state_dict()) == fingerprint(whole.model.state_dict())


def test_an_unknown_sampler_is_answered_with_the_names() -> None:
    with pytest.raises(ConfigError, match="sampler out of uniform, pass-rate, got 'easy first'"):
        TrainConfig(sampler="easy first")
