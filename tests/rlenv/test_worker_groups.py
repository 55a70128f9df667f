"""What this machine can do about processes that a verifier leaves behind, and that it says so."""

import os
import sys

import pytest

from rlenv.workers.worker_process import keepers_work, what_ends_processes


def test_other_systems_are_told_what_stays_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    if keepers_work():
        assert what_ends_processes().startswith("a worker is ended with all that it has started")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not keepers_work()
    assert what_ends_processes().startswith("WARNING: only the process group of a worker is ended with it")


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")
def test_a_proc_of_other_processes_is_not_relied_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert not keepers_work()
