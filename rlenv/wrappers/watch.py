"""Detectors from text, as `--watch` takes them.

>>> [(d.name, d.action) for d in watched("repeats,several_answers:gate")]
[('repeats', 'observe'), ('several_answers', 'gate')]
>>> [d.name for d in watched("master_key:gate,rlenv.evidence.detectors.content:Hollow:veto")]
['master_key', 'hollow']
>>> watched("repeats:penalise=0.25")[0].penalty
0.25
"""

from __future__ import annotations

import importlib
import warnings
from collections import Counter

from rlenv.core.errors import ConfigError
from rlenv.evidence.detector import ACTIONS, Detector
from rlenv.evidence.detectors import EVIDENCE_DETECTORS

ALL = "all"
RETIRED = ("cut_off", "paid_by_length", "senseless", "tests_replaced")
"""Detectors that went: on cases that nobody made them for, others see all that they saw. A run may still name them."""


def watched(text: str) -> tuple[Detector, ...]:
    """The detectors named between commas, each `NAME`, `NAME:ACTION` or `NAME:penalise=AMOUNT`.

    A detector of your own is `MODULE:CLASS`, with or without an action behind it. `all` stands for every detector
    (`all:gate` works too); a name said again behind it changes that one. Raises ConfigError, listing what there is, for
    a name or an action that is not known, and for two detectors of one name.
    """
    chosen: dict[str, Detector] = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        name, _, action = item.partition(":")
        if name in RETIRED:
            told = f"the detector {name!r} went: on new cases others see what it saw; take it out of --watch"
            warnings.warn(told, DeprecationWarning, stacklevel=2)
        elif not names_code(item):
            names = list(EVIDENCE_DETECTORS) if name == ALL else [name]
            chosen |= {name: _detector(_known(name), action) for name in names}
        else:
            kind, _, action = action.partition(":")
            chosen[f"{name}:{kind}"] = _detector(_imported(name, kind), action)
    twice = [name for name, count in Counter(one.name for one in chosen.values()).items() if count > 1]
    if twice:
        raise ConfigError(f"two detectors are named {twice[0]!r}, and flags say the name alone; rename one")
    return tuple(chosen.values())


def names_code(item: str) -> bool:
    """Whether what stands between two commas is a detector of the user's own: MODULE:CLASS.

    >>> names_code("repeats:gate"), names_code("mine:Listing:gate")
    (False, True)
    """
    name, _, action = item.strip().partition(":")
    return not (name in EVIDENCE_DETECTORS or name == ALL or not action or action in ACTIONS)


def _known(name: str) -> type[Detector]:
    kind = EVIDENCE_DETECTORS.get(name)
    if kind is None:
        known = ", ".join(EVIDENCE_DETECTORS)
        raise ConfigError(
            f"no detector {name!r}; there are: {known}, and '{ALL}' for every one; one of your own is MODULE:CLASS"
        )
    return kind


def _imported(module: str, name: str) -> type[Detector]:
    """The detector class of this name in a module that can be imported from here."""
    try:
        kind = getattr(importlib.import_module(module), name)
    except Exception as error:  # the user's module may raise anything
        raise ConfigError(
            f"no detector {module}:{name} ({type(error).__name__}: {error}); give NAME:ACTION, or MODULE:CLASS of a "
            "module on the path, such as mine:Listing for mine.py in the current folder"
        ) from error
    if not (isinstance(kind, type) and issubclass(kind, Detector)):
        raise ConfigError(f"expected {module}:{name} to be a class of rlenv.wrappers.Detector, got {kind!r:.80}")
    if not isinstance(getattr(kind, "name", None), str) or not kind.name:
        raise ConfigError(f"{module}:{name} has no name for its flags; give the class one, such as 'listing'")
    if kind.__abstractmethods__:
        raise ConfigError(f"{module}:{name} has no {', '.join(sorted(kind.__abstractmethods__))}; write it")
    return kind


def _detector(kind: type[Detector], said: str) -> Detector:
    action, equals, amount = said.partition("=")
    action = action or "observe"
    if action not in ACTIONS or (equals and action != "penalise"):
        raise ConfigError(
            f"{kind.name}: expected {', '.join(ACTIONS)} or penalise=AMOUNT, got {said!r}; what else a detector has is "
            "set in its class, or in Python (wrappers=[...])"
        )
    if not equals:
        return kind(action=action)
    try:
        return kind(action="penalise", penalty=float(amount))
    except ValueError as error:
        raise ConfigError(f"{kind.name}: expected penalise=AMOUNT with a number of 0 or more, got {said!r}") from error
