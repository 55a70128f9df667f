"""Several processes of one script, as torchrun and accelerate start them."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Sequence


def launch(command: Sequence[str], count: int, code: int = 0) -> None:
    """Run the command once a rank, told where to meet, and expect this exit code of each; alone it is told nothing."""
    own = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port()), "WORLD_SIZE": str(count)}
    ranks = [{"RANK": str(rank), "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(count)} for rank in range(count)]
    started = [
        subprocess.Popen(
            command, env=own if count == 1 else {**own, **meeting, **rank}, stderr=subprocess.PIPE, text=True
        )
        for rank in ranks
    ]
    for process in started:
        _, said = process.communicate(timeout=500)
        assert process.returncode == code, said[-3000:]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
