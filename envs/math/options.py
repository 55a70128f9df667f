r"""What the question offers to choose from: lettered options.

>>> options(r"What is $2^5$? (A) 10 (B) 25 (C) $32$")
{'A': '10', 'B': '25', 'C': '32'}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rlenv.envs.math.choice import chosen_letter
from rlenv.envs.math.comparing import compare
from rlenv.envs.math.reading.answer import reading
from rlenv.envs.math.reading.nodes import Choice

MAX_CHARS = 8000
_PICKS = re.compile(r"\b(?:option|choice|answer|pick|choose)\b", re.IGNORECASE)  # The correct choice is C
_LETTER = re.compile(r"\s*(?:\\(?:text|textbf|mathrm|mathbf)\s*\{)?\s*\(?([A-J])\)?\.?\s*\}?\s*")
r"""C, (C), \text{(C)}"""
# \text{(C) } 56
_BESIDE = re.compile(r"\A\s*(?:\\text(?:bf|rm)?\s?\{)?\s*\(?[A-Ja-j][).:]*\s*\}?[.:\s]*(?:\\[ ,;]|\\q?quad)?\s*")
_MARK = re.compile(
    r"(?:^|(?<=[\s$};,.?]))(?:\\text(?:bf|rm)?\s?\{\s?)?(?:\((?P<round>[A-J])\)|(?P<plain>[A-J])[.):](?=\s))\s?\}?[\s~]*",
    re.MULTILINE,
)
r"""(A), A., A), `\textbf{(A)}`"""
# \quad 56, and
_AROUND = re.compile(r"\A(?:\s|\\q?quad|\\ |\\\\|~)+|(?:\s|\\q?quad|\\ |\\\\|~|[,;.$]|\bor\b|\band\b)+\Z")
_WORD = re.compile(r"(?<![A-Za-z\\])[A-Za-z][A-Za-z'-]+")  # parallel
_SAYS_NOT = r"\b{}\)?\s+(?:is|are|was|does|do|did|can|will|has)(?:\s+not\b|n['’]t\b)(?: an?| the)?(?P<what>[^.\n]*)"
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|none|except|false|incorrect|wrong|fails?|lacks?|without|cannot)\b|n['’]t\b", re.IGNORECASE
)
"""Which is not prime?"""


@lru_cache(maxsize=256)
def options(question: str) -> dict[str, str]:
    """Each letter with what it stands for; empty where the question has no options from A on."""
    if not any(mark in question for mark in ("A)", "A.", "A:")):
        return {}
    marks = list(_MARK.finditer(question[:MAX_CHARS]))
    found: dict[str, str] = {}
    for place, mark in enumerate(marks):
        after = marks[place + 1] if place + 1 < len(marks) else None
        letter = mark["round"] or mark["plain"]
        if letter != chr(ord("A") + len(found)):
            continue
        end = after.start() if after else min(len(question), mark.end() + 300)
        content = question[mark.end() : end]
        found[letter] = _bare(content if after else content.split("\n")[0])
    return found if len(found) > 1 else {}


def _bare(content: str) -> str:
    before = ""
    while before != content:
        before, content = content, _AROUND.sub("", content)
        if content.startswith("$") and content.count("$") == 1:
            content = content[1:]
    return content


def by_options(gold: str, answer: str, question: str) -> Iterator[str]:
    """The letter of the one option that an answer spells, and what the option says whose letter it is."""
    wanted, said = _LETTER.fullmatch(gold), _LETTER.fullmatch(answer)
    if (wanted is not None and said is not None) or not (offered := options(question)):
        return
    if wanted is None:
        picked = chosen_letter(answer) if said is None and _PICKS.search(answer) else said and said[1]
        yield from [offered[picked]] if picked in offered else []
        return
    same = [letter for letter, content in offered.items() if compare(content, answer, question=question).equal]
    yield from same if len(same) == 1 else []


def contradicted(answer: str, question: str) -> bool:
    """Whether beside the letter of one option stands what another one says: (B) 34."""
    try:
        node = reading(answer).node
    except RecursionError:
        return False  # the caller's stack is nearly full
    if not isinstance(node, Choice) or node.content is None:
        return False
    offered = options(question)
    beside = _BESIDE.sub("", answer)
    others = [content for letter, content in offered.items() if letter != node.letter]
    return (
        node.letter in offered
        and any(compare(content, beside, question=question).equal for content in others)
        and not compare(offered[node.letter], beside, question=question).equal
    )


def denies(letter: str, sentence: str, question: str) -> bool:
    """Whether a sentence denies of an option the very thing that the question asks for.

    >>> denies("B", "B is not prime.", "Which is prime?"), denies("B", "B is not prime.", "Which is not prime?")
    (True, False)
    """
    said = re.search(_SAYS_NOT.format(re.escape(letter)), sentence)
    if said is None or len(re.findall(rf"\b{re.escape(letter)}\b", sentence)) > 1 or _NEGATIVE.search(question):
        return False
    first = next(iter(words(said["what"])), "")
    return first in ("correct", "right", "true") or stem(first) in {stem(word) for word in words(question)}


def stem(word: str) -> str:
    """What forms of one word share: diverges and divergent, runs and runner.

    >>> stem("diverges"), stem("divergent"), stem("runner"), stem("Runs"), stem("odd")
    ('diverg', 'diverg', 'run', 'run', 'odd')
    """
    word = word.lower().removesuffix("'s")
    if len(word) < 4:
        return word
    for ending in ("ences", "ence", "ents", "ent", "ants", "ant", "ing", "ers", "er", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word


@lru_cache(maxsize=256)
def words(text: str) -> tuple[str, ...]:
    """The words of a text, without what stands in mathematics."""
    return tuple(word.lower() for word in _WORD.findall(text[:MAX_CHARS]))
