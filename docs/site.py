"""What the site adds to the pages of this folder: the README as its first page, and the reference from docstrings.

A hook of MkDocs (mkdocs.yml names it). The build fails when a name that one of these packages makes public is missing.
"""

from __future__ import annotations

import ast
import csv
import re
import tomllib
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
            *("lm_eval", "harbor", "openenv_server", "gem_out", "reasoning_gym"),
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

DATA = re.compile(r"^\[[^\]]+\]\((?:\.\./)+([\w./-]+\.(?:tsv|toml))\)$", re.MULTILINE)
"""A link to data, alone on its line: "[gains of every row](../benchmarks/results/algorithms.tsv)"."""


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


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the data that a page links to, alone on a line, in the place of the link."""
    return DATA.sub(lambda link: rendered(ROOT / link[1]), markdown)


def rendered(path: Path) -> str:
    """A table of a .tsv file; of a .toml file of algorithms a heading, the objective and the note of each."""
    if path.suffix == ".tsv":
        with path.open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows])
    told = tomllib.loads(path.read_text("utf-8"))
    return "\n\n".join(
        f"### {name}\n\n```text\n{of['objective'].strip()}\n```\n\n{of['note'].strip()}" for name, of in told.items()
    )


def on_post_build(config: Any) -> None:
    """Write llms.txt, and raise for a public name without its place in the reference."""
    text = llms_text(config.site_description, config.nav, config.site_url or "")
    (Path(config.site_dir) / "llms.txt").write_text(text, "utf-8")
    inventory = (Path(config.site_dir) / "objects.inv").read_bytes().split(b"zlib.\n", 1)[1]
    there = {line.split()[0] for line in zlib.decompress(inventory).decode().splitlines()}
    missing = {f"{module}.{name}" for modules in REFERENCE.values() for module in modules for name in public(module)}
    if missing := missing - there:
        raise SystemExit(f"not in the reference: {', '.join(sorted(missing))}")


def llms_text(about: str, nav: list[Any], address: str) -> str:
    """The pages of the navigation with their first sentences, for readers that are programs (https://llmstxt.org)."""
    lines = ["# rlenv", "", f"> {about}", ""]
    for part in nav:
        for title, pages in part.items():
            lines += [f"## {title}", "", *(_entry(page, address) for page in _pages(pages)), ""]
    return "\n".join(lines)


def _pages(nested: list[Any]) -> list[str]:
    """The files of a part of the navigation that are written by hand."""
    files = [item if isinstance(item, str) else next(iter(item.values())) for item in nested]
    flat = [page for file in files for page in ([file] if isinstance(file, str) else _pages(file))]
    return [page for page in flat if not page.startswith("reference/")]


def _entry(page: str, address: str) -> str:
    source = ROOT / "README.md" if page == "index.md" else ROOT / "docs" / page
    title, *blocks = source.read_text("utf-8").split("\n\n")
    said = next((" ".join(block.split()) for block in blocks if block[:1].isalpha()), "")
    link = f"{address}{page.replace('README.md', 'index.md').removesuffix('.md')}.html"
    return f"- [{title.splitlines()[0].removeprefix('# ')}]({link}): {said.partition('. ')[0].rstrip('.:')}"


def public(module: str) -> list[str]:
    """The names in `__all__` of a package; none for a module without."""
    path = ROOT / module.replace(".", "/") / "__init__.py"
    tree = ast.parse(path.read_text("utf-8")) if path.exists() else ast.Module([], [])
    lists = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    return [name for given in lists for name in ast.literal_eval(given)]
