"""Is this answer the reference?"""

from rlenv.envs.math.equality.compare import compare, readable
from rlenv.envs.math.equality.policy import Comparison

__all__ = ["Comparison", "compare", "readable"]
