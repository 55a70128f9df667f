"""Four rooms, one package: which way imports lean, what is public, and what a wheel holds."""

import ast
import inspect
import re
import stat
import subprocess
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

import rlenv

ROOT = Path(__file__).parents[1]
ROOMS = ("envs", "trainers", "sandbox")
ALLOWED = {
    "rlenv": {"rlenv"},
    "cli": {"rlenv", "cli", *ROOMS},
    "envs": {"rlenv", "envs", "sandbox"},
    "trainers": {"rlenv", "trainers"},
    "sandbox": {"sandbox"},
}
EXCEPTIONS = {
    ("rlenv/__init__.py", "rlenv.envs"),
    ("rlenv/__main__.py", "rlenv.cli.main"),
    ("rlenv/evidence/fresh.py", "rlenv.sandbox"),
    ("rlenv/door/templates.py", "rlenv.sandbox.reading"),
    ("rlenv/door/templates.py", "rlenv.sandbox.errors.Unreadable"),
}
"""Our own environments register when rlenv is imported, by name, like anybody's; `python -m rlenv` is the command;
what a program does on arguments of no test is evidence that only running it gives; and the chat template of a
checkpoint is a program too."""


def sources() -> list[Path]:
    """Every Python file of the four rooms, once: the links inside rlenv lead to the other three.

    The programs of the hostile suite are data.
    """
    files = {path.resolve() for room in ("rlenv", *ROOMS) for path in (ROOT / room).rglob("*.py")}
    return sorted(path for path in files if ROOT / "sandbox" / "hostile" / "programs" not in path.parents)


def imported(tree: ast.Module, module: str, is_package: bool) -> Iterator[str]:
    """Every module that the source names in an import, relative and literal dynamic ones included."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__") and isinstance(node.args[0].value, str):
                yield node.args[0].value


def room(module: str) -> str | None:
    """The room that a module lives in; None for what is not ours."""
    top, _, rest = module.partition(".")
    if top in ROOMS:
        return f"{top} without rlenv before it"
    if top != "rlenv":
        return None
    second = rest.partition(".")[0]
    return second if second in (*ROOMS, "cli") else "rlenv"


def trespasses(source: str, path: str) -> list[str]:
    """Imports of a file, given by its path below the root, that its room may not make."""
    parts = Path(path).with_suffix("").parts
    names = parts if parts[0] == "rlenv" else ("rlenv", *parts)
    is_package = names[-1] == "__init__"
    module = ".".join(names[:-1] if is_package else names)
    home = room(module)
    assert home is not None
    return [
        name
        for name in imported(ast.parse(source), module, is_package)
        if (target := room(name)) is not None and target not in ALLOWED[home] and (path, name) not in EXCEPTIONS
    ]


def test_imports_lean_the_right_way() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sources()}
    assert {path: found for path, text in texts.items() if (found := trespasses(text, path))} == {}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("rlenv/env/batch.py", "from rlenv.envs.math import arithmetic"),
        ("rlenv/env/batch.py", "from rlenv import trainers"),
        ("rlenv/env/batch.py", "def late():\n    import rlenv.sandbox"),
        ("rlenv/policies/load.py", "from .. import envs"),
        ("rlenv/env/batch.py", "import importlib\nimportlib.import_module('rlenv.trainers.settings.config')"),
        ("rlenv/env/batch.py", "__import__('rlenv.envs')"),
        ("rlenv/env/batch.py", "import envs"),
        ("envs/math/x.py", "from rlenv.trainers import grpo"),
        ("envs/math/x.py", "from ...trainers import grpo"),
        ("envs/math/x.py", "from rlenv.cli import main"),
        ("trainers/x.py", "from ..envs import math"),
        ("trainers/__init__.py", "from ..sandbox import run"),
        ("trainers/x.py", "import rlenv.sandbox.docker as docker"),
        ("sandbox/x.py", "from rlenv.core.errors import RlenvError"),
        ("sandbox/x.py", "import rlenv"),
    ],
)
def test_import_that_leans_the_wrong_way_is_seen(path: str, source: str) -> None:
    assert len(trespasses(source, path)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("rlenv/env/batch.py", "from rlenv.core.task import Task\nfrom . import task\nimport numpy.random, sandboxes"),
        ("rlenv/cli/train.py", "from rlenv.trainers import x\nfrom rlenv.envs import y\nimport rlenv.sandbox"),
        ("envs/math/x.py", "from rlenv.sandbox import run\nfrom .boxed import y\nfrom ..splits import z"),
        ("trainers/x.py", "from rlenv import Task\nfrom .losses import y"),
        ("sandbox/x.py", "from .errors import x\nfrom rlenv.sandbox.errors import y\nimport os"),
    ],
)
def test_import_that_leans_the_right_way_is_let_through(path: str, source: str) -> None:
    assert trespasses(source, path) == []


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
    assert asked == ["test test-slow", "test-integrations PACKAGES=--quick"]


BESIDE = {
    "tests/examples": "tests/trainers/test_rollout.py",
    "tests/rlenv/ray": "tests/rlenv/test_workers.py",
    "tests/trainers/invariance": "tests/trainers/test_packing.py",
    "tests/trainers/kills": "tests/trainers/test_training.py",
    "tests/trainers/launched": "tests/trainers/test_training.py",
    "tests/trainers/processes": "tests/trainers/test_training.py",
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
