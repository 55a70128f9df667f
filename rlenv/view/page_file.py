"""The page: one HTML file with its script, its style and the runs inside. It asks no host for anything.

What runs hold reaches the page as compressed base64 alone, which cannot close a tag; the script shows it as text alone.
Should either ever slip, the content security policy lets no other script run and no request leave.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from string import Template

from rlenv.core.jsontypes import Json
from rlenv.store.files import replace_text
from rlenv.view.packing import encoded, packed
from rlenv.view.viewed import ViewedRun

PAGE = "report.html"
"""The page of a run, in its folder."""
MAX_BYTES = 20_000_000
"""Texts of more than this are sampled, unless all were asked for."""
SCRIPTS = (
    *("dom", "store", "route", "filter", "marks", "completion", "charts", "curves", "tables"),
    *("run", "step", "group", "compare", "bar", "keys", "main"),
)
STYLES = ("vendor/uPlot.min.css", "page.css")


def write_page(path: Path, runs: Iterable[ViewedRun], *, max_bytes: int | None = MAX_BYTES) -> None:
    """Write the page of one run or of two side by side; texts beyond `max_bytes` are sampled, None keeps all."""
    replace_text(path, html(runs, max_bytes=max_bytes))


def write_after(folder: Path, run: Callable[[], ViewedRun]) -> str:
    """Write the page of a run that has ended; returns what to tell. A failure is told, and takes nothing else along."""
    try:
        write_page(folder / PAGE, [run()])
    except Exception as error:
        return f"no page of the run ({type(error).__name__}: {error}); rlenv view {folder} writes it"
    return f"page:   {folder / PAGE}"


def html(runs: Iterable[ViewedRun], *, max_bytes: int | None = MAX_BYTES, live_s: float = 0.0) -> str:
    """The page. With `live_s` it asks its own server for a newer one every so many seconds."""
    page = files("rlenv.view") / "page"
    style = "\n".join((page / name).read_text("utf-8") for name in STYLES)
    scripts = [(page / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
    vendored = (page / "vendor" / "uPlot.iife.min.js").read_text("utf-8")
    script = "\n".join(["(() => {", '"use strict";', vendored, *scripts, "})();"])
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'" + ("; connect-src 'self'" if live_s else "")
    )
    template = Template((page / "page.html").read_text("utf-8"))
    return template.substitute(policy=policy, style=style, script=script, data=_data(runs, max_bytes, live_s))


def _data(runs: Iterable[ViewedRun], max_bytes: int | None, live_s: float) -> str:
    made = packed(runs, max_bytes)
    heads: list[Json] = [run.head() for run in made]
    lines = [_block("head", encoded({"live_s": live_s, "runs": heads}))]
    for place, run in enumerate(made):
        lines += [_block(f"{place}-{i}", base64.b64encode(block).decode()) for i, block in enumerate(run.blocks)]
    return "\n".join(lines)


def _block(name: str, data: str) -> str:
    """A script element that no browser runs: its type is none of a script."""
    return f'<script type="application/octet-stream" id="data-{name}">{data}</script>'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
