"""`rlenv serve` as a process of its own, with the environments of all cases."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformity import ENDS, SOURCES, search_path


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[str]:
    """Its address, `http://127.0.0.1:PORT`. `folder` is empty, `words` are further words of the command."""
    keywords = [f"--set={env}:{key}={value}" for env, given, _ in SOURCES for key, value in given.items()]
    envs = [env for env, _, _ in SOURCES]
    command = [sys.executable, "-m", "rlenv", "serve", *envs, *keywords, *words, "--port", "0"]
    settings = {**os.environ, "NO_PROXY": "*", "PYTHONPATH": search_path(folder)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=settings) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            assert ENDS in said
            yield said.partition(" at ")[2].split()[0]
        finally:
            process.kill()
