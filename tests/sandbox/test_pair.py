"""A judge in one cell, the candidate in another."""

from __future__ import annotations

import pytest
from fake_cells import FakeChannel, FakeLauncher, answers, dies
from other_user import OtherUsersSandbox

from rlenv.sandbox import Limits, Program, Result, Sandbox, Status
from rlenv.sandbox.codec import loads

AnySandbox = Sandbox | OtherUsersSandbox
SHORT = Limits(wall_s=1.0)


def pair(box: AnySandbox, judge: str, candidate: str, limits: Limits | None = None) -> tuple[Result, Result]:
    return box.run_pair(Program(judge), Program(candidate), limits)


def test_the_judge_calls_and_reports(box: AnySandbox) -> None:
    judge = "for i in range(20):\n    report(call('double', i) == 2 * i)"
    of_judge, of_candidate = pair(box, judge, "def double(x): return 2 * x")
    assert of_judge.reports == (True,) * 20
    assert of_judge.ok
    assert of_candidate.ok


def test_a_failed_assertion_is_the_judges_exit(box: AnySandbox) -> None:
    of_judge, _ = pair(box, "assert call('f') == 1", "def f(): return 2")
    assert (of_judge.status, of_judge.exit_code) == (Status.EXITED, 1)
    assert b"AssertionError" in of_judge.stderr


def test_exceptions_of_the_candidate_reach_the_judge_by_name(box: AnySandbox) -> None:
    judge = "try:\n    call('f', k=1)\nexcept CandidateRaised as raised:\n    report([raised.error, str(raised)])"
    of_judge, _ = pair(box, judge, "def f(k): raise KeyError('gone')")
    assert of_judge.reports == (["KeyError", "KeyError: 'gone'"],)


def test_what_is_no_plain_data_equals_nothing_in_the_judge(box: AnySandbox) -> None:
    code = "class Any:\n    def __eq__(self, other): return True\ndef f(): return Any()"
    assert pair(box, "report(call('f') == 1)\nreport(call('f') != 1)", code)[0].reports == (False, True)


@pytest.mark.parametrize(
    ("candidate", "status"),
    [
        ("import os\ndef f(): os._exit(0)", Status.EXITED),
        ("def f():\n    while True: pass", Status.TIMEOUT),
        ("def f(:", Status.SYNTAX_ERROR),
        ("import os\ndef f(): os.kill(os.getpid(), 9)", Status.SIGNALLED),
        ("import os\ndef f(): os.write(3, b'= 5 0.1 1\\n')", Status.TAMPERED),
        ("import os\ndef f(): os.write(3, b'PASSED\\n'); return 1", Status.TAMPERED),
        ("raise SystemExit(0)", Status.EXITED),
    ],
    ids=["exits", "loops", "syntax", "dies", "wrong-number", "marker", "exits-at-once"],
)
def test_a_candidate_that_fails_is_an_exception_in_the_judge(box: AnySandbox, candidate: str, status: Status) -> None:
    judge = "try:\n    call('f')\nexcept CandidateFailed as failed:\n    report('failed')\n"
    of_judge, of_candidate = pair(box, judge + judge, candidate, SHORT)
    assert of_candidate.status is status
    assert of_judge.reports == ("failed", "failed")
    assert box.run(Program("print(1)")).ok


def test_the_time_of_both_is_bounded(box: AnySandbox) -> None:
    of_judge, of_candidate = pair(box, "while True: call('f')", "def f(): return 1", Limits(wall_s=0.5))
    assert Status.TIMEOUT in (of_judge.status, of_candidate.status)
    assert of_judge.wall_s < 4


def test_a_candidate_cannot_flood_the_host(box: AnySandbox) -> None:
    code = "import os\ndef f():\n    while True: os.write(3, b'= 0 0.1 1' * 1000)"
    of_judge, of_candidate = pair(box, "call('f')", code, Limits(wall_s=5, result_bytes=100_000))
    assert of_candidate.status is Status.OUTPUT_LIMIT
    assert of_judge.exit_code == 1


ASKS = "try:\n    call('f')\nexcept CandidateFailed as failed:\n    report(str(failed))"
RAW = "import os\ndef f():\n    os.write(3, b'{kind} 0 0.1 ' + {body} + b'\\n')\n    os._exit(0)"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("=", "b'[' * 3000"),
        ("=", "b'{}'"),
        ("-", "b'[1, 2, 3]'"),
        ("=", 'b\'{"$":"ndarray","v":["<f8",[20000000,0],""]}\''),
    ],
    ids=["nested", "no-kind", "no-exception", "rows"],
)
def test_what_is_no_value_is_the_candidates_failure_in_the_judge(box: AnySandbox, kind: str, body: str) -> None:
    of_judge, of_candidate = pair(box, ASKS, RAW.format(kind=kind, body=body))
    assert (of_judge.status, of_candidate.status) == (Status.EXITED, Status.EXITED)
    assert len(of_judge.reports) == 1


def test_the_host_decodes_nothing_of_what_it_passes_on(box: AnySandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []

    def seen(text: bytes) -> object:
        decoded.append(text)
        return loads(text)

    monkeypatch.setattr("rlenv.sandbox.report.loads", seen)
    of_judge, _ = pair(box, "report(call('f', call('f', 1)) == [[1]])", "def f(x): return [x]")
    assert of_judge.reports == (True,)
    assert decoded in ([b"true"], [])  # by the process of another user: none here


def test_an_answer_in_single_bytes_is_passed_on_as_one_line(box: AnySandbox) -> None:
    drip = "import os\ndef f():\n    for byte in b'= 0 0.1 \"' + b'x' * 3000 + b'\"\\n': os.write(3, bytes([byte]))\n"
    of_judge, of_candidate = pair(box, "report(call('f') == 'x' * 3000)", drip + "    os._exit(0)")
    assert of_judge.reports == (True,)
    assert of_candidate.status is Status.EXITED


def test_marks_without_end_are_tampering(box: AnySandbox) -> None:
    code = "import os\ndef f():\n    os.write(3, b'! run\\n' * 5000)\n    return 1"
    assert pair(box, "call('f')", code)[1].status is Status.TAMPERED


def test_a_judge_that_does_not_compile_says_so(box: AnySandbox) -> None:
    assert pair(box, "assert (", "def f(): return 1")[0].status is Status.SYNTAX_ERROR


def test_the_judges_cell_is_out_of_the_candidates_sight(box: AnySandbox) -> None:
    judge = "secret = open('secret', 'w'); secret.write('expected'); secret.flush()\nreport(call('f'))"
    spy = "import os\ndef f(): return [len([p for p in os.listdir('/proc') if p.isdigit()]), os.listdir()]"
    (seen,) = pair(box, judge, spy)[0].reports
    assert seen == [3, []]  # the server, the supervisor, itself


def test_hundreds_of_calls_are_relayed(box: AnySandbox) -> None:
    judge = "report(sum(call('f', i) for i in range(300)))"
    assert pair(box, judge, "def f(x): return x", Limits(wall_s=60))[0].reports == (44850,)


def test_a_pair_whose_cells_die_is_tried_again_and_then_reported() -> None:
    launcher = FakeLauncher(*(FakeChannel([dies]) for _ in range(4)))
    with Sandbox(launcher, cells=1) as box:
        results = box.run_pair(Program("call('f')"), Program("def f(): pass"))
        assert {result.status for result in results} == {Status.SANDBOX_FAILURE}
        assert box.counts.retries == 1
        assert launcher.attempts == 5  # and one in hand
        launcher.channels.append(FakeChannel([answers(b"")]))
    assert all(channel.closed for channel in launcher.launched)
