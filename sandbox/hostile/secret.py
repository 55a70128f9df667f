"""What must not leak: one random text, put on the host and into an earlier program of every cell."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rlenv.sandbox.hostile.case import HOST_FILE
from rlenv.sandbox.hostile.catalogue import part
from rlenv.sandbox.program import Call, Limits, Program

VARIABLE = "RLENV_HOSTILE_SECRET"
MARK = "@SECRET@"
"""Stands in the program `bearer` for the text."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The text, and the file of the host that holds it."""

    text: bytes
    host_file: str

    def aim(self, program: Program) -> Program:
        """The program with the path of the host's file in the place of its mark."""
        if HOST_FILE not in program.code:
            return program
        aimed = program.code.replace(HOST_FILE, self.host_file)
        return Program(aimed, stdin=program.stdin, calls=program.calls, files=program.files)

    def bearer(self) -> Program:
        """A program that has the secret in its source, input, arguments, files and environment, and leaves it there."""
        text = self.text.decode()
        code = part("bearer").replace(MARK, text)
        return Program(code, stdin=self.text, calls=(Call("keep", (text,)),), files={"secret.txt": self.text})


BEARER_LIMITS = Limits(wall_s=10.0, memory_mb=256)


@contextmanager
def planted() -> Iterator[Secret]:
    """Put a new secret into a file that everyone on the host may read and into this process's environment."""
    text = f"rlenv-secret-{secrets.token_hex(16)}"
    folder = Path(tempfile.mkdtemp(prefix="rlenv-hostile-"))
    folder.chmod(0o755)
    (folder / "secret").write_text(text)
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = text
    try:
        yield Secret(text.encode(), str(folder / "secret"))
    finally:
        shutil.rmtree(folder)
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
