"""What is long is read by a process of its own: what happens to that process happens to nobody else."""

from __future__ import annotations

import operator
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlenv.sandbox import SandboxUnavailable, Unreadable, read, reading
from rlenv.sandbox.reading import Reader
from rlenv.sandbox.reading_process import CPU_S, MEMORY_MB
from rlenv.sandbox.report import UNSEALED


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    reader = Reader()
    yield reader
    reader.close()


def test_what_is_short_is_read_here_and_what_is_long_elsewhere() -> None:
    assert read(UNSEALED, os.getpid) == os.getpid()
    assert read(UNSEALED + 1, os.getpid) != os.getpid()
    reading._reader.close()


def test_one_process_reads_one_answer_after_another(reader: Reader) -> None:
    assert reader.read(os.getpid) == reader.read(os.getpid)
    assert reader.read(operator.add, b"a" * (5 << 20), b"b") == b"a" * (5 << 20) + b"b"


def test_threads_take_turns(reader: Reader) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda n=n: found.append(reader.read(abs, -n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


def test_more_memory_than_it_may_have_is_the_answers_fault(reader: Reader) -> None:
    with pytest.raises(Unreadable, match="memory"):
        reader.read(bytearray, 2 * MEMORY_MB << 20)
    assert reader.read(abs, -1) == 1


def test_its_processor_time_is_limited_and_running_into_the_limit_is_the_answers_fault(reader: Reader) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft, _ = reader.read(resource.getrlimit, resource.RLIMIT_CPU)
    assert CPU_S <= soft <= CPU_S + 60 + used.ru_utime
    with pytest.raises(Unreadable, match="processor time"):
        reader.read(signal.raise_signal, signal.SIGXCPU)
    assert reader.read(abs, -1) == 1


def test_a_reader_that_was_killed_is_replaced_and_the_answer_read_again(reader: Reader) -> None:
    os.kill(reader.read(os.getpid), signal.SIGKILL)
    assert reader.read(abs, -1) == 1


def test_an_answer_that_ends_two_readers_is_unreadable(reader: Reader) -> None:
    with pytest.raises(Unreadable, match="ended twice"):
        reader.read(os._exit, 0)
    assert reader.read(abs, -1) == 1


def test_a_bug_in_what_reads_is_told_as_one(reader: Reader) -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        reader.read(operator.truediv, 1, 0)
    assert reader.read(abs, -1) == 1


def test_what_is_printed_there_does_not_stand_between_the_answers(reader: Reader) -> None:
    assert reader.read(os.write, 1, b"noise") == 5
    assert reader.read(abs, -1) == 1


def test_a_reader_that_does_not_start_is_the_machines_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(SandboxUnavailable, match="no such library"):
        Reader().read(abs, -1)


def test_a_forked_child_leaves_the_reader_of_its_parent_alone(reader: Reader) -> None:
    ours = reader.read(os.getpid)
    child = Reader()
    child._process, child._channel = reader._process, reader._channel
    pid = os.fork()
    if pid == 0:
        child.abandon()
        os._exit(0 if child._channel is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert reader.read(os.getpid) == ours
