"""Episodes of several turns in TRL: exact ids and masks."""

from __future__ import annotations

import json
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
from rlenv.integrations.trl import COMPLETION_COLUMN, TASK_COLUMN, TurnRollout, _one_row, to_trl

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


def test_foreign_prompts_and_a_trainer_without_the_rollout_are_named() -> None:
    env = to_trl(guessing())
    with pytest.raises(ConfigError, match="dataset of to_trl"):
        TurnRollout(guessing())([[{"role": "user", "content": "Hi"}]], trainer())
    with pytest.raises(ConfigError, match="rollout_func"):
        env.reward_func(["a"], ["b"], rlenv_task=env.train_dataset[TASK_COLUMN][:1])


@pytest.mark.parametrize(
    ("breaks", "mask", "prompt", "own"),
    [
        ((), (1, 0, 1, 1, 0, 1), [9], slice(0, 6)),
        ((3,), (1, 1, 1, 0, 0, 1), [9], slice(0, 3)),
        ((3,), (1, 0, 0, 0, 1, 1), [3], slice(4, 6)),
        ((0, 3), (0, 0, 1, 0, 1, 1), [3], slice(4, 6)),
        ((0,), (0, 0, 0, 0, 0, 0), [0, 1, 2, 3, 4, 5], slice(6, 6)),
    ],
)
def test_of_an_episode_of_several_rows_trl_gets_that_in_which_most_was_said(
    breaks: tuple[int, ...], mask: tuple[int, ...], prompt: list[int], own: slice
) -> None:
    said = Completion("said", tuple(range(6)), (0.0,) * 6, mask, breaks=breaks)
    assert _one_row(said, [9]) == (prompt, own)
