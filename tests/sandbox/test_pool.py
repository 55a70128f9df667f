"""What the host does with cells that die, lie, fall silent or are used up."""

from __future__ import annotations

import os
import threading

import pytest
from fake_cells import DONE, FakeChannel, FakeLauncher, Reaction, answers, dies, says_nothing

from rlenv.sandbox import Call, Limits, Program, Sandbox, SandboxClosed, SandboxUnavailable, SandboxUsageError, Status
from rlenv.sandbox.inside.wire import frame
from rlenv.sandbox.launcher import CellSettings
from rlenv.sandbox.pool import CELLS_ENV, Pool

PROGRAM = Program("print(1)")
ASKED = Program("def f(): pass", calls=[Call("f")])


def opened(*channels: FakeChannel | None) -> tuple[Sandbox, FakeLauncher]:
    launcher = FakeLauncher(*channels)
    return Sandbox(launcher, cells=1), launcher


def cell(*reactions: Reaction) -> FakeChannel:
    return FakeChannel(reactions)


def test_a_lost_cell_costs_the_program_nothing() -> None:
    box, launcher = opened(cell(dies), cell(answers(b"fine")))
    with box:
        result = box.run(PROGRAM)
        assert (result.status, result.stdout, result.detail) == (Status.EXITED, b"fine", "second cell: the cell ended")
        assert (box.counts.retries, box.counts.failures) == (1, 0)
    assert launcher.launched[0].closed


def test_two_lost_cells_are_a_sandbox_failure_and_no_verdict() -> None:
    box, _ = opened(cell(dies), cell(dies), cell(answers(b"next")))
    with box:
        result = box.run(ASKED)
        assert result.status is Status.SANDBOX_FAILURE
        assert [call.answered for call in result.calls] == [False]
        assert "on a fresh cell" in result.detail
        assert box.counts.failures == 1
        assert box.run(PROGRAM).stdout == b"next"


def test_a_cell_that_is_silent_twice_was_silenced_by_the_program() -> None:
    box, _ = opened(cell(says_nothing), cell(says_nothing))
    with box:
        assert box.run(PROGRAM).status is Status.TIMEOUT


@pytest.mark.parametrize(("first", "second"), [(dies, says_nothing), (says_nothing, dies)])
def test_a_silent_and_a_dead_cell_prove_nothing(first: Reaction, second: Reaction) -> None:
    box, _ = opened(cell(first), cell(second))
    with box:
        assert box.run(PROGRAM).status is Status.SANDBOX_FAILURE


def test_a_cell_that_the_kernel_killed_for_memory_tells_of_the_program() -> None:
    box, _ = opened(FakeChannel([dies], cause="memory"))
    with box:
        assert box.run(PROGRAM).status is Status.MEMORY_LIMIT
        assert box.counts.retries == 0


FORGED = {**DONE, "sizes": [2, 0, 0]}


@pytest.mark.parametrize(
    "stray",
    [
        frame({**FORGED, "nonce": "00" * 16}, b"42"),
        frame(FORGED, b"42"),
        frame({"clean": True}),
        frame({"error": "the machinery failed"}),
        frame({"supervisor_killed": 9, "oom_kills": 0}),
    ],
    ids=["wrong-nonce", "no-nonce", "clean", "error", "killed"],
)
def test_a_frame_without_the_nonce_is_tampering_and_the_cell_is_given_up(stray: bytes) -> None:
    honest = answers(b"42")
    box, launcher = opened(cell(lambda nonce: stray + honest(nonce)), cell(answers(b"next")))
    with box:
        assert box.run(PROGRAM).status is Status.TAMPERED
        assert box.run(PROGRAM).stdout == b"next"
    assert launcher.launched[0].closed


@pytest.mark.parametrize("after", [b"", frame({"clean": False}), frame({**DONE, "sizes": [0, 0, 0]})])
def test_a_cell_that_is_not_clean_afterwards_gets_no_other_program(after: bytes) -> None:
    box, launcher = opened(cell(answers(b"first", after)), cell(answers(b"second")))
    with box:
        assert (box.run(PROGRAM).stdout, box.run(PROGRAM).stdout) == (b"first", b"second")
        assert box.counts.retries == 0
    assert launcher.launched[0].closed


