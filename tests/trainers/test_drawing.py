"""Dynamic sampling: groups without a difference are drawn again, within bounds, and a stopped run draws the same."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from digits import config, digits, policy, warm

from rlenv import Definition, FunctionVerifier, ListTasks, Task, read_episodes
from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer, changed, train, with_changes
from rlenv.trainers.loop.checkpoint import fingerprint
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.rollouts.collect import kept_groups

DAPO = with_changes(ALGORITHMS["dapo"], {"drawing.overlong_buffer": 0.0})


def half_hopeless(check: Callable[[str, str], bool] = lambda said, answer: said[:1] in answer) -> Definition:
    """Sixteen tasks; in eight of them every completion is worth the same."""
    tasks = ListTasks(
        Task(f"{n % 8}+1=?", "0123456789", metadata={"hopeless": n >= 8}, id=f"task-{n}") for n in range(16)
    )

    def verifier(completion: str, answer: str, hopeless: bool) -> bool:
        return not hopeless and check(completion, answer)

    return Definition(tasks=tasks, verifier=FunctionVerifier(verifier, cheap=True, version="1"), id="test/half-v0")


def settings(**others: object) -> TrainConfig:
    return config(**{"algorithm": DAPO, "steps": 3, "groups": 4, "group_size": 4, **others})


def collected(trainer: Trainer) -> Trainer:
    trainer._collect()
    trainer.close()
    return trainer


def test_groups_without_a_difference_are_drawn_again_until_enough_have_one(tmp_path: Path) -> None:
    trainer = collected(Trainer(settings(), half_hopeless(), warm(), tmp_path, quiet=True))
    rollout, kept = trainer._rollout, trainer._kept
    assert rollout is not None
    assert kept is not None
    assert all(len(set(group)) > 1 for group in rollout.rewards.view(4, 4).tolist())
    assert trainer._metrics["dynamic_sampling/draws"] > 1
    assert trainer._metrics["dynamic_sampling/groups_with_signal"] == 4
    episodes = list(read_episodes(tmp_path))
    assert len(episodes) == 4 * trainer._metrics["dynamic_sampling/groups_drawn"] > 16
    assert [e.index for e in episodes] == list(range(len(episodes)))
    assert [e.group for e in episodes] == [i // 4 for i in range(len(episodes))]
    assert [episodes[i].verdict.reward for i in kept] == rollout.rewards.tolist()
    assert len({e.seed for e in episodes}) == trainer._metrics["dynamic_sampling/draws"]
    assert trainer._metrics["reward"] == pytest.approx(sum(e.verdict.reward or 0 for e in episodes) / len(episodes))


def test_the_number_of_draws_is_bounded_and_nothing_is_learned_from_nothing(tmp_path: Path) -> None:
    row = changed(DAPO, "drawing.max_refills", 2)
    trained = train(settings(algorithm=row, steps=1), digits(lambda: 0.3), policy(), tmp_path, quiet=True)
    (metrics,) = read_metrics(tmp_path / "metrics.jsonl")
    assert metrics["dynamic_sampling/draws"] == 3
    assert metrics["dynamic_sampling/groups_with_signal"] == 0
    assert fingerprint(trained.model.state_dict()) == fingerprint(policy().model.state_dict())


def test_a_full_rollout_draws_nothing_again(tmp_path: Path) -> None:
    everything = digits(lambda completion: float(len(completion)))
    trainer = collected(Trainer(settings(groups=2), everything, policy(), tmp_path, quiet=True))
    assert trainer._metrics["dynamic_sampling/draws"] == 1
    assert trainer._kept == list(range(8))


def test_kept_groups_come_in_the_order_they_were_drawn() -> None:
    assert kept_groups([True, False, True, True, True], 3) == [0, 2, 3]
    assert kept_groups([False, False, True], 2) == [0, 2]


class _StoppedError(Exception):
    """Stands for the kill; no failure of the checker, which the environment would catch."""


@pytest.mark.parametrize("moment", [5, 22, 40])
def test_a_run_stopped_while_it_judges_draws_and_judges_the_same_again(moment: int, tmp_path: Path) -> None:
    """Verdicts of different draws stand at the same places of their batches: they must not be taken for each other."""
    asked: list[str] = []

    def check(said: str, answer: str) -> bool:
        asked.append(said)
        return said[:1] in answer

    whole = train(settings(), half_hopeless(check), warm(), tmp_path / "whole", quiet=True)
    once = len(asked)
    asked.clear()
    trainer = Trainer(settings(), half_hopeless(check), warm(), tmp_path / "cut", quiet=True)
    journal, record = trainer.journal, trainer.journal.record  # type: ignore[union-attr]
    recorded = 0

    def stop(*verdict: object) -> None:
        nonlocal recorded
        record(*verdict)  # type: ignore[arg-type]
        recorded += 1
        if recorded == moment:
            raise _StoppedError

    journal.record = stop  # type: ignore[union-attr, method-assign]
    with pytest.raises(_StoppedError):
        trainer.run()
    trainer.close()
    resumed = train(settings(), half_hopeless(check), warm(), tmp_path / "cut", resume=True, quiet=True)
    assert fingerprint(resumed.model.state_dict()) == fingerprint(whole.model.state_dict())
    assert len(asked) == once
    texts = [(tmp_path / name / "episodes.jsonl.gz").read_bytes() for name in ("whole", "cut")]
    assert texts[0] == texts[1]


def test_groups_without_a_difference_count_in_no_denominator_where_they_are_dropped(tmp_path: Path) -> None:
    row = with_changes(DAPO, {"drawing.refill": False})
    trainer = collected(Trainer(settings(algorithm=row), half_hopeless(), warm(), tmp_path, quiet=True))
    rollout = trainer._rollout
    assert rollout is not None
    differs = torch.tensor([len(set(group)) > 1 for group in rollout.rewards.view(4, 4).tolist()])
    assert 0 < int(differs.sum()) < 4
    assert (rollout.mask.sum(1).view(4, 4) > 0).all(1).tolist() == differs.tolist()


def test_a_soft_punishment_lies_on_completions_that_come_near_the_limit(tmp_path: Path) -> None:
    row = with_changes(ALGORITHMS["dapo"], {"drawing.refill": False, "drawing.overlong_buffer": 0.5})
    trainer = Trainer(settings(algorithm=row, max_new_tokens=4), digits(), warm(), tmp_path, quiet=True)
    collected(trainer)
    paid = {
        len(e.completion.token_ids): {p.name: p.value for p in e.verdict.parts}.get("overlong", 0.0)
        for e in read_episodes(tmp_path)
    }
    assert {length: paid[length] for length in sorted(paid)} == {
        length: {1: 0.0, 2: 0.0, 3: -0.5, 4: -1.0}[length] for length in sorted(paid)
    }
    assert {3, 4} & set(paid)
