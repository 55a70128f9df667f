"""The version of a function, or of an object that can be called: it changes when its answers may change.

>>> code_version(lambda completion: completion == "a") == code_version(lambda completion: completion == "a")
True
>>> code_version(lambda completion: completion == "a") == code_version(lambda completion: completion == "b")
False

What is seen: bytecode and constants, defaults, closures, the globals and the attributes of modules that the code names,
the state of callable objects, and all of that again for every function and class of the same package (or, of a script
or a loose module, of the same folder), imports inside functions and data files that the code names included. Names of
functions, docstrings, comments and what stands elsewhere in a file change nothing. The same in every process and under
every hash seed; another Python may compile to other bytecode and so to another version.

What is not seen: packages of others (by name alone: an upgrade changes nothing here), C extensions, open
files, connections, locks and objects of foreign classes whose state is not plain data; names put together at run time
(getattr, importlib); files found by such names; what stands behind an address. A version that leaves something of this
out, or more than MOST_WORK, ends in "-partial". A global that a verifier fills while it runs (a cache) is part of
what is seen, so keep caches in functools.lru_cache, whose content is not.
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import hashlib
import importlib.util
import inspect
import logging
import marshal
import re
import sys
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import Any

PARTIAL = "-partial"
MOST_WORK = 100_000
"""Objects looked at, about half a second; a table of plain values counts a hundredth of its entries."""
MOST_DEEP = 80
"""Objects inside objects, functions that call functions: far more than anybody writes, well within Python's stack."""
MOST_FILE = 64 << 20
"""Bytes of a data file that are read."""
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, type(...)})
_BY_TEXT = ("datetime", "decimal", "fractions", "uuid", "ipaddress", "_decimal", "_pydatetime", "zoneinfo", "typing")
"""Modules whose objects say in their repr all that they are."""
_GENERATED = "<string>"
"""Where dataclasses and their like say that their methods were written."""
_OF_TYPING = {"_abc_impl", "_is_protocol", "_is_runtime_protocol"}
_IMPORT = dis.opmap["IMPORT_NAME"]
_HAS_DOCSTRING = 0x4000000
"""A flag of code objects from Python 3.14 on."""


def code_version(function: object) -> str:
    """Twelve digits; with "-partial" behind them where something could not be seen."""
    seen = _Seen(function)
    return hashlib.blake2b(seen.digest(function), digest_size=6).hexdigest() + (PARTIAL if seen.unseen else "")


def unseen(function: object) -> list[str]:
    """What the version of the function does not follow, by the names of types; empty where it follows everything."""
    seen = _Seen(function)
    seen.digest(function)
    return sorted(seen.unseen)


