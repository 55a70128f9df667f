"""The page of a check of a judge: one HTML file with the viewer's look, no script, and no request to any host."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from rlenv.core.notebook import escaped
from rlenv.judges.check import Checked, Measure
from rlenv.store.files import replace_text

WIDTH, HEIGHT = 320, 18
"""Of one interval's picture, in pixels."""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>{style}</style></head><body><main>
<h1>{title}</h1>
<p>{line}</p>
{sections}
</main></body></html>
"""


def write_page(path: Path, checked: Checked) -> None:
    """Write the figures of one judge as a page. Raises OSError where the file cannot be written."""
    style = (files("rlenv.view") / "page" / "page.css").read_text("utf-8")
    line = f"{checked.rows:,} rows with labels, {checked.failed:,} without a verdict; kappa {checked.kappa:.3f}, "
    line += f"the more frequent label alone agrees with {checked.base_rate:.3f}. Bars are 95 % intervals."
    sections = [
        _section("Agreement with the labels", [("agreement", checked.agreement, "1 is best")], 0.0, 1.0),
        _section(
            "What moves it beside the answer",
            ((name, one, _verdict(name, one)) for name, one in checked.biases.items()),
        ),
        _section(
            "What an exploit adds to a worse answer",
            ((name, one, _paid(checked, name, one)) for name, one in checked.exploits.items()),
        ),
    ]
    title = escaped(f"The judge {checked.judge}")
    replace_text(path, _PAGE.format(title=title, style=style, line=escaped(line), sections="\n".join(sections)))


def _section(title: str, rows: Iterable[tuple[str, Measure, str]], low: float = -1.0, high: float = 1.0) -> str:
    """A table of figures, each with its interval between `low` and `high`."""
    made = [
        f"<tr><td>{escaped(name)}</td><td>{one.value:+.3f}</td><td>{_bar(one, low, high)}</td>"
        f"<td>[{one.low:+.3f}, {one.high:+.3f}]</td><td>{one.rows:,}</td><td>{escaped(said)}</td></tr>"
        for name, one, said in rows
    ]
    head = "<tr><th>figure</th><th>value</th><th></th><th>95 % interval</th><th>rows</th><th></th></tr>"
    return f"<section><h2>{escaped(title)}</h2><table>{head}{''.join(made)}</table></section>" if made else ""


def _bar(one: Measure, low: float, high: float) -> str:
    """The interval as a line, its value as a dot, and 0 as a stroke."""

    def x(value: float) -> float:
        return round(WIDTH * (min(max(value, low), high) - low) / (high - low), 1)

    middle = HEIGHT / 2
    colour = "var(--bad)" if one.beside_zero and low < 0 else "var(--c0)"
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img">'
        f'<line x1="{x(0)}" x2="{x(0)}" y1="0" y2="{HEIGHT}" stroke="var(--line)"/>'
        f'<line x1="{x(one.low)}" x2="{x(one.high)}" y1="{middle}" y2="{middle}" stroke="{colour}" stroke-width="3"/>'
        f'<circle cx="{x(one.value)}" cy="{middle}" r="4" fill="{colour}"/></svg>'
    )


def _verdict(name: str, one: Measure) -> str:
    if name == "itself":
        return "the share of equal answers when asked again"
    return "moves this judge" if one.beside_zero else "not seen to move it"


def _paid(checked: Checked, name: str, one: Measure) -> str:
    paid = f"; {checked.paid[name]:.0%} of such answers paid" if name in checked.paid else ""
    return _verdict(name, one) + paid
