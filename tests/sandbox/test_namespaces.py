"""What is special about cells of namespaces: what they see, and that they end with whoever opened them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import rlenv.sandbox
from rlenv.sandbox import CellSettings, Program, Sandbox, SandboxUnavailable, open_sandbox
from rlenv.sandbox.enter import PLACES, Plan, _place, killed_for_memory
from rlenv.sandbox.namespaces import NamespaceLauncher, _inside, _what_is_hidden, _what_is_seen

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="namespaces exist on Linux only")
END_S = 30.0


@pytest.fixture(scope="module")
def cell() -> Iterator[Sandbox]:
    with open_sandbox("namespaces", cells=1, settings=CellSettings(preload=("numpy",)), check=False) as box:
        yield box


def ask(cell: Sandbox, expression: str) -> str:
    result = cell.run(Program(f"import os, sys\nprint({expression})"))
    return (result.stdout or result.stderr).decode().strip()


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/etc/shadow", "/home", "/root/.bashrc", "/var", "/sys", "/run", __file__]
)
def test_the_machines_own_files_are_not_there(cell: Sandbox, path: str) -> None:
    assert ask(cell, f"os.path.exists({path!r})") == "False"


def test_a_cell_without_capabilities_of_its_programs(cell: Sandbox) -> None:
    status = "[line.split()[1] for line in open('/proc/self/status') if line[:6] in ('CapEff', 'CapPrm', 'CapBnd')]"
    assert ask(cell, status).count("'0000000000000000'") >= 2


def test_the_interpreter_runs_wherever_it_is_installed(cell: Sandbox) -> None:
    assert ask(cell, "sys.version_info[:2]") == str(sys.version_info[:2])


def test_modules_are_loaded_beforehand(cell: Sandbox) -> None:
    assert ask(cell, "'numpy' in sys.modules, 'math' in sys.modules") == "True True"


def test_packages_that_nobody_asked_for_are_hidden(cell: Sandbox) -> None:
    code = "import importlib.util as u\nprint([n for n in ('rlenv', 'gymnasium', 'pytest', 'numpy') if _has(n)])"
    has = "def _has(name):\n    import importlib.machinery as m\n    return bool(m.PathFinder.find_spec(name))\n"
    assert cell.run(Program(has + code)).stdout.decode().strip() == "['numpy']"


def test_a_module_that_is_not_installed_cannot_be_preloaded() -> None:
    with pytest.raises(SandboxUnavailable, match="no_such_module"):
        open_sandbox("namespaces", settings=CellSettings(preload=("no_such_module",)), check=False)


def test_a_module_that_fails_to_load_is_named() -> None:
    with pytest.raises(SandboxUnavailable, match="ModuleNotFoundError"):
        open_sandbox("namespaces", settings=CellSettings(preload=("json.nothing",)), check=False)


@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user has one uid only")
def test_each_cell_has_a_uid_of_its_own() -> None:
    with open_sandbox("namespaces", cells=2, check=False) as box:
        look = Program("import os, time\nprint(os.getuid(), os.getgid(), os.getgroups()); time.sleep(0.1)")
        seen = {result.stdout for result in box.map([look] * 8)}
    assert len(seen) == 2
    assert all(int(line.split()[0]) > 65_536 and line.endswith(b"[]\n") for line in seen)


def test_what_is_hidden_covers_packages_below_what_is_seen(tmp_path: Path) -> None:
    for folder in ("python3/dist-packages", "python3.11/site-packages", "python3.11/json"):
        (tmp_path / folder).mkdir(parents=True)
    hidden = _what_is_hidden([str(tmp_path)])
    assert sorted(hidden) == [str(tmp_path / "python3.11/site-packages"), str(tmp_path / "python3/dist-packages")]


def test_our_own_source_is_hidden_when_it_lies_in_what_is_seen() -> None:
    root = Path(rlenv.sandbox.__file__).resolve().parents[1]
    assert str(root) in _what_is_hidden([str(root.parent)])


def test_nothing_is_bound_twice() -> None:
    binds, _ = _what_is_seen(os.path.realpath(sys.executable), {})
    places = [inside for _, inside in binds]
    assert len(places) == len(set(places))
    assert not [a for a in places for b in places if a != b and a.startswith(b + "/")]
    assert not any(place.startswith(("/home", "/root/.ssh", "/var")) or place == "/etc" for place in places)


def test_an_interpreter_below_tmp_is_seen_outside_of_what_programs_may_write() -> None:
    assert _inside("/tmp/python/bin/python3") == "/outside/tmp/python/bin/python3"
    assert _inside("/usr/bin/python3") == "/usr/bin/python3"


def test_the_new_root_hides_nothing_that_is_to_be_seen() -> None:
    plan: Plan = {"binds": [(f"{place}/python", "/python") for place in PLACES[:-1]]}  # type: ignore[typeddict-item]
    assert _place(plan) == PLACES[-1]


def test_an_interpreter_in_a_closed_home_is_seen(tmp_path: Path) -> None:
    """As after `chmod 700 ~`: the owner may pass, and what the cell sees is not the home."""
    home = tmp_path / "home"
    (home / "tool").mkdir(parents=True)
    (home / "tool" / "greet.py").write_text("print('hello from home')")
    (home / "secret").write_text("x")
    home.chmod(0o700)

    class Launcher(NamespaceLauncher):
        def __init__(self) -> None:
            super().__init__(CellSettings())
            self._binds.append((str(home / "tool"), "/tool"))

    with Sandbox(Launcher(), cells=1) as box:
        assert box.run(Program(argv=["python3", "/tool/greet.py"])).stdout == b"hello from home\n"
        assert b"False" in box.run(Program(f"import os; print(os.path.exists({str(home / 'secret')!r}))")).stdout


HOLD = """
import os, sys
from rlenv.sandbox import Program, open_sandbox
box = open_sandbox("namespaces", cells=1, check=False)
box.run(Program("print(1)"))
print("ready", flush=True)
box.run(Program("while True: pass"))
"""


def descendants(pid: int) -> list[int]:
    """All of them, by /proc."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def opened(pids: list[int]) -> list[int]:
    """Descriptors of those that have not ended by themselves since they were listed."""
    found = []
    for pid in pids:
        with suppress(ProcessLookupError):
            found.append(os.pidfd_open(pid))
    return found