class _Seen:
    """One walk through everything that a function is made of; each object is looked at once."""

    def __init__(self, root: object) -> None:
        module = _home(root)
        self._package = module.partition(".")[0]
        self._root = _folder_of(self._package) or _folder_of(module)
        self._folder = self._root if self._package == module else None
        self._done: dict[int, bytes] = {}
        self._kept: list[object] = []
        """What was looked at, so that no two have the same id."""
        self._modules: set[int] = set()
        """Modules under way, which may hold each other."""
        self._work = self._deep = 0
        self.unseen: set[str] = set()

    def digest(self, value: object) -> bytes:
        """The same bytes for the same content. Something that contains itself is, inside, only its name."""
        if type(value) in _PLAIN:
            return _hashed(type(value).__name__, repr(value).encode("utf-8", "surrogatepass"))
        if id(value) in self._done:
            return self._done[id(value)]
        self._work += 1
        if self._work > MOST_WORK:
            self.unseen.add(f"more than {MOST_WORK:,} objects")
            return _hashed("too much")
        if self._deep == MOST_DEEP:
            self.unseen.add(f"deeper than {MOST_DEEP}")
            return _hashed("too deep")
        self._kept.append(value)
        self._done[id(value)] = _hashed("itself", _name(value).encode())
        self._deep += 1
        found = self._done[id(value)] = self._content(value)
        self._deep -= 1
        return found

    def _content(self, value: Any) -> bytes:
        """By kind, from what is certain to what is only a name."""
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, types.CodeType):
            return self._code(value)
        if isinstance(value, type):
            return self._class(value) if self._own(value.__module__) else _hashed("class", _name(value).encode())
        if isinstance(value, types.ModuleType):
            return _hashed("module", value.__name__.encode())
        if isinstance(value, types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType):
            return self._builtin(value)
        return self._collection(value) or self._callable(value) or self._object(value)

    def _builtin(self, value: Any) -> bytes:
        """A function in C: by name, and by what it is bound to (`"abc".__contains__`)."""
        bound = getattr(value, "__self__", None)
        bound = None if isinstance(bound, types.ModuleType | type) else bound
        return self._all("builtin", [value.__qualname__, bound])

    def _collection(self, value: Any) -> bytes | None:
        kind = type(value)
        if kind in (list, tuple):
            plain = _PLAIN.issuperset(map(type, value))
            return self._table(kind.__name__, value) if plain else self._all(kind.__name__, value)
        if kind in (set, frozenset):
            return _hashed("set", *sorted(self.digest(item) for item in sorted(value, key=_order)))
        if kind in (dict, types.MappingProxyType):
            if _PLAIN.issuperset(map(type, value)) and _PLAIN.issuperset(map(type, value.values())):
                flat = [part for item in sorted(value.items(), key=repr) for part in item]
                return self._table("dict", flat)
            items = sorted(value.items(), key=lambda item: _order(item[0]))
            return _hashed("dict", *(self._all("item", item) for item in items))
        return None

    def _table(self, kind: str, values: Sequence[Any]) -> bytes:
        """Plain values at once: marshal's second version writes equal values alike."""
        self._work += len(values) // 100
        return _hashed(kind, marshal.dumps(list(values), 2))

    def _callable(self, value: Any) -> bytes | None:
        """What wraps functions: methods, partial functions, properties, caches."""
        if isinstance(value, types.MethodType):
            return self._all("method", [value.__self__, value.__func__])
        if isinstance(value, functools.partial | functools.partialmethod):
            return self._all("partial", [value.func, value.args, value.keywords])
        if isinstance(value, staticmethod | classmethod):
            return self._all(type(value).__name__, [value.__func__])
        if isinstance(value, property):
            return self._all("property", [value.fget, value.fset, value.fdel])
        if isinstance(value, functools.cached_property):
            return self._all("property", [value.func])
        if isinstance(value, functools._lru_cache_wrapper):
            return self._all("cached", [value.__wrapped__])
        return None

    def _object(self, value: Any) -> bytes:
        """An instance: its class and its state, where that is its own or plain data."""
        kind = type(value)
        if isinstance(value, enum.Enum):
            return self._all("member", [kind, value.name, value.value])
        if isinstance(value, re.Pattern):
            return self._all("pattern", [value.pattern, value.flags])
        if isinstance(value, PurePath):
            return self._path(Path(value))
        if isinstance(value, range | slice) or kind.__module__.partition(".")[0] in _BY_TEXT:
            return self._all("text", [repr(value)])
        if kind.__module__ == "numpy" and hasattr(value, "tobytes"):
            return self._array(value)
        if isinstance(value, types.GenericAlias | types.UnionType):
            return self._all("text", [repr(value)])
        if isinstance(value, logging.Logger):
            return self._all("logger", [value.name])
        own = self._own(kind.__module__)
        version = None if own else _version_of(value)
        if version is not None:
            return self._all("version", [_name(kind), version])
        if own or dataclasses.is_dataclass(value) or isinstance(value, (*_HOLDERS, types.SimpleNamespace)):
            return self._all("object", [kind, *_state(value)])
        if kind is not object:
            self.unseen.add(f"{kind.__module__}.{kind.__qualname__}")
        return _hashed("unseen", _name(kind).encode())

    def _path(self, path: Path) -> bytes:
        """A path, relative to the verifier's own code: a folder that is moved stays the same; and the file there."""
        inside = self._root is not None and path.is_absolute() and self._root in (path, *path.parents)
        told = path.relative_to(self._root) if inside and self._root is not None else path
        return self._all("path", [str(told), self._file(path)])

    def _array(self, value: Any) -> bytes:
        if value.dtype.hasobject:
            return self._all("array", [value.tolist()])
        return _hashed("array", str((value.dtype, value.shape)).encode(), value.tobytes())

    def _function(self, function: types.FunctionType) -> bytes:
        cells = [_cell(cell) for cell in function.__closure__ or ()]
        held = {name: kept for name, kept in vars(function).items() if name != "__wrapped__"}
        bound = self._all("bound", [function.__defaults__, function.__kwdefaults__, held, cells])
        home = function.__globals__.get("__name__", "")
        if not self._own(home):  # its own closure may still hold what is ours: a decorator of another package
            return _hashed("function", home.encode(), function.__qualname__.encode(), bound)
        return _hashed("function", bound, self._code(function.__code__), *self._used(function))

    def _code(self, code: types.CodeType) -> bytes:
        """What is executed; not where it stands, what it is called or what it says of itself."""
        constants = (None, *code.co_consts[1:]) if _has_docstring(code) else code.co_consts
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        parts = [code.co_code, code.co_exceptiontable, *names, counts]
        return self._all("code", [*parts, *constants])

    def _used(self, function: types.FunctionType) -> Iterator[bytes]:
        """The globals, modules' attributes, imports and files that the code names, each with its name."""
        names, texts = _named(function.__code__)
        own_globals = function.__globals__
        for name in sorted(name for name in names & own_globals.keys() if not name.startswith("__")):
            yield self._all("global", [name, own_globals[name]])
            yield from self._attributes(own_globals[name], names)
        for module in sorted(_imports(function)):
            source = self._source(module)
            if source is not None:
                yield _hashed("import", module.encode(), source)
        folder = _folder_of(own_globals.get("__name__", ""))
        for text in sorted(texts):
            content = None if folder is None else self._file(folder / text)
            if content is not None:
                yield _hashed("file", text.encode(), content)

    def _attributes(self, module: object, names: set[str]) -> Iterator[bytes]:
        """What the code may take from a module of ours: the names that both have."""
        if not isinstance(module, types.ModuleType) or not self._own(module.__name__) or id(module) in self._modules:
            return
        self._modules.add(id(module))
        for name in sorted(names & vars(module).keys()):
            yield self._all("attribute", [module.__name__, name, vars(module)[name]])
            yield from self._attributes(vars(module)[name], names)
        self._modules.discard(id(module))

    def _class(self, kind: type) -> bytes:
        """Bases, methods, values; of a dataclass its fields in place of the methods written for it."""
        parts: list[object] = [kind.__bases__]
        if dataclasses.is_dataclass(kind):
            fields = dataclasses.fields(kind)
            parts += [[field.name, _given(field.default), _given(field.default_factory)] for field in fields]
            parts.append(repr(getattr(kind, "__dataclass_params__", "")))
        if issubclass(kind, enum.Enum):
            parts += [[member.name, member.value] for member in kind]
        for name, value in sorted(vars(kind).items()):
            if _counts(kind, name, value):
                parts += [name, value]
        return self._all("class", parts)

    def _all(self, kind: str, values: Iterable[object]) -> bytes:
        return _hashed(kind, *(value if isinstance(value, _Digest) else self.digest(value) for value in values))

    def _own(self, module: str) -> bool:
        """Whether code of this module is looked into."""
        if module.partition(".")[0] == self._package:
            return True
        path = Path(getattr(sys.modules.get(module), "__file__", None) or "")
        return self._folder in path.parents and not {"site-packages", "dist-packages"} & set(path.parts)

    def _source(self, module: str) -> bytes | None:
        """The file of a module of ours that a function imports when it runs: it may not be loaded yet."""
        try:
            spec = importlib.util.find_spec(module)
        except (ImportError, AttributeError, ValueError):
            return None
        if spec is None or spec.origin is None or not spec.has_location:
            return None
        own = module.partition(".")[0] == self._package or self._folder in Path(spec.origin).parents
        return self._file(Path(spec.origin)) if own else None

    def _file(self, path: Path) -> bytes | None:
        """The content of a plain file, as far as it is read; None where there is none."""
        try:
            if not path.is_file():
                return None
            with path.open("rb") as file:
                content = file.read(MOST_FILE + 1)
        except (OSError, ValueError):
            return None
        if len(content) > MOST_FILE:
            self.unseen.add(f"{path.name} beyond {MOST_FILE >> 20} MB")
        return _hashed("content", content[:MOST_FILE])


