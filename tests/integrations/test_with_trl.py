"""TRL's real GRPOTrainer asks our reward function, and gets the rewards of `rlenv.make`."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conformity import GAME, SOURCES, Case, cases, completion_of, differences, differences_of_games, games, needs

needs("trl")
needs("datasets")

from chat_models import chat_policy  # noqa: E402

import rlenv  # noqa: E402
from rlenv.core.definition import Definition  # noqa: E402
from rlenv.core.tasksets import ListTasks  # noqa: E402
from rlenv.integrations.trl import COMPLETION_COLUMN, TASK_COLUMN, to_trl  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    # TRL 1.16 asks transformers for an attribute by its old name.
    pytest.mark.filterwarnings("ignore:`(is_)?gradient_checkpointing` is deprecated:FutureWarning"),
]
END, OTHER = 9, 7


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")  # of rollout_func


def asked(definition: Definition, folder: Path) -> Any:
    """TRL's trainer on the environment."""
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer

    policy = chat_policy("qwen2")
    given = to_trl(definition, eos_token_ids=[END])
    arguments = GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=4,
        num_generations=4,
        report_to="none",
        bf16=False,
        gradient_checkpointing=False,
        use_cpu=True,
        dataloader_pin_memory=False,
    )
    return GRPOTrainer(
        model=policy.model,
        reward_funcs=given.reward_func,
        rollout_func=given.rollout_func,
        args=arguments,
        train_dataset=given.train_dataset,
        processing_class=policy.tokenizer,
    )


def rewards(
    trainer: Any, rows: Sequence[dict[str, Any]], said: Sequence[object], finished: Sequence[bool]
) -> list[Any]:
    """What TRL's own step makes of the rewards; its NaN is "not graded"."""
    ids = [[OTHER, END] if end else [OTHER] for end in finished]
    found = trainer._calculate_rewards(rows, [row["prompt"] for row in rows], said, ids)
    return [None if math.isnan(value) else value for value in found[:, 0].tolist()]


def test_trl_pays_what_the_environment_pays(tmp_path: Path) -> None:
    given: list[float | None] = []
    for number, (env, kwargs, count) in enumerate(SOURCES):
        definition = rlenv.load(env, **kwargs)
        tasks = [definition.tasks[i] for i in range(count)]
        trainer = asked(replace(definition, tasks=ListTasks(tasks)), tmp_path / str(number))
        row_of = dict(zip([task.id for task in tasks], trainer.train_dataset, strict=True))
        mine: list[Case] = [case for case in cases() if json.loads(case.row)["env"] == env]
        rows = [row_of[case.task.id] for case in mine]
        chat = not isinstance(rows[0]["prompt"], str)
        said = [[{"role": "assistant", "content": case.text}] if chat else case.text for case in mine]
        given += rewards(trainer, rows, said, [case.finished for case in mine])
    assert differences(given) == []


def test_trl_pays_games_what_the_environment_pays(tmp_path: Path) -> None:
    definition = replace(rlenv.load(GAME), tasks=ListTasks([game.task for game in games()]))
    trainer = asked(definition, tmp_path)
    played = [completion_of(game) for game in games()]
    rows = [
        {**row, COMPLETION_COLUMN: json.dumps(one.to_json())}
        for row, one in zip(trainer.train_dataset, played, strict=True)
    ]
    assert TASK_COLUMN in rows[0]
    texts = [one.text for one in played]
    assert differences_of_games(rewards(trainer, rows, texts, [one.finished for one in played])) == []
