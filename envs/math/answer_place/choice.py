r"""Which option of a multiple-choice question a sentence picks: the one letter it names and does not deny.

>>> chosen_letter("The answer is for sure D, it can't be A or B")
'D'
>>> chosen_letter("A B C D") is None
True

A letter is denied where a word such as `not` stands before it in its clause.

What the question offers to choose from: lettered options.

>>> options(r"What is $2^5$? (A) 10 (B) 25 (C) $32$")
{'A': '10', 'B': '25', 'C': '32'}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rlenv.envs.math.equality import compare

MAX_CHARS = 600
_GOLD = re.compile(
    r"\s*(?:\\(?:text|textbf|mathrm|mathbf)\s*\{)?\s*(?:\(?\s*[A-J]\s*\)?|[Yy]es|[Nn]o|[Tt]rue|[Ff]alse)\.?\s*\}?\s*"
)
_DECIDED = re.compile(
    r"(?:(?:the |my |final )*answer\s*(?:is)?\s*:?\s*|so,? |therefore,? |thus,? )?"
    r"\**(?P<word>yes|no(?:pe)?|true|false)\b\**(?=[\s.,;:!]|\Z)(?!\s*(?:[,/]|or)\s*(?:yes|no|true|false)\b)",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"\b(?:statement|claim|assertion|proposition|it|this|that|answer)\s+(?:is|must be)\s+"
    r"(?:therefore |thus |hence |indeed |clearly |in fact )?\**(?P<word>true|false|yes|no)\**[.!\s]*\Z",
    re.IGNORECASE,
)
"""so the statement is false."""
_MARKED = re.compile(r"(?<![A-Za-z0-9])\(?([A-J])\)")
_ALONE = re.compile(r"[\s*(]*(?P<letter>[a-j])[\s*).]*")  # b
_ARTICLE = r"(?!I [a-z]|A (?!or |and |is |as |was |if |are )[a-z])"  # I think, A plane
_LETTER = re.compile(rf"(?<![A-Za-z0-9$\\_'’])\(?(?P<letter>{_ARTICLE}[A-J])\)?(?![A-Za-z0-9$\\_'’=+^])")
_NEGATION = re.compile(
    r"\b(?:not|non|nicht|no|never|nor|neither|cannot|eliminated?|eliminating|rule out|ruled out|unlike"
    r"|rather than|instead of|over|pas|nie|kein|without)\b|n['’]t\b|不|非|ではな|아니",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,.;:!?。，；、\n]|\b(?:so|but|therefore|thus|hence|because|since|which means|leaving|mais|aber|sondern|donc)\b",
    re.IGNORECASE,
)


def is_choice(gold: str) -> bool:
    """True where the gold is nothing but the letter of an option, or a yes or no."""
    return _GOLD.fullmatch(gold) is not None


def chosen_letter(sentence: str) -> str | None:
    """The one option, or the one of yes and no (true and false), that the sentence names and does not deny."""
    if len(sentence) > MAX_CHARS:
        return None
    if (alone := _ALONE.fullmatch(sentence)) is not None:
        return alone["letter"].upper()
    decided = _DECIDED.match(sentence) or _PREDICATE.search(sentence)
    if decided is not None:
        return decided["word"].removesuffix("pe")
    named: set[str] = set()
    begin = 0
    for end in (*(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)):
        named |= _affirmed(sentence[begin:end])
        begin = end
    return named.pop() if len(named) == 1 else None


def several_options(answer: str) -> bool:
    """True for the options themselves: `A) 5, B) 6`."""
    return len(set(_MARKED.findall(answer[:MAX_CHARS]))) > 1


def _affirmed(clause: str) -> set[str]:
    negation = _NEGATION.search(clause)
    stop = len(clause) if negation is None else negation.start()
    letters = [match for match in _LETTER.finditer(clause) if match.start() < stop]
    return {match["letter"] for match in letters}


MAX_QUESTION = 8000
_OPTION = re.compile(r"\s*(?:\\(?:text|textbf|mathrm|mathbf)\s*\{)?\s*\(?([A-J])\)?\.?\s*\}?\s*")
r"""C, (C), \text{(C)}"""
_MARK = re.compile(
    r"(?:^|(?<=[\s$};,.?]))(?:\\text(?:bf|rm)?\s?\{\s?)?(?:\((?P<round>[A-J])\)|(?P<plain>[A-J])[.):](?=\s))\s?\}?[\s~]*",
    re.MULTILINE,
)
r"""(A), A., A), `\textbf{(A)}`"""


@lru_cache(maxsize=256)
def options(question: str) -> dict[str, str]:
    """Each letter with what it stands for; empty where the question has no options from A on."""
    if not any(mark in question for mark in ("A)", "A.", "A:")):
        return {}
    marks = list(_MARK.finditer(question[:MAX_QUESTION]))
    found: dict[str, str] = {}
    for place, mark in enumerate(marks):
        after = marks[place + 1] if place + 1 < len(marks) else None
        letter = mark["round"] or mark["plain"]
        if letter != chr(ord("A") + len(found)):
            continue
        end = after.start() if after else min(len(question), mark.end() + 300)
        content = question[mark.end() : end]
        found[letter] = (content if after else content.split("\n")[0]).strip(" \n$,.;\\")
    return found if len(found) > 1 else {}


def by_options(gold: str, answer: str, question: str) -> Iterator[str]:
    """The letter of the one option that an answer spells, and what the option says whose letter it is."""
    wanted, said = _OPTION.fullmatch(gold), _OPTION.fullmatch(answer)
    if (wanted is not None and said is not None) or not (offered := options(question)):
        return
    if wanted is None:
        picked = said[1] if said else chosen_letter(answer)
        yield from [offered[picked]] if picked in offered else []
        return
    same = [letter for letter, content in offered.items() if compare(content, answer, question=question).equal]
    yield from same if len(same) == 1 else []
