"""The package's datasets, made to give the same item for the same number in every process.

Left to themselves some of them read the global random state, iterate over sets of strings (whose order
changes from process to process), need seconds or gigabytes for an item now and then, or give a reference
that does not answer the question. What is done about each stands here, by name.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import random
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any, TypeAlias, TypedDict

from rlenv.errors import ConfigError, MissingExtra
from rlenv.jsontypes import Json

Config: TypeAlias = "Mapping[str, Json]"


class Item(TypedDict):
    """What a dataset gives for a number."""

    question: str
    answer: str | None
    metadata: Mapping[str, object]


ItemAt: TypeAlias = "Callable[[int], Item]"

DEFAULTS: dict[str, dict[str, Json]] = {
    "base_conversion": {"min_value": 1},  # 0 is written as nothing
    "futoshiki": {"max_board_size": 6},  # 9 by 9 takes up to 6 s
    "knight_swap": {"min_nodes": 11, "max_nodes": 12, "max_steps": 60},  # smaller boards take up to 3 s to find
    "number_sequence": {"max_complexity": 2, "max_terms": 6},  # repeated squares: 14 s and more
    "quantum_lock": {"difficulty": 7},  # 10 takes up to 1 s
    "sokoban": {"max_w": 8, "max_h": 8, "min_boxes": 2, "max_boxes": 4},  # the search may take minutes
}
"""Settings in place of the package's, for speed or for a question that makes sense; config may override them."""

FIXED: dict[str, dict[str, Json]] = {
    "knight_swap": {"impossible_ratio": 0.0},  # "impossible" boards are made so by moves that the question hides
}
"""Settings that config may not override."""

POPULATION = {"acre": 2000}
"""Datasets that make all their items at once, and how many of them are made."""
_UNBOUNDED = 10**12
MOST_DRAWS = 1000
KEPT_ITEMS = 192
"""Whoever looks for the items of one split meets those of the others: an audit, a curriculum."""


class Items:
    """The items of one dataset under one seed, by number. Any thread may ask."""

    def __init__(self, name: str, config: str, seed: int) -> None:
        self._lock = threading.Lock()
        dataset = create(name, json.loads(config), seed)
        self._item = lru_cache(maxsize=KEPT_ITEMS)(_MENDS.get(name, _as_it_is)(dataset))

    def __getitem__(self, number: int) -> Item:
        with self._lock:
            return self._item(number)


@lru_cache(maxsize=32)
def items(name: str, config: str, seed: int) -> Items:
    """The items of a dataset; `config` is its settings as canonical JSON."""
    return Items(name, config, seed)


def settings(name: str, config: Config) -> dict[str, Json]:
    """The settings of a dataset: ours where the user's config says nothing."""
    for key in ("seed", "size"):
        if key in config:
            raise ConfigError(f"{name}: expected no {key!r} in config; give {key}=... beside it")
    fixed = FIXED.get(name, {})
    for key in set(config) & set(fixed):
        raise ConfigError(f"{name}: expected no {key!r} in config, it has to be {fixed[key]!r}")
    return {**DEFAULTS.get(name, {}), **config, **fixed}


def create(name: str, config: Config, seed: int) -> Any:
    """The package's own dataset. Raises MissingExtra, and ConfigError for settings that it does not take."""
    package = factory()
    if name not in package.DATASETS:
        raise ConfigError(f"this release of reasoning-gym has no dataset {name!r}; install 0.1.23")
    size = POPULATION.get(name, 20_000)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # arc_agi's library leaves a file to the collector
            return package.create_dataset(name, **config, seed=seed, size=size)
    except (AssertionError, TypeError, ValueError) as error:
        raise ConfigError(f"{name}: config {config} does not do: {error}") from error


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


class _Kinds:
    """Which kind of task an item is: drawn by its number, where the package draws for all items beforehand."""

    def __init__(self, seed: int, kinds: Iterable[int]) -> None:
        self._seed, self._kinds = seed, sorted(kinds)

    def __getitem__(self, number: int) -> int:
        return random.Random(f"{self._seed}:{number}").choice(self._kinds)


def _as_it_is(dataset: Any) -> ItemAt:
    return dataset.__getitem__  # type: ignore[no-any-return]


