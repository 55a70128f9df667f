"""Environments of other packages, found through the entry-point group `rlenv.envs`.

    [project.entry-points."rlenv.envs"]
    "words.upper-v0" = "my_words:upper"      # the id words/upper-v0 and the factory that returns its Definition
    words = "my_words:register"              # or a module or function that calls rlenv.register

An id is registered when rlenv is imported and costs no import of the package before it is made. What registers by
itself is loaded when somebody asks for the list of environments, or for an id that is not known.
"""

from __future__ import annotations

import re
import threading
import warnings
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

import gymnasium

GROUP = "rlenv.envs"
LOAD_S = 30.0
"""From here on one that is still loading is named; torch alone takes ten seconds on a slow disk."""
_NAMED = re.compile(r"([\w-]+)\.([\w.-]+-v\d+)")  # words.upper-v0; names of entry points have no slash


class Register(Protocol):
    """rlenv.register, as far as it is needed here."""

    def __call__(self, id: str, /, *, entry_point: str) -> None: ...


def id_of(name: str) -> str:
    """The id that the name of an entry point says; empty where it says none.

    >>> id_of("words.upper-v0"), id_of("words")
    ('words/upper-v0', '')
    """
    said = _NAMED.fullmatch(name)
    return f"{said[1]}/{said[2]}" if said else ""


def register_installed(register: Register) -> None:
    """Register every id that an installed package names, by its factory; what cannot be is warned of by name."""
    for point in _points():
        id = id_of(point.name)
        if not id:
            continue
        known = gymnasium.registry.get(id)
        if known is not None and known.kwargs.get("factory") != point.value:
            _warn(point, f"the id {id} is taken; give it another name", 3)
            continue
        try:
            register(id, entry_point=point.value)
        except Exception as error:  # what is written there is foreign: it must not keep rlenv from being imported
            _warn(point, str(error), 3)


@lru_cache(maxsize=1)
def load_plugins() -> None:
    """Load what registers by itself; one that raises, exits or takes long is warned of by name."""
    for point in _points():
        if id_of(point.name):
            continue
        # Not loaded in the other thread: a package that is being imported here may be its own plugin.
        watch = threading.Timer(LOAD_S, _warn, (point, f"it is still loading after {LOAD_S:g} s; uninstall it", 2))
        watch.daemon = True
        watch.start()
        try:
            target = point.load()
            if callable(target):
                target()
        except (Exception, SystemExit) as error:  # a plugin is foreign code: it must not take the others down
            _warn(point, str(error), 2)
        finally:
            watch.cancel()


def _points() -> list[EntryPoint]:
    return list(entry_points(group=GROUP))


def _warn(point: EntryPoint, problem: str, level: int) -> None:
    warnings.warn(f"plugin {point.name} ({point.value}) failed: {problem}", RuntimeWarning, stacklevel=level + 1)
