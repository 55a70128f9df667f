"""`moves/apply.py` moves modules and writes their new names: in a checkout of the old layout, and later."""

import subprocess
import sys
from pathlib import Path

import pytest

APPLY = Path(__file__).parents[1] / "moves" / "apply.py"
OLD = {
    "pyproject.toml": (
        '[project.scripts]\nrlenv = "rlenv.registry:main"\n[tool.ruff.lint.isort]\nknown-first-party = ["rlenv"]\n'
    ),
    "page.md": (
        "`rlenv.workers.share(pool)` is in `rlenv/workers.py`, tested by tests/rlenv/test_workers.py, no rlenv.tasks.\n"
    ),
    "rlenv/workers.py": (
        '"""The pool (answers.py)."""\n\n'
        "from . import answers\nfrom .errors import ConfigError\nfrom rlenv.shown import shown\n"
    ),
    "rlenv/answers.py": '"""What a worker says."""\n',
    "rlenv/errors.py": '"""All errors."""\n',
    "rlenv/frozen.py": '"""In no table."""\n',
    "rlenv/policies/load.py": "from ..errors import ConfigError\nfrom .policy import Policy\n",
    "user.py": (
        "from rlenv import Task, shown\n"
        "from rlenv.workers import (\n    Pool,\n)\n"
        "import rlenv.worker_groups as groups\n"
        "\n"
        'patch("rlenv.workers.Pool", "rlenv.integrations.verifiers", "mine.rlenv.task")\n'
    ),
}
NEW = {
    "pyproject.toml": OLD["pyproject.toml"].replace("rlenv.registry:", "rlenv.env.registry:"),
    "page.md": OLD["page.md"]
    .replace("rlenv.workers.share", "rlenv.workers.pool.share")
    .replace("rlenv/workers", "rlenv/workers/pool"),
    "rlenv/workers/pool.py": (
        '"""The pool (protocol.py)."""\n\n'
        "from rlenv.core.errors import ConfigError\nfrom rlenv.text.escaping import shown\n"
        "from rlenv.workers import protocol as answers\n"
    ),
    "rlenv/workers/protocol.py": OLD["rlenv/answers.py"],
    "rlenv/core/errors.py": OLD["rlenv/errors.py"],
    "rlenv/frozen.py": OLD["rlenv/frozen.py"],
    "rlenv/policies/load.py": "from rlenv.core.errors import ConfigError\nfrom rlenv.core.policy import Policy\n",
    "user.py": (
        "import rlenv.workers.worker_process as groups\n"
        "from rlenv import Task\n"
        "from rlenv.text import escaping as shown\n"
        "from rlenv.workers.pool import (\n    Pool,\n)\n"
        "\n"
        'patch("rlenv.workers.pool.Pool", "rlenv.integrations.verifiers", "mine.rlenv.task")\n'
    ),
}
LATER = {
    "late.py": (
        "import rlenv.workers\n"
        "from rlenv.workers import Pool\n"
        "from rlenv.workers import pool, protocol\n"
        "\n"
        "rlenv.workers.pool.share, rlenv.workers.share\n"
    ),
    "rlenv/workers/dispatch.py": "from .protocol import Ticket\n",
}
"""Begun on the old layout or on the new one, and merged after the move."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    written(tmp_path, OLD)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    return tmp_path


def written(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(exist_ok=True, parents=True)
        (root / path).write_text(text)


def applied(root: Path) -> str:
    done = subprocess.run([sys.executable, APPLY, root], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.strip()


def held(root: Path) -> dict[str, str]:
    files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts[0]]
    return {path.relative_to(root).as_posix(): path.read_text() for path in files}


def test_modules_and_their_names_move(checkout: Path) -> None:
    assert applied(checkout) == "3 modules moved, 5 files rewritten"
    after = held(checkout)
    made = {path: after.pop(path) for path in ("rlenv/core/__init__.py", "rlenv/workers/__init__.py")}
    assert all(text.startswith('"""') for text in made.values())
    assert after == NEW


def test_a_second_run_changes_nothing(checkout: Path) -> None:
    applied(checkout)
    after = held(checkout)
    assert applied(checkout) == "0 modules moved, 0 files rewritten"
    assert held(checkout) == after


def test_what_is_merged_later_follows(checkout: Path) -> None:
    applied(checkout)
    written(checkout, LATER)
    assert applied(checkout) == "0 modules moved, 1 files rewritten"
    after = held(checkout)
    assert after["rlenv/workers/dispatch.py"] == LATER["rlenv/workers/dispatch.py"]
    assert after["late.py"] == (
        "import rlenv.workers\n"
        "from rlenv.workers import pool, protocol\n"
        "from rlenv.workers.pool import Pool\n"
        "\n"
        "rlenv.workers.pool.share, rlenv.workers.pool.share\n"
    )


def test_a_module_at_both_places_is_refused(checkout: Path) -> None:
    written(checkout, {"rlenv/core/errors.py": ""})
    before = held(checkout)
    assert applied(checkout) == "moves: there at the old and at the new place, keep one of each: rlenv.errors"
    assert held(checkout) == before
