"""A box as a container of an engine.

Its first process is a shell that sleeps: as process 1 it cannot be killed from inside, so that a command which kills
whatever it can does not take the box with it, and it takes up the orphans. (The engine's own init would end with its
child.) Commands are processes that the engine starts in the container. What is asked of the engine has a deadline.
"""

import contextlib
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rlenv.sandbox.containers.archive import Archive
from rlenv.sandbox.containers.carry import take
from rlenv.sandbox.containers.protocol import CARRIED_BYTES, CARRIED_FILES, OUTPUT_BYTES, Carried, Limits, Ran
from rlenv.sandbox.containers.put import write
from rlenv.sandbox.containers.shell import START, Broken, HeldShell
from rlenv.sandbox.containers.stream import STDERR, Ended, Kept, Late, Process
from rlenv.sandbox.engine import remove
from rlenv.sandbox.errors import BoxError, BoxFull, BoxLost, SandboxUsageError

if TYPE_CHECKING:
    import docker
    from docker.models.containers import Container

FRESH = 'read -r _ && echo "$$" >&2 && cd -- {folder} && exec sh -c {command} </dev/null 2>&1'
"""A process of its own says its id on stderr first; from then on its stderr is its stdout, so that order is kept."""

START_S = 30.0
"""How long the engine may take to start a process or to do one thing with a container."""

END_S = 10.0
KILLED, DYING_S = 137, 1.0
"""The status of a process that was killed: the engine may learn later that the box was killed with it."""

FREEZE_AGAIN_S = (0.1, 0.5, 2.0)
"""How long to wait before a box is paused again."""
MEASURE_S = 5.0
"""How often the disk of a box is measured, at most; and never for more than a twentieth of the time."""

END_TREE = """
root={pid}; round=0
while [ $round -lt 20 ]; do
  all=""
  for f in /proc/[0-9]*; do
    p=${{f#/proc/}}; state=; parent=; session=
    while read -r key value _; do
      case $key in State:) state=$value;; PPid:) parent=$value;; NSsid:) session=$value;; esac
    done 2>/dev/null <$f/status
    [ "$state" = Z ] || [ -z "$parent" ] || all="$all $p:$parent:$session"
  done
  tree=" $root "; found=""; more=1
  while [ $more ]; do
    more=
    for e in $all; do
      p=${{e%%:*}}; session=${{e##*:}}; e=${{e#*:}}; parent=${{e%%:*}}
      case "$found" in *" $p "*) continue;; esac
      case "$tree" in *" $parent "*) ;; *" $p "*) ;; *) [ "$session" = $root ] || continue;; esac
      tree="$tree$p "; found="$found $p "; more=1
    done
  done
  [ "$found" ] || exit 0
  kill -9 $found 2>/dev/null
  round=$((round+1))
done
exit 1
"""
"""Ends a process, its descendants and all of its session, again until none is found."""


