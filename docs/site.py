"""What the site adds to the pages of this folder: the README as its first page, and the reference from docstrings.

A hook of MkDocs (mkdocs.yml names it). The build fails when a name that one of these packages makes public is missing.
"""

from __future__ import annotations

import ast
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

REFERENCE = {
    "rlenv": ("rlenv",),
    "rlenv.testing": ("rlenv.testing",),
    "rlenv.turns": ("rlenv.core.interaction", "rlenv.core.turn", "rlenv.turns.tools", "rlenv.turns.tools"),
    "rlenv.policies": ("rlenv.policies",),
    "rlenv.scorers": ("rlenv.scorers",),
    "rlenv.wrappers": ("rlenv.wrappers",),
    "rlenv.audit": ("rlenv.audit", "rlenv.audit.audit", "rlenv.audit.certificate", "rlenv.audit.sarif"),
    "rlenv.comparison": ("rlenv.comparison", "rlenv.comparison.difference"),
    "rlenv.hackbench": ("rlenv.hackbench",),
    "rlenv.logs": ("rlenv.logs",),
    "rlenv.view": ("rlenv.view",),
    "rlenv.integrations": tuple(
        f"rlenv.integrations.{name}"
        for name in (
            *("trl", "verl", "openrlhf", "openrlhf_agent", "tinker", "nemo_gym", "verifiers", "inspect_task"),
            *("lm_eval", "openenv_server", "gem_out", "reasoning_gym"),
        )
    ),
    "rlenv.foreign": tuple(f"rlenv.foreign.{name}" for name in ("gem", "inspect", "openenv", "verifiers")),
    "rlenv.cluster": ("rlenv.cluster.client", "rlenv.cluster.pool"),
    "rlenv.trainers": ("rlenv.trainers",),
    "rlenv.trainers.monitors": ("rlenv.trainers.monitors",),
    "rlenv.envs.math": ("rlenv.envs.math",),
    "rlenv.sandbox": ("rlenv.sandbox",),
}
"""Page of the reference to the modules on it."""


def page_of(name: str) -> str:
    """The Markdown of a page of the reference."""
    return "\n\n".join([f"# {name}", *(f"::: {module}" for module in REFERENCE[name]), ""])


def on_config(config: Any) -> None:  # the types belong to MkDocs, which is not installed with the tests
    """Put the reference behind the pages."""
    config.nav.append({"Reference": [{name: f"reference/{name}.md"} for name in REFERENCE]})


def on_files(files: Any, config: Any) -> None:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    readme = (ROOT / "README.md").read_text("utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "index.md", content=readme))
    for name in REFERENCE:
        files.append(File.generated(config, f"reference/{name}.md", content=page_of(name)))


def on_post_build(config: Any) -> None:
    """Raise for a public name without its place in the reference."""
    inventory = (Path(config.site_dir) / "objects.inv").read_bytes().split(b"zlib.\n", 1)[1]
    there = {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}
    missing = {f"{module}.{name}" for modules in REFERENCE.values() for module in modules for name in public(module)}
    if missing := missing - there:
        raise SystemExit(f"not in the reference: {', '.join(sorted(missing))}")


def public(module: str) -> list[str]:
    """The names in `__all__` of a package; none for a module without."""
    path = ROOT / module.replace(".", "/") / "__init__.py"
    tree = ast.parse(path.read_text("utf-8")) if path.exists() else ast.Module([], [])
    lists = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    return [name for given in lists for name in ast.literal_eval(given)]
