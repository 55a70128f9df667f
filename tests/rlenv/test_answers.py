"""What a worker sends is plain data that names its job: frames come whole, and nothing in them is run."""

import os
import pickle
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlenv.core.jsontypes import Json
from rlenv.core.reading.passage import Span
from rlenv.core.verdict import FAIL, PASS, Flag, StepReward, Verdict
from rlenv.workers.protocol import (
    HEAD,
    MAX_ANSWER_BYTES,
    MAX_BRACKETS,
    Frames,
    NotAnAnswer,
    verdict_in,
    written,
    written_verdict,
)

TICKET, PLACE = 2**64 - 1, 3
RICH = Verdict(
    0.75,
    parts=Verdict.of(("right", 1.0), ("long", -0.25)).parts,
    step_rewards=(StepReward(0.5, 0, 3), StepReward(0.25, 3, 9)),
    scores={"raw": 1e300, "least": 5e-324, "most": float("inf")},
    flags=(Flag("seen", 1, 2, "a \ud800 half, a \x00 nul, 🙂"), Flag("bare")),
    reason='quotes ", brackets [{ and a \\',
    answer=Span(2, 7),
)
PLAIN: dict[str, Json] = Verdict(1.0).to_json()


def travelled(verdict: Verdict) -> Verdict:
    return verdict_in(written_verdict(TICKET, PLACE, verdict), TICKET, PLACE)


@pytest.mark.parametrize("verdict", [PASS, FAIL, Verdict(1.0), RICH, Verdict.error("lost", [Flag("seen")])])
def test_a_verdict_travels_whole(verdict: Verdict) -> None:
    assert travelled(verdict) == verdict


@settings(max_examples=25)
@given(st.text(), st.floats(-1e150, 1e150), st.integers(0, 10**9))
def test_any_text_and_number_travels(text: str, number: float, place: int) -> None:
    verdict = Verdict(number, scores={text: number}, flags=(Flag(text, place, place, text),), reason=text)
    assert travelled(verdict) == verdict


def test_a_verdict_that_is_not_plain_data_is_a_failure_of_the_checker() -> None:
    verdict = travelled(Verdict(1.0, flags=(Flag("seen", detail=object()),)))  # type: ignore[arg-type]
    assert verdict.status == "verifier_error"
    assert "not plain data" in verdict.reason


@pytest.mark.parametrize(
    ("piece", "fits"), [("x", MAX_ANSWER_BYTES - 500), ("{", MAX_BRACKETS - 10), ("\x01", MAX_ANSWER_BYTES // 6 - 100)]
)
def test_a_verdict_longer_than_an_answer_may_be_is_graded_zero(piece: str, fits: int) -> None:
    longest = travelled(Verdict(1.0, reason=piece * fits))
    beyond = travelled(Verdict(1.0, reason=piece * (fits + 500)))
    assert longest.reward == 1.0
    assert (beyond.reward, beyond.graded, [flag.name for flag in beyond.flags]) == (0.0, True, ["over_limit"])


@pytest.mark.parametrize(("ticket", "place"), [(TICKET, 2), (TICKET, 4), (TICKET - 1, PLACE), (0, PLACE)])
def test_an_answer_to_another_job_is_not_taken(ticket: int, place: int) -> None:
    with pytest.raises(NotAnAnswer, match="answer to job 3"):
        verdict_in(written_verdict(ticket, place, PASS), TICKET, PLACE)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[[]" + b",[]" * MAX_BRACKETS + b"]",
        b" " * MAX_ANSWER_BYTES + b"1",
        pickle.dumps(PASS),
        written(0, 0, PLAIN)[HEAD.size :] + b" {}",
    ],
    ids=lambda body: repr(body[:12]),
)
def test_what_is_no_verdict_is_not_taken(body: bytes) -> None:
    with pytest.raises(NotAnAnswer):
        verdict_in(HEAD.pack(TICKET, PLACE) + body, TICKET, PLACE)


@pytest.mark.parametrize(
    "fields",
    [
        {"reward": None},
        {"reward": float("nan")},
        {"status": "good"},
        {"parts": [[["a"], 1.0]]},
        {"parts": [["a", 0.5]]},
        {"step_rewards": [[1.0, 0]]},
        {"scores": {"a": "b"}},
        {"flags": [[1, 0, 0, ""]]},
        {"reason": 5},
        {"answer": ["a", 1]},
    ],
    ids=str,
)
def test_a_verdict_with_a_wrong_field_is_not_taken(fields: dict[str, Json]) -> None:
    parts: Json = [["a", 1.0]]
    with pytest.raises(NotAnAnswer):
        verdict_in(written(TICKET, PLACE, {**PLAIN, "parts": parts, **fields}), TICKET, PLACE)


@given(st.binary(max_size=200))
def test_whatever_bytes_come_are_a_verdict_or_no_answer(body: bytes) -> None:
    try:
        verdict = verdict_in(HEAD.pack(TICKET, PLACE) + body, TICKET, PLACE)
    except NotAnAnswer:
        return
    assert isinstance(verdict, Verdict)


def test_nothing_in_an_answer_is_run(tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "harm"),)

    for prefix in (b"", HEAD.pack(TICKET, PLACE)):
        with pytest.raises(NotAnAnswer):
            verdict_in(prefix + pickle.dumps(Harm()), TICKET, PLACE)
    assert not (tmp_path / "harm").exists()


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
