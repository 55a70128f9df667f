"""Tries the adapters on the real packages: one environment each, made from tests/integrations/packages.toml.

    python3 .ci/integrations.py                 every package
    python3 .ci/integrations.py verl inspect    these
    python3 .ci/integrations.py --quick         those whose environment is made in under three minutes

The environments lie in .venvs/NAME and are made again when their lines in packages.toml, or what rlenv itself needs,
change. tests/integrations/test_with_NAME*.py run in each; a missing package is a failure there, not a skip. Standard
library only: it runs before anything is installed.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "integrations"
TEST_TOOLS = ("pytest==9.2.0", "hypothesis==6.170.15")
INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


def python_of(name: str) -> Path:
    """The interpreter of the package's environment."""
    return ROOT / ".venvs" / name / "bin" / "python"


def interpreter(package: dict[str, Any]) -> str:
    """What the environment is made with: this Python, or the one of the version that the package asks for."""
    if "python" not in package:
        return sys.executable
    name = f"python{package['python']}"
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"expected {name} on the PATH, got none; install it, or leave this package out")
    return found


def fingerprint(package: dict[str, Any]) -> str:
    """Changes when the environment has to be made again."""
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return hashlib.sha256(json.dumps([package, ours, TEST_TOOLS, sys.version], sort_keys=True).encode()).hexdigest()


def install(name: str, package: dict[str, Any]) -> None:
    """Make the environment unless it is there; torch goes first, pinned as for our own."""
    stamp = ROOT / ".venvs" / name / "installed"
    if stamp.exists() and stamp.read_text() == fingerprint(package):
        return
    subprocess.run([interpreter(package), "-m", "venv", "--clear", str(stamp.parent)], check=True)
    pinned = next(line for line in (ROOT / "constraints.txt").read_text().split() if line.startswith("torch=="))
    held = stamp.parent / "held.txt"
    held.write_text(f"{pinned}\n")
    torch = [[pinned, "setuptools"]] if package.get("torch") else []
    alone = [["--no-deps", *package["no_deps"]]] if "no_deps" in package else []
    for wanted in (*torch, [*package["requires"], *TEST_TOOLS, "--editable", str(ROOT)], *alone):
        subprocess.run([python_of(name), *INSTALL, "--constraint", str(held), *wanted], check=True, cwd=ROOT)
    if "beside" in package:  # programs whose requirements need not agree with ours
        subprocess.run([interpreter(package), "-m", "venv", "--clear", str(stamp.parent / "beside")], check=True)
        subprocess.run([stamp.parent / "beside" / "bin" / "python", *INSTALL, *package["beside"]], check=True, cwd=ROOT)
    if "remove" in package:
        subprocess.run([python_of(name), "-m", "pip", "uninstall", "--quiet", "--yes", *package["remove"]], check=True)
    stamp.write_text(fingerprint(package))


def tested(name: str) -> bool:
    """Run the package's tests in its environment. Warnings are its own affair, not ours."""
    settings = {**os.environ, "OMP_NUM_THREADS": "1", "RLENV_INTEGRATION": name}
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
        settings[variable] = "1"
    tests = sorted(TESTS.glob(f"test_with_{name}*.py")) or [TESTS / f"test_with_{name}.py"]
    command = [python_of(name), "-m", "pytest", "-q", "-W", "default", *tests]
    return subprocess.run(command, cwd=ROOT, env=settings, check=False).returncode == 0


def tried(name: str, package: dict[str, Any]) -> tuple[bool, float, float]:
    """Whether all is well, and the seconds that installing and testing took."""
    start = time.monotonic()
    try:
        install(name, package)
    except subprocess.CalledProcessError as error:
        print(f"{name}: the environment could not be made: {error}", file=sys.stderr)
        return False, time.monotonic() - start, 0.0
    made = time.monotonic()
    passed = tested(name)
    return passed, made - start, time.monotonic() - made


def main(arguments: list[str]) -> int:
    """Try the packages named, all of them, or the quick ones; the exit status says whether all passed."""
    packages = tomllib.loads((TESTS / "packages.toml").read_text())
    quick, names = "--quick" in arguments, [name for name in arguments if name != "--quick"]
    if unknown := sorted(set(names) - set(packages)):
        raise SystemExit(f"expected packages out of {', '.join(packages)}, got {', '.join(unknown)}")
    chosen = names or [name for name, package in packages.items() if package["quick"] or not quick]
    outcomes = {name: tried(name, packages[name]) for name in chosen}
    for name, (passed, installing, testing) in outcomes.items():
        word = "passed" if passed else "FAILED"
        print(f"{name:16} {word}  {installing:6.0f} s to install, {testing:6.0f} s to test")
    return 0 if all(passed for passed, _, _ in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
