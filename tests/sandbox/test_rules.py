"""Mistakes that a fork server is known to make, one test each; the hostile suite attacks in many more ways."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from other_user import OtherUsersSandbox

from rlenv.sandbox import Call, Limits, Program, Sandbox, Status

AnySandbox = Sandbox | OtherUsersSandbox
HONEST = Program("import os\nprint(os.listdir('/tmp'), len([p for p in os.listdir('/proc') if p.isdigit()]))")
UNTOUCHED = b"['work'] 3\n"
"""In the cell: the work directory; the server, the supervisor and the program itself."""


def test_a_fork_bomb_stays_within_its_limit_and_the_machine_goes_on(box: AnySandbox) -> None:
    bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    assert box.run(Program(bomb), Limits(wall_s=0.7)).status is Status.TIMEOUT
    fork = "while True:\n        if os.fork() == 0: time.sleep(9)\n        n += 1"
    count = f"import os, time\nn = 0\ntry:\n    {fork}\nexcept OSError: print(n)"
    result = box.run(Program(count), Limits(processes=20))
    assert 15 <= int(result.stdout) <= 20
    assert box.run(HONEST).stdout == UNTOUCHED


@pytest.mark.parametrize(
    "mess",
    [
        "os.mkdir('d'); open('d/f', 'w'); os.chmod('d', 0); os.chmod('.', 0)",
        "for _ in range(3000): os.mkdir('d'); os.chdir('d')",
        "os.chmod('/tmp', 0)",
        "os.symlink('/usr', 'link'); os.symlink('/proc/1/root', '../other')",
        "os.mkfifo('../fifo'); open('../work2', 'w').close()",
        "os.rename('.', '../elsewhere')",
    ],
    ids=["closed", "deep", "closed-root", "links", "others", "renamed"],
)
def test_no_state_of_the_disk_is_left_to_the_next_program(box: AnySandbox, mess: str) -> None:
    box.run(Program(f"import os\ntry:\n    {mess}\nexcept OSError: pass"))
    for _ in range(2 * box.cells):  # whichever cell it was
        assert box.run(HONEST).stdout == UNTOUCHED


def asked(box: AnySandbox, code: str) -> Any:
    """What a function `f` in a cell returns."""
    return box.run(Program(f"import os\n{code}", calls=[Call("f")])).calls[0].value


def test_a_cell_shares_no_namespace_with_the_machine(box: AnySandbox) -> None:
    kinds = ["ipc", "mnt", "net", "pid", "uts"] + ([] if box.backend == "docker" else ["cgroup"])
    inside = asked(box, f"def f(): return {{kind: os.readlink('/proc/self/ns/' + kind) for kind in {kinds}}}")
    assert [kind for kind in kinds if inside[kind] == os.readlink(f"/proc/self/ns/{kind}")] == []


def test_what_is_mounted_is_read_only_but_for_a_small_tmp(box: AnySandbox) -> None:
    room = asked(box, "def f(): room = os.statvfs('/tmp'); return room.f_blocks * room.f_frsize >> 20, room.f_files")
    assert room == (16, 8192)
    mounts = asked(box, "def f(): return [line.split()[4:6] for line in open('/proc/self/mountinfo')]")
    options = {place: options.split(",") for place, options in mounts}
    assert {"nosuid", "nodev"} <= set(options["/tmp"])
    others = [place for place in options if place != "/tmp" and not place.startswith(("/dev", "/proc", "/sys"))]
    assert [place for place in others if "ro" not in options[place]] == []


def test_a_program_begins_without_privileges_behind_the_filter_and_is_killed_first(box: AnySandbox) -> None:
    code = (
        "def f():\n    status = dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
        "    told = [status[name].strip() for name in ('NoNewPrivs', 'Seccomp', 'CapEff', 'CapPrm')]\n"
        "    return [*told, os.getsid(0) == os.getpid(), os.umask(0), open('/proc/self/oom_score_adj').read()]\n"
    )
    score = "0\n" if isinstance(box, OtherUsersSandbox) else "1000\n"  # its server's processes are not its own to score
    assert asked(box, code) == ["1", "2", "0" * 16, "0" * 16, True, 0o077, score]


def test_nobody_but_the_supervisor_writes_results(box: AnySandbox) -> None:
    forge = """
