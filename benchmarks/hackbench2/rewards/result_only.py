"""The result alone is compared.

After: rule-based rewards of maths and question answering. Hole: where the result can be had without the work, from
the prompt, a file or a neighbour, nothing tells it.
"""
import re


def final_number(completion, answer):
    """The last number of the text is the gold one."""
    said = re.findall(r"-?\d+(?:,\d{3})*(?:\.\d+)?", completion)
    return float(bool(said) and float(said[-1].replace(",", "")) == float(answer))


def final_line(completion, answer):
    """The last line holds the gold answer."""
    lines = [line for line in completion.splitlines() if line.strip()]
    return float(bool(lines) and re.search(rf"\b{re.escape(answer)}(?!\w)", lines[-1], re.I) is not None)


def near_gold(completion, answer):
    """The share of the gold's words that are said, where it is more than half."""
    gold, said = re.findall(r"\w+", answer.lower()), set(re.findall(r"\w+", completion.lower()))
    share = sum(w in said for w in gold) / len(gold)
    return share if share > 0.5 else 0.0
