"""The splits of a registered environment, to see whether they share prompts."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

import gymnasium

from rlenv.core.errors import RlenvError
from rlenv.core.task import TaskSet
from rlenv.env.registry import load

NAMES = ("test", "train", "demonstrations")


def splits_of(id: str, kwargs: Mapping[str, Any]) -> dict[str, TaskSet]:
    """The task sets of its splits by name; none where it has no splits, or its rows are those of one file."""
    if not takes(id, "split") or "data" in kwargs:
        return {}
    found: dict[str, TaskSet] = {}
    for name in NAMES:
        try:
            found[name] = load(id, **{**kwargs, "split": name}).tasks
        except RlenvError:  # it has no split of this name, or none with these keywords
            continue
    return found


def takes(id: str, keyword: str) -> bool:
    """True where the factory of a registered environment has this parameter."""
    spec = gymnasium.registry.get(id)
    factory = str(spec.kwargs.get("factory", "")) if spec is not None else ""
    module, _, name = factory.partition(":")
    return bool(factory) and keyword in inspect.signature(getattr(importlib.import_module(module), name)).parameters
