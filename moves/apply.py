"""Moves modules to their new places, and writes their new names wherever the old ones stand.

    python3 moves/apply.py [CHECKOUT]

`rlenv/moved.tsv` says what moves where (rlenv answers old names by the same table: `rlenv/_moved.py`), `packages.tsv`
what a new folder is. Dotted names, imports and paths are rewritten in Python, pages, TOML, YAML and whatever else git
knows as text; then ruff sorts the imports and wraps the lines of the Python files that changed, as the style asks. No
other line is touched, a module that is not there is passed over, and a second run changes nothing.

Work begun on the old layout follows by one command, when all is committed (`follow.sh` says what it does):

    bash <(git show main:moves/follow.sh)
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOMS = ("envs", "trainers", "sandbox")
WIDTH = 120
OF_OLD_NAMES = re.compile(r"moves/|rlenv/_?moved\.|tests/rlenv/test_moved|tests/test_moves|tests/data/public_imports")
"""Files that are about the old names themselves."""
NAMES = r"\w+(?: as \w+)?(?:, ?\w+(?: as \w+)?)*|\([\w,\s]*\)"
"""What is imported: `Task, registry as r`, or in parentheses over several lines."""
DOTTED = re.compile(r"(?<![\w.])rlenv(?:\.\w+)+")  # rlenv.workers.share
FROM_RLENV = re.compile(  # >>> from rlenv import registry, Task
    rf"(?P<lead>^[ \t]*(?:(?:>>>|\.\.\.) )?)?from rlenv import (?P<names>{NAMES})", re.MULTILINE
)
RELATIVE = re.compile(  # from .task import Task
    rf"^(?P<lead>[ \t]*from )(?P<dots>\.+)(?P<rest>[\w.]*) import (?P<names>{NAMES})", re.MULTILINE
)


def rows(table: Path) -> dict[str, str]:
    """The lines of a table of two columns, without its head."""
    return dict(line.split("\t") for line in table.read_text("utf-8").splitlines()[1:])


def path_of(module: str) -> str:
    """Where a module lies below the root: rlenv.envs.splits is envs/splits.py."""
    parts = module.split(".")
    return "/".join(parts[1:] if parts[1] in ROOMS else parts) + ".py"


def module_of(path: str) -> str:
    """The module of a file of the four rooms."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts if parts[0] == "rlenv" else ["rlenv", *parts])


def named(names: str) -> list[tuple[str, str]]:
    """What an import asks for, each with the name that it gets: "a, b as c" is [("a", "a"), ("b", "c")]."""
    split = [name.split() for name in names.strip("()").split(",")]
    return [(words[0], words[-1]) for words in split if words]


class Renaming:
    """Old names as new ones, in the text of files.

    A module may have become the package of its name (rlenv.workers is now rlenv.workers.pool). Where it was a module
    until now (`moving`), every mention means the module; later one means the package, or the module where it asks for a
    name that only the module has.
    """

    def __init__(self, moved: dict[str, str], moving: set[str]) -> None:
        self.moved = moved
        self.packages = {old for old, new in moved.items() if new.startswith(f"{old}.")} - moving
        self.paths = {path_of(old): path_of(new) for old, new in moved.items()}
        self.before = {path_of(moved[old]): path_of(old) for old in moving}
        names = {Path(old).name: Path(new).name for old, new in self.paths.items()}
        self.file_names = {old: new for old, new in names.items() if old != new}
        self.path = re.compile(rf"(?<!tests/)(?<![\w-])({_any(self.paths)})\b")  # rlenv/workers.py
        self.file_name = re.compile(rf"(?<![\w/.-])({_any(self.file_names)})\b")  # answers.py
        # from rlenv.workers import Pool
        self.from_package = re.compile(rf"from ({_any(self.packages)}) import ({NAMES})")

    def of(self, text: str, path: str) -> str:
        """The text of the file that is now at this path."""
        if path.endswith(".py") and path.split("/")[0] in ("rlenv", *ROOMS):
            text = RELATIVE.sub(lambda found: self._absolute(found, path), text)
        if path in self.before:
            text = self.file_name.sub(lambda found: self.file_names[found[1]], text)
        text = self.from_package.sub(self._from_package, text)
        text = DOTTED.sub(self._dotted, text)
        text = FROM_RLENV.sub(self._from_rlenv, text)
        return self.path.sub(lambda found: self.paths[found[1]], text)

    def _dotted(self, found: re.Match[str]) -> str:
        parts = found[0].split(".")
        for length in range(len(parts), 1, -1):
            old, rest = ".".join(parts[:length]), parts[length:]
            if old in self.moved and not (old in self.packages and set(rest[:1]) <= self._modules_in(old)):
                return ".".join([self.moved[old], *rest])
        return found[0]

    def _from_package(self, found: re.Match[str]) -> str:
        asked = {name for name, _ in named(found[2])}
        kept = asked <= self._modules_in(found[1])
        return found[0] if kept else f"from {self.moved[found[1]]} import {found[2]}"

    def _modules_in(self, package: str) -> set[str]:
        return {new.rpartition(".")[2] for new in self.moved.values() if new.rpartition(".")[0] == package}

    def _from_rlenv(self, found: re.Match[str]) -> str:
        """`from rlenv import registry, Task` as two lines; what was imported keeps its name here."""
        kept, lines = [], []
        for name, alias in named(found["names"]):
            old = f"rlenv.{name}"
            if old in self.moved and old not in self.packages:
                package, _, module = self.moved[old].rpartition(".")
                lines.append(f"from {package} import {module}" + (f" as {alias}" if alias != module else ""))
            else:
                kept.append(name if alias == name else f"{name} as {alias}")
        if not lines:
            return found[0]
        if kept:
            lines.insert(0, f"from rlenv import {', '.join(kept)}")
        return "; ".join(lines) if found["lead"] is None else "\n".join(found["lead"] + line for line in lines)

    def _absolute(self, found: re.Match[str], path: str) -> str:
        above = module_of(self.before.get(path, path)).split(".")[: -len(found["dots"])]
        base = ".".join([*above, *([found["rest"]] if found["rest"] else [])])
        asked = {base, *(f"{base}.{name}" for name, _ in named(found["names"]))}
        stays = path not in self.before and not asked & set(self.moved)
        return found[0] if stays else f"{found['lead']}{base} import {found['names']}"


