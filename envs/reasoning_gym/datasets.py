"""The package's datasets, made to give the same item for the same number in every process, in bounded time."""

from __future__ import annotations

import importlib
import json
import random
import threading
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeAlias, TypedDict

from rlenv.core.errors import ConfigError, MissingExtra
from rlenv.core.jsontypes import Json

Config: TypeAlias = "Mapping[str, Json]"


class Item(TypedDict):
    """What a dataset gives for a number."""

    question: str
    answer: str | None
    metadata: Mapping[str, object]


DEFAULTS: dict[str, dict[str, Json]] = {
    "base_conversion": {"min_value": 1},  # 0 is written as nothing
    "futoshiki": {"max_board_size": 6},  # 9 by 9 takes up to 6 s
    "number_sequence": {"max_complexity": 2, "max_terms": 6},  # repeated squares: 14 s and more
}
"""Settings in place of the package's, for speed or for a question that makes sense; config may override them."""

POPULATION = {"acre": 2000}
"""Datasets that make all their items at once, and how many of them are made."""
SIZE = 20_000
"""What the others are told; any number beyond it makes an item as well."""
UNBOUNDED = 10**12
KEPT_ITEMS = 192
"""Whoever looks for the items of one split meets those of the others: an audit, a curriculum."""


class Items:
    """The items of one dataset under one seed, by number. Any thread may ask."""

    def __init__(self, name: str, config: str, seed: int) -> None:
        self._lock = threading.Lock()
        dataset = create(name, json.loads(config), seed, POPULATION.get(name, SIZE))
        self._item: Callable[[int], Item] = lru_cache(maxsize=KEPT_ITEMS)(dataset.__getitem__)

    def __getitem__(self, number: int) -> Item:
        with self._lock:
            return self._item(number)


@lru_cache(maxsize=32)
def items(name: str, config: str, seed: int) -> Items:
    """The items of a dataset; `config` is its settings as canonical JSON."""
    return Items(name, config, seed)


@lru_cache(maxsize=32)
def scorer(name: str, config: str) -> Any:
    """A dataset that is asked for `score_answer` alone."""
    return create(name, json.loads(config), seed=0, size=1)


def settings(name: str, config: Config) -> dict[str, Json]:
    """The settings of a dataset: ours where the user's config says nothing."""
    for key in ("seed", "size"):
        if key in config:
            raise ConfigError(f"{name}: expected no {key!r} in config; give {key}=... beside it")
    return {**DEFAULTS.get(name, {}), **config}


def create(name: str, config: Config, seed: int, size: int) -> Any:
    """The package's own dataset. Raises MissingExtra, and ConfigError for settings that it does not take."""
    package = factory()
    if name not in package.DATASETS:
        raise ConfigError(f"this release of reasoning-gym has no dataset {name!r}; install 0.1.25")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # arc_agi's library leaves a file to the collector
            dataset = package.create_dataset(name, **config, seed=seed, size=size)
    except (AssertionError, TypeError, ValueError) as error:
        raise ConfigError(f"{name}: config {config} does not do: {error}") from error
    if name in _PRINTING:
        vars(importlib.import_module(_PRINTING[name]))["print"] = lambda *values, **options: None
    if name == "word_ladder":  # it chooses among the words of a set, whose order changes from process to process
        graphs = dataset.word_graphs.items()
        dataset.word_graphs = {length: {word: sorted(near) for word, near in of.items()} for length, of in graphs}
        dataset.size = UNBOUNDED
    return dataset


@lru_cache(maxsize=1)
def factory() -> ModuleType:
    """The package's registry. Importing the package draws from the global random state, which is put back."""
    before = random.getstate()
    try:
        return importlib.import_module("reasoning_gym.factory")
    except ImportError as error:
        raise MissingExtra("reasoning_gym", "reasoning-gym") from error
    finally:
        random.setstate(before)


_PRINTING = {
    "bf": "reasoning_gym.code.contrib.bfit.Compiler.Optimizer",  # a dot for every pass over the program
    "tower_of_hanoi": "reasoning_gym.games.tower_of_hanoi",  # a line for every illegal move
}
"""Modules that write to the standard output."""
