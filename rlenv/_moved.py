"""Old names of modules: each is the module at its new place, with a DeprecationWarning that names it, for one release.

moved.tsv says which; pages and examples have printed some of them. An old name works in `import rlenv.passk`, in
`from rlenv.passk import pass_at_k`, in `from rlenv import passk`, in pickles and in strings ("rlenv.registry:load").
Where it is the name of a package by now (rlenv.workers), the package answers for what was its module.
"""

from __future__ import annotations

import functools
import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

MOVED = dict(line.split("\t") for line in Path(__file__).with_name("moved.tsv").read_text("utf-8").splitlines()[1:])
BETWEEN = {"importlib", "importlib._bootstrap", "rlenv", __name__}
"""Modules whose frames stand between us and the line that says an old name."""


class OldNames(MetaPathFinder, Loader):
    """Imports the module at the new place where nothing is found at the old one."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """A spec for an old name."""
        if name not in MOVED:
            return None
        _warn(name, MOVED[name])
        return ModuleSpec(name, self)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The very module at the new place; importlib gives it this spec, so its own one is kept in it."""
        module = importlib.import_module(MOVED[spec.name])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back; it has run already."""
        if module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state


def answer_old_names() -> None:
    """Let imports find old names, and packages answer for modules that had their name before."""
    sys.meta_path.append(OldNames())
    for old, new in MOVED.items():
        if new.startswith(f"{old}."):
            vars(importlib.import_module(old))["__getattr__"] = functools.partial(_answer, old, new)


def _answer(old: str, new: str, name: str) -> object:
    if name.startswith("__") or not hasattr(module := importlib.import_module(new), name):
        raise AttributeError(f"module {old!r} has no attribute {name!r}")
    _warn(f"{old}.{name}", f"{new}.{name}")
    return getattr(module, name)


@functools.cache
def _warn(old: str, new: str) -> None:
    """Once a name, at the line that says it."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__") in BETWEEN:
        frame = frame.f_back
    place = frame.f_globals
    warnings.warn_explicit(
        f"{old} is now {new}; the old name goes in the next minor release",
        DeprecationWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        place.get("__name__", "<unknown>"),
        place.setdefault("__warningregistry__", {}),
    )
