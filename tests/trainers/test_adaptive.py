"""What an algorithm learns besides weights: baseline, trust-region coefficient, reference; and what corrects it."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from digits import config, digits, warm

from rlenv.core.errors import ConfigError
from rlenv.trainers import ALGORITHMS, TrainConfig, Trainer, with_changes
from rlenv.trainers.loop.checkpoint import FILE, fingerprint
from rlenv.trainers.records.logs import read_metrics
from rlenv.trainers.rollouts.collect import Collected


def trainer(settings: TrainConfig, folder: Path) -> Trainer:
    return Trainer(settings, digits(), warm(), folder, quiet=True)


def test_the_moving_baseline_is_taken_off_the_next_rollout_and_not_off_its_own(tmp_path: Path) -> None:
    run = trainer(config(algorithm="reinforce-baseline", steps=3), tmp_path)
    expected = None
    for _ in range(3):
        rollout = run.collect().rollout
        chosen = rollout.mask > 0
        returns = rollout.rewards[:, None].expand_as(rollout.mask)
        torch.testing.assert_close(rollout.advantages[chosen], (returns - (expected or 0.0))[chosen])
        mean = float(rollout.rewards.mean())
        expected = mean if expected is None else 0.9 * expected + 0.1 * mean
        assert run.learner.adaptive.baselines[""] == pytest.approx(expected)
        run.step()
    run.close()


@pytest.mark.parametrize(("learning_rate", "direction"), [(1e-7, -1), (3e-2, 1)])
def test_the_trust_region_coefficient_follows_how_far_the_policy_moved(
    learning_rate: float, direction: int, tmp_path: Path
) -> None:
    settings = config(algorithm="ppo-kl", steps=3, epochs=2, learning_rate=learning_rate, warmup_steps=0)
    run = trainer(settings, tmp_path)
    run.run()
    run.close()
    found = read_metrics(tmp_path / "metrics.jsonl")
    coefficient = 1.0
    for metrics in found:
        moved = metrics["trust_region/kl"]
        coefficient *= 0.5 if moved < 0.01 / 1.5 else 2 if moved > 0.01 * 1.5 else 1
        assert metrics["trust_region/coefficient"] == coefficient
    assert coefficient == 2.0 ** (direction * 3)
    assert torch.load(tmp_path / FILE, weights_only=True)["adaptive"]["kl_coefficient"] == coefficient


def test_beta_follows_the_drift_from_the_reference_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """Ziegler et al. 2019: e = clip(KL / target - 1, -0.2, 0.2), beta <- beta (1 + 0.1 e)."""
    row = with_changes(
        ALGORITHMS["grpo"], {"kl.place": "reward", "kl.estimator": "k1", "kl.beta": 0.3, "kl.target": 0.02}
    )
    settings = config(algorithm=row, steps=4, learning_rate=1e-2, warmup_steps=0)
    run, beta, drifts = trainer(settings, tmp_path), 0.3, []
    for step in range(4):
        if step == 2:  # what it learned goes on after a stop
            run.save()
            run.close()
            run = Trainer(settings, digits(), warm(), tmp_path, quiet=True, resume=True)
        rollout = run.collect().rollout
        totals = ((rollout.old_logprobs - rollout.ref_logprobs) * rollout.mask).sum(1).tolist()
        drifts.append(sum(totals) / len(totals))
        assert run.step()["kl_beta"] == pytest.approx(beta)
        beta *= 1 + 0.1 * min(max(drifts[-1] / 0.02 - 1, -0.2), 0.2)
        assert run.learner.adaptive.beta == pytest.approx(beta)
    run.close()
    assert min(drifts) < 0.02 < max(drifts)


def test_the_reference_becomes_the_policy_every_so_many_rollouts(tmp_path: Path) -> None:
    row = with_changes(ALGORITHMS["grpo"], {"kl.beta": 0.1, "kl.reset_every": 2})
    run = trainer(config(algorithm=row, steps=3), tmp_path)
    policies, references = [], []
    for _ in range(3):
        policies.append(fingerprint(run.policy.model.state_dict()))
        run.collect()
        assert run.learner.networks.reference is not None
        references.append(fingerprint(run.learner.networks.reference.state_dict()))
        run.step()
    run.close()
    assert len(set(policies)) == 3
    assert references == [policies[0], policies[0], policies[2]]


def disagree(run: Trainer) -> None:
    """Let the sampler think some tokens twenty times less likely than they are, and some a little more."""
    draw = run.source.rollout

    def shifted(step: int) -> Collected:
        made = draw(step)
        amounts = torch.zeros_like(made.rollout.mask)
        amounts[0::2, 0], amounts[1::2, 0] = -3.0, 0.1
        return replace(made, rollout=made.rollout.with_(old_logprobs=made.rollout.old_logprobs + amounts))

    run.source.rollout = shifted  # type: ignore[method-assign]


@pytest.mark.parametrize("kind", ["truncate", "mask"])
def test_a_sampler_that_disagrees_with_the_trainer_is_corrected_within_bounds(kind: str, tmp_path: Path) -> None:
    row = with_changes(ALGORITHMS["dr-grpo"], {"correction.kind": kind, "correction.cap": 2.0})
    run, plain = (
        trainer(config(algorithm=algorithm, epochs=2), tmp_path / str(i))
        for i, algorithm in enumerate([row, "dr-grpo"])
    )
    rollouts = []
    for each in (run, plain):
        disagree(each)
        rollouts.append(each.collect())
        each.close()
    metrics, found, uncorrected = rollouts[0].metrics, rollouts[0].rollout, rollouts[1].rollout
    torch.testing.assert_close(found.old_logprobs[0::2, 0], uncorrected.old_logprobs[0::2, 0] + 3.0, atol=1e-4, rtol=0)
    first = uncorrected.advantages[:, 0]
    expected = torch.where(torch.arange(16) % 2 == 0, first * (2.0 if kind == "truncate" else 0.0), first * 0.904837)
    torch.testing.assert_close(found.advantages[:, 0], expected, atol=1e-4, rtol=1e-4)
    assert metrics["sampling/importance_sampling_ratio/max"] == pytest.approx(20.0855, rel=1e-3)
    assert metrics["sampling/sampling_logp_difference/max"] == pytest.approx(3.0, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "kind", "per"),
    [("grpo", "truncate", "token"), ("cispo", "mask", "sequence"), ("a2c", "truncate", "geometric")],
)
def test_the_only_step_on_a_rollout_corrects_as_a_pass_before_it_would(
    name: str, kind: str, per: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes: dict[str, str | float] = {"correction.kind": kind, "correction.per": per, "correction.cap": 3.0}
    row = with_changes(ALGORITHMS[name], changes)
    assert row.corrects_in_step(1)
    found = []
    for place in ("in the step", "before"):
        if place == "before":
            monkeypatch.setattr(type(row), "corrects_in_step", lambda self, updates: False)
        settings = config(algorithm=row, learning_rate=1e-3, micro_batch_tokens=64, warmup_steps=0)
        run = Trainer(settings, digits(), warm(), tmp_path / place, quiet=True)
        disagree(run)
        metrics = [run.step() for _ in range(2)]
        run.close()
        found.append((run.policy.model.state_dict(), metrics))
    (weights, metrics), (wanted, expected) = found
    torch.testing.assert_close(dict(weights), dict(wanted), rtol=0, atol=5e-5)  # AdamW: a rounding is part of a step
    for step, other in zip(metrics, expected, strict=True):
        named = [key for key in other if key.startswith(("sampling/", "clip_ratio/", "entropy", "grad_norm"))]
        assert len(named) > 8
        for key in named:
            assert step[key] == pytest.approx(other[key], rel=1e-3, abs=1e-4), key


@pytest.mark.parametrize("kind", ["none", "truncate"])
def test_the_logged_difference_is_the_samplers_whatever_the_updates_do(kind: str, tmp_path: Path) -> None:
    row = with_changes(ALGORITHMS["dr-grpo"], {"correction.kind": kind})
    run = Trainer(config(algorithm=row, epochs=4, learning_rate=0.1), digits(), warm(), tmp_path, quiet=True)
    disagree(run)
    rollout = run.collect().rollout
    metrics = run.step()
    run.close()
    expected = 16 * (3.0 + 0.1) / 2 / float(rollout.mask.sum())  # the first token of each of 16 completions
    assert metrics["sampling/sampling_logp_difference/mean"] == pytest.approx(expected, rel=1e-2)


def test_a_value_head_on_the_policys_trunk_learns_and_is_saved(tmp_path: Path) -> None:
    """Its values come nearer to the returns than 0, where it starts."""
    rate = {"learning_rate": 1e-6, "critic_learning_rate": 1e-2, "warmup_steps": 0}
    run = trainer(config(algorithm="a2c", steps=16, groups=8, save_every=15, **rate), tmp_path)
    for _ in range(15):
        run.step()
    assert run.learner.networks.value_head is not None
    saved = torch.load(tmp_path / FILE, weights_only=True)["networks"]["value_head"]
    torch.testing.assert_close(saved, dict(run.learner.networks.value_head.state_dict()), atol=0, rtol=0)
    rollout = run.collect().rollout
    run.close()
    values, returns = rollout.values[rollout.mask > 0], rollout.returns[rollout.mask > 0]
    assert float(values.mean()) > 0.2 * float(returns.mean()) > 0
    assert float(((values - returns) ** 2).mean()) < 0.99 * float((returns**2).mean())


def test_a_bonus_follows_the_entropy_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """He et al. 2025 (Skywork-OR1): c rises by delta at or below the target, falls above, and acts only at or below."""
    row = with_changes(ALGORITHMS["grpo"], {"entropy.coefficient": 0.02, "entropy.target": 3.5})
    settings = config(algorithm=row, steps=6, groups=8, learning_rate=5e-3, warmup_steps=0)
    run, expected, last, seen = trainer(settings, tmp_path), 0.02, None, []
    for step in range(6):
        if step == 3:
            run.save()
            run.close()
            run = Trainer(settings, digits(), warm(), tmp_path, quiet=True, resume=True)
        acts = expected if last is not None and last <= 3.5 else 0.0
        assert run.learner.adaptive.entropy_at(row, step, 6) == pytest.approx(acts)
        metrics = run.step()
        assert metrics["entropy_coefficient"] == pytest.approx(expected)
        last = metrics["entropy"]
        seen.append(last)
        expected = max(0.0, expected + (0.005 if last <= 3.5 else -0.005))
        assert run.learner.adaptive.entropy_coefficient == pytest.approx(expected)
    run.close()
    assert min(seen) <= 3.5 < max(seen)


def test_the_end_of_a_decay_is_part_of_the_run(tmp_path: Path) -> None:
    """With an entropy bonus that ends with the run, a longer run is another run."""

    settings = config(algorithm="a2c", steps=1)
    run = trainer(settings, tmp_path)
    run.run()
    run.close()
    with pytest.raises(ConfigError, match="steps"):
        Trainer(replace(settings, steps=2), digits(), warm(), tmp_path, resume=True, quiet=True)
