"""Files out of a box: a bounded tar with a digest, of files, folders and links alone."""

import hashlib
import io
import posixpath
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rlenv.sandbox.containers.archive import Archive, Places, absolute
from rlenv.sandbox.containers.protocol import CARRIED_BYTES, CARRIED_FILES, Carried
from rlenv.sandbox.errors import BoxError, TooLarge

MODES = 0o1777
"""No setuid and no setgid leaves a box."""
OLDEST = 2
"""In seconds since 1970: what a check dates at 1 is older than whatever left a box."""


@dataclass
class Taking:
    """What has been taken so far, by path, and its bounds."""

    exclude: Callable[[str], bool] | None
    max_bytes: int
    max_files: int
    members: dict[str, tuple[tarfile.TarInfo, bytes]] = field(default_factory=dict)
    bytes: int = 0

    def add(self, path: str, member: tarfile.TarInfo, source: tarfile.TarFile, same: dict[str, str]) -> None:
        """Take one member, if it may leave and is not excluded; `same`: by path, what it is a second name of."""
        if not (member.isfile() or member.isdir() or member.issym() or member.islnk()) or path in self.members:
            return
        if self.exclude is not None and self.exclude(path):
            return
        if len(self.members) + len(same) >= self.max_files:
            raise TooLarge(f"expected at most {self.max_files} files, got more; the last is {path}")
        if member.islnk():
            same[path] = absolute(posixpath.join("/", member.linkname))
            return
        self.bytes += member.size if member.isfile() else 0
        if self.bytes > self.max_bytes:
            raise TooLarge(f"expected at most {self.max_bytes} bytes, got more; the last file is {path}")
        content = source.extractfile(member) if member.isfile() else None
        self.members[path] = (member, content.read() if content is not None else b"")


def take(
    archive: Archive,
    paths: Sequence[str],
    changed: Callable[[], set[str]],
    exclude: Callable[[str], bool] | None,
    max_bytes: int,
    max_files: int,
    room: int,
) -> Carried:
    """Take what is at the paths; `room` is how many bytes may be read for it, what is excluded among them.

    A path below a link that was made in the box is not there. Raises `TooLarge`.
    """
    taking = Taking(exclude, max_bytes, max_files)
    places = Places(archive, changed)
    for path in paths:
        _take_one(archive, places, absolute(path), taking, room)
    return _packed(taking)


def repacked(tar: bytes, exclude: Callable[[str], bool] | None = None) -> Carried:
    """What a tar holds that left a box before, looked at as if it left one now. Raises `TooLarge` and `BoxError`."""
    taking = Taking(exclude, CARRIED_BYTES, CARRIED_FILES)
    try:
        with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
            for member in archive:
                taking.add(absolute("/" + member.name), member, archive, {})
    except tarfile.TarError as error:
        raise BoxError(f"expected a tar that left a box, got something else ({error})") from error
    return _packed(taking)


def _take_one(archive: Archive, places: Places, path: str, taking: Taking, room: int) -> None:
    real = places.real(path)
    stat = places.stat(real)
    if stat is None or stat == "special":
        return
    same: dict[str, str] = {}
    try:
        with archive.reading(real, room) as tar:
            for member in tar:
                taking.add(_path(path, member.name), member, tar, same)
                tar.members.clear()  # type: ignore[attr-defined]  # else it holds every header
    except tarfile.TarError as error:
        raise BoxError(f"the engine sent no whole tar of {path} ({error})") from error
    for second in same:  # asked for by itself, a second name of a file comes with what is in the file
        with archive.reading(places.real(second), room) as tar:
            for member in tar:
                taking.add(second, member, tar, {})


def _path(asked: str, name: str) -> str:
    """The absolute path of a member: the engine names it from the last part of what was asked for.

    >>> _path("/app/src", "src/a.py"), _path("/", "./etc")
    ('/app/src/a.py', '/etc')
    """
    if asked == "/":
        return absolute("/" + name)
    below = posixpath.normpath(name).partition("/")[2]
    return posixpath.join(asked, below) if below else asked


def _packed(taking: Taking) -> Carried:
    digest, packed, files = hashlib.sha256(), io.BytesIO(), []
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(taking.members):
            given, content = taking.members[path]
            member = tarfile.TarInfo(path[1:] or ".")
            kind = "d" if given.isdir() else "l" if given.issym() else "f"
            member.type = given.type if kind != "f" else tarfile.REGTYPE
            member.mode, member.size = given.mode & MODES, len(content)
            member.uid, member.gid, member.mtime = given.uid, given.gid, max(OLDEST, int(given.mtime))
            member.linkname = given.linkname if kind == "l" else ""
            body = content if kind == "f" else member.linkname.encode("utf-8", "surrogateescape")
            for part in (path.encode("utf-8", "surrogateescape"), b"%s %o" % (kind.encode(), member.mode), body):
                digest.update(b"%d:" % len(part) + part)
            tar.addfile(member, io.BytesIO(content))
            if kind != "d":
                files.append(path)
    return Carried(packed.getvalue(), digest.hexdigest(), tuple(files), taking.bytes)
