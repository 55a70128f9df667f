"""Messages on a socket arrive whole, in order, however the stream is cut."""

import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlenv.workers.protocol import Frames


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    left, right = socket.socketpair()
    with left, right:
        yield left, right


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=40), min_size=1, max_size=6), st.integers(1, 30))
def test_messages_come_whole_wherever_the_stream_is_cut(
    ends: tuple[socket.socket, socket.socket], messages: list[bytes], piece: int
) -> None:
    stream = b"".join(len(message).to_bytes(8) + message for message in messages)
    frames, arrived = Frames(ends[1]), list[bytes]()
    for start in range(0, len(stream), piece):
        ends[0].sendall(stream[start : start + piece])
        arrived += frames.receive() or []
    assert arrived == messages


def test_a_message_larger_than_any_buffer_arrives(ends: tuple[socket.socket, socket.socket]) -> None:
    message, frames = bytes(range(256)) * 20_000, Frames(ends[1])
    sender = threading.Thread(target=Frames(ends[0]).send, args=(message,))
    sender.start()
    while not (arrived := frames.receive()):
        pass
    assert arrived == [message]
    sender.join()


def test_the_end_is_told_apart_from_an_empty_message(ends: tuple[socket.socket, socket.socket]) -> None:
    left, right = map(Frames, ends)
    left.send(b"")
    assert right.receive() == [b""]
    right.send(b"never read")
    left.close()
    assert right.receive() is None
    with pytest.raises(OSError, match="pipe"):
        right.send(b"x")


def test_a_message_that_is_too_long_is_not_taken_and_those_before_it_are(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    frames = Frames(ends[1], longest=4)
    ends[0].sendall((4).to_bytes(8) + b"four" + (5).to_bytes(8))
    assert not frames.too_long
    assert (frames.receive(), frames.too_long) == ([b"four"], True)
    ends[0].sendall(b"fives")
    assert frames.receive() == []
