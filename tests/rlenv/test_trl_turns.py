"""Episodes of several turns in TRL: exact ids and masks, and TRL's real trainer on a game."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("datasets", reason="needs the extra: trl")
pytest.importorskip("transformers", reason="needs the extra: train")

from chat_models import chat_policy
from number_game import guessing

import rlenv
from rlenv.core.completion import Completion
from rlenv.core.errors import ConfigError
from rlenv.core.task import Task
from rlenv.integrations.trl import COMPLETION_COLUMN, TASK_COLUMN, TurnRollout, to_trl

ARGUMENTS = {"seed": 3, "max_completion_length": 60, "temperature": 1.0, "top_p": 1.0}


def trainer(**changes: Any) -> Any:
    """What of TRL's trainer a rollout looks at."""
    policy = chat_policy("qwen2")
    return SimpleNamespace(
        model=policy.model,
        processing_class=policy.tokenizer,
        accelerator=SimpleNamespace(unwrap_model=lambda model: model, process_index=0),
        args=SimpleNamespace(**{**ARGUMENTS, **changes}),
    )


def rolled(given: Any, **options: Any) -> tuple[Any, dict[str, Any], list[str]]:
    env = to_trl(guessing(), **options)
    prompts = [prompt for prompt in env.train_dataset["prompt"] for _ in range(3)]
    rows = [row for row in env.train_dataset[TASK_COLUMN] for _ in range(3)]
    assert env.rollout_func is not None
    return env, env.rollout_func(prompts, given), rows


def test_an_environment_of_one_turn_needs_no_rollout_of_ours() -> None:
    assert to_trl("math/arithmetic-v0", size=2).rollout_func is None


def test_the_rollout_gives_what_was_sampled_and_the_mask_says_what_was_not() -> None:
    given = trainer()
    env, found, rows = rolled(given, max_new_tokens=8)
    assert set(found) == {"prompt_ids", "completion_ids", "logprobs", "env_mask", COMPLETION_COLUMN}
    policy = chat_policy("qwen2")
    said = [Completion.from_json(json.loads(text)) for text in found[COMPLETION_COLUMN]]
    assert max(len(one.said_turns) for one in said) > 1
    for place, one in enumerate(said):
        task = Task.from_json(json.loads(rows[place]))
        assert found["prompt_ids"][place] == policy.encode(task.prompt)
        assert found["completion_ids"][place] == list(one.token_ids)
        assert found["env_mask"][place] == list(one.mask)
        assert len(found["logprobs"][place]) == len(one.token_ids) <= 60
        assert all(len(turn.token_ids) <= 8 for turn in one.said_turns)
    batch = rlenv.BatchEnvironment(guessing(), group_size=3)
    batch.reset(tasks=[guessing().tasks[i] for i in range(4)])
    judged = [episode.verdict.reward for episode in batch.step(said)]
    columns = {"rlenv_task": rows, COMPLETION_COLUMN: found[COMPLETION_COLUMN]}
    assert env.reward_func(rows, [""] * 12, found["completion_ids"], **columns) == judged


def test_every_call_draws_anew_and_the_same_run_draws_the_same() -> None:
    prompts = to_trl(guessing()).train_dataset["prompt"][:]
    first, second = TurnRollout(guessing()), TurnRollout(guessing())
    calls = [first(prompts, trainer())["completion_ids"] for _ in range(2)]
    assert calls[0] != calls[1]
    assert [second(prompts, trainer())["completion_ids"] for _ in range(2)] == calls


def test_an_episode_without_room_for_a_word_is_one_masked_token() -> None:
    given = trainer()
    given.model.config.max_position_embeddings = 10
    _, found, _ = rolled(given)
    assert {tuple(mask) for mask in found["env_mask"]} == {(0,)}
    assert {len(ids) for ids in found["completion_ids"]} == {1}


def test_foreign_prompts_and_a_trainer_without_the_rollout_are_named() -> None:
    env = to_trl(guessing())
    with pytest.raises(ConfigError, match="dataset of to_trl"):
        TurnRollout(guessing())([[{"role": "user", "content": "Hi"}]], trainer())
    with pytest.raises(ConfigError, match="rollout_func"):
        env.reward_func(["a"], ["b"], rlenv_task=env.train_dataset[TASK_COLUMN][:1])


@pytest.mark.slow
# TRL 1.16 asks transformers for an attribute by its old name, and calls a rollout_func experimental.
@pytest.mark.filterwarnings("ignore:`(is_)?gradient_checkpointing` is deprecated:FutureWarning")
@pytest.mark.filterwarnings("ignore:You are using 'rollout_func'")
def test_the_real_grpo_trainer_trains_on_a_game_and_leaves_the_environments_tokens_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(variable, "1")
    pytest.importorskip("trl", reason="needs the extra: trl")
    import torch
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    policy, env = chat_policy("qwen2"), to_trl(guessing(), max_new_tokens=8)
    before = [parameter.detach().clone() for parameter in policy.model.parameters()]
    arguments = GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=2,
        per_device_train_batch_size=16,
        num_generations=4,
        max_completion_length=80,
        learning_rate=1e-3,
        beta=0.0,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        bf16=False,
        gradient_checkpointing=False,
        use_cpu=True,
        seed=0,
        disable_tqdm=True,
        dataloader_pin_memory=False,
    )
    trained = GRPOTrainer(
        model=policy.model,
        reward_funcs=env.reward_func,
        rollout_func=env.rollout_func,
        args=arguments,
        train_dataset=env.train_dataset,
        processing_class=policy.tokenizer,
    )
    seen, rolled = list[dict[str, Any]](), list[dict[str, Any]]()
    loss: Any = trained._compute_loss
    rollout: Any = trained.rollout_func

    def recorded_loss(model: Any, inputs: dict[str, Any]) -> Any:
        seen.append(inputs)
        return loss(model, inputs)

    def recorded_rollout(*given: Any) -> dict[str, Any]:
        rolled.append(rollout(*given))
        return rolled[-1]

    monkeypatch.setattr(trained, "_compute_loss", recorded_loss)
    monkeypatch.setattr(trained, "rollout_func", recorded_rollout)
    trained.train()
    steps = [entry for entry in trained.state.log_history if "reward" in entry]
    assert len(steps) == 2
    assert all(torch.isfinite(torch.tensor(step["loss"])) for step in steps)
    assert "rewards/test_guessing_v0/mean" in steps[-1]
    assert any(not torch.equal(a, b) for a, b in zip(before, policy.model.parameters(), strict=True))
    chosen = [[i for i, m in zip(ids, mask, strict=True) if m] for found in rolled for ids, mask in _pairs(found)]
    in_loss = [ids for inputs in seen for ids in _learned(inputs)]
    assert sorted(in_loss) == sorted(chosen)
    assert any(0 in mask for found in rolled for mask in found["env_mask"])


def _pairs(found: dict[str, Any]) -> list[tuple[list[int], list[int]]]:
    return list(zip(found["completion_ids"], found["env_mask"], strict=True))


def _learned(inputs: dict[str, Any]) -> list[list[int]]:
    """The tokens of each row that TRL's loss looks at."""
    mask = inputs["completion_mask"] * inputs["tool_mask"]
    return [ids[chosen > 0].tolist() for ids, chosen in zip(inputs["completion_ids"], mask, strict=True)]
