"""The stream to a cell: whole frames, not a byte more, its end, and what was said in time heard however late."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import cast

import pytest

from rlenv.sandbox.docker_backend import HEADER, DockerChannel
from rlenv.sandbox.errors import CellLate, CellLost
from rlenv.sandbox.inside.wire import PREFIX, StreamEnd, frame, read_exactly, receive, send, write_all
from rlenv.sandbox.launcher import ServerSettings
from rlenv.sandbox.pipes import PipeChannel

LARGE = (3 << 20) + 17
"""More than a pipe holds and than one read asks for."""


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:  # the test closed it
            continue


def test_a_frame_is_two_lengths_a_header_and_the_body_as_it_is() -> None:
    assert frame({"a": "é"}, b"\x00\xff") == b"\x00\x00\x00\x0f\x00\x00\x00\x02" + b'{"a": "\\u00e9"}' + b"\x00\xff"
    assert PREFIX.unpack(frame({})[: PREFIX.size]) == (2, 0)


def test_frames_come_one_by_one_and_what_follows_stays_on_the_stream(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    send(writing, {"number": 1}, b"one")
    send(writing, {"number": 2})
    os.write(writing, b"rest")
    assert receive(reading) == ({"number": 1}, b"one")
    assert receive(reading) == ({"number": 2}, b"")
    assert os.read(reading, 100) == b"rest"


def test_a_large_frame_arrives_whole_in_however_many_reads_and_writes(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    body = os.urandom(LARGE)
    sender = threading.Thread(target=send, args=(writing, {"size": LARGE}, body))
    sender.start()
    assert receive(reading) == ({"size": LARGE}, body)
    sender.join()


def test_no_read_asks_for_more_than_is_left(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def read(fd: int, count: int) -> bytes:
        asked.append(count)
        return bytes(min(count, 1000))

    monkeypatch.setattr("rlenv.sandbox.inside.wire.os.read", read)
    assert len(read_exactly(0, 2500)) == 2500
    assert asked == [2500, 1500, 500]
    asked.clear()
    read_exactly(0, LARGE)
    assert max(asked) <= 1 << 20


@pytest.mark.parametrize("sent", [b"", b"\x00\x00", frame({"a": 1}, b"body")[:-1]])
def test_a_stream_that_ends_within_a_frame_is_at_its_end(pipe: tuple[int, int], sent: bytes) -> None:
    reading, writing = pipe
    os.write(writing, sent)
    os.close(writing)
    with pytest.raises(StreamEnd):
        receive(reading)


def test_writing_goes_on_where_a_write_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = bytearray()

    def write(fd: int, data: memoryview) -> int:
        taken.extend(data[:7])
        return len(data[:7])

    monkeypatch.setattr("rlenv.sandbox.inside.wire.os.write", write)
    write_all(0, bytes(range(100)))
    assert taken == bytes(range(100))


def test_nobody_reading_is_an_error(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        send(writing, {})


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
