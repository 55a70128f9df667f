"""Numbers, words, signs and breaks of a step, as far as its arithmetic goes.

>>> [token.text for token in tokenize("So 3 eggs * $2/egg = $6.")]
['So', '3', 'eggs', '*', '2', '/', 'egg', '=', '6', '.']
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from rlenv.envs.process.plain import plain

Kind: TypeAlias = Literal["number", "unknown", "word", "sign", "relation", "break", "unread"]
MAX_TOKENS = 6000
MAX_DIGITS = 30
_WORD_SIGNS = {"percent": "%", "plus": "+", "minus": "-"}
_KINDS: dict[str, Kind] = {"word": "word", "unknown": "unknown", "break": "break", "sign": "sign"}
_TOKEN = re.compile(
    r"(?P<unread>[0-9]{1,2}:[0-9]{2}(?![0-9])|[0-9]+(?:st|nd|rd|th)\b|\\[A-Za-z]+|[<>≤≥≠!?|~@_'\"^](?=[=<>!?|~])|0x[0-9a-f]+)"
    r"|(?P<number>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<word>\b[aAI](?= [^\W\d_]{2})|[^\W\d_]{2,}(?:['’][^\W\d_]+|-(?=[^\W\d_]{2})[^\W\d_]+)*)"
    r"|(?P<unknown>[A-Za-z](?:_\(?[A-Za-z0-9]{1,8}\)?)?(?![^\W\d_]))"
    r"|(?P<relation>==?|≈)"
    r"|(?P<break>[;:?!\n]|[,.](?![0-9\\]))"
    r"|(?P<currency>[$€£])"
    r"|(?P<sign>[-+*/^()%])"
    r"|(?P<other>\S)"
)


class Token(NamedTuple):
    """One piece; `places` are the digits behind the point, -1 for what is no number."""

    kind: Kind
    text: str
    value: Fraction = Fraction(0)
    places: int = -1
    glued: bool = False
    """Nothing stands between it and the piece before."""
    currency: str = ""


def tokenize(text: str) -> list[Token]:
    """The pieces of a text, at most MAX_TOKENS, in linear time."""
    return [*_pieces(text)]


@lru_cache(maxsize=64)
def _pieces(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    before, currency = -1, ""
    for match in _TOKEN.finditer(plain(text)):
        if len(found) >= MAX_TOKENS:
            break
        kind = match.lastgroup or "other"
        if kind == "currency":
            currency = match[0]
            continue
        found.append(_token(kind, match[0], match.start() == before, currency))
        before, currency = match.end(), ""
    return tuple(found)


def _token(kind: str, text: str, glued: bool, currency: str) -> Token:
    if kind == "number":
        digits = text.replace(",", "")
        if len(digits) > MAX_DIGITS:
            return Token("unread", text[:MAX_DIGITS])
        return Token("number", digits, Fraction(digits), len(digits.partition(".")[2]), glued, currency)
    if kind == "other" or kind == "unread":
        return Token("unread", text[:20], glued=glued)
    if kind == "word" and text.lower() in _WORD_SIGNS:
        return Token("sign", _WORD_SIGNS[text.lower()], glued=glued)
    if kind == "relation" or (kind == "word" and text.lower() == "equals"):
        return Token("relation", "≈" if text == "≈" else "=", glued=glued)
    return Token(_KINDS[kind], text, glued=glued)
