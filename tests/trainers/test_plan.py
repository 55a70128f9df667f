"""What `rlenv plan` counts is what the trainer makes; what it advises fits."""

import math
from dataclasses import replace

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from rlenv.cli.plan import SCHEMA
from rlenv.cli.settings import made
from rlenv.core.errors import ConfigError, PolicyError
from rlenv.trainers import TrainConfig
from rlenv.trainers.networks.memory import activation_bytes
from rlenv.trainers.networks.models import prepare_model
from rlenv.trainers.networks.packing import hidden_states
from rlenv.trainers.planning.plan import GIB, Machine, fitted, model_config_named, options, planned
from rlenv.trainers.settings.config import EngineConfig, OptimiserConfig

SMALL = LlamaConfig(
    vocab_size=128,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    num_key_value_heads=1,
    tie_word_embeddings=True,
)
CONFIG = TrainConfig(groups=2, group_size=2, max_new_tokens=8, micro_batch_tokens=32)
ONE = Machine()


def weights() -> int:
    with torch.device("meta"):
        return sum(p.numel() for p in LlamaForCausalLM(SMALL).parameters())


def test_weights_gradients_and_states_are_counted_to_the_byte() -> None:
    plan = planned(SMALL, CONFIG, ONE, 8)
    assert plan.policy == plan.gradients == 4 * weights()
    assert plan.optimiser == 8 * weights()
    assert plan.reference == plan.critic == 0
    assert plan.activations > 0
    assert plan.generation > 0


def test_a_critic_a_reference_an_adapter_and_eight_bit_states_show() -> None:
    plain = planned(SMALL, CONFIG, ONE, 8)
    critic = planned(SMALL, replace(CONFIG, algorithm="ppo", log_kl=True), ONE, 8)
    assert critic.critic == pytest.approx(plain.policy, rel=0.01)
    assert critic.reference == plain.policy
    assert critic.optimiser == pytest.approx(2 * plain.optimiser, rel=0.1)
    small = planned(SMALL, replace(CONFIG, optimiser=OptimiserConfig(kind="adamw-8bit")), ONE, 8)
    assert small.optimiser < 0.3 * plain.optimiser
    pytest.importorskip("peft", reason="the extra lora is not installed")
    adapter = planned(SMALL, replace(CONFIG, engine=EngineConfig(lora_rank=1)), ONE, 8)
    assert adapter.optimiser < 0.2 * plain.optimiser
    assert (plain.saving, adapter.saving) == (0, adapter.policy)  # a copy that it is merged into


def test_on_a_processor_memory_is_what_is_free_and_speed_is_not_known() -> None:
    gpu, cpu = planned(SMALL, CONFIG, ONE, 8), planned(SMALL, CONFIG, Machine(chip="cpu"), 8)
    assert cpu.peak == gpu.peak
    assert math.isnan(cpu.update_seconds)
    assert 0 < Machine(chip="cpu").room < 1 << 50


@pytest.mark.parametrize("checkpointed", [False, True])
def test_activations_are_about_what_autograd_keeps(checkpointed: bool) -> None:
    model = LlamaForCausalLM(LlamaConfig(**{**SMALL.to_dict(), "num_hidden_layers": 8}))
    prepare_model(model, EngineConfig(gradient_checkpointing=checkpointed))
    kept = {p.untyped_storage().data_ptr(): 0 for p in model.parameters()}

    def seen(tensor: torch.Tensor) -> torch.Tensor:
        kept.setdefault(tensor.untyped_storage().data_ptr(), tensor.untyped_storage().nbytes())
        return tensor

    ids = torch.arange(96).reshape(4, 24)
    with torch.autograd.graph.saved_tensors_hooks(seen, lambda tensor: tensor):
        states = hidden_states(model, ids, torch.ones_like(ids))
    assert states.requires_grad
    computed = ids.numel() * activation_bytes(model.config, checkpointed=checkpointed)
    of_a_layer = activation_bytes(LlamaConfig(**{**SMALL.to_dict(), "num_hidden_layers": 1}), checkpointed=False)
    again = ids.numel() * of_a_layer if checkpointed else 0  # what the backward pass makes again of one layer
    assert computed == pytest.approx(sum(kept.values()) + again, rel=0.2)


def test_checkpointing_and_smaller_micro_batches_take_less() -> None:
    deep = replace(CONFIG, groups=8, micro_batch_tokens=256)
    plain = planned(SMALL, deep, ONE, 8)
    assert planned(SMALL, replace(deep, micro_batch_tokens=64), ONE, 8).activations < 0.5 * plain.activations
    again = replace(deep, engine=EngineConfig(gradient_checkpointing=True))
    assert planned(SMALL, again, ONE, 8).activations < plain.activations


def test_sharing_out_divides_what_is_kept() -> None:
    alone, eight = planned(SMALL, CONFIG, ONE, 8), planned(SMALL, CONFIG, Machine(gpus=8, sharded=True), 8)
    assert eight.kept == alone.kept / 8
    away = replace(CONFIG, engine=EngineConfig(sharding="full", cpu_offload=True))
    assert planned(SMALL, away, Machine(gpus=8, sharded=True), 8).kept == 0  # all of it in the processor's memory
    of_one_group = planned(SMALL, replace(CONFIG, groups=1), ONE, 8)
    assert eight.generation == of_one_group.generation + alone.policy  # it draws from a whole copy


def test_what_fits_is_the_largest_micro_batch_within_the_room() -> None:
    plan = replace(planned(SMALL, CONFIG, ONE, 8), micro_batch_tokens=8192, activations=8 * GIB, generation=0.0)
    assert fitted(plan, Machine(memory=11)) == 8192
    assert fitted(plan, Machine(memory=5.5)) == 4096
    assert fitted(plan, Machine(memory=0.0001)) == 0


def test_options_take_less_and_less() -> None:
    wide = LlamaConfig(**{**SMALL.to_dict(), "hidden_size": 256, "intermediate_size": 512})  # an adapter is small here
    found = [planned(wide, config, machine, 8).kept for _, config, machine in options(CONFIG, ONE)]
    assert sorted(found, reverse=True) == found
    assert [name for name, *_ in options(CONFIG, Machine(gpus=2))][1] == "engine.sharding=full"


def test_names_and_machines_that_are_not_known_are_refused() -> None:
    assert model_config_named("7b").hidden_size == 3584
    with pytest.raises(PolicyError, match=r"give 0\.5b, 7b, 32b"):
        model_config_named("./nothing-here")
    with pytest.raises(ConfigError, match="h100"):
        Machine(chip="h1000")


def test_the_command_takes_settings_of_the_engine() -> None:
    given = made(SCHEMA, {"model": "7b", "engine": {"gradient_checkpointing": True}})
    assert given.config.engine == EngineConfig(gradient_checkpointing=True)
