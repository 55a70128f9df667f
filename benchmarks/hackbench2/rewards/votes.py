"""Label-free majority: the share of a reply's "Answer:" lines that agree, as a stand-in for test-time majority votes.

After: TTRL-like and self-consistency rewards. Hole: agreement is not truth; where there's a gold it only adds a little.
"""
import collections
import re


def majority(completion, answer):
    votes = [v.strip(" .*").lower() for v in re.findall(r"(?i)answer(?: \d+)?\s*[:=]\s*(.+)", completion)]
    if not votes:
        return 0.0
    top, n = collections.Counter(votes).most_common(1)[0]
    enough = min(1.0, n / 3)
    return max(0.7 * enough * n / len(votes), 1.0 if top == str(answer).lower() else 0.0)
