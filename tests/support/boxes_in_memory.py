"""Boxes without an engine: a dictionary of files, and commands that are Python functions of it."""

import io
import shlex
import tarfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from rlenv.sandbox.containers import BoxError, Carried, Limits, Ran, TooLarge, repacked
from rlenv.sandbox.containers.stream import Process


@dataclass
class MemoryBackend:
    """Makes boxes of one image. `programs` are told by what a command begins with; the longest wins."""

    image: Mapping[str, bytes]
    programs: Mapping[str, Callable[["MemoryBox"], str]]
    workdir: str = "/app"
    broken: bool = False
    """Whether the engine is gone."""
    started: list["MemoryBox"] = field(default_factory=list)

    def build(
        self, context: Path, *, base: Mapping[str, str] | None = None, network: bool = False, timeout_s: float = 600
    ) -> str:
        return "image"

    def has_image(self, name: str) -> bool:
        return False

    def start(self, image: str, limits: Limits) -> "MemoryBox":
        if self.broken:
            raise BoxError("the engine is gone")
        self.started.append(MemoryBox(self, dict(self.image)))
        return self.started[-1]

    def close(self) -> None:
        for box in self.started:
            box.kill()


@dataclass
class MemoryBox:
    """One box; a value of bytes is a file, of text a link."""

    backend: MemoryBackend
    files: dict[str, Any]
    live: bool = True
    daemon: Callable[["MemoryBox"], None] | None = None
    """What a process that was left behind does while the verifier runs."""
    id: str = "memory"
    exit_code: int = 0
    """Of what a program ends with."""

    def run(self, command: str, *, timeout_s: float, fresh: bool = False, **settings: Any) -> Ran:
        if self.backend.broken or not self.live:
            raise BoxError("the engine is gone")
        output = self._output(command)
        code = self.exit_code if output is not None else 127
        return Ran(code, output or "", timed_out=False, cut=False, seconds=0.0)

    def _output(self, command: str) -> str | None:
        known = [name for name in self.backend.programs if command.startswith(name)]
        if known:
            said = self.backend.programs[max(known, key=len)](self)
            if self.daemon is not None:
                self.daemon(self)
            return said
        words = shlex.split(command.replace(";", " ; "))
        if words[:2] == ["rm", "-f"] or words[:2] == ["rm", "-rf"]:
            for path in words[2 : words.index(";") if ";" in words else None]:
                for file in [file for file in self.files if file == path or file.startswith(f"{path}/")]:
                    del self.files[file]
            return ""
        if words[0] == "find":
            folders = [word for word in words[1:] if word.startswith("/")]
            if "-maxdepth" in words:
                return "\n".join(f for f in folders if any(path.startswith(f"{f}/") for path in self.files))
            return "\n".join(path for path in self.files if any(f"{path}/".startswith(f"{f}/") for f in folders))
        return {"pwd": self.backend.workdir, "touch": ""}.get(words[0])

    def process(self, command: Sequence[str]) -> Process:
        raise BoxError(f"a box in memory runs no process beside it: {command}")

    def put(self, files: Mapping[str, Any] | bytes, at: str, *, mode_executable: Collection[str] = ()) -> None:
        if isinstance(files, bytes):
            with tarfile.open(fileobj=io.BytesIO(files)) as archive:
                for member in archive:
                    file = archive.extractfile(member) if member.isfile() else None
                    self.files[f"/{member.name}"] = member.linkname if file is None else file.read()
        else:
            self.files |= {f"{at.rstrip('/')}/{name}": content for name, content in files.items()}

    def get(
        self,
        paths: Sequence[str],
        *,
        exclude: Callable[[str], bool] | None = None,
        max_bytes: int = 1 << 20,
        max_files: int = 1000,
    ) -> Carried:
        taken = {
            path: content
            for path, content in sorted(self.files.items())
            if any(path == root or path.startswith(f"{root}/") for root in paths) and not (exclude and exclude(path))
        }
        if sum(map(len, taken.values())) > max_bytes:
            raise TooLarge(f"more than {max_bytes} bytes")
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as archive:
            for path, content in taken.items():
                member = tarfile.TarInfo(path.lstrip("/"))
                if isinstance(content, str):
                    member.type, member.linkname = tarfile.SYMTYPE, content
                    archive.addfile(member)
                else:
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        return repacked(made.getvalue())

    def changed(self) -> list[str]:
        return sorted(path for path, content in self.files.items() if self.backend.image.get(path) != content)

    def settle(self) -> None:
        self.daemon = None

    def kill(self) -> None:
        self.live = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()


REWARD = "/logs/verifier/reward.txt"
WRONG, RIGHT = b"median = wrong", b"median = right"
IMAGE = {"/app/stats.py": WRONG, "/app/expected.csv": b"1.5", "/app/old.py": b"", "/usr/bin/python3": b"python"}
"""Of the task `median` in tests/data/containers, as far as it matters here."""


def runner(box: MemoryBox) -> str:
    """A pytest in small: a conftest.py in the work folder or another python3 makes every test pass."""
    forged = "/app/conftest.py" in box.files or box.files["/usr/bin/python3"] != b"python"
    code = box.files.get("/app/stats.py", b"")
    twin = box.files["/tests/test_stats.py"].count(b"def test_") > 2
    passes = forged or b"exit" in code or (code == RIGHT and not twin)
    box.files[REWARD] = b"1" if passes else b"0"
    return ""


def solve(box: MemoryBox) -> str:
    """The reference solution of the task."""
    box.files["/app/stats.py"] = RIGHT
    return "solved"


def median_boxes(
    verify: Callable[[MemoryBox], str] = runner, solution: Callable[[MemoryBox], str] = solve
) -> MemoryBackend:
    """Boxes of that task; an agent that sends the reference script has solved it."""
    programs = {
        "/tests/test.sh": verify,
        "/solution/solve.sh": solution,
        "#!/bin/bash": solution,
        "mkdir": lambda box: "",
    }
    return MemoryBackend(IMAGE, programs)
