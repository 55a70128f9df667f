"""What of an agent's box reaches the one where it is judged: the narrowest scope that the reference solution needs.

work      the work folder and declared artifacts, without what steers the runner. Of files that the image holds,
          those that the reference changes, and others of the same suffix that are no tests
outside   and what the reference leaves elsewhere: those very files, folders that it makes, and new ones in /, /opt,
          /srv and /home, where nothing of the system looks by itself
runners   and everything in the work folder
whole     and every file that differs from the image's
"""

from __future__ import annotations

import fnmatch
import io
import posixpath
import sys
import tarfile
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["work", "outside", "runners", "whole"]
LEVELS: tuple[Level, ...] = ("work", "outside", "runners", "whole")
"""Narrowest first."""
NEVER = ("/tests", "/solution", "/logs/verifier", "/logs/agent", "/proc", "/sys", "/dev", "/run")
"""What is never carried, and where no carried link may lead: the verifier's own, and what is no file of a disk."""
ENGINES = ("/.dockerenv", "/sbin/docker-init", "/usr/sbin/docker-init")
"""What an engine puts into a box."""
PASSING = ("/tmp", "/var/tmp", "/var/cache", "/var/log", "/var/lib/apt", "/root/.cache", *ENGINES)
"""What the wide scope leaves out: nobody's product."""
MADE_BY_SYSTEMS = (
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/logs", "/media", "/mnt", "/opt", "/proc",
    "/run", "/sbin", "/solution", "/srv", "/sys", "/tests", "/tmp", "/usr", "/var",
)  # fmt: skip
"""Top folders that are nobody's work folder."""
PLACES = ("/", "/opt", "/srv", "/home")
"""Where software is put that is not the system's, each in a folder of its own."""
REFS = ("refs/heads/", "refs/tags/", "refs/remotes/")
"""What git may have packed of a history; refs/replace gives objects another content."""
SOURCES = ("src", "lib")
"""Folders of the work folder whose modules are found as if they stood in it."""
MAX_LINKS = 40


@dataclass(frozen=True)
class Ground:
    """What is known of a task before any agent: its work folder, the image's files there, what the reference leaves."""

    workdirs: tuple[str, ...]
    artifacts: tuple[str, ...] = ()
    present: frozenset[str] = frozenset()
    """Files of the image in the work folders."""
    touched: frozenset[str] = frozenset()
    """Files, anywhere, that the reference makes or changes."""
    made: frozenset[str] = frozenset()
    """Folders outside that the reference makes, topmost."""
    there: frozenset[str] = frozenset()
    """What the image holds directly in one of PLACES."""
    installed: frozenset[str] = frozenset()
    """Modules of Python that are installed in the image: a new one of that name would be found before it."""
    suffixes: frozenset[str] = field(init=False)
    """Of the image's files that the reference changes."""
    _ways: frozenset[str] = field(init=False, repr=False)
    """Folders above what the reference leaves."""
    commits: bool = field(init=False)
    """Whether the reference makes objects of git."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "suffixes", frozenset(_suffix(path) for path in self.touched & self.present))
        ways = {parent for path in self.touched for parent in map(str, PurePosixPath(path).parents)}
        object.__setattr__(self, "_ways", frozenset(ways))
        own = {_module(posixpath.relpath(p, f)) for f in self.workdirs for p in {*self.present, *self.touched}}
        object.__setattr__(self, "installed", self.installed - own - {""})
        object.__setattr__(self, "commits", any("/.git/objects/" in path for path in self.touched))

    def roots(self, level: Level, changed: Collection[str]) -> list[str]:
        """The paths to ask a box for, given those that changed in it."""
        own = [*self.workdirs, *self.artifacts]
        if level == "whole":
            return topmost([*own, *leaves(changed)])
        if level == "work":
            return topmost(own)
        new = {self._new(path) for path in changed} - {""}
        return topmost([*own, *self.made, *new, *(path for path in self.touched if path in set(changed))])

    def leaves_out(self, level: Level, path: str) -> bool:
        """Whether a path stays behind at this level."""
        if within(path, NEVER):
            return True
        inside = next((folder for folder in self.workdirs if within(path, (folder,))), None)
        if within(path, self.artifacts) or (path in self.touched and (inside is not None or level != "work")):
            return False
        if inside is None:
            if level in ("work", "whole"):
                return level == "work" or within(path, PASSING)
            starts = level == "outside" and any(_matches(part, _steering()["starts"]) for part in path.split("/"))
            return starts or not (within(path, self.made) or self._new(path))
        if level in ("runners", "whole"):
            return False
        below = posixpath.relpath(path, inside)
        if path in self._ways:
            return False  # a folder on the way to what the reference leaves
        if self.commits and _of_history(below):
            return False
        return _module(below) in self.installed or steers(below) or (path in self.present and self._kept(path))

    def _new(self, path: str) -> str:
        """The folder in one of PLACES that a path is in and the image has not; empty where there is none."""
        parts = path.split("/")
        top = "/".join(parts[: 3 if f"/{parts[1]}" in PLACES else 2])
        return "" if top in self.there or top in MADE_BY_SYSTEMS or top in PLACES else top

    def _kept(self, path: str) -> bool:
        """Whether a file of the image is taken from the image, whatever the agent made of it."""
        return _suffix(path) not in self.suffixes or _matches(posixpath.basename(path), _steering()["tests"])


def within(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these or below one.

    >>> within("/app/a.py", ["/app"]), within("/application", ["/app"])
    (True, False)
    """
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def topmost(paths: Iterable[str]) -> list[str]:
    """The paths that are below none of the others, sorted.

    >>> topmost(["/a/b", "/a", "/c/d"])
    ['/a', '/c/d']
    """
    found: list[str] = []
    for path in sorted(set(paths), key=lambda path: path.rstrip("/").split("/")):
        if not found or not within(path, found[-1:]):
            found.append(path)
    return found


