"""Our environments as datasets of reasoning-gym (0.1.25); its datasets as ours: docs/reasoning_gym.md.

    dataset = reasoning_gym.create_dataset(to_reasoning_gym("math/arithmetic-v1", level=2), size=100, seed=0)

An entry's `metadata` holds the row that judges: `score_answer` needs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import DATASETS, register_dataset

from rlenv.core.jsontypes import Json
from rlenv.core.task import prompt_text
from rlenv.env.registry import load
from rlenv.env.rows import RowJudge
from rlenv.foreign.versions import check_version
from rlenv.integrations.adapter import ROW as ROW
from rlenv.integrations.adapter import export, graded_reward, reference_text, row_in


def to_reasoning_gym(env: str, **settings: Json) -> str:
    """Register the environment with reasoning-gym; the name for `create_dataset`, `rlenv:math/arithmetic-v1`.

    Raises ConfigError for an environment of several turns or for evaluation only, and for a version of reasoning-gym
    that nobody tried.
    """
    check_version("reasoning-gym", known="0.1.25", below="0.2")
    export(env, settings, 1, beside=True, one_turn="reasoning-gym scores one answer; use gem, verifiers or TRL")
    name = f"rlenv:{env}"

    @dataclass
    class Config:
        """What `create_dataset` takes beside the name."""

        size: int = 500
        seed: int = 0

    class Dataset(RlenvDataset):
        """The tasks of this environment."""

        of = (env, settings)

    DATASETS.pop(name, None)  # registered again, perhaps with other keywords
    register_dataset(name, Dataset, Config)
    return name


class RlenvDataset(ProceduralDataset):  # type: ignore[misc]  # reasoning-gym carries no types
    """`size` tasks, drawn by `seed`; fewer where there are not so many."""

    of: tuple[str, Mapping[str, Json]] = ("", {})

    def __init__(self, config: Any) -> None:
        env, settings = self.of
        super().__init__(config, config.seed, min(config.size, len(load(env, **settings).tasks)))
        self._export = export(env, settings, self.size, int(self.seed), beside=True)
        self._judge = RowJudge(wrappers=False, given={env: settings})

    def __getitem__(self, idx: int) -> dict[str, Any]:
        if not 0 <= idx < self.size:
            raise IndexError(f"expected an index in [0, {self.size}), got {idx}")
        task, row = self._export.tasks[idx], self._export.rows[idx]
        metadata = {"source_dataset": f"rlenv:{self.of[0]}", "source_index": idx, ROW: row}
        return {"question": prompt_text(task.prompt), "answer": reference_text(task), "metadata": metadata}

    def score_answer(self, answer: str | None, entry: Mapping[str, Any]) -> float:
        """Our verifier's reward of the whole answer; None is scored as nothing said.

        Raises MachineryError, with the reason, where the checker failed.
        """
        return graded_reward(self._judge.judge([row_in(entry["metadata"])], [answer or ""])[0].verdict)
