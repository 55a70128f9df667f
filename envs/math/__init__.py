"""Mathematics: problems with a final answer, and the verifier that judges it.

>>> from rlenv.envs.math import verify
>>> verify(r"\\frac{1}{2}", r"So it is \\boxed{0.5}.").reward
1.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlenv.envs.math.equality.policy import MathPolicy
    from rlenv.envs.math.verifier import verify

__all__ = ["MathPolicy", "verify"]


def __getattr__(name: str) -> object:
    """Loaded when asked for: whoever imports one environment of this family loads no more than it needs."""
    if name == "verify":
        from rlenv.envs.math.verifier import verify

        return verify
    if name == "MathPolicy":
        from rlenv.envs.math.equality.policy import MathPolicy

        return MathPolicy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
