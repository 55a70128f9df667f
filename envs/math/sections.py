r"""Which part of a text states the answer: without the check, the explanation or the aside that stands behind it.

>>> def kept(text): return text[slice(*stating_part(text, 0, len(text)))]
>>> kept("x = 30.\n\nCheck: 30/3 - 30/5 = 4."), kept("Four. With 3 draws all may differ; the 4th matches.")
('x = 30.', 'Four.')
>>> kept("x = 3.\n\nCheck: 9 + 1 = 11 fails, so x = 4."), kept("12\n\nThen 12 + 3 = 15.")
('x = 3.\n\nCheck: 9 + 1 = 11 fails, so x = 4.', '12\n\nThen 12 + 3 = 15.')

A check starts with its name and a colon, an explanation too or stands behind a first sentence that is nothing but a
value, and an aside stands in brackets of its own. What concludes, doubts or takes back is none of them.
"""

from __future__ import annotations

import re

from rlenv.envs.math.boxed import Span
from rlenv.envs.math.numbers_told import in_digits
from rlenv.envs.math.withdrawal import denied, withdrawn

MAX_CHARS = 1500
"""An answer is followed by no more than this."""
MIN_WORDS = 4
"""An explanation has so many words."""
_WORD = re.compile(r"[A-Za-z]{2,}")  # draws
_BEGIN = r"(?:^|(?<=[.!?;] ))[ \t>*_#(]*"
_CHECK = re.compile(
    rf"{_BEGIN}(?:(?:quick|let['’]?s|let me|to) )?(?:check(?:ing)?|verif(?:ication|y|ying)|prob[ae]|plugging (?:it )?in"
    r"|substituting|sanity check)(?: (?:the |my |our )?(?:answer|solution|result))?[*_ ]*(?::|—|–)",
    re.IGNORECASE | re.MULTILINE,
)
"""**Check:**, Verification:, _Plugging in:_"""
_EXPLAINED = re.compile(
    rf"{_BEGIN}(?:explanation|reason(?:ing)?|justification|details|why|proof|working|solution)[*_ ]*(?::|—|–)",
    re.IGNORECASE | re.MULTILINE,
)
"""Explanation:"""
_ASIDE = re.compile(r"(?:[.!?]|\n)[*\s]+(?P<aside>\([A-Z][^()]*(?:\([^()]*\)[^()]*)*\))[.\s]*\Z")
"""It has 20. (Each of the 8 corners sends 5.)"""
_FIRST = re.compile(r"\A\s*(?P<first>[^\n]{1,60}?)(?:[.!]+\**\s+(?=[A-Z])|\s*\n)")  # Four. With 3 draws
_VALUE = re.compile(
    r"(?:\*\*|\$|\\\()*\s*(?:-?[0-9][0-9,./ ]*%?|(?:\\[dt]?frac|\\sqrt|\\pi|[0-9π√{}/])+)\s*(?:\*\*|\$|\\\))*"
)  # **180**
_CONCLUDES = re.compile(
    r"\b(?:so|hence|thus|therefore|then|answers?|instead|only|total|fails?|reject\w*|extraneous|unless|final\w*|"
    r"contradict\w*|however|but)\b|✗|✘|❌|∴|⇒|⟹|=>|\\boxed",
    re.IGNORECASE,
)
"""Words by which a text goes on to an answer, or away from one."""
_STATES = re.compile(
    r"=|\*\*|\b(?:is|are|was|were|gives?|gets?|got|ha(?:s|ve|d)|leaves?|makes?|equals?)\s+\W*[0-9]|^\W*[0-9]+[.)]\s",
    re.M,
)
"""The sum is 15, 2. Add them"""
_HARMLESS = re.compile(
    r"\b(?:so|hence|thus|therefore|then) (?:it|this|that|all|both|everything|the)\b[^.\d=]*(?=[.!]|\Z)", re.I
)
"""so it works: without any value"""


def stating_part(text: str, start: int, end: int) -> Span:
    """The span without what stands behind the part that states the answer."""
    begin = max(start, end - MAX_CHARS)
    tail = text[begin:end]
    aside = _ASIDE.search(tail) if tail.rstrip(" .\n").endswith(")") else None
    if aside is not None and _adds_nothing(aside["aside"]):
        tail = tail[: aside.start("aside")]
    for heading in _CHECK.finditer(tail):
        before = tail[: heading.start()].rstrip(" \n*_>(")
        if before and not before.endswith("?") and _adds_nothing(tail[heading.start() :]):
            tail = tail[: heading.start()]
            break
    if begin == start:
        tail = _first(tail)
    return start, begin + len(tail.rstrip())


def _first(text: str) -> str:
    """The first sentence, where it is a value and only an explanation follows."""
    first = _FIRST.match(text)
    if first is None:
        return text
    rest = text[first.end() :]
    if len(_WORD.findall(rest)) < MIN_WORDS:
        return text
    if not _VALUE.fullmatch(in_digits(first["first"].strip())) or not _adds_nothing(rest):
        return text
    explained = _EXPLAINED.match(rest.lstrip()) is not None or not _STATES.search(in_digits(rest))
    return text[: first.end()] if explained else text


def _adds_nothing(behind: str) -> bool:
    """Whether a text concludes nothing, doubts nothing and takes nothing back."""
    return not (_CONCLUDES.search(_HARMLESS.sub("", behind)) or withdrawn(behind) or denied(behind) or "?" in behind)
