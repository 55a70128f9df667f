"""Switches of the engine: what is trained, in which type, and that what is saved loads again."""

from pathlib import Path

import pytest
import torch
from torch.overrides import TorchFunctionMode

from rlenv import Completion, Episode, Task, Verdict
from rlenv.core.errors import ConfigError
from rlenv.policies import Sampling
from rlenv.policies.tiny import tiny_policy
from rlenv.policies.transformers import TransformersPolicy
from rlenv.trainers.algorithms.table import algorithm_named
from rlenv.trainers.networks.engine import prepare
from rlenv.trainers.networks.networks import Networks
from rlenv.trainers.rollouts.rollout import rollout_of
from rlenv.trainers.settings.config import TrainConfig
from rlenv.trainers.settings.engine import EngineConfig
from rlenv.trainers.updates.prepare import with_advantages
from rlenv.trainers.updates.update import Step, policy_step

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
    assert policy.generate(["2+2=?"], 2, sampling) == plain.generate(["2+2=?"], 2, sampling)
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


def test_the_reference_of_a_whole_model_is_a_whole_copy() -> None:
    policy = tiny_policy(0)
    reference = Networks(policy.model, TrainConfig(algorithm="dpo")).reference
    assert reference is not None
    own = {p.data_ptr() for p in policy.model.parameters()}
    assert not any(p.data_ptr() in own for p in reference.parameters())


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


@pytest.mark.parametrize("wrong", [{"precision": "fp8"}, {"packing": "tight"}, {"lora_rank": -1}])
def test_settings_that_do_not_exist_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="expected"):
        EngineConfig(**wrong)  # type: ignore[arg-type]


def test_completions_are_as_long_as_asked_where_the_end_is_held_back() -> None:
    policy = tiny_policy(0)
    policy.min_new_tokens = 7
    completions: list[Completion] = policy.generate(["1+1=?"], 16, Sampling(max_new_tokens=7))
    assert {len(c.token_ids) for c in completions} == {7}
    assert all(policy.eos_ids[0] not in c.token_ids for c in completions)
