"""Who raised when a completion could not be judged: the verifier, or a detector or another wrapper around it.

>>> at_fault(["detector hollow: KeyError: 'a'"]), at_fault(["KeyError: 'a'"]), at_fault(["wrapper mine: lost", "gone"])
('detector hollow', 'verifier', 'verifier or a wrapper')
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from traceback import extract_tb

KINDS = ("detector", "wrapper")


def fault_of(wrapper: object, name: str, error: Exception) -> str:
    """The reason of a `verifier_error`: which wrapper raised what, and where in its file."""
    from rlenv.wrappers.detector import Detector  # which is a wrapper itself

    kind = KINDS[0] if isinstance(wrapper, Detector) else KINDS[1]
    own = getattr(sys.modules.get(type(wrapper).__module__), "__file__", None)
    frames = extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if frame.filename == own), frames[-1])
    return f"{kind} {name}: {type(error).__name__}: {error} ({place.filename}, line {place.lineno})"


def at_fault(reasons: Iterable[str]) -> str:
    """What to fix, by the reasons of the failures."""
    found = {reason.partition(":")[0] if reason.startswith(KINDS) else "verifier" for reason in reasons}
    return found.pop() if len(found) == 1 else "verifier or a wrapper"
