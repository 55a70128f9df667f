"""Reads rows with SWE-bench's fields: a repository at one commit, a problem, and tests that a mend has to pass.

{"instance_id": "me__sums-1", "repository": "sums.tar.gz", "base_commit": "3f0c1d", "problem_statement": "mean() fails",
 "patch": "diff --git ...", "test_patch": "diff --git ...", "FAIL_TO_PASS": ["tests/test_sums.py::test_mean"],
 "PASS_TO_PASS": []}

A row becomes a task as a folder is one. Its image is the one that it names (`image`), with the repository in `workdir`
(/testbed) or put there from `repository`: a folder or a tar beside the rows. The image's repository is made anew of
that one commit: no other object is in it. Its tests are put back, run by pytest, and read one by one from JUnit's file.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import posixpath
import shlex
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import cast

from rlenv.core.errors import TaskError
from rlenv.core.jsontypes import Json, canonical
from rlenv.door.files import leads_within
from rlenv.door.reading import json_objects
from rlenv.envs.containers.reader import SCRIPT, SOLVE, Folder, Phase, read_folders

IMAGE, WORKDIR = "python:3.12-slim", "/testbed"
"""Of a row that says nothing."""
AGENT_S, VERIFIER_S = 3_600.0, 1_800.0
PATCH, NAMES, MORE = "test.patch", "names.json", "more/test_more.py"
"""Beside test.sh: the row's tests, those that are asked for, and what is written at the end of each file of tests."""
TARS = (".tar", ".tar.gz", ".tgz")
STRIP = (
    "if [ -e .git ]; then git checkout -q -f {commit} && git clean -qfd; fi",
    "find . -name .git -prune -exec rm -rf '{{}}' +",
    "git init -q",
    "git add -A",
    "git -c user.name=rlenv -c user.email=rlenv@localhost commit -q --allow-empty -m base",
)
"""A repository of one commit; what git ignores stays where it is, and is not in it."""


def read_tasks(path: Path) -> list[Folder]:
    """The tasks of a folder in Harbor's format, of a folder of such, or of a file of rows. Raises TaskError."""
    return read_rows(path) if path.is_file() else read_folders(path)


