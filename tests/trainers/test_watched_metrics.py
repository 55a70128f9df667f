"""What a run measures beside what it trains on: all tokens, and the KL that nothing pays."""

from pathlib import Path

import pytest
from digits import config, digits, warm

from rlenv import Completion
from rlenv.core.errors import ConfigError
from rlenv.trainers import Trainer
from rlenv.trainers.loop.checkpoint import fingerprint


def never(completion: Completion) -> float:
    """Pays nobody: no group has a difference."""
    return 0.0


@pytest.mark.parametrize("all_tokens", [True, False])
def test_entropy_is_of_all_tokens_also_where_no_group_has_a_difference(all_tokens: bool, tmp_path: Path) -> None:
    settings = config(measure_all=all_tokens, steps=1)
    run = Trainer(settings, digits(never), warm(), tmp_path, quiet=True)
    before = fingerprint(run.policy.model.state_dict())
    metrics = run.step()
    run.close()
    assert fingerprint(run.policy.model.state_dict()) == before
    assert ("entropy" in metrics) == all_tokens
    assert metrics.get("entropy", 1.0) > 0


def test_measuring_all_tokens_leaves_the_weights_bitwise_as_they_are(tmp_path: Path) -> None:
    weights = []
    for all_tokens in (True, False):
        run = Trainer(config(measure_all=all_tokens), digits(), warm(), tmp_path / str(all_tokens), quiet=True)
        run.run()
        run.close()
        weights.append(fingerprint(run.policy.model.state_dict()))
    assert weights[0] == weights[1]


@pytest.mark.parametrize("algorithm", ["grpo", "dr-grpo", "trpo"])
def test_a_logged_kl_is_paid_by_nobody(algorithm: str, tmp_path: Path) -> None:
    weights, found = [], []
    for logged in (True, False):
        settings = config(algorithm=algorithm, log_kl=logged, learning_rate=1e-2)
        run = Trainer(settings, digits(), warm(), tmp_path / str(logged), quiet=True)
        found.append([run.step() for _ in range(3)])
        run.close()
        weights.append(fingerprint(run.policy.model.state_dict()))
    assert weights[0] == weights[1]
    kls = [metrics["kl"] for metrics in found[0]]
    assert kls[0] == pytest.approx(0.0, abs=1e-6)
    assert kls[-1] > 1e-5
    assert all("kl" not in metrics for metrics in found[1])


@pytest.mark.parametrize("algorithm", ["dpo", "sft"])
def test_a_kl_over_what_the_policy_did_not_say_is_refused(algorithm: str) -> None:
    with pytest.raises(ConfigError, match="leave log_kl out"):
        config(algorithm=algorithm, log_kl=True, group_size=2)
