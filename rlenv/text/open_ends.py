"""Texts that name the reference at their end, and another value beside it, without committing to one of them.

No word of doubt is needed: `I get 41. 42 should do as well` names two values, the second was never worked out, and the
last one said is not the one a single answer would end on. Which value is right is known here, so that the plain wrong
answer and the right one with working in words are told apart from a text that has both.

>>> found = open_end("6 * 7 is asked. I get 42. 43 should do too.", "What is 6 * 7?", "42")
>>> found.values
('42', '43')
>>> open_end("Each gets 6, that makes 36. With 6 more it is 42.", "What is 6 * 7?", "42") is None
True
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from rlenv.text.alternatives import number
from rlenv.text.choices import Row, converted, value_matches

LOOKED_AT = 420
LONGEST = 200
"""A longer sentence is an explanation."""
_SENTENCE = re.compile(r"[^.!?\n]*(?:\.(?=\w)[^.!?\n]*)*(?:[.!?\n]+|$)")
_OPERATION = re.compile(
    r"[\w)}%$]\s*(?:[+*×÷·<>]|\s-\s|\^)\s*[\w({$\\-]|\d\s?/\s?\d+\s?=|\d\s*=|[)}\]]\s*=|=[^=\n]{1,40}=|\\(?:times|cdot|equiv|sqrt|sum|int)"
    r"|\b(?!ans|answer|result|res|output|final|x|y|n)[\w']+\s*=\s*-?\$?\d",
    re.IGNORECASE,
)
_COPIED = re.compile(r"^[ \t]*[*+-] +|^[ \t]*>+ *", re.MULTILINE)
_REFUSED_BEFORE = re.compile(
    r"(?:\b(?:not|never|isn't|wasn't|aren't|instead of|rather than|than|without|except|over|from|wrong|misread\w*|"
    r"only|cannot be|can't be|ruled out|discard\w*|reject\w*|check|total of|out of)\b|n't|≠|\\neq?)"
    r"(?: (?:\w+ ){0,2})?\W{0,4}$"
)
_REFUSED_BEHIND = re.compile(
    r"\W{0,4}(?:(?:\w+ ){0,3}(?:is|are|was|were|would|cannot|can't|isn't|does|leads?)\b[^.;\n]{0,20}?"
    r"\b(?:wrong|not|n't|too|incorrect|impossible|false|mistake\w*|fails?|contradict\w*|out)\b|"
    r"(?:fails|cannot|can't|doesn't|isn't|does not|is not|would))"
)
_NUMBERED = re.compile(
    r"\b(?:method|step|case|part|way|approach|equation|line|example|chapter|figure|table)s? \d$", re.IGNORECASE
)
_BOUND = re.compile(r"\bno \w+ than\b|\bnot (?:more|less|fewer|below|above|under|over)(?: than)?\b")
_LISTED = re.compile(
    r"[\s)\]}'\"`*$]*(?:[,;/|&]|\bor\b|\band\b|\belse\b|\bto\b|-|–|\.\.+)?[\s(\[{'\"`*$]*(?:[1-9a-h][.):]\s+)?",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"[\s)\]}'\"`*$.!>]*(?:</\w{1,20}>\s*)?")
_OPENED = re.compile(
    r"(?:(?<![a-z])(?:so|about|roughly|around|print|return|answers?|results?|ans|output|submit|echo|say|final|"
    r"∈|\\in|write|it is|it's|is|are)\b"
    r"[\w\s\"'*]{0,12}"
    r"[(\[{=:\s\"'*$`]*"
    r"|(?:^|\n)[\s(\[{*$`\"']*(?:[1-9a-h][.):]\s+)?)$",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:you|your|people|many|somebody|someone|students?|they|would(?! say)|were|had|mistake|mistaken\w*|careless\w*|"
    r"trap|"
    r"tempting|check|verif\w+|note that|remember|because|since|rounded?|approximately|about|equivalent\w*|"
    r"in other words|i\.e|that is,|minus|plus|times \d|divided|half|double|remainder|modulo|degrees?|each|per|"
    r"dollars and|cents|hours?|minutes?|left|remain\w*|altogether|sum|product|difference|adding|subtract\w*|"
    r"multipl\w+)\b|≈|\\approx"
)
"""The value is somebody else's, supposed, or comes out of working in words."""
_FREE = re.compile(
    r"\b(?:no (?:smaller|larger|less|more|fewer|greater|lower|higher) than|between|anything|"
    r"any of|though|although|gut|hunch|guess\w*|bets?|lean\w*|instincts?|heads|tails|coin|toss|runner-up|ranked|"
    r"weigh\w*|favou?r\w*|prefer\w*|if|whether|when|in case|unless|prim(?:ary|arily)|readings?|version|"
    r"variant|options?|"
    r"method|way|estimate|plausible|torn|hesitat\w*|doubt\w*|unsure|uncertain|range|anywhere|take|say|one of|"
    r"any of|or|either|both|otherwise|else|unless|also|as well|alternat\w+|equally|maybe|perhaps|possibly|might|could|"
    r"settle|decide|choose|pick|sure|certain|tell which|at fault|standing|report|backup|fallback|fall back|reserve|"
    r"second|another|other|whichever|wrong|not accepted|marked|cover|too|versus|vs|split|undecided|accept\w*|first|"
    r"should|differ\w*|resp|some|depend\w*|considered|candidates?|possib\w+|once|twice|tries|attempts?|runs?|votes?|times|confiden\w+|probab\w+|likel\w+)\b"
)
_TOTAL = re.compile(
    r"\b(?:total|sum|altogether|answer|result|final\w*|so|thus|hence|therefore|all|left|together|overall)\b"
)
_LETTER = re.compile(r"(?<![\w.'’$\\])\(?\**([A-H])\**\)?(?![\w'’$^]|\.\w| [a-z]+ (?:is|are|was)\b)")
_STRUCK = re.compile(
    r"\b(?:not|wrong|false|eliminat\w+|exclud\w+|incorrect|rul(?:e|es|ed)|reject\w*|because|since|instead|neither|"
    r"between|from [A-H]|"
    r"angle|point|side|segment|line|triangle|set|matrix|event|equals?|vs|then|than|but|while)\b|n't|=",
    re.IGNORECASE,
)
_WORDS_OF_TWO = (("yes", "no"), ("true", "false"))


