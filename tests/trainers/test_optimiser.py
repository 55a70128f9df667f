"""Which weights decay, which are refused, what AdamW remembers; the warm start's own optimiser."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from rlenv.core.errors import ConfigError
from rlenv.policies.tiny import tiny_policy
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, with_changes
from rlenv.trainers.branches.sft import Demonstration, supervised, usual_rate
from rlenv.trainers.networks.engine import prepare
from rlenv.trainers.networks.networks import Networks
from rlenv.trainers.networks.optimiser import adamw, decaying
from rlenv.trainers.settings.engine import EngineConfig, OptimiserConfig


def stepped(optimiser: torch.optim.Optimizer, parameters: list[torch.nn.Parameter]) -> None:
    for parameter in parameters:
        parameter.grad = torch.zeros_like(parameter)
    optimiser.step()


def test_matrices_decay_and_norms_and_biases_do_not() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    stepped(adamw(list(model.parameters()), 0.1, OptimiserConfig(weight_decay=0.5)), list(model.parameters()))
    for name, parameter in model.named_parameters():
        share = 0.95 if name == "0.weight" else 1.0
        assert torch.allclose(parameter, share * before[name]), name


def test_betas_and_epsilon_reach_the_optimiser() -> None:
    settings = OptimiserConfig(beta1=0.8, beta2=0.95, epsilon=1e-6)
    networks = Networks(tiny_policy(0).model, TrainConfig(optimiser=settings))
    (group,) = networks.optimizer.param_groups
    assert (group["betas"], group["eps"], group["weight_decay"]) == ((0.8, 0.95), 1e-6, 0.0)


def test_the_value_head_keeps_its_own_rate_beside_weights_that_decay() -> None:
    row = ALGORITHMS["a2c"]
    settings = OptimiserConfig(weight_decay=0.1)
    networks = Networks(
        tiny_policy(0).model,
        TrainConfig(algorithm=row, learning_rate=1e-5, critic_learning_rate=1e-3, optimiser=settings),
    )
    networks.set_learning_rate(1.0)
    assert [group["lr"] for group in networks.optimizer.param_groups] == [1e-5, 1e-5, 1e-3]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_weights_that_round_small_steps_away_are_refused(dtype: torch.dtype) -> None:
    policy = tiny_policy(0)
    policy.model.to(dtype)  # type: ignore[arg-type]  # torch's own annotation of a wrapped method
    with pytest.raises(ConfigError, match=r"engine\.precision='bf16'"):
        Networks(policy.model, TrainConfig())
    with pytest.raises(ConfigError, match="float32"):
        supervised(policy, [Demonstration((1,), (2,))], SftConfig(steps=1))


def test_an_adapter_trains_beside_bfloat16_weights() -> None:
    pytest.importorskip("peft", reason="the extra lora is not installed")
    policy = tiny_policy(0)
    policy.model.to(torch.bfloat16)  # type: ignore[arg-type]  # torch's own annotation of a wrapped method
    prepare(policy, EngineConfig(lora_rank=2))
    networks = Networks(policy.model, TrainConfig())
    assert {p.dtype for group in networks.optimizer.param_groups for p in group["params"]} == {torch.float32}


def test_the_optimiser_forgets_when_the_reference_becomes_the_policy() -> None:
    policy = tiny_policy(0)
    row = with_changes(ALGORITHMS["grpo"], {"kl.beta": 0.1, "kl.reset_every": 2})
    networks = Networks(policy.model, TrainConfig(algorithm=row))
    stepped(networks.optimizer, list(policy.model.parameters()))
    assert networks.optimizer.state
    networks.reset_reference()
    assert not networks.optimizer.state


def test_the_eight_bit_optimiser_learns_saves_and_loads() -> None:
    pytest.importorskip("bitsandbytes", reason="the extra eight-bit is not installed")
    weight = torch.nn.Parameter(torch.ones(64, 128))
    optimiser = adamw([weight], 0.1, OptimiserConfig(kind="adamw-8bit"))
    weight.grad = torch.ones_like(weight)
    optimiser.step()
    assert torch.allclose(weight, torch.full_like(weight, 0.9), atol=1e-3)
    held: dict[str, Any] = optimiser.state[weight]
    assert held["state1"].dtype == torch.uint8
    again = adamw([weight], 0.1, OptimiserConfig(kind="adamw-8bit"))
    again.load_state_dict(optimiser.state_dict())
    assert torch.equal(again.state[weight]["state2"], held["state2"])


@pytest.mark.parametrize("setting", [{"beta1": 1.0}, {"epsilon": 0.0}, {"weight_decay": -1.0}, {"kind": "sgd"}])
def test_settings_out_of_range_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="expected optimiser"):
        OptimiserConfig(**setting)


def demonstrations() -> list[Demonstration]:
    return [Demonstration(tuple(range(2, 4 + n)), tuple(range(2, 3 + n % 3))) for n in range(9)]


def test_micro_batches_of_the_warm_start_change_memory_alone() -> None:
    plan = SftConfig(steps=3, batch_size=8, learning_rate=1e-3, warmup_steps=0)
    whole, cut = tiny_policy(0), tiny_policy(0)
    losses = supervised(whole, demonstrations(), plan)
    assert supervised(cut, demonstrations(), replace(plan, micro_batch_tokens=30)) == pytest.approx(losses, rel=1e-5)
    for a, b in zip(whole.model.parameters(), cut.model.parameters(), strict=True):
        assert torch.allclose(a, b, atol=2e-5)


def test_the_usual_rate_spares_what_is_pretrained() -> None:
    assert usual_rate(tiny_policy(0).model) == 3e-3
    with torch.device("meta"):
        assert usual_rate(torch.nn.Linear(10_000, 10_000)) == 2e-5


def test_without_decay_there_is_one_group() -> None:
    assert len(decaying([torch.nn.Parameter(torch.ones(2, 2)), torch.nn.Parameter(torch.ones(2))], 0.0)) == 1
