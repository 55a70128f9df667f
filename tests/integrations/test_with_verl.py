"""verl's real reward loop and agent loop, on a CPU and with Ray, give the rewards of `rlenv.make`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conformity import (
    GAME,
    GROUP_SIZE,
    SUMS,
    Case,
    cases,
    differences,
    differences_of_games,
    games,
    needs,
    search_path,
)

needs("verl")

import numpy as np  # noqa: E402
import ray  # noqa: E402
import torch  # noqa: E402
from chat_models import chat_policy  # noqa: E402
from hydra import compose, initialize_config_module  # noqa: E402
from omegaconf import open_dict  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from verl import DataProto  # noqa: E402
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker  # noqa: E402
from verl.experimental.reward_loop import RewardLoopManager  # noqa: E402
from verl.utils.dataset.rl_dataset import RLHFDataset  # noqa: E402

from rlenv.core.errors import ConfigError  # noqa: E402
from rlenv.integrations.verl import ROW, check_settings, to_verl  # noqa: E402

pytestmark = pytest.mark.slow
POLICY = chat_policy("qwen2")
END = POLICY.eos_ids[0]
WIDTH = 4096


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a chat template on the disk, as verl wants it."""
    folder = tmp_path_factory.mktemp("model")
    POLICY.model.save_pretrained(folder)
    POLICY.tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", autouse=True)
def _ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    os.environ["PYTHONPATH"] = search_path(tmp_path_factory.mktemp("plugin"))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=True)
    yield
    ray.shutdown()


def settings(model: Path, lines: str, **changes: Any) -> Any:
    """verl's own settings with the lines that `to_verl` prints."""
    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose(
            "ppo_trainer",
            overrides=[
                *lines.splitlines(),
                f"actor_rollout_ref.model.path={model}",
                "+actor_rollout_ref.model.override_config.attn_implementation=eager",
                f"actor_rollout_ref.rollout.n={GROUP_SIZE}",
                "actor_rollout_ref.rollout.name=vllm",
                f"actor_rollout_ref.rollout.response_length={WIDTH}",
                "actor_rollout_ref.rollout.prompt_length=1024",
                "algorithm.adv_estimator=grpo",
            ],
        )
    with open_dict(config):
        config.update(changes)
    return config


def ids_of(text: str, finished: bool) -> list[int]:
    ids = [int(i) for i in POLICY.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]]
    return [*ids[: WIDTH - 1], END] if finished else ids


