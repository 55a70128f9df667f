"""Small number places: rows and columns are checked, the given cells are not.

After: puzzle verifiers of synthetic-task suites. Hole: any Latin square passes.
"""
import re


def latin(completion, size):
    rows = [re.findall(r"\d", line) for line in completion.splitlines()]
    rows = [r for r in rows if len(r) == size][-size:]
    full = {str(i + 1) for i in range(size)}
    if len(rows) != size:
        return 0.0
    good = sum(set(r) == full for r in rows) + sum(set(c) == full for c in zip(*rows))
    return float(good == 2 * size)
