"""Writes the package of a new environment from the files in `template/`.

>>> names_of("my-env")
Names(name='my-env', package='my_env', id='my-env/backwards-v0')
"""

from __future__ import annotations

import keyword
import re
import sys
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

from rlenv.core.errors import ConfigError

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")  # my-env, words2, long_division
TARGETS = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "$package/__init__.py": "init.py.txt",
    "$package/tasks.jsonl": "tasks.jsonl.txt",
    "tests/test_$package.py": "test.py.txt",
    "train_with_trl.py": "train_with_trl.py.txt",
    ".github/workflows/test.yml": "test.yml.txt",
    ".gitignore": "gitignore.txt",
}
"""What is written, and the template that it is made of."""


class Names(NamedTuple):
    """How the new package is called where."""

    name: str
    """Of the distribution and its folder."""
    package: str
    """Of the import."""
    id: str
    """Of the environment."""

    @property
    def entry_point(self) -> str:
        """The id as an entry point is named, whose names have no slash."""
        return self.id.replace("/", ".", 1)


def names_of(name: str) -> Names:
    """The names that follow from that of the package. Raises ConfigError for one that cannot be a package's."""
    package = name.replace("-", "_")
    if not _NAME.fullmatch(name):
        raise ConfigError(f"expected a name of small letters, digits and hyphens, such as my-env, got {name!r}")
    if keyword.iskeyword(package) or package in sys.stdlib_module_names or package == "rlenv":
        raise ConfigError(f"{name!r} is a name of Python's or ours; give another, such as {name}-env")
    return Names(name, package, f"{name}/backwards-v0")


def new_package(name: str, parent: Path) -> list[Path]:
    """Write the package `name` into a folder of that name below `parent`; returns the files, in order.

    Raises ConfigError for a name that cannot be a package's and a folder that holds something.
    """
    names = names_of(name)
    folder = parent / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} is there already and not empty; give another name, or --in another folder")
    values = {**names._asdict(), "entry_point": names.entry_point}
    written = []
    for target, template in TARGETS.items():
        path = folder / Template(target).substitute(values)
        path.parent.mkdir(parents=True, exist_ok=True)
        source = files("rlenv.scaffold").joinpath("template", template).read_text(encoding="utf-8")
        path.write_text(Template(source).substitute(values), encoding="utf-8")
        written.append(path)
    return written
