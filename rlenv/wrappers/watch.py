"""Detectors from text, as `--watch` takes them.

>>> [(d.name, d.action) for d in watched("repetition,hedging:gate")]
[('repetition', 'observe'), ('hedging', 'gate')]
>>> watched("repetition:penalise=0.25")[0].penalty
0.25
"""

from __future__ import annotations

from rlenv.errors import ConfigError
from rlenv.wrappers.detector import ACTIONS, Detector
from rlenv.wrappers.detectors import DETECTORS

ALL = "all"


def watched(text: str) -> tuple[Detector, ...]:
    """The detectors named between commas, each `NAME`, `NAME:ACTION` or `NAME:penalise=AMOUNT`.

    `all` stands for every detector (`all:gate` works too); a name said again behind it changes that one.
    Raises ConfigError, listing what there is, for a name or an action that is not known.
    """
    chosen: dict[str, Detector] = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        name, _, action = item.partition(":")
        names = list(DETECTORS) if name == ALL else [name]
        chosen |= {name: _detector(name, action) for name in names}
    return tuple(chosen.values())


def _detector(name: str, said: str) -> Detector:
    if name not in DETECTORS:
        raise ConfigError(f"no detector {name!r}; there are: {', '.join(DETECTORS)}, and '{ALL}' for every one")
    action, equals, amount = said.partition("=")
    action = action or "observe"
    if action not in ACTIONS or (equals and action != "penalise"):
        raise ConfigError(f"{name}: expected {', '.join(ACTIONS)} or penalise=AMOUNT behind the colon, got {said!r}")
    kind = DETECTORS[name]
    if not equals:
        return kind(action=action)
    try:
        return kind(action="penalise", penalty=float(amount))
    except ValueError as error:
        raise ConfigError(f"{name}: expected penalise=AMOUNT with a number of 0 or more, got {said!r}") from error
