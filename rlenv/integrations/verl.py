"""An environment for verl: a parquet file, a reward manager, and an agent loop for several turns (verl 0.9.1).

    from rlenv.integrations.verl import to_verl

    print(to_verl("math/arithmetic-v0", "data/train.parquet", size=2000, level=5))    # the settings for verl

The file has the columns `data_source, prompt, ability, reward_model, extra_info`; the row that judges (docs/rows.md)
stands in `extra_info`. Making it needs pyarrow and not verl.
"""

from __future__ import annotations

from pathlib import Path

from rlenv.core.definition import check_trainable
from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.core.jsontypes import Json, canonical
from rlenv.core.task import Task, prompt_messages
from rlenv.env.registry import load
from rlenv.env.rows import to_row
from rlenv.integrations.drawn import drawn_tasks

ROW, TRAIN = "rlenv_row", "train"
MANAGER, AGENT = "rlenv.integrations.verl_reward", "rlenv.integrations.verl_turns.RlenvAgentLoop"
AGENT_NAME = "rlenv"
LOOPS_FILE = "rlenv_agent_loops.yaml"


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
    definition = load(env, **kwargs)
    if split == TRAIN:
        check_trainable(definition)
    turns = definition.interaction is not None
    tasks = drawn_tasks(definition, size, seed)
    rows = [_row(env, kwargs, task, index, split, turns) for index, task in enumerate(tasks)]
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, rows)
    settings = [
        f"data.{'train' if split == TRAIN else 'val'}_files={path}",
        "reward.num_workers=1",
        "reward.reward_manager.source=importlib",
        "reward.reward_manager.name=RlenvRewardManager",
        f"reward.reward_manager.module.path=pkg://{MANAGER}",
    ]
    if turns:
        loops = path.parent / LOOPS_FILE
        loops.write_text(f"- name: {AGENT_NAME}\n  _target_: {AGENT}\n")
        settings.append(f"actor_rollout_ref.rollout.agent.agent_loop_config_path={loops.resolve()}")
    return "\n".join(settings)


def _row(env: str, kwargs: dict[str, Json], task: Task, index: int, split: str, turns: bool) -> dict[str, object]:
    truth = task.reference if isinstance(task.reference, str) else canonical(task.reference)
    row: dict[str, object] = {
        "data_source": env,
        "prompt": prompt_messages(task.prompt),
        "ability": env.partition("/")[0],
        "reward_model": {"style": "rule", "ground_truth": truth},
        "extra_info": {"index": index, "split": split, ROW: to_row(env, task, kwargs)},
    }
    return {**row, "agent_name": AGENT_NAME} if turns else row


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "data") from error
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
