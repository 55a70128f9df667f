"""Registering environments and making them, through gymnasium's registry.

What a package registers is a string and JSON-able kwargs: a factory `"package.module:function"` that
returns a Definition. What a user registers with objects (rows, functions) sits in a table of this process
and travels to worker processes by cloudpickle. Other packages join through entry points (rlenv.env.plugins).
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import cloudpickle
import gymnasium
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, VectorEnv

from rlenv.core.definition import Definition, Isolation, reference_text
from rlenv.core.errors import ConfigError, RlenvError, UnknownEnvironment
from rlenv.core.jsontypes import Json
from rlenv.core.reading import ReadAs
from rlenv.core.task import Task, TaskSet
from rlenv.core.verifier import AsyncVerifierFunction, FunctionVerifier, Verifier, VerifierFunction
from rlenv.core.wrapper import Wrapper
from rlenv.env.environment import Environment, wrap
from rlenv.env.keywords import ALL_TAKE, Allowed, check_keywords
from rlenv.env.plugins import load_plugins
from rlenv.env.reward_functions import AsyncVerifier, Style, verifier_of
from rlenv.env.tasksets import UNSPLIT, Given, RowMap, splits_of
from rlenv.turns.tools import Tools, equipped

_ID = re.compile(r"[\w-]+/[\w.-]+-v\d+")
_BUILD = "rlenv.env.registry:build_environment"
_definitions: dict[str, Definition] = {}
_splits: dict[str, dict[str, TaskSet]] = {}
"""The task sets of what was registered with several, by their names; the definition holds the first."""
_needs: dict[str, dict[str, str]] = {}
_may_set: dict[str, dict[str, Allowed]] = {}


def register(
    id: str,
    *,
    tasks: Given | Mapping[str, Given] | None = None,
    verifier: Verifier | VerifierFunction | AsyncVerifierFunction | None = None,
    test_share: float = 0.0,
    description: str = "",
    solution: Callable[[Task], str] = reference_text,
    cheap: bool = False,
    isolation: Isolation = "auto",
    time_limit_s: float = 5.0,
    read_as: ReadAs = "auto",
    style: Style = "named",
    row_map: RowMap | None = None,
    entry_point: str | None = None,
    kwargs: Mapping[str, Json] | None = None,
    needs: Mapping[str, str] | None = None,
    row_may_set: Mapping[str, Allowed] | None = None,
) -> None:
    """Register an environment under `family/name-vN`.

    Either with objects: `tasks` (rows, Tasks, a task set, a table of the `datasets` library or a file) and a
    `verifier`. A verifier function gets what its parameters name (completion, reasoning, text, finished, prompt,
    answer, task, or any column of the row) and returns a bool, a float or a Verdict; it may be `async def`. With
    `style="trl"` it is a reward function as TRL calls them, with `style="plain"` `f(prompt, completion, reference)`. It
    runs in a process that can be killed after `time_limit_s` seconds unless `cheap` says that it is bounded string
    work. `row_map` turns each row into one with `prompt` and `answer`. `description` is what `rlenv show` and the card
    say of it; without one, the first line of the verifier's docstring.

    Tasks are held out by `test_share=0.2`, which puts about that share of the prompts into the split `test` and the
    others into `train`, or by giving the splits themselves: `tasks={"train": rows, "test": others}`, a `DatasetDict`
    too. Then `split=` is a keyword of the environment (`--set split=test`); without it, it is the first split,
    `train`, that is trained on.

    Or with `entry_point`, a factory "package.module:function" whose JSON-able `kwargs` may be overridden in make;
    `needs` are keywords without which it cannot be made, each with what to give. `row_may_set` are those that a
    row from elsewhere may set, each with what to: `{"pay": ("all", "share"), "weight": Between(0, 1)}`
    (rlenv.env.keywords); any other the operator gives.

    Raises ConfigError for a malformed call, TaskError for a bad row, VerifierContractError for a verifier
    that asks for a column that the rows do not have.
    """
    if not _ID.fullmatch(id):
        raise ConfigError(f"expected an id like 'family/name-v0', got {id!r}")
    if entry_point is not None:
        if tasks is not None or verifier is not None:
            raise ConfigError(f"{id}: expected either an entry_point or tasks with a verifier, got both")
        if ":" not in entry_point:
            raise ConfigError(f"{id}: expected an entry_point 'package.module:function', got {entry_point!r}")
        said = (cheap, isolation, time_limit_s, read_as, solution, style, row_map, test_share, description)
        if said != (False, "auto", 5.0, "auto", reference_text, "named", None, 0.0, ""):
            raise ConfigError(
                f"{id}: cheap, isolation, time_limit_s, read_as, solution, style, row_map, test_share and description "
                "stand in the Definition that an entry_point returns; set them there"
            )
        _register(id, {"factory": entry_point, **(kwargs or {})}, needs)
        _may_set[id] = dict(row_may_set or {})
        return
    if tasks is None or verifier is None:
        raise ConfigError(f"{id}: expected tasks and a verifier, or an entry_point; give both tasks and verifier")
    for name, given in (("kwargs", kwargs), ("needs", needs), ("row_may_set", row_may_set)):
        if given:
            raise ConfigError(f"{id}: {name} belong to an entry_point, got {sorted(given)} beside tasks; drop them")
    splits = splits_of(tasks, row_map, test_share)
    checked = (
        verifier
        if isinstance(verifier, Verifier)
        else verifier_of(verifier, style=style, cheap=cheap, time_limit_s=time_limit_s)
    )
    if isinstance(checked, FunctionVerifier | AsyncVerifier):
        for split in splits.values():
            checked.check_columns(split[0])
    _definitions[id] = Definition(
        tasks=next(iter(splits.values())),
        verifier=checked,
        solution=solution,
        isolation=isolation,
        time_limit_s=time_limit_s,
        read_as=read_as,
        description=description or ((inspect.getdoc(verifier) or "").partition("\n")[0] if callable(verifier) else ""),
        id=id,
    )
    _splits[id] = {} if UNSPLIT in splits else splits
    _register(id, {})


def _register(id: str, kwargs: Mapping[str, Json], needs: Mapping[str, str] | None = None) -> None:
    """Tell gymnasium, which warns of an id that is taken, unless this very factory has it already."""
    _needs[id] = dict(needs or {})
    known, ours = gymnasium.registry.get(id), {"env_id": id, **kwargs}
    if known is None or "factory" not in kwargs or known.kwargs != ours:
        gymnasium.register(id, entry_point=_BUILD, kwargs=ours)


def build_environment(env_id: str, render_mode: str | None = None, **kwargs: Any) -> Environment:
    """The entry point behind every id; gymnasium calls it with the registered kwargs."""
    made = _build(env_id, **kwargs)
    len(made.tasks)
    return Environment(made, render_mode)


def _build(
    env_id: str,
    factory: str | None = None,
    isolation: Isolation | None = None,
    time_limit_s: float | None = None,
    read_as: ReadAs | None = None,
    tools: Tools | None = None,
    max_turns: int | None = None,
    **kwargs: Any,
) -> Definition:
    if factory is None:
        if env_id not in _definitions:
            raise UnknownEnvironment(f"{env_id} was registered in another process; register it in this one too")
        definition = _of_split(env_id, kwargs.pop("split", None))
        if kwargs:
            own = "split, " if splits_named(env_id) else ""
            raise ConfigError(f"{env_id} takes only {own}{ALL_TAKE} and render_mode, got {sorted(kwargs)}")
    else:
        check_given(env_id, kwargs)
        _check_version(env_id, kwargs)
        function = _resolve(factory)
        if max_turns is not None and "max_turns" in inspect.signature(function).parameters:
            kwargs, max_turns = {**kwargs, "max_turns": max_turns}, None  # its number of turns is its own affair
        check_keywords(env_id, function, kwargs)
        definition = replace(function(**kwargs), id=env_id)
    if tools is not None:
        definition = equipped(definition, tools)
    if max_turns is not None and definition.interaction is None:
        raise ConfigError(f"{env_id} has one turn, got max_turns={max_turns}; give it tools, or leave max_turns out")
    changes: dict[str, Any] = {
        "isolation": isolation,
        "time_limit_s": time_limit_s,
        "read_as": read_as,
        "max_turns": max_turns,
    }
    return replace(definition, **{key: value for key, value in changes.items() if value is not None})


def _of_split(id: str, split: object) -> Definition:
    """What was registered with objects, with the tasks of this split; of the first where none is said."""
    found, names = _definitions[id], splits_named(id)
    if split is None:
        return found
    if not names:
        raise ConfigError(
            f"{id} has no splits, got split={split!r}; register it with test_share=0.2, or with "
            'tasks={"train": ..., "test": ...}'
        )
    if split not in names:
        raise ConfigError(f"{id}: expected a split out of {', '.join(names)}, got {split!r}")
    return replace(found, tasks=_splits[id][str(split)])


def splits_named(id: str) -> list[str]:
    """The splits of what was registered with objects, the one that is taken unless another is said first."""
    return list(_splits.get(id, {}))


def needed(id: str) -> dict[str, str]:
    """The keywords without which an environment cannot be made, each with what to give for it."""
    return dict(_needs.get(id, {}))


def may_set(id: str) -> dict[str, Allowed]:
    """What a row may set beside what it may in every environment. Raises UnknownEnvironment where there is none."""
    _spec(id)
    return dict(_may_set.get(id, {}))


def check_given(id: str, kwargs: Mapping[str, object]) -> None:
    """Raise ConfigError, with what to give, for a keyword that an environment needs and that is not there or None."""
    for name, what in needed(id).items():
        if kwargs.get(name) is None:
            raise ConfigError(f"{id} needs {name}=... (on the command line --set {name}=...): {what}")


def _check_version(id: str, kwargs: Mapping[str, object]) -> None:
    """The keyword `version` belongs to the id: what is paid must not change with a setting."""
    asked, own = kwargs.get("version"), _spec(id).kwargs.get("version")
    if own is not None and asked != own:
        raise ConfigError(
            f"the version of {id} is in its id, got version={asked!r}; ask for another id, and leave it out"
        )


def _resolve(factory: str) -> Callable[..., Definition]:
    module, _, name = factory.partition(":")
    return cast("Callable[..., Definition]", getattr(importlib.import_module(module), name))


def load(id: str, **kwargs: Any) -> Definition:
    """The definition of a registered environment: what batches, evaluation and trainers are made of."""
    made = load_for_row(id, **kwargs)
    len(made.tasks)  # those of a hub are fetched now, so that what fails does so here
    return made


def load_for_row(id: str, **kwargs: Any) -> Definition:
    """As `load`, for judging rows, which hold their tasks: those of a hub are asked for when one is looked at."""
    spec = _spec(id)
    return _build(**{**spec.kwargs, **kwargs})


def make(
    id: str, *, render_mode: str | None = None, wrappers: Sequence[Wrapper] = (), **kwargs: Any
) -> gymnasium.Env[str, str]:
    """One environment, as `gymnasium.make` makes it, in the wrappers given."""
    _spec(id)
    return wrap(gymnasium.make(id, render_mode=render_mode, **kwargs), *wrappers)


def make_vec(
    id: str,
    num_envs: int = 1,
    *,
    vectorization_mode: str = "sync",
    vector_kwargs: dict[str, Any] | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Environments side by side, as `gymnasium.make_vec` makes them.

    The autoreset mode is SAME_STEP unless `vector_kwargs` says otherwise: in gymnasium's default every
    second step of a one-turn environment would be spent on the reset. In async mode text travels through
    pipes: shared memory cannot hold it.
    """
    _spec(id)
    options: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}
    if vectorization_mode == "async":
        options["shared_memory"] = False
    options |= vector_kwargs or {}
    if vectorization_mode == "async" and id in _definitions:
        pickled = cloudpickle.dumps((_definitions[id], _splits.get(id, {})))
        return AsyncVectorEnv([partial(_unpickled, pickled, id, kwargs)] * num_envs, **options)
    return gymnasium.make_vec(id, num_envs, vectorization_mode, vector_kwargs=options, **kwargs)