def test_cells_are_replaced_when_they_have_done_enough() -> None:
    launcher = FakeLauncher(cell(answers(b"a")), cell(answers(b"b")), cell(answers(b"c")))
    pool = Pool(launcher, CellSettings(), 1, recycle_after=2)
    with pool.slot() as slot:
        assert [slot.run(PROGRAM, Limits()).stdout for _ in range(5)] == [b"a", b"a", b"b", b"b", b"c"]
    pool.close()
    assert all(channel.closed for channel in launcher.launched)


def test_the_environment_says_how_many_cells_where_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CELLS_ENV, "3")
    for given, size in ((None, 3), (2, 2)):
        pool = Pool(FakeLauncher(), CellSettings(), given)
        assert (pool.size, len(pool.places)) == (size, size)
        pool.close()


def test_an_engine_that_is_gone_fails_programs_at_once_and_is_asked_again_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    box, launcher = opened(cell(dies), None, None, cell(answers(b"back")))
    with box:
        results = box.map([PROGRAM] * 50)
        assert {result.status for result in results} == {Status.SANDBOX_FAILURE}
        assert "the engine is gone" in results[-1].detail
        assert launcher.attempts <= 4
        monkeypatch.setattr(box._pool, "_resting_until", 0.0)
        while (result := box.run(PROGRAM)).status is Status.SANDBOX_FAILURE:
            monkeypatch.setattr(box._pool, "_resting_until", 0.0)
        assert result.ok


def test_a_backend_that_cannot_start_its_first_cell_does_not_open() -> None:
    launcher = FakeLauncher(None)
    with pytest.raises(SandboxUnavailable, match="the engine is gone"):
        Sandbox(launcher, cells=1)
    assert launcher.closed


def test_results_stand_in_the_order_of_the_programs() -> None:
    launcher = FakeLauncher(*(cell(answers(b"%d" % i)) for i in range(4)))
    with Sandbox(launcher, cells=4) as box:
        heard: dict[int, bytes] = {}
        results = box.map([PROGRAM] * 40, on_result=lambda i, result: heard.update({i: result.stdout}))
        assert [result.stdout for result in results] == [heard[i] for i in range(40)]
        assert box.counts.jobs == 40
        assert box.map([]) == []


def test_what_the_listener_raises_reaches_the_caller_of_map() -> None:
    def listen(index: int, result: object) -> None:
        raise KeyError("mine")

    box, _ = opened(cell(answers(b"")))
    with box, pytest.raises(KeyError, match="mine"):
        box.map([PROGRAM] * 3, on_result=listen)


def test_many_threads_share_one_cell() -> None:
    box, launcher = opened(cell(answers(b"fine")))
    with box:
        results: list[bytes] = []
        threads = [threading.Thread(target=lambda: results.append(box.run(PROGRAM).stdout)) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert results == [b"fine"] * 16
    assert len(launcher.launched) == 1


def test_a_closed_sandbox_runs_nothing() -> None:
    box, launcher = opened(cell(answers(b"")))
    box.close()
    box.close()
    assert launcher.closed
    with pytest.raises(SandboxClosed):
        box.run(PROGRAM)


def test_a_sandbox_that_nobody_holds_any_more_is_closed() -> None:
    box, launcher = opened(cell(answers(b"")))
    del box
    assert launcher.closed
    assert launcher.launched[0].closed


def test_an_interrupted_program_leaves_no_half_used_cell() -> None:
    def interrupt(nonce: str) -> bytes:
        raise KeyboardInterrupt

    box, launcher = opened(cell(interrupt), cell(answers(b"next")))
    with box:
        with pytest.raises(KeyboardInterrupt):
            box.run(PROGRAM)
        assert box.run(PROGRAM).stdout == b"next"
    assert launcher.launched[0].closed


def test_a_forked_child_leaves_the_cells_to_its_parent() -> None:
    box, launcher = opened(cell(answers(b"fine")))
    with box:
        pid = os.fork()
        if pid == 0:
            gone = launcher.launched[0].abandoned and not launcher.launched[0].closed
            try:
                box.run(PROGRAM)
            except SandboxClosed:
                os._exit(0 if gone else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert box.run(PROGRAM).stdout == b"fine"


def test_limits_that_the_cells_cannot_give_are_refused() -> None:
    box, _ = opened(cell(answers(b"")))
    with box:
        with pytest.raises(SandboxUsageError, match="memory_mb up to 1024"):
            box.run(PROGRAM, Limits(memory_mb=2000))
        with pytest.raises(SandboxUsageError, match="processes up to 128"):
            box.map([PROGRAM], Limits(processes=1000))
        with pytest.raises(SandboxUsageError, match="Python code without calls"):
            box.run_pair(ASKED, PROGRAM)
