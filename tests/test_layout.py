"""Four rooms, one package: which way imports lean, what is public, and what a wheel holds."""

import ast
import inspect
import re
import stat
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree, ignore_patterns

import grimp
import pytest

import rlenv

ROOT = Path(__file__).parents[1]
ROOMS = ("envs", "trainers", "sandbox")
OF_ANOTHER_ROOM = re.compile(r"""(?:import_module|__import__)\(\s*["'](rlenv\.(?:envs|trainers|sandbox|cli)\b[\w.]*)""")
"""An import that `lint-imports` does not see: the name of a module of ours, as text."""


def sources() -> list[Path]:
    """Every Python file of the four rooms, once: the links inside rlenv lead to the other three.

    The programs of the hostile suite are data.
    """
    files = {path.resolve() for room in ("rlenv", *ROOMS) for path in (ROOT / room).rglob("*.py")}
    return sorted(path for path in files if ROOT / "sandbox" / "hostile" / "programs" not in path.parents)


def test_the_contracts_of_imports_see_every_file() -> None:
    """pyproject.toml holds which way imports lean, `make check` holds them: lint-imports follows the links."""
    paths = [path.relative_to(ROOT).with_suffix("").parts for path in sources()]
    modules = {".".join(parts if parts[0] == "rlenv" else ("rlenv", *parts)) for parts in paths}
    graph = grimp.build_graph("rlenv", cache_dir=None)
    assert {module.removesuffix(".__init__") for module in modules} == graph.modules
    assert "rlenv.trainers.rollouts.rollout" in graph.find_modules_directly_imported_by("rlenv.trainers.loop.learner")


def test_no_import_of_another_room_is_hidden_from_the_contracts() -> None:
    hidden = {path.relative_to(ROOT).as_posix(): OF_ANOTHER_ROOM.findall(path.read_text("utf-8")) for path in sources()}
    assert {path: names for path, names in hidden.items() if names} == {"rlenv/__init__.py": ["rlenv.envs"]}


@pytest.mark.parametrize("name", ROOMS)
def test_rooms_are_linked_into_the_package(name: str) -> None:
    link = ROOT / "rlenv" / name
    assert link.is_symlink()
    assert link.readlink() == Path("..") / name


def test_public_names_are_sorted_present_and_documented() -> None:
    assert rlenv.__all__ == sorted(set(rlenv.__all__))
    for name in rlenv.__all__:
        public = getattr(rlenv, name)
        assert not inspect.ismodule(public), name
        assert inspect.getdoc(public), name


def test_no_file_holds_the_marks_of_an_unfinished_merge() -> None:
    found = subprocess.run(
        ["git", "grep", "--line-number", "-E", "^(<<<<<<<|>>>>>>>) "],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1, found.stdout or found.stderr


def test_every_file_opens_with_what_it_is() -> None:
    assert [str(path) for path in sources() if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))] == []


def test_a_room_of_the_trainers_can_be_read_at_a_glance() -> None:
    rooms: dict[Path, int] = defaultdict(int)
    for path in (ROOT / "trainers").rglob("*.py"):
        rooms[path.parent] += 1
    assert max(rooms.values()) <= 15


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the repository, which would else be littered with build folders."""
    folder = tmp_path_factory.mktemp("wheel")
    unwanted = ignore_patterns(".*", "build", "dist", "runs", "models", "*.egg-info", "__pycache__", "tests", "docs")
    copytree(ROOT, folder / "source", symlinks=True, ignore=unwanted)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, "./source"], cwd=folder, check=True, capture_output=True, timeout=300)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_one_package_of_real_files(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        entries = archive.infolist()
        held = {entry.filename: archive.read(entry) for entry in entries}
    assert {name.partition("/")[0] for name in held if ".dist-info/" not in name} == {"rlenv"}
    assert not [entry.filename for entry in entries if stat.S_ISLNK(entry.external_attr >> 16)]
    assert held["rlenv/py.typed"] == b""
    for room_name in ("rlenv", *ROOMS):
        files = [path for path in (ROOT / room_name).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        for path in files:
            below = path.relative_to(ROOT).as_posix()
            assert held[below if room_name == "rlenv" else f"rlenv/{below}"] == path.read_bytes()


def test_folders_of_the_user_neither_shadow_ours_nor_are_shadowed(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for name in ROOMS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("OWNER = 'user'\n")
    program = (
        f"import sys; sys.path.insert(1, {str(site)!r})\n"
        "import envs, trainers, sandbox, rlenv, rlenv.envs\n"
        "print(envs.OWNER, trainers.OWNER, sandbox.OWNER, rlenv.__file__, rlenv.envs.__file__)\n"
        "rlenv.make('math/arithmetic-v0').reset(seed=0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True)
    ours = [str(site / "rlenv" / "__init__.py"), str(site / "rlenv" / "envs" / "__init__.py")]
    assert done.stdout.split() == ["user", "user", "user", *ours]


def test_both_test_commands_together_run_every_test_once() -> None:
    """One takes what is marked slow, the other the rest: what one leaves out is what the other takes."""
    commands = re.findall(r'pytest.* -m "([^"]*)"( --quick)?', (ROOT / "Makefile").read_text())
    assert sorted(commands) == [("not slow", ""), ("not slow", " --quick"), ("slow", "")]
    gate = (ROOT / ".ci" / "run").read_text().splitlines()
    asked = [line.partition(" make ")[2] for line in gate[-2:]]
    assert asked == ["agents-base mini-base test test-slow", "test-integrations PACKAGES=--quick"]


BESIDE = {
    "tests/examples": "tests/trainers/test_rollout.py",
    "tests/rlenv/ray": "tests/rlenv/test_workers.py",
    "tests/trainers/invariance": "tests/trainers/test_packing.py",
    "tests/trainers/kills": "tests/trainers/test_training.py",
}
"""Where what these are about is tried quickly."""


def test_every_subsystem_keeps_a_quick_test(collected: Sequence[pytest.Item]) -> None:
    """A subsystem is what the files of a folder name first: test_audit_zoo.py is of the audit."""
    quick: dict[Path, bool] = defaultdict(bool)
    for item in collected:
        quick[item.path.relative_to(ROOT)] |= item.get_closest_marker("slow") is None
    foreign = set((ROOT / "tests" / "integrations").glob("test_with_*.py"))  # a page is read where its package is there
    if {path.relative_to(ROOT) for path in set((ROOT / "tests").rglob("test_*.py")) - foreign} - set(quick):
        pytest.skip("needs the whole suite to be collected")
    subsystems: dict[str, bool] = defaultdict(bool)
    for path, has_one in quick.items():
        if path.name.startswith("test_"):
            subsystems[f"{path.parent}/{path.stem.split('_')[1]}"] |= has_one
    assert {name for name, has_one in subsystems.items() if not has_one} == set(BESIDE)
    assert all(quick[Path(path)] for path in BESIDE.values())