def _unpickled(pickled: bytes, id: str, kwargs: Mapping[str, Any]) -> gymnasium.Env[str, str]:
    """Register in a worker process what its parent holds as objects, and make it."""
    if id not in _definitions:
        _definitions[id], _splits[id] = cloudpickle.loads(pickled)
        _register(id, {})
    return make(id, **kwargs)


def list_envs(family: str | None = None) -> list[str]:
    """The ids registered with rlenv, sorted; of one family if it is named."""
    load_plugins()
    ids = [spec.id for spec in gymnasium.registry.values() if spec.entry_point == _BUILD]
    return sorted(id for id in ids if family is None or id.partition("/")[0] == family)


def _spec(id: str) -> gymnasium.envs.registration.EnvSpec:
    known = gymnasium.registry.get(id)
    if known is None:
        ids = list_envs()
        known = gymnasium.registry.get(id)
        if known is None:
            near = [one for one in ids if id in one][:3] or difflib.get_close_matches(id, ids, n=3, cutoff=0.7)
            own = "see `rlenv list`, or import the module that registers one of your own (--import MODULE)"
            hint = f"did you mean {' or '.join(near)}?" if near else own
            raise UnknownEnvironment(f"no environment {id!r}; {hint}")
    if known.entry_point != _BUILD:
        raise RlenvError(f"{id} is not an environment of rlenv; make it with gymnasium.make")
    return known
