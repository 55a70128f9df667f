"""Reads task folders in Harbor's format: task.toml (schema 1.4 and older), instruction.md and three folders.

    folder = read_folder(Path("tasks/fix-the-parser"))
    folder.instruction, folder.agent.timeout_s, folder.tests["test.sh"]

A folder is a stranger's: it is read with bounds and through no links, and what we do not do (compose services, GPUs,
TPUs, Windows, MCP servers, allowlists of hosts, health checks, steps) is refused by name before anything is built.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json
from rlenv.door.reading import plain_bytes

Table: TypeAlias = "Mapping[str, Any]"
T = TypeVar("T")
TASK, INSTRUCTION, SCRIPT, SOLVE = "task.toml", "instruction.md", "test.sh", "solve.sh"
NEWEST = (1, 4)
MAX_TOML, MAX_INSTRUCTION = 1 << 20, 1 << 20
MAX_TREE_FILES, MAX_TREE_BYTES = 5_000, 64 << 20
"""Of one of the folders environment, tests and solution."""
UNITS = {"K": 1 / 1024, "M": 1, "G": 1024, "T": 1024 * 1024}
"""Of sizes written as in older schemas ("2G"), in MB."""
COMPOSE = ("docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml")


@dataclass(frozen=True)
class Phase:
    """Who works in a box, for how long, and with which variables."""

    timeout_s: float
    user: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Folder:
    """One task, as its folder tells it."""

    path: Path
    name: str
    instruction: str
    digest: str
    """Of all files of the folder: another byte anywhere is another task."""
    agent: Phase
    verifier: Phase
    wants_network: bool
    image: str | None
    """The image that task.toml names; None where the folder's Dockerfile is built."""
    has_dockerfile: bool
    separate: bool
    """Whether the task asks that artifacts alone reach the verifier."""
    verifier_image: str | None
    build_timeout_s: float
    cpus: float
    memory_mb: int
    storage_mb: int
    env: Mapping[str, str]
    workdir: str | None
    solution_env: Mapping[str, str]
    artifacts: tuple[str, ...]
    """Absolute paths that the task declares as its product."""
    tests: Mapping[str, bytes]
    solution: Mapping[str, bytes]
    """Empty where the folder has none."""

    @property
    def environment(self) -> Path:
        """What its image is built of."""
        return self.path / "environment"


def read_folders(folder: Path) -> list[Folder]:
    """The task in a folder, or those in the folders in it, sorted by name.

    Raises TaskError where there is none, and for one that cannot be read or asks for what we do not do.
    """
    if (folder / TASK).exists():
        return [read_folder(folder)]
    if not folder.is_dir():
        raise TaskError(f"{folder}: expected a folder with a {TASK} or with such folders in it")
    found = sorted(entry for entry in folder.iterdir() if (entry / TASK).exists())
    if not found:
        raise TaskError(f"{folder}: no {TASK} in it or in the folders in it; give a folder in Harbor's format")
    return [read_folder(entry) for entry in found]


def read_folder(folder: Path) -> Folder:
    """One task. Raises TaskError, and RunError for a link or for what is too large."""
    said = _toml(folder / TASK)
    told = _Told(folder.name, said)
    told.check()
    environment, verifier = told.table("environment"), told.table("verifier")
    trees = {name: _tree(folder / name) for name in ("environment", "tests", "solution")}
    instruction = plain_bytes(folder / INSTRUCTION, MAX_INSTRUCTION) if (folder / INSTRUCTION).exists() else b""
    told.check_files(trees, instruction)
    inner = told.table("verifier", "environment")
    separate = verifier.get("environment_mode", "separate" if inner else "shared") == "separate"
    return Folder(
        path=folder,
        name=folder.name,
        instruction=instruction.decode("utf-8", "replace"),
        digest=_digest(folder, instruction, trees),
        agent=told.phase("agent", 3_600),
        verifier=told.phase("verifier", 600),
        wants_network=told.wants_network(),
        image=told.value(environment, "docker_image", str, None),
        has_dockerfile="Dockerfile" in trees["environment"],
        separate=separate,
        verifier_image=told.value(inner, "docker_image", str, None),
        build_timeout_s=told.number(environment, "build_timeout_sec", 600),
        cpus=told.number(environment, "cpus", 1),
        memory_mb=int(told.megabytes(environment, "memory", 2048)),
        storage_mb=int(told.megabytes(environment, "storage", 10_240)),
        env=told.variables(environment, "environment"),
        workdir=told.value(environment, "workdir", str, None),
        solution_env=told.variables(told.table("solution"), "solution"),
        artifacts=told.artifacts(),
        tests=trees["tests"],
        solution=trees["solution"],
    )


