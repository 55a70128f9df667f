"""Commands and programs as forks of one process that has loaded what is heavy: each would else load it for seconds.

    subprocess.run(["rlenv", "list"], env={"PATH": str(warm().parent)})
    subprocess.run([str(warm()), "program.py"])

What `warm` names is a program, with `rlenv` beside it: it hands words, folder, environment and streams to the loaded
process, whose fork lives the life of `rlenv` or of `python program.py` from there on, and it ends as that ends.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

HEAVY = ("torch", "transformers", "accelerate", "matplotlib.figure", "rlenv.cli", "rlenv.trainers")
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "NO_PROXY": "*"}
"""Read when packages are imported, and so the same for all."""
PROGRAM = """\
#!{python} -IS
import json, os, socket, sys
command = ["rlenv"] if os.path.basename(sys.argv[0]) == "rlenv" else []
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({address!r})
    socket.send_fds(asked, [b"."], [0, 1, 2])
    asked.sendall(json.dumps([os.getcwd(), dict(os.environ), command + sys.argv[1:]]).encode())
    asked.shutdown(socket.SHUT_WR)
    sys.exit(int(asked.recv(4) or b"1"))
"""


@functools.cache
def warm() -> Path:
    """The program; the process behind it ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="warm"))
    address, program = folder / "socket", folder / "warm"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(address))
    listening.listen()
    with listening:
        process = subprocess.Popen(
            [sys.executable, __file__, str(listening.fileno())],
            env={**os.environ, **ENVIRONMENT},
            pass_fds=[listening.fileno()],
            stdin=subprocess.DEVNULL,
        )

    def end() -> None:
        process.kill()
        process.wait()

    atexit.register(end)
    program.write_text(PROGRAM.format(python=sys.executable, address=str(address)))
    program.chmod(0o755)
    (folder / "rlenv").symlink_to(program)
    return program


def main(listening: socket.socket) -> None:
    """Wait for what is asked; return in the fork that is to do it."""
    for name in HEAVY:
        with suppress(ImportError):  # an extra that is not there: what needs it will say so
            importlib.import_module(name)
    while True:
        asked, _ = listening.accept()
        if os.fork() == 0:
            break
        asked.close()
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    listening.close()
    _, streams, _, _ = socket.recv_fds(asked, 1, 3)
    folder, environment, words = json.loads(asked.makefile().read())
    if child := os.fork():
        asked.sendall(b"%d" % (os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255))
        os._exit(0)
    asked.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115  # what they were opened on is not what they are on now
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace")  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = words


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as ours:
        sys.path.pop(0)
        main(ours)
    if sys.argv[0] == "rlenv":
        sys.exit(sys.modules["rlenv.cli"].main())
    sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
    runpy.run_path(sys.argv[0], run_name="__main__")
