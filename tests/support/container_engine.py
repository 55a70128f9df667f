"""Whether tests have a container engine. Where one is required, its absence is a failure and not a reason to skip."""

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rlenv.sandbox import SandboxUnavailable

REQUIRED = os.environ.get("RLENV_REQUIRE_DOCKER") == "1"
STARTER = Path(__file__).parents[2] / ".ci" / "engine.py"


@functools.cache
def why_none() -> str:
    """Empty where an engine answers."""
    if importlib.util.find_spec("docker") is None:
        return "the docker SDK is not installed"
    from rlenv.sandbox.engine import connect

    try:
        connect().close()
    except SandboxUnavailable as error:
        return str(error)
    return ""


def why_no_own() -> str:
    """Empty where a test may start a second engine, which it can kill."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("dockerd") is None:
        return "only root on Linux with dockerd can start an engine to break"
    return ""


needs_engine = pytest.mark.engine
needs_own_engine = pytest.mark.engine(own=True)
"""tests/conftest.py puts what is so marked among the slow tests, and skips it where there is none."""


def why_not(own: bool) -> str:
    """Why a test of an engine is skipped here; empty where it runs. Asked when such a test starts, and not before."""
    if own and (problem := why_no_own()):
        return problem
    if REQUIRED or not (problem := why_none()):
        return ""
    return f"tests start an engine only beside one or in CI, and none answers: {problem}"


def start_engine(folder: Path) -> str:
    """Start an engine of the test's own and give its address."""
    command = [sys.executable, str(STARTER), "start", str(folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()


def stop_engine(folder: Path) -> None:
    """Stop it and remove what it left."""
    subprocess.run([sys.executable, str(STARTER), "stop", str(folder)], check=True, timeout=60)