class _Told:
    """The values of a task.toml, each checked as it is taken."""

    def __init__(self, name: str, said: Table) -> None:
        self.name, self.said = name, said

    def refused(self, what: str) -> TaskError:
        return TaskError(f"task {self.name}: {what}")

    def table(self, *names: str) -> Table:
        found: object = self.said
        for name in names:
            found = cast("Table", found).get(name, {})
            if not isinstance(found, Mapping):
                raise self.refused(f"expected [{'.'.join(names)}] to be a table, got {type(found).__name__}")
        return cast("Table", found)

    def value(self, table: Table, key: str, kind: Callable[..., T], default: T | None) -> T | None:
        found = table.get(key, default)
        if found is default or isinstance(found, cast("type", kind)):
            return cast("T | None", found)
        raise self.refused(f"expected {key} to be {getattr(kind, '__name__', 'a value')}, got {found!r:.80}")

    def number(self, table: Table, key: str, default: float) -> float:
        found = table.get(key, default)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 < found < 1e7:
            raise self.refused(f"expected {key} to be a number above 0, got {found!r:.80}")
        return float(found)

    def megabytes(self, table: Table, key: str, default: float) -> float:
        """`memory_mb = 2048`, or `memory = "2G"` as older schemas have it."""
        old = table.get(key)
        if not isinstance(old, str) or f"{key}_mb" in table:
            return self.number(table, f"{key}_mb", default)
        digits, unit = old.strip().upper().removesuffix("B")[:-1], old.strip().upper().removesuffix("B")[-1:]
        if unit not in UNITS or not digits.strip().isdigit():
            raise self.refused(f"expected {key} as 512M or 2G, got {old!r:.80}")
        return self.number({key: int(digits) * UNITS[unit]}, key, default)

    def variables(self, table: Table, where: str) -> dict[str, str]:
        found = table.get("env", {})
        if not isinstance(found, Mapping) or not all(isinstance(value, str) for value in found.values()):
            raise self.refused(f"expected env of [{where}] to be a table of texts")
        if any("${" in value for value in found.values()):
            raise self.refused(f"env of [{where}] asks for variables of this machine; write their values into the task")
        return dict(found)

    def phase(self, where: str, timeout_s: float) -> Phase:
        table = self.table(where)
        user = table.get("user")
        if user is not None and (isinstance(user, bool) or not isinstance(user, (str, int))):
            raise self.refused(f"expected user of [{where}] to be a name or a number, got {user!r:.80}")
        env = self.variables(table, where)
        return Phase(self.number(table, "timeout_sec", timeout_s), None if user is None else str(user), env)

    def wants_network(self) -> bool:
        environment = self.table("environment")
        mode = self.table("agent").get("network_mode", environment.get("network_mode"))
        return bool(environment.get("allow_internet", True)) if mode is None else mode == "public"

    def artifacts(self) -> tuple[str, ...]:
        given = self.said.get("artifacts", [])
        if not isinstance(given, Sequence) or isinstance(given, str):
            raise self.refused("expected artifacts to be a list")
        paths: list[Any] = [each.get("source") if isinstance(each, Mapping) else each for each in given]
        if not all(isinstance(path, str) and path.startswith("/") and ".." not in path.split("/") for path in paths):
            raise self.refused(f"expected artifacts as absolute paths, got {paths!r:.200}")
        return ("/logs/artifacts", *[path.rstrip("/") for path in paths if path.rstrip("/")])

    def check(self) -> None:
        """Raise TaskError for what we do not do."""
        version = str(self.said.get("schema_version", self.said.get("version", "1.0")))
        numbers = [int(part) if part.isdigit() else NEWEST[0] + 1 for part in version.split(".")[:2]]
        if tuple(numbers) > NEWEST:
            raise self.refused(f"schema {version:.20} is newer than {NEWEST[0]}.{NEWEST[1]}, the newest that we read")
        environment, verifier = self.table("environment"), self.table("verifier")
        tables = [("agent", self.table("agent")), ("environment", environment), ("verifier", verifier)]
        asked = {
            "steps": self.said.get("steps"),
            **{name: environment.get(name) for name in ("gpus", "gpu_types", "tpu", "mcp_servers", "healthcheck")},
            "collect of the verifier": verifier.get("collect"),
            "os other than linux": environment.get("os", "linux") != "linux",
            **{f"allowed_hosts of the {name}": table.get("allowed_hosts") for name, table in tables},
            **{
                f"network_mode {table.get('network_mode')!r:.40} of the {name}": table.get("network_mode")
                not in (None, "public", "no-network")
                for name, table in tables
            },
        }
        services = self.said.get("artifacts") or []
        asked["artifacts of a service"] = any(
            isinstance(each, Mapping) and each.get("service") not in (None, "main") for each in services
        )
        if wanted := [name for name, value in asked.items() if value]:
            raise self.refused(f"it asks for {', '.join(wanted)}, which we do not do; leave the task out")

    def check_files(self, trees: Mapping[str, Mapping[str, bytes]], instruction: bytes) -> None:
        """Raise TaskError for compose services, and where something is missing."""
        if compose := [name for name in COMPOSE if name in trees["environment"]]:
            raise self.refused(f"it asks for compose services ({compose[0]}), which we do not do; leave the task out")
        if SCRIPT not in trees["tests"]:
            raise self.refused(f"expected tests/{SCRIPT}, which is not there")
        if not instruction.strip():
            raise self.refused(f"expected an {INSTRUCTION} that says something")
        if "Dockerfile" not in trees["environment"] and not self.table("environment").get("docker_image"):
            raise self.refused("expected environment/Dockerfile or a docker_image, got neither")