import os, json, struct
body = json.dumps({"status": "exited", "exit_code": 0, "nonce": "00" * 16, "sizes": [3, 0, 0], "signal": None}).encode()
frame = struct.pack(">II", len(body), 3) + body + b"42\\n"
opened = 0
for pid in {1, os.getppid()}:
    for fd in range(64):
        try: os.write(os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY), frame); opened += 1
        except OSError: pass
for fd in range(5, 256):
    try: os.write(fd, frame); opened += 1
    except OSError: pass
print("wrote", opened)
"""
    result = box.run(Program(forge))
    assert (result.status, result.stdout) == (Status.EXITED, b"wrote 0\n")
    assert box.run(HONEST).stdout == UNTOUCHED


def test_the_nonce_is_nowhere_in_the_programs_reach(box: AnySandbox) -> None:
    look = "import gc\nprint([o._nonce for o in gc.get_objects() if type(o).__name__ == 'Supervisor'])"
    assert box.run(Program(look)).stdout == b"['']\n"


@pytest.mark.parametrize("victim", ["os.getppid()", "1", "-1"])
def test_who_kills_the_supervisor_does_not_get_away(box: AnySandbox, victim: str) -> None:
    code = f"import os, signal\ntry: os.kill({victim}, signal.SIGKILL)\nexcept OSError: pass\nprint(42)"
    result = box.run(Program(code))
    assert result.status in (Status.EXITED, Status.TAMPERED, Status.SIGNALLED)
    assert box.run(HONEST).stdout == UNTOUCHED


def test_the_host_does_not_wait_for_a_stopped_supervisor(box: AnySandbox) -> None:
    code = "import os, signal\ntry: os.kill(os.getppid(), signal.SIGSTOP)\nexcept OSError: pass\nwhile True: pass"
    assert box.run(Program(code), Limits(wall_s=0.3)).status is Status.TIMEOUT


def test_no_daemon_outlives_its_program(box: AnySandbox) -> None:
    code = """
import os, signal, time
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork(): os._exit(0)
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        while True: time.sleep(0.01); open(f"/tmp/still-{os.getpid()}", "w").close()
print("done")
"""
    result = box.run(Program(code))
    assert (result.status, result.stdout) == (Status.EXITED, b"done\n")
    for _ in range(2 * box.cells):
        assert box.run(HONEST).stdout == UNTOUCHED


def test_a_right_answer_is_not_spoilt_by_a_child_that_holds_the_output_open(box: AnySandbox) -> None:
    result = box.run(Program("import os, time\nif os.fork() == 0: time.sleep(60)\nprint(42)"), Limits(wall_s=10))
    assert (result.status, result.stdout) == (Status.EXITED, b"42\n")
    assert result.wall_s < 5


def test_file_names_of_the_job_are_not_followed_out_of_the_cell(box: AnySandbox, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("kept")
    box.run(
        Program(
            f"import os\nos.symlink({str(target)!r}, 'out')\ntry: open('out', 'w').write('gone')\nexcept OSError: pass"
        )
    )
    assert target.read_text() == "kept"


def test_nothing_of_the_server_is_in_the_environment(box: AnySandbox) -> None:
    code = "import os\nprint(sorted(set(os.environ) - {'PATH', 'HOME', 'TMPDIR', 'LANG'}))"
    assert box.run(Program(code)).stdout == b"['OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PYTHONHASHSEED']\n"


def test_a_program_sees_nothing_of_the_one_before(box: AnySandbox) -> None:
    secret = "a-very-secret-token-" + str(os.getpid())
    for _ in range(2 * box.cells):
        box.run(Program(f"token = {secret!r}", stdin=secret, files={"f": secret}))
    look = "import gc\nprint(sum('a-very-secret-' + 'token' in o for o in gc.get_objects() if isinstance(o, str)))"
    read = """
needle = b"a-very-secret-" + b"token"
found = 0
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as mem:
    for line in maps:
        span, rights = line.split()[:2]
        if "rw" in rights and "stack" not in line:
            start, end = (int(part, 16) for part in span.split("-"))
            mem.seek(start)
            text = mem.read(end - start)
            at = text.find(needle)
            while at >= 0:
                found += text[at + len(needle) : at + len(needle) + 2] == b"-" + str(PID).encode()[:1]
                at = text.find(needle, at + 1)
print(found)
""".replace("PID", str(os.getpid()))
    assert box.run(Program(look)).stdout == b"0\n"
    assert box.run(Program(read)).stdout == b"0\n"
