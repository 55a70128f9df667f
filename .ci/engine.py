"""A container engine of our own for as long as one command runs.

    python3 .ci/engine.py run COMMAND...      use the engine that answers, else start one and stop it at the end
    python3 .ci/engine.py start DIR           start one whose socket, data and log lie in DIR; print its address
    python3 .ci/engine.py stop DIR            stop that one, remove DIR

Standard library only: it runs before anything is installed. `run` installs Debian's docker.io where dockerd is
missing, and sets RLENV_REQUIRE_DOCKER=1, so that tests which need an engine fail instead of being skipped. The engine
has no bridge and touches no firewall rules. It never talks to, or stops, an engine that was there before.
"""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

USUAL = "unix:///var/run/docker.sock"
NO_ENGINE = "no container engine answers at DOCKER_HOST"
WAIT_S, STOP_S = 30.0, 20.0
STORAGE = ("overlay2", "vfs")
"""Storage drivers in the order of trying: where the folder itself lies on an overlay, only the slow one works."""


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=5)
        self.path = path

    def connect(self) -> None:
        """Open the socket in place of a TCP connection."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(5)
        self.sock.connect(self.path)


def answers(address: str) -> bool:
    """Whether an engine answers at the address; one behind ssh or TLS is taken at its word."""
    scheme, _, place = address.partition("://")
    if scheme not in ("unix", "tcp", "http") or os.environ.get("DOCKER_TLS_VERIFY"):
        return True
    connection = UnixConnection(place) if scheme == "unix" else http.client.HTTPConnection(place, timeout=5)
    try:
        connection.request("GET", "/_ping")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def install() -> None:
    """Put dockerd on this machine, with apt where that is possible."""
    if shutil.which("dockerd"):
        return
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise SystemExit(f"{NO_ENGINE}, and dockerd can only be installed by root with apt-get: start one yourself")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    packages = ["docker.io", "containerd", "runc", "iptables"]
    try:
        subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=sys.stderr, env=quiet)
        command = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages]
        subprocess.run(command, check=True, stdout=sys.stderr, env=quiet)
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{NO_ENGINE}, and installing one failed ({error}): start one yourself") from error
    if not shutil.which("dockerd"):
        raise SystemExit(f"{NO_ENGINE}, and dockerd is not on the PATH after installing it: {os.environ.get('PATH')}")


def start(folder: Path) -> str:
    """Start an engine that keeps everything below the folder; wait until it answers; give its address."""
    if os.geteuid() != 0:
        raise SystemExit(f"{NO_ENGINE}, and only root can start one: start it, or run this as root")
    folder.mkdir(parents=True, exist_ok=True)
    stop_processes(folder)
    address = f"unix://{folder}/docker.sock"
    for storage in STORAGE:
        if _started(folder, address, storage):
            return address
        stop_processes(folder)
    tail = (folder / "log").read_text(errors="replace")[-3000:]
    raise SystemExit(f"dockerd did not answer within {WAIT_S:.0f} s; the end of its log:\n{tail}")


def _started(folder: Path, address: str, storage: str) -> bool:
    command = ["dockerd", "--host", address, "--storage-driver", storage, "--bridge=none", "--shutdown-timeout=5"]
    command += [f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/pid"]
    command += ["--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false"]
    with (folder / "log").open("ab") as log:
        # A session of its own: a Ctrl-C at the terminal is for the command that runs, not for the engine under it.
        daemon = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline and daemon.poll() is None:
        if answers(address):
            return True
        time.sleep(0.05)
    return False


def processes(folder: Path) -> list[int]:
    """Processes started with this very folder on their command line: the engine, its containerd, its shims."""
    mine = f"{folder}/".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                command = (entry / "cmdline").read_bytes()
                if mine in command and command.split(b"\0")[0].rpartition(b"/")[2].startswith(
                    (b"dockerd", b"containerd")
                ):
                    found.append(int(entry.name))
    return found


def stop_processes(folder: Path) -> None:
    """Ask the engine to stop, wait for it, and kill what is left of it."""
    pid = folder / "pid"
    deadline = time.monotonic() + STOP_S
    with contextlib.suppress(OSError, ValueError):
        daemon = int(pid.read_text())
        if daemon in processes(folder):
            os.kill(daemon, signal.SIGTERM)
        while daemon in processes(folder) and time.monotonic() < deadline:
            time.sleep(0.05)
    while left := processes(folder):
        for process in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)
    # One that was killed leaves these behind, and the next takes them for signs of one that runs.
    pid.unlink(missing_ok=True)
    (folder / "exec" / "containerd" / "containerd.pid").unlink(missing_ok=True)


def stop(folder: Path) -> None:
    """Stop the engine of this folder and remove the folder."""
    stop_processes(folder)
    for line in reversed(Path("/proc/self/mounts").read_text().splitlines()):
        if (point := line.split()[1]).startswith(f"{folder}/"):
            subprocess.run(["umount", "-l", point], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def run(command: list[str]) -> int:
    """Run the command with an engine under it and give its exit status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
    address = os.environ.get("DOCKER_HOST") or USUAL
    if answers(address):
        print(f"engine: {address} answers", file=sys.stderr)
        return obey(command, address)
    install()
    folder = Path(tempfile.mkdtemp(prefix="rlenv-engine."))
    try:
        address = start(folder)
        print(f"engine: started one at {address}", file=sys.stderr)
        return obey(command, address)
    finally:
        stop(folder)
        print("engine: stopped", file=sys.stderr)


def obey(command: list[str], address: str) -> int:
    """Run the command to its end; where this process is told to end, so are all that the command started."""
    settings = {**os.environ, "DOCKER_HOST": address, "RLENV_REQUIRE_DOCKER": "1"}
    child = subprocess.Popen(command, env=settings, start_new_session=True)
    try:
        return child.wait()
    except BaseException:
        os.killpg(child.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        raise


def leave(number: int, _: FrameType | None) -> None:
    """Turn a signal into an exit, so that what was started is stopped."""
    raise SystemExit(128 + number)


def main(arguments: list[str]) -> int:
    """Do what the first word says."""
    match arguments:
        case ["run", _, *_]:
            return run(arguments[1:])
        case ["start", folder]:
            install()
            print(start(Path(folder).resolve()))
            return 0
        case ["stop", folder]:
            stop(Path(folder).resolve())
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
