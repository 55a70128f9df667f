"""Formulas and mappings checked exactly: countdown, 24, cryptarithms.

>>> task = Task("", metadata={"numbers": [7, 4, 4, 1]})
>>> puzzle24("1*(7*4 - 4)", task), puzzle24("(7*4 - 4) + 1/4", task), puzzle24("24", task)
(True, False, False)
"""

from __future__ import annotations

import re
from collections import Counter
from typing import cast

from rlenv.envs.reasoning_gym.calculus import is_antiderivative
from rlenv.envs.reasoning_gym.expressions import Fractions, evaluate
from rlenv.envs.reasoning_gym.readers import Malformed, comma_list
from rlenv.task import Task


def countdown(answer: str, task: Task) -> bool:
    """A formula that uses each number once and is exactly the target."""
    return _reaches(answer, cast("list[int]", task.metadata["numbers"]), cast("int", task.metadata["target"]))


def puzzle24(answer: str, task: Task) -> bool:
    """A formula that uses each number once and is exactly 24."""
    return _reaches(answer, cast("list[int]", task.metadata["numbers"]), 24)


def cryptarithm(answer: str, task: Task) -> bool:
    """Letters to digits: every letter once, no digit twice, no leading zero, and the sum holds."""
    pairs = [re.fullmatch("([A-Z])=([0-9])", pair) for pair in comma_list(answer)]
    mapping = {pair[1]: pair[2] for pair in pairs if pair}
    if None in pairs or len(mapping) != len(pairs):
        raise Malformed("expected every letter once, like A=1,B=2")
    words = [*cast("list[str]", task.metadata["words_letters"]), str(task.metadata["result_letters"])]
    if set(mapping) != set("".join(words)) or len(set(mapping.values())) != len(mapping):
        return False
    *terms, total = ["".join(mapping[letter] for letter in word) for word in words]
    leading = any(written[0] == "0" for written in [*terms, total])
    return not leading and sum(map(int, terms)) == int(total)


def integration(answer: str, task: Task) -> bool:
    """Any formula whose derivative is the integrand; the constant C may be left out."""
    return is_antiderivative(answer, str(task.metadata["integrand"]), str(task.metadata["variable"]))


def _reaches(answer: str, numbers: list[int], target: int) -> bool:
    arithmetic = Fractions()
    value = evaluate(answer, arithmetic)
    return Counter(arithmetic.used) == Counter(numbers) and value == target
