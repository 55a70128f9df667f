"""`rlenv new`: what it writes works as it is written, without a change."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlenv.core.errors import ConfigError
from rlenv.scaffold import new_package
from rlenv.scaffold.write import TARGETS


def installed(folder: Path, package: str, entry: str) -> None:
    """As an editable install leaves it: the package on the path, and its entry points beside it."""
    info = folder / f"{package}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text(f"[rlenv.envs]\n{entry}\n")


def test_a_new_package_passes_its_own_tests_its_audit_and_the_program_of_its_card(tmp_path: Path) -> None:
    new_package("long-words", tmp_path)
    folder = tmp_path / "long-words"
    declared = (folder / "pyproject.toml").read_text()
    assert '"long-words.backwards-v0" = "long_words:backwards"' in declared
    installed(folder, "long_words", "long-words.backwards-v0 = long_words:backwards")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        command,
        check=False,
        cwd=folder,
        env={**_environment(), "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "10 passed" in done.stdout


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}


def test_every_file_is_written_and_no_name_is_left_open(tmp_path: Path) -> None:
    written = new_package("words", tmp_path)
    assert len(written) == len(TARGETS)
    assert all(path.is_file() and "$" not in path.read_text() for path in written)
    workflow = (tmp_path / "words/.github/workflows/test.yml").read_text()
    assert "rlenv audit words/backwards-v0 --fail-on medium" in workflow


@pytest.mark.parametrize("name", ["", "My-Env", "../up", "a--b", "json", "rlenv"])
def test_a_name_that_cannot_be_a_packages_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected a name|give another"):
        new_package(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words/mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty"):
        new_package("words", tmp_path)
    assert [path.name for path in (tmp_path / "words").iterdir()] == ["mine.txt"]