def read_rows(path: Path) -> list[Folder]:
    """The tasks of a JSONL file, in its order. Raises TaskError for a row that lacks or asks for something."""
    place = Path(tempfile.mkdtemp(prefix="rlenv-rows-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    found = [_Row(path, row).folder(place / str(number)) for number, row in enumerate(json_objects(path))]
    if not found:
        raise TaskError(f"{path}: expected a row with SWE-bench's fields in each line, got none")
    return found


class _Row:
    """The values of one row, each checked as it is taken."""

    def __init__(self, source: Path, row: Mapping[str, Json]) -> None:
        self.source, self.row = source, row
        self.name = "a row"
        self.name = self.text("instance_id")

    def text(self, key: str, default: str | None = None) -> str:
        found = self.row.get(key, default)
        if isinstance(found, str) and found.strip():
            return found
        raise TaskError(f"{self.source}: expected {key} of {self.name:.80} to be a text, got {found!r:.80}")

    def word(self, key: str, default: str | None = None) -> str:
        """A text that stands in a Dockerfile or a command."""
        found = self.text(key, default)
        if set(found) - _WORD or found.startswith("-"):
            raise TaskError(f"{self.source}: expected {key} of {self.name:.80} to be one plain word, got {found!r:.80}")
        return found

    def tests(self, key: str) -> list[str]:
        """Ids of tests as pytest has them; a list, or the JSON text of one."""
        found = self.row.get(key, [])
        try:
            found = json.loads(found) if isinstance(found, str) else found
        except ValueError:
            found = None
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise TaskError(f"{self.source}: expected {key} of {self.name:.80} to be a list of tests")
        for test in cast("list[str]", found):
            path, sign, _ = test.partition("::")
            if not (sign and path.endswith(".py")) or path.startswith(("/", "-")) or ".." in path.split("/"):
                raise TaskError(
                    f"{self.name:.80}: expected tests as path.py::name, as pytest has them, got {test!r:.80}"
                )
        return cast("list[str]", found)

    def folder(self, place: Path) -> Folder:
        """The row as a task; what its image is built of is written to `place`."""
        to_pass, to_keep = self.tests("FAIL_TO_PASS"), self.tests("PASS_TO_PASS")
        patch, test_patch = self.text("patch"), self.text("test_patch")
        if not to_pass:
            raise TaskError(
                f"{self.source}: expected a test in FAIL_TO_PASS of {self.name:.80}: else nothing is asked for"
            )
        workdir = posixpath.normpath(self.word("workdir", WORKDIR))
        digest = hashlib.sha256(canonical(dict(self.row)).encode())
        self._environment(place / "environment", workdir, digest)
        names = {"FAIL_TO_PASS": to_pass, "PASS_TO_PASS": to_keep}
        run = sorted({test.partition("::")[0] for test in (*to_pass, *to_keep)})
        return Folder(
            path=place,
            name=self.name,
            instruction=f"The repository is in {workdir}. Mend it there; its tests are not to be changed.\n\n"
            + self.text("problem_statement"),
            digest=digest.hexdigest(),
            agent=Phase(AGENT_S),
            verifier=Phase(VERIFIER_S),
            wants_network=False,
            image=None,
            has_dockerfile=True,
            separate=False,
            verifier_image=None,
            build_timeout_s=600,
            cpus=1,
            memory_mb=4096,
            storage_mb=10_240,
            env={},
            workdir=workdir,
            solution_env={},
            artifacts=(),
            tests={
                SCRIPT: _script(workdir, run, _put_back(patch, test_patch)),
                PATCH: _ended(test_patch),
                NAMES: json.dumps(names).encode(),
                MORE: b"def test_more():\n    pass\n",
                "read_junit.py": (files("rlenv.envs.containers") / "read_junit.py").read_bytes(),
            },
            solution={SOLVE: _solve(workdir, patch)},
        )

    def _environment(self, place: Path, workdir: str, digest: hashlib._Hash) -> None:
        place.mkdir(parents=True)
        lines = [f"FROM {self.word('image', IMAGE)}"]
        if "repository" in self.row:
            given = self.text("repository")
            path = self.source.parent / given
            if not leads_within(self.source.parent, given) or not path.exists():
                raise TaskError(
                    f"{self.name:.80}: expected repository to be a folder or tar beside the rows, got {given!r:.80}"
                )
            if path.is_dir():
                shutil.copytree(path, place / "repository", symlinks=True)
                lines.append(f"COPY repository {workdir}")
            elif given.endswith(TARS):
                shutil.copyfile(path, place / "repository.tar")
                lines.append(f"ADD repository.tar {workdir}/")
            else:
                raise TaskError(f"{self.name:.80}: expected repository as a folder or one of {', '.join(TARS)}")
            _add(digest, place)
        strip = " && ".join(STRIP).format(commit=self.word("base_commit"))
        (place / "Dockerfile").write_text("\n".join([*lines, f"WORKDIR {workdir}", f"RUN {strip}", ""]), "utf-8")


_WORD = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@")


def _add(digest: hashlib._Hash, folder: Path) -> None:
    """All that is in a folder of ours."""
    for path in sorted(folder.rglob("*")):
        said = os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b""
        digest.update(f"{path.relative_to(folder)}\0{path.lstat().st_mode}\0{len(said)}\0".encode() + said)


def _put_back(patch: str, test_patch: str) -> list[str]:
    """The files of tests, and the folders of them in which the solution changes nothing."""
    tests, solved = _paths(test_patch), {parent for path in _paths(patch) for parent in _parents(path)}
    return sorted({*tests, *(parent for path in tests if (parent := posixpath.dirname(path)) and parent not in solved)})


def _paths(patch: str) -> list[str]:
    """The files that a patch of git changes, makes or removes."""
    heads = (line.split("\t")[0].rstrip() for line in patch.splitlines() if line.startswith(("--- ", "+++ ")))
    return sorted({head[6:] for head in heads if head[4:6] in ("a/", "b/")})


def _parents(path: str) -> Sequence[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _script(workdir: str, run: Sequence[str], put_back: Sequence[str]) -> bytes:
    text = (files("rlenv.envs.containers") / "data" / "repository_test.sh").read_text("utf-8")
    for name, value in {"WORKDIR": [workdir], "RUN": run, "PUT_BACK": put_back}.items():
        text = text.replace(f"@{name}@", " ".join(map(shlex.quote, value)))
    return text.encode()


def _solve(workdir: str, patch: str) -> bytes:
    """The row's patch as one script."""
    end = f"RLENV_{hashlib.sha256(patch.encode()).hexdigest()[:16]}"
    return f"#!/bin/bash\ncd {workdir} && git apply - <<'{end}'\n".encode() + _ended(patch) + f"{end}\n".encode()


def _ended(patch: str) -> bytes:
    return (patch if patch.endswith("\n") else patch + "\n").encode()
