"""Cells made by our own namespaces beside cells made by bubblewrap and by crun: what they cost, and what they hold.

    apt-get install bubblewrap crun
    python benchmarks/sandbox_runtimes.py

The same fork server runs in all of them, with the same view of the machine's interpreter and libraries, and the same
probe asks each what it holds. The contenders take turns. A start is from nothing to the greeting of the fork server;
the processor time of a program is that of the host and of the cell, its start and end included. Root or an ordinary
user: as who runs it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rlenv.sandbox.cell import Cell
from rlenv.sandbox.errors import SandboxUnavailable
from rlenv.sandbox.launcher import SERVER_ENVIRONMENT, CellSettings, Launcher, ServerSettings, server_command
from rlenv.sandbox.namespaces import NamespaceLauncher
from rlenv.sandbox.pipes import PipeChannel
from rlenv.sandbox.probe import PLACE, examine
from rlenv.sandbox.speed import LIMITS, right, ten_calls

UID = 1_500_000
"""Of the programs, where root starts the cells."""
HYBRID = Path("/sys/fs/cgroup/unified")
"""Where control groups of version 2 stand beside those of version 1: crun refuses to start there, so it is hidden."""
RIGHTS = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")


class OtherLauncher:
    """Cells that another program starts; it is given the same view of the machine as ours."""

    name = ""

    def __init__(self, cells: CellSettings) -> None:
        own = NamespaceLauncher(cells)
        self._cells, self._binds, self._links, self._hidden = cells, own._binds, own._links, own._hidden
        self._folder = Path(tempfile.mkdtemp(prefix="rlenv-runtime-"))

    def launch(self, serial: int) -> PipeChannel:
        messages = tempfile.TemporaryFile()  # noqa: SIM115
        process = subprocess.Popen(
            self.command(serial),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            env={"PATH": os.environ["PATH"]},
            bufsize=0,
        )
        root = os.getuid() == 0
        seen = tuple(inside for _, inside in self._binds)
        settings = ServerSettings(
            job_uid=UID + serial % 1000 if root else None, scratch=("/tmp",), readable=seen, memory_watch=True
        )
        return PipeChannel(process, messages, settings)

    def command(self, serial: int) -> list[str]:
        raise NotImplementedError

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


class Bubblewrap(OtherLauncher):
    """`bwrap`, with every namespace it makes and our server as its first process."""

    name = "bubblewrap"

    def command(self, serial: int) -> list[str]:
        words = ["bwrap", "--as-pid-1", "--die-with-parent", "--new-session"]
        words += [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup")]
        words += ["--unshare-user"] if os.getuid() != 0 else []  # it maps one user, and programs are to have another
        words += ["--cap-drop", "ALL", *(word for right in RIGHTS if os.getuid() == 0 for word in ("--cap-add", right))]
        above = {str(folder) for _, inside in self._binds for folder in Path(inside).parents} - {"/"}
        for folder in sorted(above):  # else it takes the rights of the machine's folder, which may be closed
            words += ["--perms", "0755", "--dir", folder]
        for source, inside in self._binds:
            words += ["--ro-bind", source, inside]
        for target, inside in self._links:
            words += ["--symlink", target, inside]
        for folder in self._hidden:
            words += ["--tmpfs", folder]
        for device in ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"):
            words += ["--dev-bind", device, device]
        words += ["--proc", "/proc", "--perms", "1777", "--size", str(self._cells.tmp_mb << 20), "--tmpfs", "/tmp"]
        words += ["--remount-ro", "/", "--clearenv"]
        for name, value in SERVER_ENVIRONMENT.items():
            words += ["--setenv", name, value]
        return [*words, "--", *server_command(os.path.realpath(sys.executable))]


class Crun(OtherLauncher):
    """`crun`, from a bundle of its own for each cell."""

    name = "crun"

    def command(self, serial: int) -> list[str]:
        bundle = self._folder / str(serial)
        (bundle / "rootfs").mkdir(parents=True)
        for target, inside in self._links:
            (bundle / "rootfs" / inside.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            (bundle / "rootfs" / inside.lstrip("/")).symlink_to(target)
        (bundle / "config.json").write_text(json.dumps(self._config()))
        state = ["--root", str(self._folder / "state"), "--cgroup-manager", "disabled"]
        run = ["crun", *state, "run", "--bundle", str(bundle), f"{self._folder.name}-{serial}"]
        if not HYBRID.is_dir() or os.getuid() != 0:
            return run
        return ["unshare", "--mount", "sh", "-c", f'umount --lazy {HYBRID} && exec "$@"', "sh", *run]

    def _config(self) -> dict[str, object]:
        mounts: list[dict[str, object]] = [{"destination": "/proc", "type": "proc", "source": "proc"}]
        mounts.append({"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "size=64k"]})
        options = ["nosuid", "nodev", "mode=1777", f"size={self._cells.tmp_mb}m", "nr_inodes=8192"]
        mounts.append({"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": options})
        for source, inside in self._binds:
            options = ["rbind", "ro", "nosuid", "nodev"]
            mounts.append({"destination": inside, "type": "bind", "source": source, "options": options})
        for folder in self._hidden:
            mounts.append({"destination": folder, "type": "tmpfs", "source": "tmpfs", "options": ["ro", "size=4k"]})
        rights = list(RIGHTS) if os.getuid() == 0 else []
        process = {
            "user": {"uid": 0, "gid": 0},
            "args": server_command(os.path.realpath(sys.executable)),
            "env": [f"{name}={value}" for name, value in SERVER_ENVIRONMENT.items()],
            "cwd": "/",
            "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), rights),
            "noNewPrivileges": True,
        }
        kinds = ["pid", "network", "ipc", "uts", "mount", "cgroup", *([] if os.getuid() == 0 else ["user"])]
        linux: dict[str, object] = {"namespaces": [{"type": kind} for kind in kinds]}
        if os.getuid() != 0:
            linux["uidMappings"] = [{"containerID": 0, "hostID": os.getuid(), "size": 1}]
            linux["gidMappings"] = [{"containerID": 0, "hostID": os.getgid(), "size": 1}]
        root = {"path": "rootfs", "readonly": True}
        return {"ociVersion": "1.0.0", "process": process, "root": root, "mounts": mounts, "linux": linux}


@dataclass
class Contender:
    """One way to make cells, with what was measured of it."""

    make: Callable[[CellSettings], Launcher]
    starts_ms: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)


def _cpu_s() -> float:
    """Of this process and of all the cells that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def turn(contender: Contender, programs: int) -> None:
    """Start a cell, run programs in it and close it."""
    settings = CellSettings()
    launcher = contender.make(settings)
    start = time.perf_counter()
    cell = Cell(launcher, 0, settings)
    contender.starts_ms.append(1e3 * (time.perf_counter() - start))
    start = time.perf_counter()
    for number in range(programs):
        program = ten_calls(number)
        if not cell.ready() or not right(program, result := cell.run(program, LIMITS), number):
            raise RuntimeError(f"ten calls were judged wrong: {result}")
    contender.rates.append(programs / (time.perf_counter() - start))
    cell.ready()
    cell.close()
    launcher.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--programs", type=int, default=100, help="in each round")
    options = parser.parse_args()
    kinds: dict[str, Callable[[CellSettings], Launcher]] = {"ours": NamespaceLauncher}
    kinds |= {kind.name: kind for kind, found in ((Bubblewrap, "bwrap"), (Crun, "crun")) if shutil.which(found)}
    contenders = {name: Contender(make) for name, make in kinds.items()}
    lacks: dict[str, str] = {}
    for name, make in kinds.items():
        try:
            lacks[name] = "; ".join(f"{what} ({why})" for what, why in sorted(examine(make, PLACE).missing.items()))
        except SandboxUnavailable as problem:
            lacks[name] = f"does not start: {problem}"
            del contenders[name]
    names = list(contenders)
    for number in range(options.rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            before = _cpu_s()
            turn(contenders[name], options.programs)
            contenders[name].cpu_ms.append(1e3 * (_cpu_s() - before) / options.programs)
    print(
        "| cells by | start, ms (least) | programs/s (most) | times ours | CPU ms a program | what the probe misses |"
    )
    print("|---|---|---|---|---|---|")
    for name, missed in lacks.items():
        print(_line(name, contenders.get(name), contenders["ours"], missed))
    who = "root" if os.getuid() == 0 else "an ordinary user"
    print(f"\nAs {who}, Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}.")
    return 0


def _line(name: str, row: Contender | None, ours: Contender, missed: str) -> str:
    if row is None:
        return f"| {name} | | | | | {missed} |"
    ratio = statistics.median(rate / own for rate, own in zip(row.rates, ours.rates, strict=True))
    start = f"{statistics.median(row.starts_ms):.0f} ({min(row.starts_ms):.0f})"
    rate = f"{statistics.median(row.rates):.0f} ({max(row.rates):.0f})"
    return f"| {name} | {start} | {rate} | {ratio:.2f} | {statistics.median(row.cpu_ms):.1f} | {missed or 'nothing'} |"


if __name__ == "__main__":
    sys.exit(main())
