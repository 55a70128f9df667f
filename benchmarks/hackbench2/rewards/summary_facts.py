"""Summaries by named things: how many of the source's names and numbers it holds.

After: entity-recall (factual consistency) rewards. Hole: a bare list of the names and numbers holds them all.
"""


def entities(completion, names):
    return sum(n.lower() in completion.lower() for n in names) / len(names)
