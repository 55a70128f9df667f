"""The truth is somewhere in what was said.

After: interval and tolerance rewards of estimation tasks, recall of tags in multi-label tasks, `gold in text` of
question answering. Holes: no width of the interval, no precision of the tags, any number of guesses.
"""
import re


def _numbers(text):
    return [float(n.replace(",", "")) for n in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def interval(completion, answer):
    """The lowest and the highest number said hold the answer between them, a hundredth of slack on both sides."""
    said = _numbers(completion)
    return float(bool(said) and min(said) * 0.99 <= float(answer) <= max(said) * 1.01)


def near(completion, answer):
    """Any number of the text is within five per cent."""
    return float(any(abs(n - float(answer)) <= 0.05 * abs(float(answer)) for n in _numbers(completion)))


def tag_recall(completion, gold):
    """The share of the gold tags that are said."""
    return sum(re.search(rf"\b{re.escape(t)}\b", completion, re.I) is not None for t in gold) / len(gold)


def gold_somewhere(completion, answer):
    """The gold answer stands in the last two sentences."""
    sentences = re.split(r"(?<=[.!?;])\s+", completion.strip())
    return float(re.search(rf"\b{re.escape(answer)}\b", " ".join(sentences[-2:]), re.I) is not None)
