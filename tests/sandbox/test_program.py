"""What can be asked for and what a session may use; what is refused before anything runs."""

from __future__ import annotations

import pickle

import pytest

from rlenv.sandbox import (
    Call,
    CellSettings,
    Execution,
    ExecutionStatus,
    Limits,
    Program,
    SandboxUsageError,
    SessionLimits,
)


@pytest.mark.parametrize(
    "name", ["wall_s", "cpu_s", "memory_mb", "processes", "output_bytes", "file_bytes", "open_files"]
)
@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_limits_are_positive_and_finite(name: str, value: float) -> None:
    with pytest.raises(SandboxUsageError, match=name):
        Limits(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../up", "a/../b", "a//b", ".", "nul\0"])
def test_files_lie_below_the_work_directory(name: str) -> None:
    with pytest.raises(SandboxUsageError, match="relative"):
        Program("", files={name: b""})


@pytest.mark.parametrize("function", ["f", "Tools.f", "Solution().f", "a.b().c", "größe"])
def test_functions_are_names(function: str) -> None:
    assert Call(function).function == function


@pytest.mark.parametrize("function", ["", "f(1)", "f;g", "a..b", "f()()", "1f", "f\n", "__import__('os')"])
def test_functions_are_nothing_but_names(function: str) -> None:
    with pytest.raises(SandboxUsageError, match="name of a function"):
        Call(function)


def test_arguments_must_be_plain_data() -> None:
    with pytest.raises(SandboxUsageError, match="plain data"):
        Call("f", (object(),))
    with pytest.raises(SandboxUsageError, match="plain data"):
        Call("f", (), {"key": [print]})
    assert Call("f", ('{"$":"opaque"', {"$": "opaque"})).line


def test_text_becomes_bytes() -> None:
    program = Program("", stdin="ä\udcff", files={"a": "ü"})
    assert (program.stdin, program.files) == ("ä".encode() + b"\xff", {"a": "ü".encode()})


def test_a_program_is_code_or_a_command() -> None:
    with pytest.raises(SandboxUsageError, match="either code"):
        Program("print(1)", argv=["python3"])
    with pytest.raises(SandboxUsageError, match="argv beside compile"):
        Program(compile=["gcc"])
    with pytest.raises(SandboxUsageError, match="list of words"):
        Program(argv="python3 -c 1")


@pytest.mark.parametrize("settings", [{"memory_mb": 0}, {"processes": 0}, {"memory_mb": 64, "tmp_mb": 64}])
def test_cells_have_room_for_their_server(settings: dict[str, int]) -> None:
    with pytest.raises(SandboxUsageError, match="at least"):
        CellSettings(**settings)  # type: ignore[arg-type]


def test_programs_and_limits_travel() -> None:
    program = Program("x", stdin="y", calls=[Call("f", (1,), {"a": 2})], stop_after_error=True)
    assert pickle.loads(pickle.dumps((program, Limits(wall_s=2)))) == (program, Limits(wall_s=2))


@pytest.mark.parametrize("name", [*SessionLimits.__slots__])
@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan")])
def test_a_limit_is_above_zero_and_finite(name: str, value: float) -> None:
    with pytest.raises(SandboxUsageError, match=f"expected {name} above 0"):
        SessionLimits(**{name: value})  # type: ignore[arg-type]


def test_a_total_is_at_least_what_one_call_may() -> None:
    with pytest.raises(SandboxUsageError, match="expected total_wall_s of at least wall_s=5, got 4"):
        SessionLimits(wall_s=5, total_wall_s=4)
    with pytest.raises(SandboxUsageError, match="expected total_output_bytes of at least output_bytes=5, got 4"):
        SessionLimits(output_bytes=5, total_output_bytes=4)


def test_only_what_ran_to_its_end_is_ok() -> None:
    assert [status for status in ExecutionStatus if Execution(status, True).ok] == [ExecutionStatus.OK]
