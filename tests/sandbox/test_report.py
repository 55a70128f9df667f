"""What the host makes of the words of a cell: nothing that could be forged is believed."""

from __future__ import annotations

import pickle

import pytest

from rlenv.sandbox import Opaque, Sealed
from rlenv.sandbox.program import Call, Program, Result, Status
from rlenv.sandbox.report import MAX_MARKS, Answers, read_report

TWO = Program("", calls=[Call("f"), Call("f")])
HEADER: dict[str, object] = {
    "status": "exited",
    "exit_code": 0,
    "signal": None,
    "wall_s": 0.1,
    "cpu_s": 0.1,
    "peak_kb": 1024,
    "truncated": False,
    "detail": "",
}


def report(channel: bytes, program: Program = TWO, **changes: object) -> Result:
    body = b"out" + b"err" + channel
    return read_report(program, {**HEADER, "sizes": [3, 3, len(channel)], **changes}, body)


def test_answers_are_read_in_order() -> None:
    result = report(b'! run\n= 0 0.5 3\n- 1 0.1 ["ValueError","no"]\n')
    assert (result.status, result.stdout, result.stderr) == (Status.EXITED, b"out", b"err")
    first, second = result.calls
    assert (first.ok, first.value, first.wall_s) == (True, 3, 0.5)
    assert (second.ok, second.answered, second.error, second.message) == (False, True, "ValueError", "no")


def test_calls_without_an_answer_are_not_ok() -> None:
    result = report(b"! run\n= 0 0.5 3\n")
    assert [(call.ok, call.answered) for call in result.calls] == [(True, True), (False, False)]


@pytest.mark.parametrize(
    "channel",
    [
        b"= 0 0.1 3\n= 0 0.1 3\n",
        b"= 1 0.1 3\n",
        b"= 0 0.1 3\n= 1 0.1 3\n= 2 0.1 3\n",
        b"= 0 0.1 nonsense\n",
        b"= 0 fast 3\n",
        b"= 0 0.1\n",
        b"- 0 0.1 3\n",
        b"- 0 0.1 [1,2]\n",
        b"PASSED\n",
        b"! finished\n",
        b"\n",
        b"= 0 0.1 3",
        b"\x00\xff\n",
        b'{"status":"exited"}\n',
    ],
)
def test_anything_else_on_the_channel_is_tampering_and_voids_every_answer(channel: bytes) -> None:
    result = report(b"! run\n" + channel)
    assert result.status is Status.TAMPERED
    assert not any(call.answered for call in result.calls)
    assert result.exit_code is None


def test_an_answer_cut_off_by_a_limit_is_no_tampering() -> None:
    result = report(b"= 0 0.1 3\n= 1 0.", status="timeout", exit_code=None)
    assert result.status is Status.TIMEOUT
    assert [call.answered for call in result.calls] == [True, False]


LONG = b"= 0 0.1 [" + b"[]," * 20_000 + b"[]]\n"


def test_answers_stay_sealed_where_there_is_much_of_them_and_open_when_asked() -> None:
    result = report(b"! run\n" + LONG + b"= 1 0.1 7\n")
    first, second = result.calls
    assert isinstance(first.said, Sealed)
    assert isinstance(second.said, Sealed)
    assert (first.value, second.value) == ([[]] * 20_001, 7)
    assert result.sealed_bytes == len(LONG) - len(b"= 0 0.1 \n") + 1
    assert report(b"= 0 0.5 3\n").sealed_bytes == 0


def test_a_long_answer_that_is_no_value_equals_nothing() -> None:
    value = report(LONG.replace(b"[]]", b"[]"), status="exited").calls[0].value
    assert isinstance(value, Opaque)
    assert value != value


def test_a_long_result_travels_by_pickle_as_it_came() -> None:
    result = report(LONG)
    assert pickle.loads(pickle.dumps(result)) == result


@pytest.mark.parametrize(
    "line", [b"! run\n", b"+ 1\n", b"= 0 0.1 1\n", b'- 0 0.1 ["E",""]\n', b"\n"], ids=lambda line: line[:1].decode()
)
def test_many_lines_are_read_no_further_than_a_runner_writes(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line costs far more than its bytes: a flood of them is tampering before it is read through."""
    read, take = 0, Answers.read

    def counted(self: Answers, line: bytes) -> None:
        nonlocal read
        read += 1
        take(self, line)

    monkeypatch.setattr(Answers, "read", counted)
    assert report(line * 100_000).status is Status.TAMPERED
    assert read <= MAX_MARKS + len(TWO.calls) + 1


@pytest.mark.parametrize(
    "body", [b'["E","' + b"x" * 5000 + b'"]', b'["E",' + b"[]," * 300 + b'"x"]'], ids=["long", "nested"]
)
def test_an_exception_longer_than_a_runner_tells_of_is_tampering(body: bytes) -> None:
    assert report(b"- 0 0.1 " + body + b"\n").status is Status.TAMPERED


def test_only_a_judge_reports() -> None:
    header = {**HEADER, "sizes": [0, 0, 6]}
    assert read_report(Program(), header, b"+ [1]\n", judge=True).reports == ([1],)
    assert read_report(Program(), header, b"+ [1]\n").status is Status.TAMPERED


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (b"! syntax\n", Status.SYNTAX_ERROR),
        (b"! run\n! memory\n", Status.MEMORY_LIMIT),
        (b"! memory\n", Status.MEMORY_LIMIT),
        (b"! run\n! file\n", Status.FILE_LIMIT),
        (b"! run\n! syntax\n", Status.EXITED),
    ],
)
def test_last_words_explain_a_failing_exit(marks: bytes, expected: Status) -> None:
    assert report(marks, exit_code=1).status is expected


@pytest.mark.parametrize("marks", [b"! run\n! memory\n", b"! syntax\n", b"! missing\n"])
def test_last_words_change_nothing_about_an_exit_with_0(marks: bytes) -> None:
    assert report(marks, exit_code=0).status is Status.EXITED


@pytest.mark.parametrize("status", ["timeout", "signalled", "output_limit"])
def test_last_words_change_nothing_that_the_kernel_said(status: str) -> None:
    assert report(b"! run\n! memory\n", status=status, exit_code=None).status == status


def test_a_program_cannot_claim_that_the_machinery_failed() -> None:
    assert report(b"! run\n! missing\n", exit_code=127).status is Status.EXITED
    assert report(b"! run\n! broken\n", exit_code=253).status is Status.EXITED
    command = Program(argv=["./out"])
    assert report(b"", command, exit_code=253).status is Status.EXITED
    assert report(b"! missing\n", command, exit_code=127).status is Status.EXITED


def test_a_process_that_could_not_be_locked_down_ran_nothing() -> None:
    assert report(b"! broken\n", exit_code=253).status is Status.SANDBOX_FAILURE
