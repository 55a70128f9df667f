"""Which keywords of an environment a stranger may set: one who wrote a row, a log, a run's folder or a request.

>>> admitted("math/arithmetic-v1", {"level": 3})
{'level': 3}
>>> admitted("safety/rm-v0", {"scorer": "os:system"})  # doctest: +NORMALIZE_WHITESPACE
Traceback (most recent call last):
rlenv.core.errors.ConfigError: safety/rm-v0: what came from elsewhere asks for scorer='os:system', and may only name toy
here; if you trust it, give it yourself: given={'safety/rm-v0': {'scorer': ...}}

What the operator wrote (Python that he calls, his command line, the file that RLENV_GIVEN names) may name code, files
and addresses. A stranger's keywords are those that the environment declares (`row_may_set` where it is registered) and
those that all take, each a registered name or plain values within bounds: a data file stays data.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from rlenv.core.errors import ConfigError
from rlenv.core.jsontypes import Json
from rlenv.env.keywords import ROW_MAY_SET, Allowed, Between
from rlenv.env.registry import may_set
from rlenv.turns.tools import tool_names

Given: TypeAlias = "Mapping[str, Mapping[str, object]]"
"""What the operator gives beside rows: keywords by the id of the environment."""
GIVEN_ENV = "RLENV_GIVEN"
"""The environment variable with the path of a JSON file of `Given`, for processes of other people's trainers."""
TASK_SOURCE = frozenset({"data", "prompts", "hub_id", "limit"})
"""Keywords that only say where tasks come from. A row and a run's folder hold their tasks, and leave these out."""
OPERATORS_OWN = frozenset({"factory", "env_id", "cache", "render_mode", *TASK_SOURCE})
"""What nobody but the operator may set, whatever an environment declares."""
MAX_WORD, MAX_TEXT, MAX_ITEMS, MAX_DEPTH = 100, 20_000, 1_000, 4
_WORD = re.compile(r"[\w&+,.;=<> -]*")  # "train", "Counting & Probability", "1-3"; no colon, slash, dollar or tilde
_FIELD = re.compile(r"\{\w*\}")  # "{question}"; a format that is wider, or an attribute, is refused


def admitted(env: str, kwargs: Mapping[str, Json], given: Given | None = None) -> dict[str, Any]:
    """The keywords for this environment: a stranger's `kwargs`, and over them what the operator gives for its id.

    Raises ConfigError, with the keyword and what to do, for one that a stranger may not set.
    """
    ours = (operators_given() if given is None else given).get(env, {})
    return {**admissible(env, kwargs, given), **ours}


def admissible(env: str, kwargs: Mapping[str, Json], given: Given | None = None) -> dict[str, Json]:
    """Those of the keywords that the operator does not give, when a row may set them. Raises ConfigError as above."""
    if not isinstance(kwargs, Mapping):
        raise ConfigError(f"{env}: expected keywords by name, got {kwargs!r:.80}")
    ours = (operators_given() if given is None else given).get(env, {})
    return {name: _checked(env, name, value) for name, value in kwargs.items() if name not in ours}


def operators_own(env: str, kwargs: Mapping[str, Json]) -> dict[str, Json]:
    """Those of the keywords that no row may hold, so that whoever judges rows has to be given them."""
    own: dict[str, Json] = {}
    for name, value in without_source(kwargs).items():
        try:
            admissible(env, {name: value}, {})
        except ConfigError:
            own[name] = value
    return own


def without_source(kwargs: Mapping[str, Json]) -> dict[str, Json]:
    """The keywords without those that only say where tasks come from."""
    return {name: value for name, value in kwargs.items() if name not in TASK_SOURCE}


def operators_given() -> Given:
    """What the file says whose path stands in RLENV_GIVEN; nothing where it is not set.

    Raises ConfigError where the file cannot be read.
    """
    path = os.environ.get(GIVEN_ENV, "")
    if not path:
        return {}
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{GIVEN_ENV}={path} cannot be read: {error}; name a JSON file, or unset it") from error
    if not isinstance(found, dict) or not all(isinstance(kwargs, dict) for kwargs in found.values()):
        raise ConfigError(f'{GIVEN_ENV}={path}: expected {{"family/name-v0": {{"keyword": value}}}}, got {found!r:.80}')
    return cast("Given", found)


def _checked(env: str, name: str, value: Json) -> Json:
    if name in OPERATORS_OWN:
        raise _refused(env, name, value, "may not set it")
    declared = {**ROW_MAY_SET, "tools": tuple(tool_names()), **may_set(env)}
    if name not in declared:
        raise _refused(env, name, value, f"may only set {', '.join(sorted(declared))}")
    problem = _problem(name, value, declared[name])
    if problem:
        raise _refused(env, name, value, problem)
    return value


def _problem(name: str, value: Json, allowed: Allowed) -> str:
    """What a stranger's value is that it may not be, or ""."""
    if isinstance(allowed, Between):
        return _plain_problem(value, allowed, 0)
    if allowed == "text":
        return "" if value is None else _text_problem(value)
    items = value if name == "tools" and isinstance(value, list) else [value]
    if all(any(type(item) is type(one) and item == one for one in allowed) for item in items):
        return ""
    return f"may only name {' or '.join(map(str, allowed)) or 'nothing'} here"


def _plain_problem(value: object, allowed: Between, depth: int) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, (int, float)):
        return "" if allowed.low <= value <= allowed.high else f"may only set {allowed.low:g} to {allowed.high:g}"
    if isinstance(value, str):
        return _word_problem(value)
    if depth == MAX_DEPTH or not isinstance(value, (Mapping, Sequence)) or len(value) > MAX_ITEMS:
        return f"may only give {MAX_ITEMS} plain values, {MAX_DEPTH} deep"
    inner = [*value, *value.values()] if isinstance(value, Mapping) else value
    if isinstance(value, Mapping) and "kind" in value:
        return "may name no kind of thing to be made"
    return next(filter(None, (_plain_problem(item, allowed, depth + 1) for item in inner)), "")


def _word_problem(value: str) -> str:
    return (
        "" if len(value) <= MAX_WORD and _WORD.fullmatch(value) and ".." not in value else "may only give plain words"
    )


def _text_problem(value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return f"may give a text of {MAX_TEXT} characters"
    braces = value.replace("{{", "").replace("}}", "")
    return "may only have {name} in braces" if re.search(r"[{}]", _FIELD.sub("", braces)) else ""


def _refused(env: str, name: str, value: Json, problem: str) -> ConfigError:
    return ConfigError(
        f"{env}: what came from elsewhere asks for {name}={value!r:.80}, and {problem}; if you trust it, give it "
        f"yourself: given={{{env!r}: {{{name!r}: ...}}}}"
    )