def _toml(path: Path) -> dict[str, Json]:
    try:
        return tomllib.loads(plain_bytes(path, MAX_TOML).decode("utf-8"))
    except (ValueError, RecursionError) as error:  # what tomllib raises for no TOML is a ValueError
        raise TaskError(f"{path}: not valid TOML ({error}); fix it") from error


def _tree(folder: Path) -> dict[str, bytes]:
    """The files below a folder by their paths in it, none where there is no folder."""
    files: dict[str, bytes] = {}
    left = MAX_TREE_BYTES
    if folder.is_symlink():
        raise TaskError(f"{folder} is a link: a task's folders are its own; copy what it leads to")
    for place, names, found in os.walk(folder):
        names.sort()
        for name in sorted(found):
            path = Path(place, name)
            if len(files) >= MAX_TREE_FILES:
                raise TaskError(f"{folder}: more than {MAX_TREE_FILES} files; make the task smaller")
            content = plain_bytes(path, left)
            left -= len(content)
            files[path.relative_to(folder).as_posix()] = content
    return files


def _digest(folder: Path, instruction: bytes, trees: Mapping[str, Mapping[str, bytes]]) -> str:
    digest = hashlib.sha256()
    parts = {TASK: plain_bytes(folder / TASK, MAX_TOML), INSTRUCTION: instruction}
    parts |= {f"{tree}/{name}": content for tree, files in trees.items() for name, content in files.items()}
    for name, content in sorted(parts.items()):
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
    return digest.hexdigest()
