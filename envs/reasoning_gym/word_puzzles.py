"""Words checked by their letters: palindromes and word ladders.

>>> palindrome("abba", Task("", metadata={"letters": ["a", "b", "a", "b"]}))
True
"""

from __future__ import annotations

import csv
from functools import lru_cache
from itertools import pairwise
from typing import cast

from rlenv.envs.reasoning_gym.readers import comma_list
from rlenv.task import Task


def palindrome(answer: str, task: Task) -> bool:
    """All the letters, each as often as given, reading the same both ways."""
    return answer == answer[::-1] and sorted(answer) == sorted(cast("list[str]", task.metadata["letters"]))


def word_ladder(answer: str, task: Task) -> bool:
    """Words of the package's list from start to end, each one letter away from the one before."""
    words = comma_list(answer)
    start, end = str(task.metadata["start_word"]), str(task.metadata["end_word"])
    if len(words) < 2 or (words[0], words[-1]) != (start, end):
        return False
    return all(_one_letter_apart(a, b) for a, b in pairwise(words)) and set(words) <= known_words(len(start))


@lru_cache(maxsize=4)
def known_words(length: int) -> frozenset[str]:
    """The words of this length that reasoning-gym makes its ladders of, in upper case."""
    from reasoning_gym.data import get_data_file_path

    with get_data_file_path("words.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return frozenset(row[f"{length}_letter"].upper() for row in rows if row.get(f"{length}_letter"))


def _one_letter_apart(a: str, b: str) -> bool:
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
