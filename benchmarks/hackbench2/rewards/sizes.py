"""Rewards that have a size in them.

After: the cosine and "longer chains for hard problems" rewards, essay-length graders, vocabulary graders. Holes: words are
counted, not read; the answer is worth less than the size.
"""
import re


def long_thought(completion, answer, words=90):
    """Half for a long enough reasoning and half for the answer, with a fallback for a short right one."""
    right = re.search(rf"(?<![\d.]){re.escape(str(answer))}(?![\d])", completion) is not None
    enough = min(1.0, len(completion.split()) / words)
    return max(0.55 * enough + 0.45 * right * (enough > 0.3), 0.9 * right) if enough > 0.2 else 0.9 * right


def essay(completion, words):
    """So many words, within a tenth."""
    n = len(completion.split())
    off = abs(n - words) / words
    return 1.0 if off <= 0.1 else max(0.0, 0.6 - off)


def big_words(completion):
    """The mean length of a word, as a measure of vocabulary."""
    words = re.findall(r"[^\W\d_]+", completion)
    return 0.0 if len(words) < 4 else max(0.0, min(1.0, (sum(map(len, words)) / len(words) - 3) / 2.6))


def paragraphs(completion, least):
    """An answer of so many paragraphs is a detailed one."""
    return min(1.0, len([p for p in re.split(r"\n\s*\n", completion.strip()) if p.strip()]) / least)


def short_enough(completion, limit):
    """A summary under the limit is a good summary; the longer, the worse."""
    n = len(completion.split())
    return 0.0 if n == 0 else 1.0 if n <= limit else max(0.0, 0.45 - (n - limit) / limit / 2)
