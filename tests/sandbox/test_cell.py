"""The host's side of a cell, against cells that are scripts: what it waits for, what it reads and what it believes."""

import json
import time
from collections.abc import Callable

import pytest
from fake_cells import CLEAN, DONE, HELLO, FakeChannel, Reaction, answers, dies, says_nothing

from rlenv.sandbox import CellSettings, Limits, Program, SandboxUnavailable, Status
from rlenv.sandbox.cell import CHUNK, CLEAN_LIMIT_S, MARGIN_S, MAX_HEADER, Cell
from rlenv.sandbox.errors import CellLost
from rlenv.sandbox.inside.wire import NONCE_BYTES, PREFIX, frame
from rlenv.sandbox.launcher import Launcher

LIMITS = Limits(wall_s=5, output_bytes=1000, result_bytes=2000)
MOST = 2 * 1000 + 2000 + CHUNK
"""Bytes that a job of these limits may answer with: both streams, the answers, and what one read overshoots."""


class Channel(FakeChannel):
    """Remembers what is asked of it."""

    def __init__(self, *reactions: Reaction, hello: bytes = HELLO) -> None:
        super().__init__(reactions)
        self.hello = hello
        self.asked: list[int] = []
        self.sent: list[bytes] = []
        self.until: list[float] = []

    def read(self, count: int, deadline: float) -> bytes:
        self.asked.append(count)
        return super().read(count, deadline)

    def write(self, data: bytes, deadline: float) -> None:
        self.sent.append(data)
        self.until.append(deadline)
        if len(self.sent) == 1:
            self._started = True
            self.waiting += self.hello
        else:
            super().write(data, deadline)

    def header(self) -> dict[str, object]:
        """Of the job that was sent last."""
        size, _ = PREFIX.unpack(self.sent[-1][: PREFIX.size])
        found: dict[str, object] = json.loads(self.sent[-1][PREFIX.size : PREFIX.size + size])
        return found


class OneCell:
    name = "fake"

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def launch(self, serial: int) -> Channel:
        return self.channel

    def close(self) -> None:
        pass


def cell(*reactions: Reaction, hello: bytes = HELLO) -> tuple[Cell, Channel]:
    channel = Channel(*reactions, hello=hello)
    launcher: Launcher = OneCell(channel)
    return Cell(launcher, 1, CellSettings()), channel


def reported(size: int, **changes: object) -> Reaction:
    """A report of this many bytes of answers, which end before the program did."""
    done = {**DONE, "status": "timeout", "sizes": [0, 0, size], **changes}
    return lambda nonce: frame({**done, "nonce": nonce}, bytes(size)) + CLEAN


def within(moment: float, seconds: float, start: float) -> bool:
    """The moment lies this many seconds behind the call, which began at `start` and is over."""
    return start + seconds <= moment <= time.monotonic() + seconds


def test_a_body_of_all_that_the_limits_allow_is_read() -> None:
    one, _ = cell(lambda nonce: frame({**DONE, "nonce": nonce, "sizes": [MOST, 0, 0]}, bytes(MOST)) + CLEAN)
    assert len(one.run(Program(), LIMITS).stdout) == MOST
    assert not one.lost


@pytest.mark.parametrize("excess", [1, 1 << 30])
def test_a_body_beyond_what_the_limits_allow_is_not_even_asked_for(excess: int) -> None:
    one, channel = cell(lambda nonce: PREFIX.pack(2, MOST + excess) + b"{}" + bytes(MOST + 1))
    with pytest.raises(CellLost, match="of a size that no supervisor sends"):
        one.run(Program(), LIMITS)
    assert max(channel.asked) == max(PREFIX.size, len(HELLO) - PREFIX.size)
    assert one.lost
    assert one.spent


def test_a_header_beyond_its_bound_is_not_asked_for() -> None:
    longest = b"{" + b" " * (MAX_HEADER - 2) + b"}"
    for size, read in ((MAX_HEADER, True), (MAX_HEADER + 1, False)):
        one, channel = cell(lambda nonce, size=size: PREFIX.pack(size, 0) + longest + b" ")  # type: ignore[misc]
        if read:
            assert one.run(Program(), LIMITS).status is Status.TAMPERED  # no nonce: nobody's word
        else:
            with pytest.raises(CellLost, match="of a size"):
                one.run(Program(), LIMITS)
        assert (size in channel.asked) is read


def test_a_greeting_has_no_body() -> None:
    with pytest.raises(SandboxUnavailable, match="of a size"):
        cell(dies, hello=frame({"hello": 1, "oom_kills": 0}, b"x"))


@pytest.mark.parametrize(
    ("hello", "words"),
    [
        (frame({"error": "no room"}), "no room words on stderr"),
        (frame({}), "it sent no greeting"),
        (b"", "the cell ended"),
        (PREFIX.pack(3, 0) + b"{]}", "a frame that is not one"),
        (PREFIX.pack(2, 0) + b"[]", "a frame that is not one"),
    ],
)
def test_a_cell_that_does_not_greet_is_closed_and_told_about(hello: bytes, words: str) -> None:
    channel = Channel(dies, hello=hello)
    with pytest.raises(SandboxUnavailable, match=f"a cell of the fake sandbox does not start: .*{words}"):
        Cell(OneCell(channel), 1, CellSettings())
    assert channel.closed