class DockerBox:
    """A `Box` on an engine."""

    def __init__(
        self, client: "docker.DockerClient", container: "Container", limits: Limits, *, measured: bool
    ) -> None:
        self.id: str = str(container.id)
        self._client = client
        self._container = container
        self._limits = limits
        self._measured = measured
        self._archive = Archive(client, self.id)
        self._shell: HeldShell | None = None
        self._folder = limits.workdir or ""
        self._worked = False
        self._settled = False
        self.killed = False
        """Whether `kill` was called."""
        self._next_measure = 0.0

    def run(
        self,
        command: str,
        *,
        timeout_s: float,
        user: str | None = None,
        workdir: str | None = None,
        env: Mapping[str, str] | None = None,
        max_output: int = OUTPUT_BYTES,
        fresh: bool = False,
    ) -> Ran:
        """Run a command; see `Box.run`."""
        if "\0" in command or timeout_s <= 0:
            raise SandboxUsageError(f"expected a command without NUL and a time above 0, got {timeout_s} s")
        kept, began = Kept(max_output), time.monotonic()
        with self._faults("running a command"):
            self._awake()
            if fresh or user or env:
                code = self._alone(command, kept, timeout_s, user, workdir or self._limits.workdir, env)
            else:
                place = f"cd -- {shlex.quote(workdir)} && " if workdir else ""
                code = self._in_shell(place + command, kept, timeout_s)
            seconds = time.monotonic() - began
            if seconds > MEASURE_S or time.monotonic() >= self._next_measure:
                self._measure()
        output, cut = kept.text()
        return Ran(code, output, timed_out=code is None and seconds >= timeout_s, cut=cut, seconds=seconds)

    def _in_shell(self, command: str, kept: Kept, timeout_s: float) -> int | None:
        """The status of a command in the held shell; None where we ended it."""
        if self._shell is not None:
            try:
                self._shell.process.take()
            except Ended:  # between two commands, by a third
                self._close_shell()
        shell = self._shell or self._open_shell()
        if shell is None:
            kept.add(b"the box can start no shell\n")
            return 126
        try:
            return shell.run(command, kept, time.monotonic() + timeout_s, self._look(shell.process))
        except Ended:
            code = self._status(shell.process, kept)
            self._close_shell()
            return code
        except (Late, Broken, BoxFull) as problem:
            self._close_shell()
            self._end(shell.pid, shell.process)
            if isinstance(problem, BoxFull):
                raise
            return None

    def _open_shell(self) -> HeldShell | None:
        """A new shell in the folder of the last; None where what the box's worker has made of it starts none."""
        process = Process(self._client, self.id, START)
        try:
            self._shell = HeldShell(process, self._folder, time.monotonic() + START_S, self._look(process))
        except BaseException as problem:
            process.close()
            if not isinstance(problem, Ended | Late | Broken):
                raise
            self._alive()
            if not self._worked:
                why = f"no shell starts in the image {self._image()} ({type(problem).__name__}): it needs sh"
                raise BoxError(why) from problem
            return None
        self._worked = True
        return self._shell

    def _close_shell(self) -> None:
        if self._shell is not None:
            self._folder = self._shell.folder
            self._shell.process.close()
            self._shell = None

    def _alone(
        self,
        command: str,
        kept: Kept,
        timeout_s: float,
        user: str | None,
        folder: str | None,
        env: Mapping[str, str] | None,
    ) -> int | None:
        """The status of a command in a process of its own; None where we ended it."""
        script = FRESH.format(folder=shlex.quote(folder or "."), command=shlex.quote(command))
        process = Process(self._client, self.id, ("sh", "-c", script), user=user, env=env)
        said = b""
        try:
            process.send(b"\n", time.monotonic() + START_S)
            look = self._look(process)
            for stream, piece in process.pieces(time.monotonic() + START_S, look):
                if stream == STDERR:
                    said += piece[:80]
                else:
                    kept.add(piece)
                if said.endswith(b"\n"):
                    break
            self._worked = True
            for _, piece in process.pieces(time.monotonic() + timeout_s, look):
                kept.add(piece)
            return None
        except Ended:
            code = self._status(process, kept)
            if not self._worked:
                raise BoxError(f"no command runs in the image {self._image()}: {kept.text()[0][:500]}") from None
            return code
        except (Late, BoxFull) as problem:
            if not self._worked:
                raise BoxError(f"the engine started no process within {START_S:.0f} s") from problem
            self._end(int(said) if said.strip().isdigit() else 0, process)
            if isinstance(problem, BoxFull):
                raise
            return None
        finally:
            process.close()

    def _look(self, process: Process) -> Callable[[], None]:
        """What is asked now and then while a process runs: that it is there, and how full the disk is."""

        def look() -> None:
            if process.exit_code() is not None:
                raise Ended
            if time.monotonic() >= self._next_measure:
                self._measure()

        return look

    def _status(self, process: Process, kept: Kept) -> int:
        """The status of a process whose stream has ended."""
        for _, piece in process.rest():
            kept.add(piece)
        deadline = time.monotonic() + END_S
        while (code := process.exit_code()) is None:
            if time.monotonic() > deadline:
                raise BoxError("the engine closed the stream of a process that goes on")
            time.sleep(0.01)
        self._alive()
        deadline = time.monotonic() + DYING_S
        while code == KILLED and time.monotonic() < deadline:
            time.sleep(0.1)
            self._alive()
        return code

    def _end(self, pid: int, process: Process) -> None:
        """End a process with its children; where that fails, all that runs in the box."""
        if pid > 1:
            with contextlib.suppress(Ended, Late, BoxFull):
                script = "read -r _; " + END_TREE.format(pid=pid)
                ending = Process(self._client, self.id, ("sh", "-c", script), user="0:0")
                with contextlib.closing(ending):
                    deadline = time.monotonic() + END_S
                    ending.send(b"\n", deadline)
                    for _ in ending.pieces(deadline, self._look(ending)):
                        pass
        deadline = time.monotonic() + 1
        while (alive := process.exit_code() is None) and time.monotonic() < deadline:
            time.sleep(0.02)
        self._alive()
        if alive:
            self.settle()

    def process(self, command: Sequence[str]) -> Process:
        """Start a process; see `Box.process`."""
        with self._faults("starting a process"):
            self._awake()
            return Process(self._client, self.id, command)

    def put(self, files: Mapping[str, bytes | Path] | bytes, at: str, *, mode_executable: Collection[str] = ()) -> None:
        """Write files; see `Box.put`."""
        with self._faults("putting files"), self._still():
            write(self._archive, files, at, mode_executable, self._all_changed)

    def get(
        self,
        paths: Sequence[str],
        *,
        exclude: Callable[[str], bool] | None = None,
        max_bytes: int = CARRIED_BYTES,
        max_files: int = CARRIED_FILES,
    ) -> Carried:
        """Take files; see `Box.get`."""
        room = max(max_bytes, self._limits.storage_mb << 20)
        with self._faults("getting files"), self._still():
            return take(self._archive, paths, self._all_changed, exclude, max_bytes, max_files, room)

    def changed(self) -> list[str]:
        """What differs from the image; see `Box.changed`. A folder that was made stands for all that is in it."""
        with self._faults("comparing with the image"), self._still():
            entries = [(str(entry["Path"]), int(entry["Kind"])) for entry in self._container.diff() or []]
            above = {parent for path, _ in entries for parent in map(str, Path(path).parents)}
            made = {path for path, kind in entries if kind == 1}
            found = [path for path in made if str(Path(path).parent) not in made]
            for path, kind in entries:
                if kind == 0 and path not in above:
                    stat = self._archive.stat(path)
                    found += [path] if stat and stat != "folder" else []
            return sorted(found)

    def _all_changed(self) -> set[str]:
        return {str(entry["Path"]) for entry in self._container.diff() or []}

    def settle(self) -> None:
        """End every process: the container stops, by the engine's hand alone, and starts again when it is next used."""
        with self._faults("settling a box"):
            self._close_shell()
            if not self._settled:
                self._container.kill()
                self._container.wait(timeout=START_S)
                self._settled = True

    def _awake(self) -> None:
        if self._settled:
            self._container.start()
            self._settled = False

    @contextlib.contextmanager
    def _still(self) -> Iterator[None]:
        """Nothing runs in the box meanwhile: between the look at a path and its use, nobody can make it another."""
        if self._settled:
            yield
            return
        self._pause()
        try:
            yield
        finally:
            self._container.unpause()

    def _pause(self) -> None:
        """Pause the box, again where the kernel could not freeze all of it at once: a busy machine takes longer."""
        import docker.errors

        for pause_s in (*FREEZE_AGAIN_S, None):
            try:
                self._container.pause()
                return
            except docker.errors.APIError as error:
                if pause_s is None or "freeze" not in str(error.explanation):
                    raise
                time.sleep(pause_s)

    def _measure(self) -> None:
        """Raise `BoxFull` where the disk holds more than it may, and the engine does not hold the bound itself."""
        if not self._measured:
            self._next_measure = float("inf")
            return
        began = time.monotonic()
        url = f"{self._client.api.base_url}/v{self._client.api.api_version}/containers/{self.id}/json"
        answer = self._client.api.get(url, params={"size": 1}, timeout=START_S)
        answer.raise_for_status()
        took = time.monotonic() - began
        self._next_measure = time.monotonic() + max(MEASURE_S, 20 * took)
        size = int(answer.json().get("SizeRw") or 0)
        if size > self._limits.storage_mb << 20:
            self._next_measure = 0.0
            raise BoxFull(f"the box holds {size >> 20} MB on its disk, and may hold {self._limits.storage_mb}")

    def _alive(self) -> None:
        """Raise `BoxLost` where the container is gone or stopped by another hand."""
        self._container.reload()
        state = self._container.attrs["State"]
        if not self._settled and not state["Running"]:
            why = "out of memory" if state.get("OOMKilled") else f"exit code {state.get('ExitCode')}"
            raise BoxLost(f"the box ended ({why}); start another")

    def _image(self) -> str:
        return str(self._container.attrs.get("Config", {}).get("Image"))

    @contextlib.contextmanager
    def _faults(self, doing: str) -> Iterator[None]:
        """Turn errors of the SDK and its transport into ours."""
        import docker.errors
        import urllib3.exceptions

        if self.killed:
            raise BoxLost("the box was killed; start another")
        try:
            yield
        except docker.errors.APIError as error:
            if error.status_code in (404, 409):
                raise BoxLost(f"the box is gone ({error.explanation}); start another") from error
            raise BoxError(f"the engine failed while {doing}: {error}") from error
        except (docker.errors.DockerException, OSError, urllib3.exceptions.HTTPError) as error:
            if self.killed:
                raise BoxLost("the box was killed; start another") from error
            raise BoxError(f"the engine failed while {doing}: {error}") from error

    def kill(self) -> None:
        """End and remove the box."""
        if not self.killed:
            self.killed = True
            if self._shell is not None:
                self._shell.process.close()
            remove(self._container)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
