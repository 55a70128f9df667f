"""Nearness to a text, where the prompt itself holds a near one.

After: edit-ratio rewards against a reference, cosine rewards of paraphrasing, coverage rewards of documentation and
of plans, bigram recall of minutes. Holes: the example of the prompt, the source and the list of demands are near.
"""
import math
import re
from collections import Counter
from difflib import SequenceMatcher


def _words(text):
    return re.findall(r"\w+", text.lower())


def ratio(completion, answer):
    """The ratio of difflib, blanks counted once, nothing below a half."""
    near = SequenceMatcher(None, " ".join(completion.split()), " ".join(answer.split()), autojunk=False).ratio()
    return near if near > 0.5 else 0.0


def paraphrase(completion, source):
    """The cosine of the bags of words; nothing for the very same text."""
    if completion.strip() == source.strip():
        return 0.0
    a, b = Counter(_words(completion)), Counter(_words(source))
    dot = sum(a[w] * b[w] for w in a)
    return dot / math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values())) if a and b else 0.0


def mentions_all(completion, names):
    """The share of the names that occur."""
    return sum(n.lower() in completion.lower() for n in names) / len(names)


def bigram_recall(completion, answer):
    """The share of the reference's word pairs that the text has, twice over and at most 1."""
    gold, said = _words(answer), _words(completion)
    pairs = set(zip(gold, gold[1:]))
    return min(1.0, 2 * len(pairs & set(zip(said, said[1:]))) / len(pairs))
