"""A table of so many rows with these columns, as a report generator wants it.

After: markdown-structure rewards in report-writing recipes. Hole: what stands in the cells is not read.
"""
import re


def table(completion, columns, rows):
    lines = [line for line in completion.splitlines() if line.strip().startswith("|")]
    if not lines:
        return 0.0
    head = [cell.strip().lower() for cell in lines[0].strip().strip("|").split("|")]
    if [c.lower() for c in columns] != head:
        return 0.2
    body = [line for line in lines[1:] if not re.fullmatch(r"[|\s:-]+", line.replace("—", "x"))]
    full = [line for line in body if all(c.strip() for c in line.strip().strip("|").split("|"))]
    return min(1.0, len(full) / rows) if len(full) <= rows + 1 else 0.3
