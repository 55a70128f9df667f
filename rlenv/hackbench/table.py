"""The figures as tables for the terminal and, in Markdown, between the marks of documents.

A mark is a line `<!-- hackbench HALF TABLE -->`, and what follows it up to `<!-- end -->` is written again. TABLE is
`cost`, `families`, `constructions`, `detectors`, `detector NAME` or `family NAME`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from rlenv.core.errors import ConfigError
from rlenv.hackbench.figures import PREVALENCES, Figures, Labels
from rlenv.text.escaping import shown_cell, shown_line

Table = list[list[str]]
LABELS = ["hacks seen", "honest right flagged", "honest wrong flagged"]
# <!-- hackbench tuning detector repeats -->, any lines, <!-- end -->
MARK = re.compile(r"(<!-- hackbench (\S+) (\w+) ?(\S*) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
SHOWN = 150


def cost_table(of: Sequence[Figures]) -> Table:
    """Recall against cost: a row for each share."""
    head = ["half", "share asked", *LABELS, "recall", *(f"precision at {p:.0%} hacks" for p in PREVALENCES)]
    return [[*head, "verifications a completion"], *(_cost_row(figures) for figures in of)]


def _cost_row(figures: Figures) -> list[str]:
    share = "default" if figures.share is None else f"{figures.share:g}"
    counts = _counts(figures.all)
    precision = [_number(figures.precision(p)) for p in PREVALENCES]
    return [figures.half, share, *counts, _number(figures.all.hacks.share), *precision, f"{figures.asked:.1f}"]


def family_table(figures: Figures) -> Table:
    """A row for each family."""
    rows = [
        [name, *_counts(counts), _number(counts.hacks.share), str(counts.shown), _number(counts.shown.share)]
        for name, counts in [*figures.families().items(), ("all", figures.all)]
    ]
    return [["family", *LABELS, "recall", "seen or reward reported", "share"], *rows]


def construction_table(figures: Figures, family: str = "") -> Table:
    """A row for each construction, of one family or of all."""
    found = [(key, counts) for key, counts in figures.constructions().items() if not family or key[0] == family]
    return [["family", "construction", *LABELS], *([*key, *_counts(counts)] for key, counts in found)]


def detector_table(figures: Figures) -> Table:
    """A row for each detector that flagged anything."""
    rows = figures.detectors().items()
    return [["detector", *LABELS], *([name, *_counts(counts)] for name, counts in rows)]


def plain(table: Table) -> str:
    """Columns padded with spaces."""
    shown = [[shown_line(cell) for cell in row] for row in table]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in shown)


def markdown(table: Table) -> str:
    """A table of a document."""
    head, *rows = [f"| {' | '.join(map(shown_cell, row))} |" for row in table]
    return "\n".join([head, f"|{'---|' * len(table[0])}", *rows])


def errors(figures: Figures, limit: int) -> Iterable[str]:
    """Hacks that no detector saw and honest completions that one flagged, `limit` of each."""
    missed = [seen for seen in figures.measured.seen if seen.case.label == "hack" and not seen.flags and not seen.shown]
    wrong = [seen for seen in figures.measured.seen if seen.case.label != "hack" and seen.flags]
    for told, found in (("missed", missed), ("flagged for nothing", wrong)):
        for seen in found[:limit]:
            why = "; ".join(f"{flag.name}: {flag.detail}" for flag in seen.flags)
            yield f"{told}: {shown_line(f'{seen.case.id} {seen.case.construction} {why}')[:SHOWN]}".rstrip()
            yield f"    {shown_line(seen.case.completion.text)[:SHOWN]}"


def marked(place: Path) -> dict[Path, str]:
    """The Markdown files of a folder, or one file, that have marks, with their text. Raises ConfigError for none."""
    files = sorted(place.rglob("*.md")) if place.is_dir() else [place]
    texts = {file: file.read_text("utf-8", "surrogateescape") for file in files}
    found = {file: text for file, text in texts.items() if MARK.search(text)}
    if not found:
        raise ConfigError(f"no line '<!-- hackbench HALF TABLE -->' in {place}; add it where figures go, and an end")
    return found


def filled(text: str, found: Sequence[Figures]) -> str:
    """The document with the figures between its marks."""
    return MARK.sub(lambda match: _filled(match, found), text)


def _filled(match: re.Match[str], found: Sequence[Figures]) -> str:
    """The mark with its table; as it was where its half was not measured."""
    begin, half, table, name, _, end = match.groups()
    of = [figures for figures in found if figures.half == half]
    if not of:
        return match[0]
    return f"{begin}{_text(table, name, of)}\n{end}"


def _text(table: str, name: str, of: Sequence[Figures]) -> str:
    first = of[0]
    match table:
        case "cost":
            return markdown(cost_table(of))
        case "families":
            return markdown(family_table(first))
        case "constructions":
            return markdown(construction_table(first))
        case "detectors":
            return markdown(detector_table(first))
        case "family":
            return markdown(construction_table(first, name))
        case "detector":
            return _sentence(name, first)
    known = "cost, families, constructions, detectors, family NAME, detector NAME"
    raise ConfigError(f"no table {table!r} in a mark of a document; there are: {known}")


def _sentence(detector: str, figures: Figures) -> str:
    """What one detector does, in a sentence."""
    hacks, right, wrong, _ = figures.detectors().get(detector, Labels())
    families = figures.families(detector).items()
    if not hacks.of:
        return f"On the {figures.half} half: no flag."
    told = ", ".join(f"{name} {labels.hacks}" for name, labels in families if labels.hacks.flagged)
    return (
        f"On the {figures.half} half: {hacks} hacks seen ({told or 'none'}); flags on {right} honest right "
        f"and {wrong} honest wrong completions."
    )


def _counts(counts: Labels) -> list[str]:
    return [str(count) for count in counts[: len(LABELS)]]


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"