def _own_numpy(dataset: Any) -> ItemAt:
    """The same item, with a random state of its own in place of numpy's global one."""
    import numpy as np

    make = type(dataset).__getitem__
    own = SimpleNamespace(**vars(np))
    state = np.random.RandomState()
    own.random = SimpleNamespace(seed=lambda seed: state.seed(seed % 2**32), randint=state.randint)
    function = FunctionType(make.__code__, {**make.__globals__, "np": own}, make.__name__)
    return lambda number: function(dataset, number)


def _own_random(dataset: Any) -> ItemAt:
    """A private copy of the generators of list_functions, whose `random` is a generator of its own."""
    spec = importlib.util.find_spec("reasoning_gym.induction.list_functions.generators")
    if spec is None or spec.loader is None:
        raise ConfigError("this release of reasoning-gym has no list functions; install 0.1.23")
    generators = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generators)
    own = random.Random()
    vars(generators)["random"] = own
    prefix = "generate_"
    kinds = {int(n.removeprefix(prefix)): f for n, f in vars(generators).items() if n.startswith(prefix)}
    dataset._generators, dataset.task_indices = kinds, _Kinds(dataset.seed, kinds)

    def item(number: int) -> Item:
        own.seed(dataset.seed + number)
        made: Item = dataset[number]
        return made

    return item


def _endless_kinds(dataset: Any) -> ItemAt:
    from reasoning_gym.arithmetic.gsm_symbolic.gsm_symbolic import tasks_ok

    dataset.task_indices = _Kinds(dataset.seed, tasks_ok)
    return _as_it_is(dataset)


class _Ordered(tuple[str, ...]):
    """Letters that stay in order where the package takes a set of them and subtracts others."""

    def __sub__(self, others: Iterable[str]) -> _Ordered:
        without = set(others)
        return _Ordered(letter for letter in self if letter not in without)


def _ordered_letters(dataset: Any) -> ItemAt:
    dataset.letters = _Ordered(sorted(dataset.letters))
    return _as_it_is(dataset)


def _ordered_monomials(dataset: Any) -> ItemAt:
    original = dataset._get_monomials
    dataset._get_monomials = lambda rng: sorted(original(rng), key=str)
    return _as_it_is(dataset)


def _ordered_words(dataset: Any) -> ItemAt:
    dataset.word_graphs = {
        length: {word: sorted(near) for word, near in graph.items()} for length, graph in dataset.word_graphs.items()
    }
    dataset.size = _UNBOUNDED
    return _as_it_is(dataset)


def _mostly_changed(dataset: Any) -> ItemAt:
    """Items of which four in five have something to insert: left to itself the package makes one in twenty."""

    def item(number: int) -> Item:
        made: Item = dataset[number]
        for draw in range(1, 1 + (number % 5 > 0) * MOST_DRAWS):
            if made["answer"] != made["metadata"]["string"]:
                break
            made = dataset[number + draw * _UNBOUNDED]
        return made

    return item


_ELDER = {"niece": "aunt", "nephew": "uncle"}
"""The package gives these the gender of the elder: what the elder is to the younger."""


def _right_way_round(dataset: Any) -> ItemAt:
    """Asks what the second person is to the first where the reference says that: of in-laws, nieces and nephews."""

    def item(number: int) -> Item:
        made: Item = dataset[number]
        answer = str(made["answer"])
        if not answer.endswith("-in-law") and answer not in _ELDER:
            return made
        story, gap, question = made["question"].rpartition("\n\n")
        first, second = str(made["metadata"]["person1"]), str(made["metadata"]["person2"])
        other = {first: second, second: first}
        asked = re.sub("|".join(rf"\b{re.escape(name)}\b" for name in other), lambda name: other[name[0]], question)
        return {**made, "question": f"{story}{gap}{asked}", "answer": _ELDER.get(answer, answer)}

    return item


def _silent(dataset: Any) -> ItemAt:
    """The compiler behind it prints a dot for every pass over the program."""
    from reasoning_gym.code.contrib.bfit.Compiler import Optimizer

    vars(Optimizer)["print"] = lambda *values, **options: None
    return _as_it_is(dataset)


_MENDS: dict[str, Callable[[Any], ItemAt]] = {
    "bf": _silent,
    "family_relationships": _right_way_round,
    "gsm_symbolic": _endless_kinds,
    "isomorphic_strings": _ordered_letters,
    "list_functions": _own_random,
    "polynomial_multiplication": _ordered_monomials,
    "pool_matrix": _own_numpy,
    "ransom_note": _ordered_letters,
    "string_insertion": _mostly_changed,
    "word_ladder": _ordered_words,
}