def _any(names: set[str] | dict[str, str]) -> str:
    return "|".join(map(re.escape, names)) or "(?!)"


def move(root: Path, moved: dict[str, str], packages: dict[str, str]) -> set[str]:
    """Move the files that are still where they were; which modules."""
    moving = {old for old in moved if (root / path_of(old)).exists()}
    if both := [old for old in sorted(moving) if (root / path_of(moved[old])).exists()]:
        raise SystemExit(f"moves: there at the old and at the new place, keep one of each: {', '.join(both)}")
    for old in sorted(moving):
        (root / path_of(moved[old])).parent.mkdir(exist_ok=True)
        git(root, "mv", path_of(old), path_of(moved[old]))
    for package, docstring in packages.items():
        init = root / path_of(package).removesuffix(".py") / "__init__.py"
        if init.parent.is_dir() and not init.exists():
            init.write_text(f'"""{docstring}"""\n', "utf-8")
            git(root, "add", str(init))
    return moving


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """Path and text of every file that git has here or would take."""
    for path in git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        file = root / path
        if not path or file.is_symlink() or not file.is_file() or OF_OLD_NAMES.match(path):
            continue
        try:
            yield path, file.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue


def style(root: Path, ruff: str, files: list[str]) -> None:
    """Sort the imports of these files and wrap their lines."""
    subprocess.run([ruff, "check", "--no-cache", "--quiet", "--select", "I", "--fix", *files], cwd=root, check=True)
    subprocess.run([ruff, "format", "--no-cache", "--quiet", *files], cwd=root, check=True)
    for file in files:
        text = (root / file).read_text("utf-8")
        if any(len(line) > WIDTH for line in text.splitlines()):
            (root / file).write_text(flowed(text), "utf-8")


def flowed(text: str) -> str:
    """A Python file whose docstrings hand the last words of a line that is too long to the next line."""
    lines = text.split("\n")
    strings = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type == tokenize.STRING]
    for one in reversed(strings):
        at, last = one.start[0] - 1, one.end[0] - 1
        while at <= last and re.match(r' *r?"""', lines[one.start[0] - 1]):
            indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
            cut = lines[at].rfind(" ", len(indent), WIDTH + 1)
            if len(lines[at]) > WIDTH and cut > 0:
                lines[at], words = lines[at][:cut], lines[at][cut + 1 :]
                if at < last and re.match(rf"{indent}\w", lines[at + 1]):
                    lines[at + 1] = f"{indent}{words} {lines[at + 1].lstrip()}"
                else:
                    lines.insert(at + 1, indent + words)
                    last += 1
            at += 1
    return "\n".join(lines)


def git(root: Path, *command: str) -> str:
    """What git prints."""
    return subprocess.run(["git", *command], cwd=root, check=True, capture_output=True, encoding="utf-8").stdout


def apply(root: Path) -> None:
    """Move and rename in this checkout."""
    folders = [str(root / ".venv" / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    ruff = shutil.which("ruff", path=os.pathsep.join(folders))
    if ruff is None:
        raise SystemExit("moves: expected ruff in .venv/bin or on the path; nothing is changed")
    moved = rows(HERE.parent / "rlenv" / "moved.tsv")
    moving = move(root, moved, rows(HERE / "packages.tsv"))
    renaming = Renaming(moved, moving)
    changed = [(path, new) for path, text in texts(root) if (new := renaming.of(text, path)) != text]
    for path, new in changed:
        (root / path).write_bytes(new.encode("utf-8"))
    if python := [path for path, _ in changed if path.endswith(".py")]:
        style(root, ruff, python)
    print(f"{len(moving)} modules moved, {len(changed)} files rewritten")


if __name__ == "__main__":
    apply(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE.parent)
