"""rlenv: checkable tasks as reinforcement-learning environments for language models.

    import rlenv

    rlenv.register("mine/reverse-v0", tasks=[{"prompt": "Reverse: abc", "answer": "cba"}],
                   verifier=lambda completion, answer: completion.strip() == answer)
    env = rlenv.make("mine/reverse-v0")

Importing rlenv is light: gymnasium and numpy. Everything heavy is imported where it is used.
"""

import importlib
import sys
from typing import TYPE_CHECKING

if sys.platform == "win32":
    raise ImportError("rlenv runs on Linux and macOS; on Windows install it in WSL2")

from rlenv._moved import answer_old_names
from rlenv.core import VERSION
from rlenv.core.completion import Completion
from rlenv.core.definition import Definition
from rlenv.core.episode import Episode
from rlenv.core.errors import RlenvError
from rlenv.core.task import Task, TaskSet
from rlenv.core.verdict import Flag, Part, StepReward, Verdict
from rlenv.core.verifier import BatchVerifier, FunctionVerifier, TieredVerifier, Verifier
from rlenv.core.wrapper import Wrapper
from rlenv.env.batch import BatchEnvironment, make_batch
from rlenv.env.compose import gate, weighted
from rlenv.env.environment import Environment, wrap
from rlenv.env.plugins import register_installed
from rlenv.env.registry import list_envs, load, make, make_vec, register
from rlenv.env.rows import RowJudge, judge_row, judge_rows, rows_of, to_row
from rlenv.env.sampler import PassRateSampler, UniformSampler
from rlenv.env.spaces import Unicode
from rlenv.env.tasksets import ListTasks, ProceduralTasks, hub_tasks, load_tasks
from rlenv.store.saved_episodes import read_episodes, write_episodes
from rlenv.workers.pool import WorkerPool

__all__ = [
    "BatchEnvironment",
    "BatchVerifier",
    "Completion",
    "Definition",
    "Environment",
    "Episode",
    "Flag",
    "FunctionVerifier",
    "ListTasks",
    "Part",
    "PassRateSampler",
    "ProceduralTasks",
    "RlenvError",
    "RowJudge",
    "StepReward",
    "Task",
    "TaskSet",
    "TieredVerifier",
    "Unicode",
    "UniformSampler",
    "Verdict",
    "Verifier",
    "WorkerPool",
    "Wrapper",
    "card",
    "compare",
    "evaluate",
    "gate",
    "hub_tasks",
    "judge_row",
    "judge_rows",
    "list_envs",
    "load",
    "load_tasks",
    "make",
    "make_batch",
    "make_vec",
    "read_episodes",
    "register",
    "rescore",
    "rows_of",
    "to_row",
    "weighted",
    "wrap",
    "write_episodes",
]
__version__ = VERSION

if TYPE_CHECKING:
    from rlenv.cards import card
    from rlenv.comparison import compare
    from rlenv.evaluation.evaluation import evaluate
    from rlenv.evaluation.rescoring import rescore
else:
    LATER = {
        "card": "rlenv.cards",
        "compare": "rlenv.comparison",
        "evaluate": "rlenv.evaluation.evaluation",
        "rescore": "rlenv.evaluation.rescoring",
    }
    """Names that are imported when they are asked for: not every process that makes an environment needs them."""

    def __getattr__(name: str) -> object:
        """What is imported later, packages of rlenv by their names, and old names of modules."""
        if name in LATER:
            return getattr(importlib.import_module(LATER[name]), name)
        unknown = AttributeError(f"module 'rlenv' has no attribute {name!r}")
        if name.startswith("_"):
            raise unknown
        try:
            return importlib.import_module(f"rlenv.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"rlenv.{name}":
                raise
            raise unknown from None


answer_old_names()
# Our own environments register like anybody's: by strings, found by name.
importlib.import_module("rlenv.envs")
# What is installed beside us and names its ids is there as well; nothing of it is imported before it is made.
register_installed(register)