def leaves(paths: Collection[str]) -> set[str]:
    """The paths that no other is in: an engine tells the folders of what changed too.

    >>> sorted(leaves(["/usr", "/usr/lib", "/usr/lib/a", "/b"]))
    ['/b', '/usr/lib/a']
    """
    return set(paths) - {posixpath.dirname(path) for path in paths}


def under(path: str, paths: Collection[str]) -> bool:
    """Whether a path is one of these or below one: as `within`, for many.

    >>> under("/a/b/c", {"/a"}), under("/ab", {"/a"})
    (True, False)
    """
    while path not in paths and path not in ("", "/"):
        path = posixpath.dirname(path)
    return path in paths


def steers(below: str) -> bool:
    """Whether a path, told from the work folder, is of something that steers the runner or shadows a module of it.

    >>> [steers(path) for path in ("conftest.py", ".git/config", "json.py", "lib/pytest/__init__.py", "a/json.py")]
    [True, True, True, True, False]
    """
    steering, parts = _steering(), below.split("/")
    if any(_matches(part, steering["names"]) for part in parts) or _matches(parts[-1], steering["tests"]):
        return True
    module = _module(below)
    return module in sys.stdlib_module_names or _matches(module, steering["modules"])


def _module(below: str) -> str:
    """The module of Python that a path in the work folder would be imported as, or be of; empty where it is of none.

    >>> [_module(path) for path in ("yaml/a.txt", "src/yaml.py", "yaml.cpython-311.so", "yaml.txt")]
    ['yaml', 'yaml', 'yaml', '']
    """
    parts = below.split("/")
    parts = parts[1:] if len(parts) > 1 and parts[0] in SOURCES else parts
    stem, _, suffix = parts[0].partition(".")
    return stem if len(parts) > 1 or suffix.split(".")[-1] in ("py", "so") else ""


def unfit(tar: bytes) -> set[str]:
    """What of a tar is carried at no level: links that lead to the verifier's own files, and replaced objects of git.

    A link to the expected answer would hold it as soon as the tests are there.
    """
    links = links_of(tar)
    packed = {path: text for path, text in contents(tar).items() if path.endswith("/.git/packed-refs")}
    return {path for path in links if _leads_never(path, links)} | {p for p, text in packed.items() if _replaces(text)}


def _replaces(packed_refs: bytes) -> bool:
    """Whether git's packed references are others than of a history.

    >>> _replaces(b"# pack-refs with: peeled\\n3f0c refs/tags/a\\n^77aa\\n"), _replaces(b"3f0c refs/replace/77aa")
    (False, True)
    """
    lines = [line.split() for line in packed_refs.decode("utf-8", "replace").splitlines()]
    named = [line[-1] for line in lines if line and line[0][0] not in "#^"]
    return not all(name.startswith(REFS) for name in named)


def links_of(tar: bytes) -> dict[str, str]:
    """The symbolic links of a tar, by absolute paths, each with what it says."""
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        symbolic = {f"/{m.name.lstrip('/')}": m.linkname for m in archive.getmembers() if m.issym()}
    return symbolic


def contents(tar: bytes) -> dict[str, bytes]:
    """The plain files of a tar, by absolute paths."""
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                found[f"/{member.name.lstrip('/')}"] = file.read()
    return found


def _leads_never(path: str, links: Mapping[str, str]) -> bool:
    """Whether following a link comes to a place of NEVER, or to no end."""
    left = path
    for _ in range(MAX_LINKS):
        if within(left, NEVER):
            return left not in ("/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr")
        parts = left.strip("/").split("/")
        heads = ["/" + "/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        link = next((head for head in heads if head in links), None)
        if link is None:
            return False
        rest = left[len(link) :]
        left = posixpath.normpath(posixpath.join(posixpath.dirname(link), links[link]) + rest)
        left = "/" + left.lstrip("/")
    return True


def _of_history(below: str) -> bool:
    """Whether a path is of what a commit writes: no hook, setting, replaced object or other repository's objects.

    >>> [_of_history(path) for path in (".git/objects/ab/cd", ".git/refs/heads/main", ".git/hooks/x", ".git/config")]
    [True, True, False, False]
    """
    _, found, rest = f"/{below}".partition("/.git/")
    if not found:
        return below.split("/")[-1] == ".git"
    parts = rest.split("/")
    if parts[0] == "objects":
        return parts[1:2] != ["info"]
    return rest in ("HEAD", "index", "refs", "packed-refs") or parts[:2] in (["refs", "heads"], ["refs", "tags"])


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


@lru_cache(maxsize=1)
def _steering() -> dict[str, list[str]]:
    return tomllib.loads((files("rlenv.envs.containers") / "data" / "steering.toml").read_text("utf-8"))
