"""Messages on a socket arrive whole, in order, however the stream is cut."""

import socket
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlenv.workers.protocol import Frames


def received(frames: Frames, count: int) -> list[bytes]:
    messages: list[bytes] = []
    while len(messages) < count:
        more = frames.receive()
        assert more is not None
        messages += more
    return messages


@settings(deadline=None)
@given(st.lists(st.binary(max_size=40), min_size=1, max_size=6), st.integers(1, 30))
def test_messages_come_whole_wherever_the_stream_is_cut(messages: list[bytes], piece: int) -> None:
    left, right = socket.socketpair()
    with left, right:
        stream = b"".join(len(message).to_bytes(8) + message for message in messages)
        frames, arrived = Frames(right), list[bytes]()
        for start in range(0, len(stream), piece):
            left.sendall(stream[start : start + piece])
            arrived += frames.receive() or []
        assert arrived == messages


def test_a_message_larger_than_any_buffer_arrives() -> None:
    left, right = socket.socketpair()
    message = bytes(range(256)) * 20_000
    with left, right:
        sender = threading.Thread(target=Frames(left).send, args=(message,))
        sender.start()
        assert received(Frames(right), 1) == [message]
        sender.join()


def test_the_end_is_told_apart_from_an_empty_message() -> None:
    left, right = socket.socketpair()
    frames = Frames(right)
    with right:
        Frames(left).send(b"")
        assert frames.receive() == [b""]
        left.close()
        assert frames.receive() is None


def test_an_end_that_was_closed_with_messages_unread_is_the_end() -> None:
    left, right = socket.socketpair()
    with right:
        Frames(right).send(b"never read")
        left.close()
        assert Frames(right).receive() is None


def test_sending_to_a_closed_end_raises() -> None:
    left, right = socket.socketpair()
    right.close()
    with left, pytest.raises(OSError, match="pipe"):
        Frames(left).send(b"x")


def test_a_message_that_is_too_long_is_not_taken_and_those_before_it_are() -> None:
    left, right = socket.socketpair()
    with left, right:
        frames = Frames(right, longest=4)
        left.sendall((4).to_bytes(8) + b"four" + (5).to_bytes(8))
        assert not frames.too_long
        assert frames.receive() == [b"four"]
        assert frames.too_long
        left.sendall(b"fives")
        assert frames.receive() == []