def batch(mine: Sequence[Case], split: str = "train") -> DataProto:
    """A batch as verl's rollout leaves it."""
    said = [ids_of(case.text, case.finished) for case in mine]
    width = max(map(len, said)) + 1
    responses, attention = torch.zeros(len(said), width, dtype=torch.long), torch.zeros(len(said), 4 + width)
    for place, ids in enumerate(said):
        responses[place, : len(ids)] = torch.tensor(ids, dtype=torch.long)
        attention[place, : 4 + len(ids)] = 1
    extra = [{"index": i // GROUP_SIZE, "split": split, ROW: case.row} for i, case in enumerate(mine)]
    columns = {
        "data_source": ["x"] * len(mine),
        "reward_model": [{"ground_truth": "", "style": "rule"}] * len(mine),
        "extra_info": extra,
        "uid": [str(i // GROUP_SIZE) for i in range(len(mine))],
    }
    return DataProto(
        TensorDict(
            {
                "prompts": torch.ones(len(mine), 4, dtype=torch.long),
                "responses": responses,
                "response_mask": attention[:, 4:].long(),
                "attention_mask": attention.long(),
            },
            batch_size=len(mine),
        ),
        {name: np.array(values, dtype=object) for name, values in columns.items()},
    )


def test_verls_reward_loop_pays_what_the_environment_pays(model: Path, tmp_path: Path) -> None:
    config = settings(model, to_verl(SUMS, tmp_path / "train.parquet", size=4, level=2))
    manager = RewardLoopManager(config)
    found = manager.compute_rm_score(batch(cases()))
    rewards = found.batch["rm_scores"].sum(dim=1).tolist()
    assert differences(rewards, failed="mean") == []
    graded = found.non_tensor_batch["graded"].tolist()
    assert differences([r if g else None for r, g in zip(rewards, graded, strict=True)]) == []
    alone = manager.compute_rm_score(batch(cases()[:3], split="val"))  # no whole group, and nobody waits
    assert alone.batch["rm_scores"].sum(dim=1).tolist() == rewards[:3]


def test_a_failed_checker_has_advantage_0(model: Path, tmp_path: Path) -> None:
    from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage

    config = settings(model, to_verl(SUMS, tmp_path / "train.parquet", size=4, level=2))
    given = batch([case for case in cases() if case.kind == "failed" or "ends" in case.row])
    found = RewardLoopManager(config).compute_rm_score(given)
    mask = given.batch["response_mask"]
    advantages, _ = compute_grpo_outcome_advantage(
        found.batch["rm_scores"], mask, given.non_tensor_batch["uid"], norm_adv_by_std_in_grpo=True
    )
    failed = torch.tensor(found.non_tensor_batch["graded"]) == 0
    assert int(failed.sum()) == 10
    assert float(advantages[failed].abs().max()) < 1e-5
    assert float(advantages[~failed].abs().max()) > 0.5


class Server:
    """Stands for verl's inference server: says what was written down, turn by turn."""

    def __init__(self, scripts: dict[str, tuple[list[int], ...]]) -> None:
        self.scripts = scripts
        self.asked: dict[str, list[list[int]]] = {}

    async def generate(self, request_id: str, *, prompt_ids: list[int], sampling_params: Any, **_: Any) -> Any:
        before = self.asked.setdefault(request_id, [])
        before.append(prompt_ids)
        shown = POLICY.tokenizer.decode(prompt_ids)
        script = next(script for prompt, script in self.scripts.items() if prompt in shown)
        said = script[len(before) - 1]
        return SimpleNamespace(token_ids=said, log_probs=[-0.5] * len(said), num_preempted=0, extra_fields={})


def test_verls_agent_loop_plays_games_as_the_environment_does(model: Path, tmp_path: Path) -> None:
    lines = to_verl(GAME, tmp_path / "train.parquet", size=2)
    config = settings(model, lines)
    config.actor_rollout_ref.rollout.n = 1
    handles = RewardLoopManager(config).reward_loop_workers
    scripts: dict[str, tuple[list[int], ...]] = {}
    rows: list[dict[str, Any]] = []
    for number, game in enumerate(games()):
        told = json.loads(game.row)
        told["task"]["prompt"] = f"Game {number}. {told['task']['prompt']}"
        last = len(game.turns) - 1
        scripts[f"Game {number}. "] = tuple(
            ids_of(text, game.finished or place < last) for place, text in enumerate(game.turns)
        )
        rows.append(
            {
                "raw_prompt": [{"role": "user", "content": told["task"]["prompt"]}],
                "extra_info": {"index": number, "split": "train", ROW: json.dumps(told)},
                "agent_name": "rlenv",
                "uid": str(number),
                "index": number,
                "data_source": GAME,
                "reward_model": {},
            }
        )
    server = Server(scripts)
    worker = AgentLoopWorker(config, server, None, handles)
    columns = {name: np.array([row[name] for row in rows] + [None], dtype=object)[:-1] for name in rows[0]}
    import asyncio

    asyncio.set_event_loop(asyncio.new_event_loop())
    found = asyncio.get_event_loop().run_until_complete(
        worker.generate_sequences(DataProto(None, columns, {"validate": False, "global_steps": 0}))
    )
    assert differences_of_games(found.batch["rm_scores"].sum(dim=1).tolist()) == []
    for place, turns in enumerate(scripts.values()):
        mask = found.batch["response_mask"][place].bool()
        spoken = found.batch["responses"][place][mask].tolist()
        assert spoken == [i for turn in turns[: len(turns)] for i in turn][: len(spoken)]
        assert float(found.batch["rollout_log_probs"][place][mask].max()) == -0.5


def test_verl_reads_the_file(model: Path, tmp_path: Path) -> None:
    lines = to_verl(SUMS, tmp_path / "train.parquet", size=4, level=2)
    config = settings(model, lines)
    rows = RLHFDataset(str(tmp_path / "train.parquet"), POLICY.tokenizer, config.data)
    assert len(rows) == 4
    assert json.loads(rows[0]["extra_info"][ROW])["env"] == SUMS
    assert rows[0]["raw_prompt"][0]["role"] == "user"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"reward": {"num_workers": 8}}, "num_workers=1"),
        ({"algorithm": {"adv_estimator": "remax"}}, "remax"),
        ({"data": {"train_files": "a", "val_files": ["a"]}}, "split='val'"),
    ],
)
def test_settings_under_which_a_group_is_never_whole_are_refused(
    change: Any, why: str, model: Path, tmp_path: Path
) -> None:
    config = settings(model, to_verl(SUMS, tmp_path / "train.parquet", size=4, level=2), **change)
    with pytest.raises(ConfigError, match=why):
        check_settings(config)
