"""The stream to a cell: what was said in time is heard, however late the host comes to it."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from typing import cast

import pytest

from rlenv.sandbox.docker_backend import HEADER, DockerChannel
from rlenv.sandbox.errors import CellLate, CellLost
from rlenv.sandbox.launcher import ServerSettings
from rlenv.sandbox.pipes import PipeChannel

AGO = -5.0
"""Seconds from now."""


@pytest.fixture
def pipes() -> Iterator[PipeChannel]:
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    channel = PipeChannel(process, tempfile.TemporaryFile(), ServerSettings())  # noqa: SIM115
    yield channel
    channel.close()


def test_what_was_said_before_the_deadline_is_read_after_it(pipes: PipeChannel) -> None:
    pipes.write(b"whole", time.monotonic() + 60)
    assert pipes.read(1, time.monotonic() + 60) == b"w"
    assert pipes.read(4, time.monotonic() + AGO) == b"hole"


def test_what_was_not_said_is_late(pipes: PipeChannel) -> None:
    pipes.write(b"half", time.monotonic() + AGO)
    with pytest.raises(CellLate):
        pipes.read(8, time.monotonic() + 0.5)


def test_the_stream_of_a_container_is_read_alike() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        channel = DockerChannel(cast("object", None), ours, ServerSettings())
        theirs.sendall(HEADER.pack(1, 4) + b"said")
        assert channel.read(4, time.monotonic() + AGO) == b"said"
        channel.write(b"heard", time.monotonic() + AGO)
        assert theirs.recv(5) == b"heard"
        with pytest.raises(CellLate):
            channel.read(1, time.monotonic() + AGO)
    with pytest.raises(CellLost):
        channel.read(1, time.monotonic() + 60)
    channel.abandon()
