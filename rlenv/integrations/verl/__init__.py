"""An environment for verl (0.9.1): a parquet file and the settings that name our reward manager and agent loop.

    print(to_verl("math/arithmetic-v1", "data/train.parquet", size=2000, level=5))    # the settings for verl

The row that judges (docs/rows.md) stands in `extra_info`. Making the file needs pyarrow and not verl.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.core.jsontypes import Json, read_json
from rlenv.core.task import prompt_messages
from rlenv.integrations.adapter import ROW as ROW
from rlenv.integrations.adapter import export, reference_text

TRAIN = "train"
"""The split whose rows are judged in whole groups."""
COMPLETION_FIELD = "rlenv_completion"
"""What our agent loop says beside the tokens."""
MANAGER, AGENT = "rlenv.integrations.verl.reward", "rlenv.integrations.verl.turns.RlenvAgentLoop"
AGENT_NAME, LOOPS_FILE = "rlenv", "rlenv_agent_loops.yaml"


def to_verl(
    env: str, path: str | Path, *, size: int | None = None, seed: int = 0, split: str = TRAIN, **kwargs: Json
) -> str:
    """Write the tasks of an environment as verl reads them; the settings that verl wants, one a line.

    `size` tasks are drawn by `seed`; None takes every task of a set of up to 20,000. Rows of the split `train` are
    judged in whole groups, those of any other split one by one.

    Raises ConfigError when a size must be given, the file is no `.parquet`, or the environment is for evaluation only
    and the split is `train`; MissingExtra without pyarrow.
    """
    path = Path(path)
    if path.suffix != ".parquet":
        raise ConfigError(f"expected a path that ends in .parquet, got {path}")
    made = export(env, kwargs, size, seed, training=split == TRAIN)
    columns = [
        {
            "data_source": env,
            "prompt": prompt_messages(task.prompt),
            "ability": env.partition("/")[0],
            "reward_model": {"style": "rule", "ground_truth": reference_text(task)},
            "extra_info": {"index": index, "split": split, ROW: row},
            **({"agent_name": AGENT_NAME} if made.turns else {}),
        }
        for index, (task, row) in enumerate(zip(made.tasks, made.rows, strict=True))
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "data") from error
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(columns), path)
    settings = [
        f"data.{'train' if split == TRAIN else 'val'}_files={path}",
        "reward.num_workers=1",
        "reward.reward_manager.source=importlib",
        "reward.reward_manager.name=RlenvRewardManager",
        f"reward.reward_manager.module.path=pkg://{MANAGER}",
    ]
    if made.turns:
        loops = path.parent / LOOPS_FILE
        loops.write_text(f"- name: {AGENT_NAME}\n  _target_: {AGENT}\n")
        settings.append(f"actor_rollout_ref.rollout.agent.agent_loop_config_path={loops.resolve()}")
    return "\n".join(settings)


def check_settings(config: Any) -> None:
    """Raise ConfigError where, under these settings of verl's, a group would wait for members that never come."""
    if config.actor_rollout_ref.rollout.n == 1:
        return
    workers = config.reward.get("num_workers", 1)
    if workers != 1:
        raise ConfigError(
            f"expected reward.num_workers=1, got {workers}: verl deals the samples of a group out to its workers at "
            "random, and a group must be judged whole; the checkers have processes of their own"
        )
    algorithm, data = config.get("algorithm") or {}, config.get("data") or {}
    if str(algorithm.get("adv_estimator", "")).lower() == "remax":
        raise ConfigError("remax adds a greedy sample to each group; take grpo, rloo or another, or rollout.n=1")
    if shared := _files(data.get("train_files")) & _files(data.get("val_files")):
        raise ConfigError(
            f"{', '.join(sorted(shared))} is the file of training and of validation, whose groups differ; "
            "write one for validation with to_verl(..., split='val')"
        )


def _files(given: str | Iterable[object] | None) -> set[str]:
    return {given} if isinstance(given, str) else {str(file) for file in given or ()}


def end_ids(config: Any, tokenizer: Any) -> frozenset[int]:
    """The tokens that end a completion: the tokenizer's, and those of the model's generation_config.json."""
    ids = {tokenizer.eos_token_id}
    written = Path(str(config.actor_rollout_ref.model.get("path") or "")) / "generation_config.json"
    if written.is_file():
        settings = read_json(written.read_text(encoding="utf-8"))
        more = settings.get("eos_token_id") if isinstance(settings, dict) else None
        ids |= set(more) if isinstance(more, list) else {more}
    return frozenset(int(i) for i in ids if i is not None)
