"""Writes what README, docs, examples and recipes of a revision print as an import of rlenv: page, module, name.

python3 moves/public_imports.py 4a06c01 > tests/data/public_imports_4a06c01.tsv
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

PAGES = ("README.md", "docs", "examples", "recipes")
IMPORT = re.compile(  # from rlenv.passk import mean_interval, pass_at_k; import rlenv.envs
    r"from (rlenv(?:\.\w+)*) import (\([^()]*\)|[\w, ]+)|import (rlenv(?:\.\w+)+)"
)


def imports(text: str) -> Iterator[tuple[str, str]]:
    """Module and name of each import; no name where the module itself is imported."""
    for module, names, alone in IMPORT.findall(text):
        if alone:
            yield alone, ""
        for name in re.findall(r"(\w+)(?: as \w+)?", names):
            yield module, name


def printed(revision: str) -> list[tuple[str, str, str]]:
    """Page, module and name, sorted."""
    listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", revision, *PAGES], check=True, capture_output=True)
    found = set()
    for page in listed.stdout.decode().splitlines():
        if page.endswith((".md", ".py")):
            shown = subprocess.run(["git", "show", f"{revision}:{page}"], check=True, capture_output=True)
            found |= {(page, module, name) for module, name in imports(shown.stdout.decode())}
    return sorted(found)


if __name__ == "__main__":
    print("page\tmodule\tname", *("\t".join(row) for row in printed(sys.argv[1])), sep="\n")