class _Digest(bytes):
    """A digest that is in place already."""


class _Nothing:
    """What a closure or a field does not hold."""


def _hashed(kind: str, *parts: bytes) -> _Digest:
    found = hashlib.blake2b(kind.encode(), digest_size=16)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return _Digest(found.digest())


def _home(root: object) -> str:
    """The module that the function, or the class of the object, is written in."""
    while isinstance(root, functools.partial | types.MethodType):
        root = root.func if isinstance(root, functools.partial) else root.__func__
    root = inspect.unwrap(root) if callable(root) else root
    if isinstance(root, types.FunctionType):
        return str(root.__globals__.get("__name__", ""))
    return str(getattr(root if isinstance(root, type) else type(root), "__module__", ""))


def _folder_of(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve().parent if file else None


def _name(value: Any) -> str:
    kind = value if hasattr(value, "__qualname__") else type(value)
    return f"{getattr(kind, '__module__', '')}.{kind.__qualname__}"


def _order(value: object) -> tuple[str, str]:
    """Sorts what has no order of its own, the same in every process."""
    return type(value).__qualname__, repr(value) if type(value) in _PLAIN else _name(value)


def _named(code: types.CodeType) -> tuple[set[str], set[str]]:
    """Names that the code, with the code inside it, looks up; texts in it that may name a file beside it."""
    names, texts = set(code.co_names), set()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner_names, inner_texts = _named(constant)
            names |= inner_names
            texts |= inner_texts
        elif isinstance(constant, str) and 2 < len(constant) < 200 and "." in constant and constant.isprintable():
            texts.add(constant)
    return names, texts


def _imports(function: types.FunctionType) -> set[str]:
    """Modules that the function imports when it runs, by their whole names, and what may be a module in a package."""
    package = str(function.__globals__.get("__package__") or "")
    found: set[str] = set()
    for code in _codes(function.__code__):
        before: list[Any] = []
        for instruction in dis.get_instructions(code) if _IMPORT in code.co_code[::2] else ():
            if instruction.opcode == _IMPORT:
                level, names = before[-2:] if len(before) > 1 else (0, None)
                base = "." * (level or 0) + str(instruction.argval)
                try:
                    whole = importlib.util.resolve_name(base, package)
                except ImportError:
                    continue
                found |= {whole, *(f"{whole}.{name}" for name in names or () if name != "*")}
            elif instruction.opname == "LOAD_CONST":
                before.append(instruction.argval)
    return found


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _cell(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return _Nothing


def _given(default: object) -> object:
    return _Nothing if default is dataclasses.MISSING else default


def _version_of(value: Any) -> str | None:
    """What a verifier or a scorer of another package says of itself: it tells when it changes."""
    try:
        version = value.version
    except Exception:  # a property may raise whatever it likes
        return None
    return version if isinstance(version, str) else None


def _has_docstring(code: types.CodeType) -> bool:
    """Whether the first constant is one: functions without have None there, or from Python 3.14 on a flag less."""
    if sys.version_info >= (3, 14):
        return bool(code.co_flags & _HAS_DOCSTRING)
    is_function = bool(code.co_flags & inspect.CO_OPTIMIZED) and not code.co_name.startswith("<")
    return is_function and bool(code.co_consts) and isinstance(code.co_consts[0], str)


def _state(value: Any) -> list[object]:
    """What an instance holds, by name; of a list or a table of a class of its own the content too."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    held = {name: getattr(value, name) for name in [*slots, "default_factory"] if hasattr(value, name)}
    named = {**held, **getattr(value, "__dict__", {})}
    cached = {name for name in named if isinstance(getattr(type(value), name, None), functools.cached_property)}
    state: list[object] = [{name: kept for name, kept in named.items() if name not in cached}]
    for holder in _HOLDERS:
        if isinstance(value, holder):
            plain: Callable[[Any], object] = list if holder is deque else holder
            state.append(plain(value))
    return state


_HOLDERS: tuple[type, ...] = (tuple, list, dict, set, frozenset, deque)


def _slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    return [name for name in ([slots] if isinstance(slots, str) else slots) if name not in ("__dict__", "__weakref__")]


def _counts(kind: type, name: str, value: object) -> bool:
    """Whether something in a class decides what its objects do: not its texts, its caches, or what was generated."""
    if name.startswith("__") and name.endswith("__"):
        code = getattr(value, "__code__", None)
        return code is not None and code.co_filename != _GENERATED
    if isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType) or name in _OF_TYPING:
        return False
    if type(value).__module__ == "_collections":  # how a named tuple reads its fields
        return False
    return not (issubclass(kind, enum.Enum) and not callable(value) and not isinstance(value, property))