def open_end(text: str, prompt: str, reference: str) -> Row | None:
    """The values at the end between which the text leaves the choice, the reference among them."""
    wanted = reference.strip(" $")
    right = number(wanted)
    if right is None:
        return _letters(text, prompt, wanted) if len(wanted) == 1 else _words(text, wanted.lower())
    return _numbers(text, prompt, right)


def _numbers(text: str, prompt: str, right: Fraction) -> Row | None:
    start = _unworked(text)
    if start >= len(text) - 2:
        return None
    found = [
        match
        for match in value_matches(text, start)
        if not _NUMBERED.search(text[max(0, match.start() - 12) : match.end()])
    ]
    if len(found) < 2:
        return None
    said = {_amount(match) for match in found}
    if right not in said or len(said) < 2:
        return None
    known = _known(prompt[-4000:]) | {
        number(m[0].strip("$-%\\ ")) for m in value_matches(text[max(0, start - 4000) : start], 0)
    }
    amounts = [(match, _amount(match)) for match in found]
    new = [(m, a) for m, a in amounts if a is not None and (a == right or abs(a) not in known)]
    order = [a for _, a in new]
    if right not in order or len(set(order)) < 2 or converted(text, found):
        return None
    first, last = new[0][0], new[-1][0]
    row = Row(first.start(), last.end(), tuple(dict.fromkeys(m[0].strip(" $") for m, _ in new)))
    if "frac" in text[start:]:
        return None
    near = all(b[0].start() - a[0].end() < 60 for a, b in pairwise(new))
    turns = [a for i, a in enumerate(order) if not i or a != order[i - 1]]
    window = text[start:].lower()
    open_words = _FREE.search(window) and not _OTHERS.search(window)
    if near and len(set(turns)) == 2 and (len(turns) >= 4 or (len(turns) == 3 and open_words)):
        return row
    if _listed(text, start, found, right):
        return row
    dismissed = [_dismissed(text, m) for m, a in new if a != right]
    if all(dismissed) or (order[-1] == right and any(dismissed)):
        return None
    if _in_lines(text, new, right):
        return row
    if _OTHERS.search(window):
        return None
    if order[-1] != right:
        return row if _FREE.search(window) else None
    return row if _same_sentence(text, new[-2][0], last) and _FREE.search(window) else None


@lru_cache(maxsize=512)
def _known(prompt: str) -> frozenset[Fraction | None]:
    return frozenset(number(match[0].strip("$-%\\ ")) for match in value_matches(prompt, 0))


