"""`make test-quick`: what it takes is light by its imports, and of each test it takes a few cases."""

import subprocess
import sys

import pytest
from quick_rule import CASES, HEAVY, ROOT, is_quick

COLLECT = f"""
import sys, pytest
ended = pytest.main(["--quick", "-m", "not slow", "--collect-only", "-q", *sys.argv[1:]])
print("loaded", *set({sorted(HEAVY)}) & set(sys.modules))
sys.exit(ended)
"""


def collected(*files: str) -> list[str]:
    """The tests that are taken of some files, and last which heavy packages collecting them loaded."""
    command = [sys.executable, "-c", COLLECT, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    return [line for line in done.stdout.splitlines() if "::" in line or line.startswith("loaded")]


@pytest.mark.parametrize(
    ("file", "quick"),
    [
        ("tests/envs/test_math_boxed.py", True),
        ("tests/trainers/test_exact_kl.py", False),  # imports torch
        ("tests/rlenv/test_workers.py", False),  # is of processes
        ("tests/rlenv/test_cli.py", False),
        ("tests/support/digits.py", False),  # imports what imports torch
        ("tests/rlenv/test_policies_vllm.py", False),
        ("rlenv/evaluation/passk.py", True),
        ("rlenv/policies/decoding.py", False),
        ("rlenv/sandbox/box.py", False),  # its examples run programs
        ("rlenv/envs/math/answer_place/boxed.py", True),
    ],
)
def test_a_file_is_quick_by_what_it_imports(file: str, quick: bool) -> None:
    assert is_quick(ROOT / file) == quick


def test_a_test_with_parameters_has_its_first_cases() -> None:
    *tests, loaded = collected("tests/rlenv/test_passk.py")
    names = [test.partition("[")[0] for test in tests]
    assert max(map(names.count, names)) == CASES
    assert loaded == "loaded"


@pytest.mark.slow
def test_the_whole_of_it_loads_nothing_heavy_and_is_of_every_room_that_needs_none() -> None:
    *tests, loaded = collected()
    assert loaded == "loaded"
    assert {"tests/envs", "tests/rlenv"} <= {"/".join(test.split("/")[:2]) for test in tests}
