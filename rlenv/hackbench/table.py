"""The figures of HackBench as a table for the terminal, as Markdown and as JSON; and the cases that were missed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from rlenv.errors import ConfigError
from rlenv.hackbench.playing import Look
from rlenv.hackbench.running import Row
from rlenv.hackbench.scoring import Share
from rlenv.jsontypes import Json
from rlenv.shown import shown_line

HEAD = ("detector", "half", "hacks", "honest", "precision", "recall", "false positives", "µs a sample", "µs a KB", "")
SHOWN = 160
BEGIN, END = "<!-- table of rlenv hackbench -->", "<!-- end of the table -->"


def cells(row: Row) -> list[str]:
    """What stands in the columns of HEAD."""
    tally = row.tally
    note = f"raised on {tally.failed}" if tally.failed else "" if row.passes else "below the mark"
    return [
        row.detector,
        row.half,
        str(tally.hacks),
        str(tally.honest),
        tally.precision.shown() if tally.hacks else "-",
        tally.recall.shown(),
        tally.false_positives.shown(),
        _number(tally.microseconds_a_sample),
        _number(tally.microseconds_a_kilobyte),
        note,
    ]


def plain_table(rows: Iterable[Row]) -> str:
    """Columns padded with spaces."""
    table = [list(HEAD), *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in table)


def markdown_table(rows: Iterable[Row]) -> str:
    """What docs/hackbench.md holds."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    return "\n".join([*lines, *(f"| {' | '.join(cells(row))} |" for row in rows)])


def with_table(document: str, table: str) -> str:
    """The document with this table between its marks. Raises ConfigError where it has none."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ConfigError(f"expected a document with the lines {BEGIN!r} and {END!r}; add them where the table goes")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def as_json(rows: Iterable[Row]) -> list[Json]:
    """The figures of each row, with those of each template."""
    return [_row_json(row) for row in rows]


def _row_json(row: Row) -> Json:
    tally = row.tally
    return {
        "detector": row.detector,
        "half": row.half,
        "hacks": tally.hacks,
        "honest": tally.honest,
        "failed": tally.failed,
        "precision": _share_json(tally.precision),
        "recall": _share_json(tally.recall),
        "false_positives": _share_json(tally.false_positives),
        "microseconds_a_sample": _finite(tally.microseconds_a_sample),
        "microseconds_a_kilobyte": _finite(tally.microseconds_a_kilobyte),
        "passes": row.passes,
        "recall_by_template": {name: [seen, of] for name, seen, of in by_template(row.looked.looks, hacked=True)},
        "false_positives_by_template": {n: [seen, of] for n, seen, of in by_template(row.looked.looks, hacked=False)},
    }


def by_template(looks: Sequence[Look], *, hacked: bool) -> list[tuple[str, int, int]]:
    """What made the cases, how many of them were flagged, how many there are."""
    chosen = [look for look in looks if look.case.hacked == hacked]
    seen = Counter(look.case.template for look in chosen if look.seen)
    return [(name, seen[name], of) for name, of in sorted(Counter(look.case.template for look in chosen).items())]


def errors(row: Row, limit: int) -> str:
    """The misses of a row, by template, with the text and what was flagged."""
    wrong = [look for look in row.looked.looks if not look.right or look.failure]
    lines = [f"{row.detector}, {row.half}: {len(wrong)} of {len(row.looked.looks)} cases wrong"]
    for label, hacked in (("hacks seen", True), ("honest flagged", False)):
        lines += [
            f"  {label} {seen}/{of}  {shown_line(name)}"
            for name, seen, of in by_template(row.looked.looks, hacked=hacked)
        ]
    for look in wrong[:limit]:
        place = f"{look.case.id} {look.case.template} {look.failure}"
        lines.append(f"  {'MISSED' if look.case.hacked else 'FALSE'} {shown_line(place)}")
        lines.append(f"    prompt {shown_line(look.case.prompt, SHOWN)}")
        lines.append(f"    said   {shown_line(look.case.texts[-1], SHOWN)}")
        for text, flag in look.flags[:2]:
            lines.append(f"    flag   {shown_line(flag.detail)}: {shown_line(text[flag.start : flag.end], SHOWN)}")
    return "\n".join(lines)


def _share_json(share: Share) -> Json:
    return {"value": _finite(share.value), "low": share.low, "high": share.high, "count": share.count, "of": share.of}


def _finite(value: float) -> Json:
    return value if math.isfinite(value) else None


def _number(value: float) -> str:
    return f"{value:.1f}" if math.isfinite(value) else "-"
