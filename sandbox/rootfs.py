"""The root file system of a cell, copied from the host's own Python: what an image needs when there is no registry.

It holds one interpreter, its standard library, the shared libraries that these load, and the packages that were
asked for; no shell, no package manager, nothing of anybody's home. Every file keeps the path it has on the host, so
an interpreter that looks for itself (a pyenv build, Debian's, a conda one) finds itself. A virtual environment
stands for the interpreter it was made from.

`Rootfs.digest` names the content: the same files give the same name, whoever collects them.
"""

import hashlib
import importlib.metadata
import io
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from rlenv.sandbox.errors import SandboxUnavailable

LAYOUT = "1"
"""Part of every digest: raise it when the same files are laid out in another way."""

LEFT_OUT = ("test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "pydoc_data", "site-packages")
LEFT_OUT_NAMES = re.compile(r"config-.*|dist-packages|_test.*\.so|_xxtest.*\.so|_tkinter.*\.so|.*\.opt-\d\.pyc|.*\.a")

DESCRIBE = """
import json, os, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps({"executable": os.path.realpath(sys.executable), "base": sys._base_executable,
    "stdlib": paths["stdlib"], "dynload": os.path.join(paths["platstdlib"], "lib-dynload"),
    "packages": paths["purelib"],
    "version": "%d.%d.%d" % sys.version_info[:3]}))
"""


@dataclass(frozen=True, slots=True)
class HostPython:
    """An installed interpreter and where its parts lie."""

    executable: str
    stdlib: str
    dynload: str
    packages: str
    version: str


def host_python(executable: str | None = None) -> HostPython:
    """The interpreter behind `executable` (default: the running one); behind a virtual environment, the one it is of.

    Raises `SandboxUnavailable` where it does not run.
    """
    about = _ask(executable or sys.executable)
    base = os.path.realpath(about.pop("base"))
    if base != os.path.realpath(about["executable"]):
        about = {key: value for key, value in _ask(base).items() if key != "base"}
    return HostPython(**about)


def _ask(executable: str) -> dict[str, str]:
    try:
        answer = subprocess.run([executable, "-I", "-S", "-c", DESCRIBE], capture_output=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        message = f"expected a Python interpreter that runs, got {executable!r} ({error}); give the path of a real one"
        raise SandboxUnavailable(message) from error
    found: dict[str, str] = json.loads(answer.stdout)
    return found


@dataclass(slots=True)
class Rootfs:
    """Files, folders and links by their path inside; files are read from the host when they are written out."""

    folders: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def mirror(self, path: str) -> None:
        """Add one file of the host under its own path, with every link and folder on the way to it."""
        here, rest = "/", list(reversed(PurePosixPath(path).parts[1:]))
        while rest:
            name = rest.pop()
            if name == "..":
                here = os.path.dirname(here)
                continue
            step = os.path.join(here, name)
            if os.path.islink(step):
                target = self.links[step] = os.readlink(step)
                here = "/" if target.startswith("/") else here
                rest.extend(reversed([part for part in PurePosixPath(target).parts if part != "/"]))
            elif os.path.isdir(step):
                self.folders.add(step)
                here = step
            elif os.path.isfile(step):
                self.files[step] = step

    def place(self, source: str, path: str) -> None:
        """Add a file of the host under another path, whose parent folders are plain ones."""
        self.folders.update(str(parent) for parent in PurePosixPath(path).parents if str(parent) != "/")
        self.files[path] = source

    @property
    def digest(self) -> str:
        """Twelve hex digits of a hash over all that counts. Compiled files do not: they come and go with use."""
        total = hashlib.blake2b(LAYOUT.encode())
        for path, source in sorted(self.files.items()):
            if "__pycache__" not in path:
                total.update(f"{path}\0{_mode(source):o}\0".encode())
                total.update(hashlib.blake2b(Path(source).read_bytes()).digest())
        total.update(json.dumps([sorted(self.links.items()), sorted(self.texts.items())]).encode())
        return total.hexdigest()[:12]

    def write(self, out: IO[bytes]) -> None:
        """Write it as a tar archive, all of it owned by root and in a fixed order."""
        with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(self.folders):
                mode = 0o1777 if path == "/tmp" else 0o755
                archive.addfile(_entry(path, mode, kind=tarfile.DIRTYPE))
            for path, target in sorted(self.links.items()):
                archive.addfile(_entry(path, 0o777, kind=tarfile.SYMTYPE, target=target))
            for path, text in sorted(self.texts.items()):
                archive.addfile(_entry(path, 0o644, size=len(text)), io.BytesIO(text.encode()))
            for path, source in sorted(self.files.items()):
                about = os.stat(source)
                with open(source, "rb") as body:
                    # The time stays: a compiled file is only used while its source has the time it was compiled at.
                    entry = _entry(path, _mode(source), size=about.st_size, mtime=int(about.st_mtime))
                    archive.addfile(entry, body)


def _entry(
    path: str, mode: int, *, size: int = 0, mtime: int = 0, kind: bytes = tarfile.REGTYPE, target: str = ""
) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path.lstrip("/"))
    entry.mode, entry.size, entry.mtime, entry.type, entry.linkname = mode, size, mtime, kind, target
    return entry


def _mode(source: str) -> int:
    return 0o755 if os.stat(source).st_mode & stat.S_IXUSR else 0o644


def collect(python: HostPython, packages: Sequence[str] = (), site_packages: str | None = None) -> Rootfs:
    """The root file system around `python`, with the named distributions out of `site_packages` (default: the
    running interpreter's). Only those named come along, not what they depend on: name these too.

    Raises `SandboxUnavailable` for a distribution that is not there.
    """
    root = Rootfs(folders={"/tmp", "/proc", "/sys", "/dev", "/etc"})
    root.texts["/etc/passwd"] = "root:x:0:0::/:/bin/false\nnobody:x:65534:65534::/tmp:/bin/false\n"
    root.texts["/etc/group"] = "root:x:0:\nnogroup:x:65534:\n"
    root.mirror(python.executable)
    for path in _below(python.stdlib):
        root.mirror(path)
    for path in _below(python.dynload):
        root.mirror(path)
    for name in packages:
        for source, inside in _distribution(name, site_packages):
            root.place(source, os.path.join(os.path.realpath(python.packages), inside))
    for library in _libraries([python.executable, *(s for s in root.files.values() if _loadable(s))]):
        root.mirror(library)
    _name_python(root, python)
    return root


def _name_python(root: Rootfs, python: HostPython) -> None:
    """Make `/usr/bin/python3` and `/bin` lead to the interpreter, wherever it lies."""
    root.folders.update({"/usr", "/usr/bin"})
    if "/bin" not in root.links and "/bin" not in root.folders:
        root.links["/bin"] = "usr/bin"
    if python.executable != "/usr/bin/python3":
        root.links["/usr/bin/python3"] = python.executable


def _below(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if _wanted(name))
        yield from (os.path.join(here, name) for name in sorted(files) if _wanted(name))


def _wanted(name: str) -> bool:
    return name not in LEFT_OUT and not LEFT_OUT_NAMES.fullmatch(name)


def _distribution(name: str, site_packages: str | None) -> Iterator[tuple[str, str]]:
    """Each file of an installed distribution, and its path below the folder of packages."""
    folders = [site_packages] if site_packages else sys.path
    found = next(iter(importlib.metadata.distributions(name=name, path=folders)), None)
    if found is None or found.files is None:
        message = f"expected the distribution {name!r} in {site_packages or 'this interpreter'}; install it there first"
        raise SandboxUnavailable(message)
    for path in found.files:
        source = str(path.locate())
        if ".." not in path.parts and not path.match("*.opt-?.pyc") and os.path.isfile(source):
            yield source, path.as_posix()


def _loadable(path: str) -> bool:
    return ".so" in os.path.basename(path)


def _libraries(binaries: Sequence[str]) -> list[str]:
    """The shared libraries that the binaries load, outside the packages (which carry theirs)."""
    try:
        listed = subprocess.run(["ldd", *binaries], check=False, capture_output=True, text=True, timeout=120).stdout
    except (OSError, subprocess.SubprocessError) as error:
        message = f"expected the program ldd, which lists what an interpreter loads ({error}); build with a registry"
        raise SandboxUnavailable(message) from error
    found = set(re.findall(r"^\s.*?(/\S+) \(0x", listed, flags=re.MULTILINE))
    # glibc loads this one by hand when a thread ends, and aborts the process where it is missing.
    found |= {
        gcc for library in found if os.path.exists(gcc := os.path.join(os.path.dirname(library), "libgcc_s.so.1"))
    }
    return sorted(library for library in found if not re.search(r"/(site|dist)-packages/", library))
