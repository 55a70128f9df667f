"""The hostile suite over every backend: the right verdict, a clean cell after it, and nothing left at the end.

What the fork server decides (all but `walls` in the data of a family) is tried on namespaces alone.
Each run is a process of its own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from container_engine import needs_engine

SUPPORT = Path(__file__).parents[1] / "support"
ORDINARY = 12_345
linux = pytest.mark.skipif(sys.platform != "linux", reason="namespaces are a matter of Linux")
root = pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="only root can be root, or become another user"
)
RUNS = [
    pytest.param("docker walls", None, marks=needs_engine),
    pytest.param("namespaces programs", None, marks=linux),
    pytest.param("namespaces walls", ORDINARY, marks=root),
    pytest.param("docker sessions 3", None, marks=needs_engine),
    pytest.param("namespaces sessions 1", None, marks=linux),
    pytest.param("namespaces sessions 3", ORDINARY, marks=root),
]
"""Words of hostile_run.py, and as whom; None: who runs the tests, root in CI and an ordinary user at home."""
FEWEST = {"programs": 300, "walls": 120, "sessions": 50}


@pytest.mark.slow
@pytest.mark.parametrize(("words", "user"), RUNS)
def test_every_verdict_is_right_every_cell_is_clean_and_nothing_is_left(words: str, user: int | None) -> None:
    script = [str(SUPPORT / "hostile_run.py"), *words.split()]
    command = script if user is None else [str(SUPPORT / "ordinary_user.py"), str(user), *script]
    done = subprocess.run([sys.executable, *command], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == {}
    assert found["tried"] > FEWEST[words.split()[1]]
