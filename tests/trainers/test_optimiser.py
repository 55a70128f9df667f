"""Which weights decay, which are refused, what AdamW remembers; what is trained, in which type, and what is saved."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers import ALGORITHMS, SftConfig, TrainConfig, with_changes
from rlenv.trainers.algorithms.row import algorithm_named
from rlenv.trainers.branches.sft import Demonstration, supervised, usual_rate
from rlenv.trainers.networks.models import Networks, adamw, prepare
from rlenv.trainers.rollouts.rollout import rollout_of
from rlenv.trainers.settings.config import EngineConfig, OptimiserConfig
from rlenv.trainers.updates.prepare import with_advantages
from rlenv.trainers.updates.update import Step, policy_step


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


FACTORIES = {"zeros", "ones", "empty", "full", "arange", "tensor", "rand", "randn"}


def _step(policy: TransformersPolicy, learning_rate: float = 1e-2) -> dict[str, float]:
    """One update on a group of four completions, of which two are right."""
    said = policy.generate(["1+1=?"], 4, Sampling(max_new_tokens=5, seed=1))
    prompt = tuple(policy.encode("1+1=?"))
    episodes = [
        Episode(Task("1+1=?"), completion, Verdict.of(("r", float(i % 2))), prompt_ids=prompt)
        for i, completion in enumerate(said)
    ]
    row = algorithm_named("grpo")
    rollout = rollout_of(episodes, policy.eos_ids[0], [[]] * 4).to(policy.model.device)
    rollout = with_advantages(rollout, row, 4)
    trained = [p for p in policy.model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, learning_rate, fused=True)
    step = Step(row=row, max_new_tokens=5, group_size=4, on_policy=True)
    return policy_step(policy.model, optimizer, rollout, torch.arange(4), step)


def test_an_adapter_starts_as_nothing_learns_alone_and_is_merged_when_saved(tmp_path: Path) -> None:
    policy, plain = tiny_policy(0), tiny_policy(0)
    prepare(policy, EngineConfig(lora_rank=4))
    sampling = Sampling(max_new_tokens=6, seed=3)
    for said, wanted in zip(
        policy.generate(["2+2=?"], 2, sampling), plain.generate(["2+2=?"], 2, sampling), strict=True
    ):
        assert said.token_ids == wanted.token_ids
        assert said.logprobs == pytest.approx(wanted.logprobs, abs=1e-5)  # the product is summed in another order
    names = [name for name, p in policy.model.named_parameters() if p.requires_grad]
    assert names
    assert all("lora_" in name for name in names)
    _step(policy)
    policy.save(tmp_path / "model")
    loaded = TransformersPolicy.load(str(tmp_path / "model"), device="cpu", dtype="float32")
    torch.manual_seed(0)
    ids = torch.tensor([policy.encode("2+2=?")])
    with torch.no_grad():
        expected = policy.model(ids).logits
        torch.testing.assert_close(loaded.model(ids).logits, expected, atol=1e-5, rtol=1e-4)
        assert not torch.allclose(plain.model(ids).logits, expected)


def test_the_reference_of_an_adapter_shares_the_weights_and_stays_what_it_was() -> None:
    policy = tiny_policy(0)
    prepare(policy, EngineConfig(lora_rank=4))
    networks = Networks(policy.model, TrainConfig(algorithm="dpo"))
    reference = networks.reference
    assert reference is not None
    ids = torch.tensor([policy.encode("2+2=?")])
    with torch.no_grad():
        before = reference(ids).logits
    _step(policy)

    own = {p.data_ptr() for p in policy.model.parameters()}
    assert {name for name, p in reference.named_parameters() if p.data_ptr() not in own} == {
        name for name, p in policy.model.named_parameters() if p.requires_grad
    }
    with torch.no_grad():
        torch.testing.assert_close(reference(ids).logits, before, atol=0, rtol=0)
        assert not torch.allclose(policy.model(ids).logits, before)
        networks.reset_reference()
        torch.testing.assert_close(reference(ids).logits, policy.model(ids).logits, atol=0, rtol=0)


def test_bfloat16_passes_keep_float32_weights_and_come_close() -> None:
    policy, plain = tiny_policy(0), tiny_policy(0)
    prepare(policy, EngineConfig(precision="bf16"))
    metrics = _step(policy)
    assert {p.dtype for p in policy.model.parameters()} == {torch.float32}
    assert metrics["grad_norm"] > 0
    assert metrics["entropy"] == pytest.approx(_step(plain)["entropy"], abs=0.05)


class _Strays(TorchFunctionMode):
    """Notes every tensor that rlenv's own code makes without saying where."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_function__(self, func: object, types: object, args: tuple[object, ...] = (), kwargs: object = None):  # type: ignore[no-untyped-def]
        import sys

        given = kwargs if isinstance(kwargs, dict) else {}
        name, caller = getattr(func, "__name__", ""), sys._getframe(1)
        ours = any(f"/rlenv/{room}/" in caller.f_code.co_filename for room in ("trainers", "policies"))
        if ours and name in FACTORIES and given.get("device") is None:
            self.found.append(f"{caller.f_code.co_filename}:{caller.f_lineno} {name}")
        return func(*args, **given)  # type: ignore[operator]


def test_every_tensor_of_an_update_says_on_which_device_it_is_made() -> None:
    policy = tiny_policy(0)
    with _Strays() as strays:
        _step(policy)
    allowed = [
        place for place in strays.found if "rollout.py" not in place
    ]  # the buffer is made on the CPU, then moved
    assert allowed == []


def test_an_update_runs_where_tensors_without_a_device_hold_no_numbers() -> None:
    policy = tiny_policy(0)
    said = policy.generate(["1+1=?"], 4, Sampling(max_new_tokens=5, seed=1))
    prompt = tuple(policy.encode("1+1=?"))
    episodes = [
        Episode(Task("1+1=?"), completion, Verdict.of(("r", float(i % 2))), prompt_ids=prompt)
        for i, completion in enumerate(said)
    ]
    row = algorithm_named("grpo")
    buffer = rollout_of(episodes, policy.eos_ids[0], [[]] * 4)
    optimizer = torch.optim.AdamW(policy.model.parameters(), 1e-2, fused=True)
    step = Step(row=row, max_new_tokens=5, group_size=4, entropy_coefficient=0.01)
    rows = torch.arange(4)
    torch.set_default_device("meta")
    try:
        metrics = policy_step(policy.model, optimizer, with_advantages(buffer, row, 4), rows, step)
        generated = policy.generate(["1+1=?"], 4, Sampling(max_new_tokens=5, seed=1))
    finally:
        torch.set_default_device("cpu")
    assert metrics["grad_norm"] > 0
    assert len(generated) == 4


def test_completions_are_as_long_as_asked_where_the_end_is_held_back() -> None:
    policy = tiny_policy(0)
    policy.min_new_tokens = 7
    completions: list[Completion] = policy.generate(["1+1=?"], 16, Sampling(max_new_tokens=7))
    assert {len(c.token_ids) for c in completions} == {7}
    assert all(policy.eos_ids[0] not in c.token_ids for c in completions)