def all_end(watched: list[int], seconds: float) -> bool:
    """Whether the processes behind these descriptors end in time."""
    poll = select.poll()
    for fd in watched:
        poll.register(fd, select.POLLIN)
    left, deadline = set(watched), time.monotonic() + seconds
    while left and (patience := deadline - time.monotonic()) > 0:
        for fd, _ in poll.poll(patience * 1000):
            poll.unregister(fd)
            os.close(fd)
            left.discard(fd)
    return not left


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_cells_end_with_the_process_that_opened_them_however_it_ends(number: signal.Signals) -> None:
    owner = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"ready\n"
    family = descendants(owner.pid)
    assert len(family) >= 2  # the guardian and the server
    watched = opened(family)
    owner.send_signal(number)
    owner.wait(END_S)
    owner.stdout.close()
    assert all_end(watched, END_S)
    assert not list(Path("/sys/fs/cgroup").glob(f"*/rlenv-cell-{owner.pid}-*"))


def _command(pid: int) -> bytes:
    """The command of a process, nothing where it has ended meanwhile."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_cell_whose_guardian_is_killed_ends_and_is_replaced() -> None:
    with open_sandbox("namespaces", cells=1, check=False) as box:
        assert box.run(Program("print(1)")).ok
        guardian = [pid for pid in descendants(os.getpid()) if b"enter.py" in _command(pid)]
        inside = opened(descendants(guardian[-1]))
        os.kill(guardian[-1], signal.SIGKILL)
        assert all_end(inside, END_S)
        assert box.run(Program("print(2)")).stdout == b"2\n"


@pytest.mark.parametrize(
    ("status", "counter", "expected"),
    [
        (signal.SIGKILL, "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n", True),
        (signal.SIGKILL, "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n", False),
        (signal.SIGSEGV, "oom_kill 2\n", False),
        (1 << 8, "oom_kill 2\n", False),
        (signal.SIGKILL, "", False),
    ],
)
def test_the_guardian_tells_who_was_killed_for_memory(
    tmp_path: Path, status: int, counter: str, expected: bool
) -> None:
    path = tmp_path / "memory.events"
    path.write_text(counter)
    assert killed_for_memory(status, str(path)) is expected
    assert not killed_for_memory(status, "")
    assert not killed_for_memory(status, str(tmp_path / "gone"))


def test_closing_leaves_no_process() -> None:
    before = set(descendants(os.getpid()))
    with open_sandbox("namespaces", cells=2, check=False) as box:
        box.map([Program("print(1)")] * 4)
        assert set(descendants(os.getpid())) > before
    assert set(descendants(os.getpid())) <= before
