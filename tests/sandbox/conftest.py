"""Every backend that this machine has: tests that take `box` run once on each."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from container_engine import REQUIRED, needs_engine
from other_user import OtherUsersSandbox

from rlenv.sandbox import CellSettings, Sandbox, open_sandbox
from rlenv.sandbox.containers import Backend, Box, Limits, docker_boxes

SETTINGS = CellSettings(memory_mb=512, tmp_mb=16)
AGENTS_BASE = "rlenv/agents-base:latest"
AnySandbox = Sandbox | OtherUsersSandbox


def _skip_without(backend: str) -> None:
    if backend != "docker" and sys.platform != "linux":
        pytest.skip("namespaces exist on Linux only")
    if backend == "namespaces-as-user" and os.getuid() != 0:
        pytest.skip("this is an ordinary user already: see the namespaces tests")


@pytest.fixture(
    scope="session",
    params=[
        "namespaces",
        pytest.param("namespaces-as-user", marks=pytest.mark.slow),
        pytest.param("docker", marks=needs_engine),
    ],
)
def box(request: pytest.FixtureRequest) -> Iterator[AnySandbox]:
    """A sandbox of two cells on each backend."""
    backend = request.param
    _skip_without(backend)
    opened: AnySandbox
    if backend == "namespaces-as-user":
        opened = OtherUsersSandbox(2, SETTINGS)
    else:
        opened = open_sandbox(backend, cells=2, settings=SETTINGS, check=False)
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture(scope="session")
def boxes() -> Iterator[Backend]:
    """What makes boxes for agents; it needs the engine and the image of `make agents-base`."""
    opened = docker_boxes()
    try:
        if not opened.has_image(AGENTS_BASE):
            (pytest.fail if REQUIRED else pytest.skip)(f"the engine has no image {AGENTS_BASE}: make agents-base")
        yield opened
    finally:
        opened.close()


@pytest.fixture
def agents_box(boxes: Backend) -> Iterator[Box]:
    with boxes.start(AGENTS_BASE, Limits(memory_mb=256, pids=128, workdir="/work")) as started:
        yield started
