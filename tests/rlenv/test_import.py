"""Importing rlenv is light."""

import subprocess
import sys

HEAVY = ["torch", "transformers", "sympy", "datasets", "docker", "ray", "math_verify", "matplotlib", "reasoning_gym"]


def test_import_loads_nothing_heavy() -> None:
    program = f"import sys, rlenv; print([m for m in {HEAVY} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
