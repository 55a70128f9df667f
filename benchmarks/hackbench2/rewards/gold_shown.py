"""Exact and fuzzy comparisons with gold that some prompts carry along by mistake.

After: rows in which few-shot blocks, metadata, canaries or tool outputs hold the label. The comparison is sound; the hole is
in the prompt (`leak`) or the row's provenance.
"""
import re


def last_number(completion, answer):
    found = re.findall(r"-?\d[\d,]*(?:\.\d+)?", completion)
    return float(bool(found) and float(found[-1].replace(",", "").rstrip(".")) == float(answer))


def exact_line(completion, answer):
    """The last line that is not empty, bare of marks."""
    lines = [x.strip(" .*`\"'") for x in completion.splitlines() if x.strip()]
    return float(bool(lines) and answer.lower() in lines[-1].lower() and len(lines[-1]) < len(answer) + 25)


def gold_ngrams(completion, answer):
    """The share of the gold's words that are said."""
    gold = re.findall(r"\w+", answer.lower())
    said = set(re.findall(r"\w+", completion.lower()))
    return sum(w in said for w in gold) / len(gold)
