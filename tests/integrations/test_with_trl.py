"""TRL's real GRPOTrainer gets the rewards of `rlenv.make`, and learns from the very tokens that were judged."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conformity import GAME, SOURCES, SUMS, Case, cases, completion_of, differences, differences_of_games, games, needs

needs("trl")
needs("datasets")

from chat_models import chat_policy  # noqa: E402
from trl_trainer import MARKS, offline, trainer  # noqa: E402

import rlenv  # noqa: E402
from rlenv.env.tasksets import ListTasks  # noqa: E402
from rlenv.integrations.trl import COMPLETION_COLUMN, TASK_COLUMN, TrlReward, to_trl  # noqa: E402

pytestmark = MARKS
END, OTHER, STEPS = 9, 7, 3


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    offline(monkeypatch)


def rewards(asked: Any, rows: Sequence[dict[str, Any]], said: Sequence[object], finished: Sequence[bool]) -> list[Any]:
    """What TRL's own step makes of the rewards; its NaN is "not graded"."""
    ids = [[OTHER, END] if end else [OTHER] for end in finished]
    found = asked._calculate_rewards(rows, [row["prompt"] for row in rows], said, ids)
    return [None if math.isnan(value) else value for value in found[:, 0].tolist()]


def test_trl_pays_what_the_environment_pays(tmp_path: Path) -> None:
    given: list[float | None] = []
    for number, (env, kwargs, count) in enumerate(SOURCES):
        definition = rlenv.load(env, **kwargs)
        tasks = [definition.tasks[i] for i in range(count)]
        ours = to_trl(replace(definition, tasks=ListTasks(tasks)), eos_token_ids=[END])
        asked = trainer(chat_policy("qwen2"), ours, tmp_path / str(number), 4)
        row_of = dict(zip([task.id for task in tasks], asked.train_dataset, strict=True))
        mine: list[Case] = [case for case in cases() if json.loads(case.row)["env"] == env]
        rows = [row_of[case.task.id] for case in mine]
        chat = not isinstance(rows[0]["prompt"], str)
        said = [[{"role": "assistant", "content": case.text}] if chat else case.text for case in mine]
        given += rewards(asked, rows, said, [case.finished for case in mine])
    assert differences(given) == []


def test_trl_pays_games_what_the_environment_pays(tmp_path: Path) -> None:
    definition = replace(rlenv.load(GAME), tasks=ListTasks([game.task for game in games()]))
    asked = trainer(chat_policy("qwen2"), to_trl(definition, eos_token_ids=[END]), tmp_path, 4)
    played = [completion_of(game) for game in games()]
    rows = [
        {**row, COMPLETION_COLUMN: json.dumps(one.to_json())}
        for row, one in zip(asked.train_dataset, played, strict=True)
    ]
    assert TASK_COLUMN in rows[0]
    texts = [one.text for one in played]
    assert differences_of_games(rewards(asked, rows, texts, [one.finished for one in played])) == []


class Heard:
    """Our reward function, with what TRL gave it and what it said."""

    def __init__(self, inner: TrlReward) -> None:
        self.inner, self.__name__ = inner, inner.__name__
        self.ids: list[list[int]] = []
        self.rewards: list[float | None] = []

    def __call__(self, prompts: Any, completions: Any, completion_ids: Any, **columns: Any) -> list[float | None]:
        rewards = self.inner(prompts, completions, completion_ids, **columns)
        self.ids += [list(ids) for ids in completion_ids]
        self.rewards += rewards
        return rewards


@pytest.mark.parametrize(("env", "kwargs"), [(SUMS, {"level": 1}), (GAME, {})])
def test_trl_learns_from_what_was_judged(
    env: str, kwargs: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, given = chat_policy("qwen2"), to_trl(rlenv.make(env, **kwargs), size=8, chat=True, max_new_tokens=6)
    heard = Heard(given.reward_func)
    trained = trainer(
        policy,
        given,
        tmp_path,
        4,
        reward_funcs=heard,
        max_steps=STEPS,
        max_completion_length=200,
        per_device_train_batch_size=8,
    )
    loss: Any = trained._compute_loss
    masked, learned = list[list[int]](), list[list[int]]()

    def recorded(model: Any, inputs: dict[str, Any]) -> Any:
        for place, row in enumerate(inputs["completion_mask"].bool()):
            learned.append(inputs["completion_ids"][place][row].tolist())
            masked.append(inputs.get("tool_mask", inputs["completion_mask"])[place][row].tolist())
        return loss(model, inputs)

    monkeypatch.setattr(trained, "_compute_loss", recorded)
    trained.train()
    steps = [entry for entry in trained.state.log_history if "reward" in entry]
    assert len(steps) == STEPS
    assert all(math.isfinite(step["loss"]) and math.isfinite(step["grad_norm"]) for step in steps)
    assert len(heard.rewards) == STEPS * 8
    assert None not in heard.rewards
    assert sorted(learned) == sorted(heard.ids)
    assert all(1 in mask for mask in masked)
    assert any(0 in mask for mask in masked) == (env == GAME)  # what the game said, and nothing else