@pytest.mark.parametrize(
    ("program", "seconds"),
    [(Program("1"), 5.0), (Program(argv=["a"], compile=["b"]), 12.0)],
    ids=["a program", "with a compile step"],
)
def test_a_job_has_the_time_of_its_limits_and_a_margin(program: Program, seconds: float) -> None:
    one, channel = cell(answers(b"ok"))
    start = time.monotonic()
    deadline = one.start(program, Limits(wall_s=5, compile_s=7), "program", ())
    assert within(deadline, seconds + MARGIN_S, start)
    assert channel.until[-1] == deadline
    one.finish(program, LIMITS, deadline)
    assert channel.deadlines[-1] == deadline


def test_what_is_sent_is_the_job_and_a_nonce_of_its_own() -> None:
    one, channel = cell(answers(b"ok"))
    program = Program("é\ud800", stdin=b"in", files={"a.txt": b"text"}, argv=[], stop_after_error=True)
    nonces = set()
    for _ in range(2):
        one.run(program, LIMITS, cores=(0, 3))
        assert one.ready()
        nonces.add(channel.sent[-1][-NONCE_BYTES:])
    header = channel.header()
    assert len(nonces) == 2
    assert header["sizes"] == [5, 2, 0, 4]
    assert "é".encode() + b"\xed\xa0\x80" + b"in" + b"text" in channel.sent[-1]
    assert (header["role"], header["cores"], header["files"]) == ("program", [0, 3], ["a.txt"])
    assert header["stop_after_error"] is True
    assert header["limits"] == {name: getattr(LIMITS, name) for name in Limits.__slots__}
    assert one.jobs == 2


@pytest.mark.parametrize(
    ("counter", "status"),
    [
        ({}, Status.TAMPERED),
        ({"oom_kills": 0}, Status.TAMPERED),
        ({"oom_kills": 1}, Status.TAMPERED),
        ({"oom_kills": 2}, Status.MEMORY_LIMIT),
    ],
    ids=str,
)
def test_a_killed_supervisor_is_the_kernels_doing_only_where_its_counter_rose(
    counter: dict[str, object], status: Status
) -> None:
    hello = frame({"hello": 1, "oom_kills": 1})
    one, _ = cell(lambda nonce: frame({"supervisor_killed": True, **counter}), hello=hello)
    assert one.run(Program(), LIMITS).status is status
    assert one.spent


def test_a_kill_of_an_earlier_job_is_not_counted_again() -> None:
    killed = frame({"supervisor_killed": True, "oom_kills": 1})
    one, _ = cell(reported(0, oom_kills=1), lambda nonce: killed)
    assert one.run(Program(), LIMITS).status is Status.TIMEOUT
    assert one.ready()
    assert one.run(Program(), LIMITS).status is Status.TAMPERED


def test_a_supervisor_that_failed_loses_the_cell() -> None:
    one, _ = cell(lambda nonce: frame({"nonce": nonce, "error": "no fork"}))
    with pytest.raises(CellLost, match="the supervisor failed: no fork"):
        one.run(Program(), LIMITS)
    assert one.lost
    assert one.spent


@pytest.mark.parametrize("reaction", [dies, says_nothing, lambda nonce: PREFIX.pack(3, 0) + b"{]}"])
def test_a_cell_that_ends_or_is_late_or_sends_no_frame_is_lost(reaction: Reaction) -> None:
    one, _ = cell(reaction)
    with pytest.raises(CellLost):
        one.run(Program(), LIMITS)
    assert one.lost
    assert one.spent


@pytest.mark.parametrize("step", [lambda one: one.tell(b"x", 1.0), lambda one: one.hang_up(1.0)])
def test_a_stream_that_breaks_while_something_is_said_loses_the_cell(step: Callable[[Cell], None]) -> None:
    one, channel = cell(dies)

    def write(data: bytes, deadline: float) -> None:
        raise CellLost("broken")

    channel.write = write  # type: ignore[method-assign]
    with pytest.raises(CellLost):
        step(one)
    assert one.lost
    assert one.spent


def test_what_an_interactive_job_is_told_goes_as_frames() -> None:
    one, channel = cell(answers(b""))
    one.tell(b"line", 9.0)
    one.hang_up(8.0)
    assert channel.sent[-2:] == [frame({}, b"line"), frame({"close": True})]
    assert channel.until[-2:] == [9.0, 8.0]


@pytest.mark.parametrize(
    ("after", "ready"),
    [
        (CLEAN, True),
        (frame({"clean": False}), False),
        (frame({"clean": 1}), False),
        (frame({}), False),
        *((said, False) for said in (b"", PREFIX.pack(15, 1) + b'{"clean": true}x')),
    ],
)
def test_a_cell_is_ready_again_only_when_it_says_that_it_is_clean(after: bytes, ready: bool) -> None:
    one, channel = cell(answers(b"ok", after))
    assert one.ready()
    one.run(Program(), LIMITS)
    start = time.monotonic()
    assert one.ready() is ready
    assert within(channel.deadlines[-1], CLEAN_LIMIT_S, start)
    assert one.spent is not ready
    reads = len(channel.asked)
    assert one.ready() is ready  # it is asked once
    assert len(channel.asked) == reads


def test_what_is_given_up_closed_or_abandoned_takes_no_further_job() -> None:
    for end, seen in ((Cell.give_up, ""), (Cell.close, "closed"), (Cell.abandon, "abandoned")):
        one, channel = cell(answers(b"ok"))
        end(one)
        assert one.spent
        assert not one.ready()
        assert (channel.closed, channel.abandoned) == (seen == "closed", seen == "abandoned")
