"""Files into a box: each path is looked at first, and what stands in the way of its folders is replaced by a folder."""

import io
import posixpath
import tarfile
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import IO

from rlenv.sandbox.containers.archive import Archive, Places, absolute, parents
from rlenv.sandbox.errors import SandboxUsageError

Entry = tuple[str, tarfile.TarInfo, IO[bytes] | None]
"""A path below the target, its member, and its content where it is a file."""


def write(
    archive: Archive,
    files: Mapping[str, bytes | Path] | bytes,
    at: str,
    executable: Collection[str],
    changed: Callable[[], set[str]],
) -> None:
    """Write files below `at` in a box in which nothing runs meanwhile.

    Files given by path are root's, those of a tar keep their owners; no setuid bit goes in. Raises `SandboxUsageError`
    for a path that leads out of `at` and for what is no file, folder or link.
    """
    if unknown := set(executable) - set(files if isinstance(files, Mapping) else ()):
        raise SandboxUsageError(f"expected mode_executable to name files that are put, got {sorted(unknown)[0]!r}")
    places = Places(archive, changed)
    at = posixpath.dirname(places.real(absolute(at).rstrip("/") + "/x"))
    with tempfile.TemporaryFile() as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
            _folders(tar, places, at.rstrip("/") + "/x")
            for name, member, content in _of_tar(files) if isinstance(files, bytes) else _of_mapping(files, executable):
                path = places.real(absolute(posixpath.join(at, name)))
                _folders(tar, places, path)
                member.name = path[1:]
                places.written(path, member.isdir())
                tar.addfile(member, content)
        packed.seek(0)
        archive.write(packed)


def _folders(tar: tarfile.TarFile, places: Places, path: str) -> None:
    """A member for each folder above a path that is none yet: it takes the place of whatever is there."""
    for above in parents(path):
        stat = places.stat(above)
        if stat != "folder":
            tar.addfile(_member(above[1:], 0o755, tarfile.DIRTYPE))
            places.written(above, folder=True)


def _member(name: str, mode: int, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.mode, member.type = mode, kind
    return member


def _of_mapping(files: Mapping[str, bytes | Path], executable: Collection[str]) -> Iterator[Entry]:
    for name, content in files.items():
        member = _member(_below(name), 0o755 if name in executable else 0o644)
        if isinstance(content, bytes):
            member.size = len(content)
            yield name, member, io.BytesIO(content)
        else:
            with content.open("rb") as file:
                member.size = file.seek(0, io.SEEK_END)
                file.seek(0)
                yield name, member, file


def _of_tar(data: bytes) -> Iterator[Entry]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
        for given in tar:
            name = _below(given.name)
            if name == ".":
                continue
            kind = tarfile.DIRTYPE if given.isdir() else tarfile.SYMTYPE if given.issym() else tarfile.REGTYPE
            if kind == tarfile.REGTYPE and not (given.isfile() or given.islnk()):
                raise SandboxUsageError(f"expected files, folders and links in the tar, got {name!r}")
            member = _member(name, given.mode & 0o1777, kind)
            member.uid, member.gid, member.mtime = given.uid, given.gid, given.mtime
            if kind == tarfile.SYMTYPE:
                member.linkname = given.linkname
            content = tar.extractfile(given) if kind == tarfile.REGTYPE else None
            if content is not None:
                member.size = content.seek(0, io.SEEK_END)
                content.seek(0)
            yield name, member, content


def _below(name: str) -> str:
    path = posixpath.normpath(name)
    if path.startswith(("/", "../")) or path == ".." or "\0" in path:
        raise SandboxUsageError(f"expected a path below the target folder, got {name!r}")
    return path
