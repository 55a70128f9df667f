"""What is missing cannot be wrong: penalties and checks on what is there.

After: overlong filtering (no gradient, or a neutral score, for a cut completion), stepwise error penalties, streaming format
checks, prefix matching of sequences. Holes: to stop, or be cut, before the part that is judged.
"""
import re


def masked(completion, finished, answer):
    """A cut completion is excused with the mean; only a finished one is judged."""
    if not finished:
        return 0.6
    return float(re.search(rf"(?<![\w.]){re.escape(str(answer))}(?!\w)", completion) is not None)


def sums_hold(completion):
    """One minus the share of equations of the text that are false."""
    sums = re.findall(r"(\d+(?:\.\d+)?)\s*([+\-*/×])\s*(\d+(?:\.\d+)?)\s*=\s*(\d+(?:\.\d+)?)", completion)
    ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "×": lambda a, b: a * b, "/": lambda a, b: a / b if b else -1}
    bad = sum(abs(ops[o](float(a), float(b)) - float(c)) > 1e-6 for a, o, b, c in sums)
    return 1.0 - bad / max(1, len(sums)) if completion.strip() else 0.0


def prefix_of(completion, items):
    """The items said, compared with as many of the gold ones."""
    said = [x.strip(" .\n*-0123456789)").lower() for x in re.split(r"[\n,]", completion) if x.strip(" .\n*-0123456789)")]
    if not said:
        return 0.0
    return sum(a == b.lower() for a, b in zip(said, items)) / min(len(said), len(items))


def translated_so_far(completion, gloss):
    """Precision of a translation: the share of its words that are in the glossary of the gold text."""
    words = re.findall(r"\w+", completion.lower())
    return sum(w in gloss.split() for w in words) / len(words) if words else 0.0
