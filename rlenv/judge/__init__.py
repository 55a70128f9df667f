"""From a completion to its verdict: the one way that the environment, the batch, rows, rescoring and adapters take."""

from rlenv.judge.judge import Judge
from rlenv.judge.wrapping import apply_wrappers, at_fault

__all__ = ["Judge", "apply_wrappers", "at_fault"]
