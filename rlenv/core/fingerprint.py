"""The version of what judges: an explicit one, a digest of source files, or both.

- A function of a user, or an object that can be called: `source-` and a digest of the file that it stands in, of those
  of the same package (of a script: of the same folder) that this imports, and of what it holds: closures, bound
  arguments, attributes, as far as their text tells.
- One without a file (typed at a prompt, in a notebook): `code-` and a digest of its bytecode and constants, which
  another Python may compile to others. One without either (in C): `no-version`.
- A verifier of rlenv's own has an explicit version, which alone says whether its verdicts changed. A run records it
  with a digest of its source behind a plus (`recorded`), so that one that goes on is told that the source changed.
- A wrapper or another part of rlenv's own has `settings-` and a digest of what it is set to, and its source as well.

Files of data, other packages and names put together at run time are not followed. A digest is the same in every
process, from Python 3.11 on, and wherever the code is installed.

>>> code_version(len)
'no-version'
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import Any

NO_VERSION = "no-version"
_NO_TEXT: Any = object.__repr__
ROOMS = "rlenv.envs."
"""Whose verifiers have explicit versions."""
FOLLOWED = (ROOMS, "rlenv.core.reading.", "rlenv.text.", "rlenv.turns.", "rlenv.wrappers.", "rlenv.evidence.")
"""Of rlenv's own the modules that verdicts come from: what is imported from elsewhere in it only carries them."""
DEEP = 12
"""Objects inside objects that are looked at; deeper ones count by their type."""
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""`<lock object at 0x7f2a>`: what differs from process to process."""


def code_version(function: object) -> str:
    """Changes when the answers of the function may change, as far as its files and what it holds tell."""
    seen = _Seen()
    held = seen.text(inspect.unwrap(function) if callable(function) else function)
    users = [file for file in seen.files if not _name(*file).startswith("rlenv.")]
    if users:
        return f"source-{_digest(held, *_sources(users))}"
    if seen.files:  # rlenv's own: what it is set to decides
        return f"settings-{_digest(held)}+{_digest(*_sources(seen.files))}"
    return f"code-{_digest(held, *seen.codes)}" if seen.codes else NO_VERSION


def recorded(verifier: Any) -> str:
    """The version of a verifier as a run records it."""
    seen = _Seen()
    seen.text(verifier)
    rooms = [file for file in seen.files if _name(*file).startswith(ROOMS)]
    return f"{verifier.version}+{_digest(*_sources(rooms))}" if rooms else str(verifier.version)


class _Seen:
    """The text of what an object holds; the source files, and the code without a file, that were met on the way."""

    def __init__(self) -> None:
        self.files: set[tuple[Path, Path]] = set()
        """Each with the folder that its package stands in."""
        self.codes: list[str] = []
        self._objects: dict[int, object] = {}

    def text(self, value: Any, depth: int = 0) -> str:
        """The same for the same content in every process."""
        texts = functools.partial(self._texts, depth=depth + 1)
        if depth > DEEP:
            return type(value).__qualname__
        if isinstance(value, dict):
            return texts([part for item in value.items() for part in item])
        if isinstance(value, (set, frozenset)):
            return ", ".join(sorted(self.text(item, depth + 1) for item in value))
        if type(value) in (list, tuple):
            return texts(value)
        if isinstance(value, functools.partial):
            return texts([value.func, value.args, value.keywords])
        if isinstance(value, types.MethodType):
            return texts([value.__self__, value.__func__.__name__])
        if isinstance(value, types.FunctionType):
            place = f":{value.__code__.co_firstlineno}" if self._met(value.__module__, [value]) else ""
            cells = [_attempt(functools.partial(getattr, cell, "cell_contents")) for cell in value.__closure__ or ()]
            return value.__qualname__ + place + texts([value.__defaults__, value.__kwdefaults__, *cells])
        if isinstance(value, type):
            self._met(value.__module__, [own for own in vars(value).values() if isinstance(own, types.FunctionType)])
            return value.__qualname__
        return value.name if isinstance(value, PurePath) else self._object(value, depth)

    def _texts(self, values: Iterable[Any], depth: int) -> str:
        return f"[{', '.join([self.text(value, depth) for value in values])}]"

    def _object(self, value: Any, depth: int) -> str:
        """A verifier or a scorer inside is told by its version, what has a text by that, any other by its state."""
        kind = type(value)
        if kind.__module__ == "builtins" or not (dataclasses.is_dataclass(value) or kind.__repr__ is _NO_TEXT):
            return _ADDRESS.sub("", _attempt(lambda: repr(value)) or kind.__qualname__)
        if id(value) in self._objects:
            return kind.__qualname__
        self._objects[id(value)] = value
        whole = self._texts([kind, _attempt(value.__getstate__)], depth + 1)
        version = _attempt(lambda: value.version) if depth else None
        return f"{kind.__qualname__} {version}" if isinstance(version, str) else whole

    def _met(self, module: str, functions: Iterable[types.FunctionType]) -> bool:
        """Take note of where these stand; whether that is a file."""
        file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
        if file.is_file():
            self.files.add((_root(file), file))
        else:
            self.codes += [_code(function.__code__) for function in functions]
        return file.is_file()


def _sources(files: Iterable[tuple[Path, Path]]) -> list[str]:
    """A digest of each of the files and of those that they import of their package or folder."""
    found: dict[Path, str] = {}
    for root, file in files:
        left = [file]
        while left:
            path = left.pop()
            if path not in found:
                source = path.read_bytes().replace(b"\r\n", b"\n")
                found[path] = _digest(path.relative_to(root).as_posix(), source.hex())
                left += _imported(root, path, source)
    return sorted(found.values())


def _imported(root: Path, path: Path, source: bytes) -> list[Path]:
    """The files of the same package, or of the same folder, that a file imports, also inside its functions."""
    names: set[str] = set()
    top, *inner = _name(root, path).split(".")
    tree = _attempt(lambda: ast.parse(source))  # None for a file of another Python, which nobody imports here
    package = path.relative_to(root).parts[:-1]
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
    if top == "rlenv":
        names = {name for name in names if name.startswith(FOLLOWED)}
    elif inner:
        names = {name for name in names if name.split(".")[0] == top}
    elif {"site-packages", "dist-packages"} & set(root.parts):
        names = set()
    else:
        names = {name for name in names if name.split(".")[0] not in {*sys.stdlib_module_names, "rlenv"}}
    places = [root.joinpath(*name.split(".")) for name in names]
    found = [option for place in places for option in (place.with_name(f"{place.name}.py"), place / "__init__.py")]
    return [option for option in found if option.is_file()]


def _root(file: Path) -> Path:
    """The folder that the topmost package of a file stands in; of a loose file its own folder."""
    return next(folder for folder in file.parents if not (folder / "__init__.py").is_file())


def _name(root: Path, file: Path) -> str:
    return ".".join(file.relative_to(root).with_suffix("").parts)


def _code(code: types.CodeType) -> str:
    constants = [_code(inner) if isinstance(inner, types.CodeType) else _Seen().text(inner) for inner in code.co_consts]
    return _digest(code.co_code.hex(), *code.co_names, *constants)


def _digest(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _attempt(get: Callable[[], Any]) -> Any:
    """What it returns, None where it raises: an object may have any code behind its attributes."""
    try:
        return get()
    except Exception:
        return None
