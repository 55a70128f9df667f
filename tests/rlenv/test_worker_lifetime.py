"""Worker processes end with the process that started them, and belong to no other."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pool_jobs import PATIENCE_S, ends


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "dev", "-W", "error", "-c", program, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


ORPHANS = """
import os, sys
from rlenv import Completion, FunctionVerifier, Task, WorkerPool
from rlenv.workers.pool import PickledVerifier

def check(completion, pipe=sys.argv[1]):
    with open(pipe, "w") as report:
        report.write(f"{completion} {os.getpid()}\\n")
    while completion == "stay":
        pass
    return True

jobs = [(Task("?"), Completion("go")), (Task("?"), Completion("stay"))]
WorkerPool(2).judge_all(PickledVerifier.of(FunctionVerifier(check)), jobs, 600.0)
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for foreign processes with Linux's pidfd_open")
def test_workers_idle_and_busy_end_with_a_killed_parent(tmp_path: Path) -> None:
    pipe = tmp_path / "pids"
    os.mkfifo(pipe)
    reports = os.open(pipe, os.O_RDWR)
    parent = subprocess.Popen([sys.executable, "-c", ORPHANS, str(pipe)])
    said = ""
    try:
        while said.count("\n") < 2 and select.select([reports], [], [], PATIENCE_S)[0]:
            said += os.read(reports, 4096).decode()
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        os.close(reports)
    pids = {name: int(pid) for name, pid in map(str.split, said.splitlines())}
    assert pids.keys() == {"go", "stay"}
    assert [name for name, pid in pids.items() if not ends(pid)] == []


FORK = """
import os, rlenv
rlenv.register("mine/pid-v0", tasks=[{"prompt": "?"}], verifier=lambda completion: os.getpid())
own = rlenv.WorkerPool(1)

def workers():
    pids = []
    for pool in (None, own):
        batch = rlenv.make_batch("mine/pid-v0", pool=pool)
        batch.reset(1)
        pids.append(batch.step(["x"])[0].verdict.reward)
    return pids

before = workers()
child = os.fork()
if not child:
    code = 1
    try:
        code = int(not set(workers()).isdisjoint(before))
        own.close()
        rlenv.workers.pool.shared_pool().close()
    finally:
        os._exit(code)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "the child used a worker of its parent"
after = workers()
assert after == before, "the parent lost its workers"
assert own.restarts == 0
own.close()
"""


def test_forked_child_starts_workers_of_its_own() -> None:
    done = run(FORK)
    assert (done.returncode, done.stderr) == (0, "")


LEFT_OPEN = """
import os, rlenv
rlenv.register("mine/pid-v0", tasks=[{"prompt": "?"}], verifier=lambda completion: os.getpid())
env = rlenv.make("mine/pid-v0")
env.reset(seed=0)
print(int(env.step("x")[1]))
"""


def test_pool_of_the_process_closes_at_exit_without_a_warning() -> None:
    done = run(LEFT_OPEN)
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
