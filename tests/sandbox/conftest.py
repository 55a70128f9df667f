"""Every backend that this machine has: tests that take `box` run once on each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from container_engine import needs_engine
from other_user import OtherUsersSandbox, interpreter

from rlenv.sandbox import CellSettings, Sandbox, open_sandbox

SETTINGS = CellSettings(memory_mb=512, tmp_mb=16)
AnySandbox = Sandbox | OtherUsersSandbox


def _skip_without(backend: str) -> None:
    if backend != "docker" and sys.platform != "linux":
        pytest.skip("namespaces exist on Linux only")
    if backend == "namespaces-as-user" and os.getuid() != 0:
        pytest.skip("this is an ordinary user already: see the namespaces tests")
    if backend == "namespaces-as-user" and not interpreter():
        pytest.skip("no interpreter of this version that another user may run")


@pytest.fixture(
    scope="session",
    params=[
        "namespaces",
        pytest.param("namespaces-as-user", marks=pytest.mark.slow),
        pytest.param("docker", marks=needs_engine),
    ],
)
def box(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnySandbox]:
    """A sandbox of two cells on each backend."""
    backend = request.param
    _skip_without(backend)
    opened: AnySandbox
    if backend == "namespaces-as-user":
        folder: Path = tmp_path_factory.mktemp("other-user")
        opened = OtherUsersSandbox(folder, 2, SETTINGS)
    else:
        opened = open_sandbox(backend, cells=2, settings=SETTINGS, check=False)
    try:
        yield opened
    finally:
        opened.close()
