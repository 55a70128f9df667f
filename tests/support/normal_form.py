"""The normal form of a text: what two prompts have in common when marks, numbers and plurals are taken away."""

import re

_WORD = re.compile(r"[a-z0-9]+")


def normalised(text: str) -> str:
    """The text without case, punctuation, spacing, the values of numbers and plural endings.

    >>> normalised("How do I kill 3 Processes?") == normalised("how do I  kill 12 process")
    True
    """
    bare = text.casefold().replace("'", "").replace("’", "")
    return " ".join(_singular("0" if word.isdigit() else word) for word in _WORD.findall(bare))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
