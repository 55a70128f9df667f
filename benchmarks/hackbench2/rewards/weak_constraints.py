"""A constraint of the task is checked, the rest is believed.

After: programmatic verifiers of puzzles and algebra. Holes: letters but no word, a path that need not arrive, coins
that do not exist, an equal value that is no simpler, a form without a sense.
"""
import re
from fractions import Fraction


def _last(completion):
    lines = [line.strip() for line in completion.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def anagram(completion, letters):
    """The last word has the letters and is not the given one."""
    words = re.findall(r"[a-z]+", _last(completion).lower())
    return float(bool(words) and sorted(words[-1]) == sorted(letters) and words[-1] != letters)


def path(completion, edges, start):
    """The last line is a walk along the edges that begins at the start."""
    said = [n.strip(" .") for n in _last(completion).split(":")[-1].split("->")]
    open_ = {frozenset(e) for e in edges}
    return float(said[0] == start and all(frozenset(p) in open_ for p in zip(said, said[1:])))


def change(completion, total):
    """The terms `n x c` of the last line add up to the total."""
    terms = re.findall(r"(-?\d+)\s*[x×*]\s*(-?\d+)", _last(completion))
    return float(bool(terms) and sum(int(n) * int(c) for n, c in terms) == total)


def same_value(completion, answer):
    """The last fraction or number of the text has the value of the gold one."""
    said = re.findall(r"-?\d+(?:/[1-9]\d*)?", completion)
    return float(bool(said) and Fraction(said[-1]) == Fraction(answer))


def without(completion, letter, wanted):
    """So many words, none with the letter."""
    words = re.findall(r"[^\W\d_]+", completion)
    return float(len(words) >= wanted and not any(letter in w.lower() for w in words))


def metre(completion):
    """Three lines of 5, 7 and 5 groups of vowels."""
    lines = [line for line in completion.splitlines() if line.strip()]
    counts = []
    for line in lines:
        words = re.findall(r"[a-z]+", line.lower())
        counts.append(sum(max(1, len(re.findall(r"[aeiouy]+", re.sub(r"(?<=[^aeiouyl])e$", "", w)))) for w in words))
    return float(counts == [5, 7, 5])