def _listed(text: str, start: int, found: list[re.Match[str]], right: Fraction) -> bool:
    """The text ends on values with nothing but commas between them, told as one answer."""
    if not _CLOSED.fullmatch(text, found[-1].end()):
        return False
    members = [found[-1]]
    for match in reversed(found[:-1]):
        if not _LISTED.fullmatch(text, match.end(), members[-1].start()):
            break
        members.append(match)
    amounts = {_amount(match) for match in members}
    if len(amounts) < 2 or right not in amounts or len(amounts) > 6:
        return False
    return _OPENED.search(text[max(start, members[-1].start() - 40) : members[-1].start()]) is not None


def _unworked(text: str) -> int:
    """Where the last lines and sentences begin that hold no operation."""
    low = max(0, len(text) - LOOKED_AT)
    start = len(text)
    plain = _COPIED.sub(lambda match: " " * len(match[0]), text[low:])
    for match in reversed(list(_SENTENCE.finditer(plain))):
        if match[0] and (_OPERATION.search(match[0]) or len(match[0]) > LONGEST):
            break
        start = low + match.start()
    return start if start > low or not low else max(start, text.find(" ", low) + 1)


def _amount(match: re.Match[str]) -> Fraction | None:
    return number(match[0].rstrip("%\\ "))


def _dismissed(text: str, match: re.Match[str]) -> bool:
    before = _BOUND.sub("", text[max(0, match.start() - 40) : match.start()].lower())
    behind = text[match.end() : match.end() + 60].lower()
    return bool(_REFUSED_BEFORE.search(before) or _REFUSED_BEHIND.match(behind))


def _same_sentence(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    between = text[one.end() : other.start()]
    return not re.search(r"[.!?:]\s|\n", between)


def _in_lines(text: str, new: list[tuple[re.Match[str], Fraction]], right: Fraction) -> bool:
    """Lines of one form, one value each: a table, a column, boxes that are ticked."""
    lines = [
        line for line in text[new[0][0].start() - 80 if new[0][0].start() > 80 else 0 :].split("\n") if line.strip()
    ]
    lines = [line for line in lines if re.search(r"\d", line)]
    if len(lines) < 2:
        return False
    last, before = lines[-1].strip(), lines[-2].strip()
    forms = {re.sub(r"[\w\s.,-]+", "", line) for line in (last, before)}
    if len(forms) != 1 or max(len(last), len(before)) > 60 or len({m[0] for m, _ in new}) < 2:
        return False
    if _TOTAL.search(last.lower()) and not _TOTAL.search(before.lower()):
        return False
    worded = re.search(r"[a-z]{3}", last.lower()) is not None
    return not worded or last.startswith("|") or new[-1][1] != right


def _letters(text: str, prompt: str, wanted: str) -> Row | None:
    """Two of the prompt's choices in the last sentence."""
    if not wanted.isupper() or not re.search(rf"(?:^|\s)\(?{wanted}[).:]", prompt):
        return None
    low = max(0, len(text) - 160)
    end = len(text.rstrip(" .!\n"))
    low = max(low, text.rfind("\n", low, end) + 1, text.rfind(". ", low, end) + 1)
    sentence = text[low:]
    found = [m for m in _LETTER.finditer(sentence) if re.search(rf"(?:^|\s)\(?{m[1]}[).:]", prompt)]
    said = dict.fromkeys(m[1] for m in found)
    if len(said) < 2 or wanted not in said or len(sentence.split()) > 14 or _STRUCK.search(sentence):
        return None
    return Row(low + found[0].start(1), low + found[-1].end(1), tuple(said))


def _words(text: str, wanted: str) -> Row | None:
    """`Yes` and `no` at once."""
    pair = next((pair for pair in _WORDS_OF_TWO if wanted in pair), None)
    if pair is None:
        return None
    low = max(0, len(text) - 160)
    end = len(text.rstrip(" .!?\n"))
    cut = max(low, text.rfind("\n\n", low, end) + 1)
    said = text[cut:].lower()
    one, other = (
        [
            m
            for m in re.finditer(rf"(?<![\w-])[*\"'{{(]{{0,3}}({word})\b(?=\W|$)", said)
            if re.match(
                r"[*\"')}]{0,3}(?:[.,;:!/|…]|\s*$|\s+(?:and|or|if|in|when|but|as|under)\b|\s[/|-])", said[m.end() :]
            )
        ]
        for word in pair
    )
    if not one or not other or "?" in said[:-1] or re.search(r"\b(?:so|therefore|hence|thus|divisible)\b|=", said):
        return None
    first, last = min(one[0].start(1), other[0].start(1)), max(one[-1].end(1), other[-1].end(1))
    return Row(cut + first, cut + last, pair)
