r"""What an answer says in words: a number in a sentence, a bound, a set, the word that is asked for.

>>> list(reworded(r"k\le 4", "so k is at most 4", "")), list(reworded(r"(0,\infty)", "all positive reals", ""))
(['k \\le 4'], ['(0,\\infty)'])
>>> list(in_prose("12", r"\text{the area is }12", "")), list(in_prose("12", r"\text{half of }12", ""))
(['12'], [])
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rlenv.envs.math.choice import is_choice
from rlenv.envs.math.reading.answer import reading
from rlenv.envs.math.reading.nodes import Words
from rlenv.envs.math.reading.phrases import phrase
from rlenv.envs.math.reading.units import counts
from rlenv.envs.math.reading.written import FONT
from rlenv.envs.math.reading.written import plain as plain_text
from rlenv.envs.math.rereading.options import LETTER, options, words
from rlenv.envs.math.rereading.stating import states
from rlenv.envs.math.sentence import stated_value

_TEXT_FIRST = re.compile(r"\\text\s*\{(?P<text>[^{}$]*)\}\s*(?P<formula>[-0-9\\](?:(?!\\text)[^$])*)")
r"""\text{The value is } \tfrac{7}{10}"""
_WORDY = re.compile(r"(?<!\\)\b[A-Za-z]{2,}")  # at least
_PLAIN_WORDS = re.compile(r"[A-Za-z][A-Za-z' -]*")  # first player
_LETTERS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]|[=,;]")  # x = 3
_CHANGES = re.compile(
    r"\b(?:not|no|never|minus|negative|over|under|above|below|than|at|half|twice|double|root|squared?(?= of)|between"
    r"|from|to|if|or|either|maybe|perhaps|except|wrong|least|most|about|up|times|plus|divided|inverse|reciprocal|log"
    r"|unless|when|where)\b|n['’]t|\?",
    re.IGNORECASE,
)
"""Words by which a sentence says another value than the number in it."""
_STATED = re.compile(
    r"(?:\b(?:is|are|has|have|equals?|was|were|gives?|makes?|measures?|costs?|gets?|needs?|takes?|contains?|exactly)"
    r"|[=:])\s*\$?\Z",
    re.IGNORECASE,
)
"""`the cube has` before a number"""
_RELATED = re.compile(r"[<>≤≥(\[]|\\(?:le|ge|lt|gt|leq|geq|leqslant|geqslant|ne|neq|cup|mathbb)(?![a-zA-Z])")  # x \le 3
_BOUND = re.compile(
    r"(?:.{0,30}\s)?(?P<name>[A-Za-z]|\\[a-z]+)\s+(?:(?:is|must be|has to be|can be|are)\s+)?(?P<how>at (?:most|least)"
    r"|(?:less|greater|smaller|larger|more)(?: than)? or equal to"
    r"|(?:no |not |strictly )?(?:less|greater|smaller|larger|more|fewer) than"
    r"|below|above|(?:does not |cannot |must not )?exceeds?)\s+(?P<value>[^A-Za-z]{1,40})"
)
"""k is at most 4"""
_SIGNED = re.compile(
    r"(?:(?P<name>[A-Za-z])\s+(?:is|must be)\s+|(?:all|every|any|the)\s+)?(?:real\s+)?(?P<sign>positive|negative|"
    r"non-?negative|non-?positive)(?:\s+real)?(?:\s+(?:numbers?|reals?|values?)(?:\s+(?:of\s+)?[A-Za-z])?)?"
)
"""x is positive, all negative real numbers"""
_BETWEEN = re.compile(
    r"(?:[A-Za-z]\s+(?:is|lies)\s+)?strictly between\s+(?P<low>[^A-Za-z]{1,30}?)\s+and\s+(?P<high>[^A-Za-z]{1,30})"
)
"""strictly between 2 and 5"""
_WITHIN = re.compile(
    r"\b(?P<kind>open|closed) interval (?:from |between )?(?P<low>[^A-Za-z]{1,20}?) (?:to|and) "
    r"(?P<high>[^A-Za-z]{1,20})\Z",
    re.IGNORECASE,
)
"""the open interval from -1 to 5"""
_INCLUSIVE = re.compile(r"\bbetween (?P<low>[^A-Za-z]{1,20}?) and (?P<high>[^A-Za-z]{1,20}?),? \(?inclusive\)?\Z")
"""between -3 and 3, inclusive"""
_THOSE = re.compile(
    r"(?:so |thus |it is |exactly |for )?(?:all|any|every|those|the)(?: real)?(?: numbers?| values?)?(?: of)? [a-z] "
    r"(?:with|such that|for which|satisfying|where|so that)\s+(?=[^A-Za-z]*[a-z]?\s*[<>≤≥\\]|[-−0-9])",
    re.IGNORECASE,
)
"""All x with -1 < x < 5"""
_END = r"-?\s?(?:[0-9./√π∞]+|\\infty|\\pi|\\[dt]?frac\{?[0-9]+\}?\{?[0-9]+\}?|\\sqrt\{?[0-9]+\}?)"
_ORDER = r"\s*(?:<|≤|>|≥|\\leq?(?:slant)?(?![a-z])|\\geq?(?:slant)?(?![a-z])|\\[lg]t(?![a-z]))\s*"
_CHAIN = re.compile(rf"\b(?:for|when|if|where|iff|that)\s+(?P<chain>{_END}{_ORDER}[a-z]{_ORDER}{_END})\Z")
"""converges for 1 ≤ x < 3"""
_INTERVAL = r"[(\[][^()\[\]]{1,40},[^()\[\]]{1,40}[)\]]"
_AND = re.compile(r"(?<=[)\]])\s*(?:,\s*and|,|and|or)\s*(?:on\s+|for\s+|in\s+)?(?=[(\[])")  # [0,1], and on [2,3]
_INTERVALS = re.compile(
    rf"\b(?:on|in|for|is|are)\s+(?P<sets>{_INTERVAL}(?:\s*(?:,\s*and|,|and|or)\s*(?:on\s+|for\s+|in\s+)?{_INTERVAL}){{1,4}})\Z"
)
r"""is increasing on (-\infty,-1) and on (1,\infty)"""
_OPPOSITES = (("increasing", "decreasing"), ("converge", "diverge"), ("positive", "negative"), (" up", " down"))
# It is impossible
_DENIAL = re.compile(
    r"\b(?:not|no|never|cannot|impossible|contradict\w*|neither|nor|except|unless|wrong|instead|rather|but|if|suppose|assume|maybe|perhaps|might)\b|n['’]t\b",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"\b(?:substitut\w*|let|us(?:e|ed|ing)|recall|consider|defin\w*|formula|given|set|put)\b", re.IGNORECASE
)
"""Words before a formula that is a means and no result: `We used the substitution $u = 2x$`"""
_REMARK = re.compile(
    r",?\s*(?:\(\s*)?\b(?:where|with|for)\s[^=<>]{0,40}\b(?:constants?|reals?|real numbers?)\b[^=<>]{0,20}\Z|"
    r"\s\([^()]{0,60}\bconstants?\b[^()]{0,20}\)\Z",
    re.IGNORECASE,
)
""", where $K$ is an arbitrary constant"""
# hence $x = 3$.
_FORMULA = re.compile(
    r"(?:\$\$([^$]+)\$\$|(?<!\$)\$([^$]+)\$|\\\((.{1,300}?)\\\)|\\\[(.{1,300}?)\\\])[.\s]*\Z", re.DOTALL
)
_HALVES = {"positive": r"(0,\infty)", "negative": r"(-\infty,0)",
           "nonnegative": r"[0,\infty)", "nonpositive": r"(-\infty,0]"}  # fmt: skip


@lru_cache(maxsize=1024)
def is_number(gold: str) -> bool:
    r"""Whether a reference has no letters but in commands: 12, \frac16, 36\pi."""
    return not _LETTERS.search(gold.replace("{,}", ""))


def reworded(gold: str, answer: str, question: str) -> Iterator[str]:
    """What a clause says in words, where the reference says it in signs or in the same words."""
    if not _WORDY.search(answer):
        return
    said = plain_text(answer).strip(" .")
    if _RELATED.search(gold):
        yield from _region(said)
        if not _opposed(said, question):
            yield from _ranges(said)
    if not is_number(gold):
        yield from _last_formula(answer)
    wanted = FONT.sub(r"\1", gold)
    counted = question.lower().startswith("how many") or "number of" in question
    if counted and {phrase(gold), phrase(said)} == {"infinity", "infinitely many"}:
        yield gold
    worded = _PLAIN_WORDS.fullmatch(wanted) and _is_words(gold) and not is_choice(gold)
    if worded and states(wanted, said, question):
        yield gold
    if LETTER.fullmatch(gold):
        offered = options(question)
        named = [letter for letter, content in offered.items() if states(FONT.sub(r"\1", content), said, "")]
        if len(named) == 1:
            yield named[0]


def _is_words(gold: str) -> bool:
    try:
        return isinstance(reading(gold).node, Words)
    except RecursionError:
        return False  # the caller's stack is nearly full


def _region(said: str) -> Iterator[str]:
    """A set of numbers that is told in words."""
    bound, signed = _BOUND.fullmatch(said), _SIGNED.fullmatch(said)
    if bound is not None:
        yield f"{bound['name']} {_sign(' '.join(bound['how'].lower().split()))} {bound['value']}"
    if signed is not None:
        yield _HALVES[signed["sign"].replace("-", "")]
    between, within = _BETWEEN.fullmatch(said), _WITHIN.search(said)
    those = _THOSE.match(said)
    if those is not None and not _DENIAL.search(said):
        yield said[those.end() :]
    inclusive = _INCLUSIVE.search(said)
    if inclusive is not None and not _DENIAL.search(said):
        yield f"[{inclusive['low']},{inclusive['high']}]"
    if within is not None and not _DENIAL.search(said):
        ends = f"{within['low']},{within['high']}"
        yield f"({ends})" if within["kind"].lower() == "open" else f"[{ends}]"
    if between is not None:
        yield f"({between['low']},{between['high']})"


def _ranges(said: str) -> Iterator[str]:
    """The intervals or the chain of inequalities that a sentence ends with."""
    chain, intervals = _CHAIN.search(said), _INTERVALS.search(said)
    if chain is not None:
        yield chain["chain"]
    if intervals is not None:
        yield _AND.sub(r"\\cup ", intervals["sets"])


def _opposed(said: str, question: str) -> bool:
    """Whether a sentence speaks of the opposite of what is asked: decreasing for increasing."""
    said, question = said.lower(), question.lower()
    return any(
        word in said and word not in question
        for pair in _OPPOSITES
        if any(one in question for one in pair)
        for word in pair
    ) or bool(_DENIAL.search(said))


def _last_formula(answer: str) -> Iterator[str]:
    """What stands in the delimiters at the end of a sentence, without a remark on its constants."""
    bare = _REMARK.sub("", answer.rstrip(" .\n"))
    found = _FORMULA.search(bare)
    if found is None or _DENIAL.search(bare[: found.start()]) or _AUXILIARY.search(bare[: found.start()]):
        return
    formula = next(part for part in found.groups() if part is not None).strip(" .")
    yield formula.rpartition("=")[2] if formula.startswith("\\int") else formula


def _sign(how: str) -> str:
    """The sign for `at most`, `no less than`, `exceeds` and so on."""
    denied = re.search(r"\b(?:no|not)\b", how) is not None
    below = re.search(r"most|less|smaller|fewer|below", how) is not None
    equal = denied or re.search(r"equal|most|least", how) is not None
    less = below != denied
    return ("\\le" if equal else "<") if less else ("\\ge" if equal else ">")


def in_prose(gold: str, answer: str, question: str) -> Iterator[str]:
    """The number that a sentence in a box states."""
    if not is_number(gold) or not _WORDY.search(answer):
        return
    plain = plain_text(answer)
    formula = _TEXT_FIRST.fullmatch(answer.strip(" $"))
    if formula is not None:
        plain = " ".join(f"{formula['text']} ${formula['formula']}$".split())
    value = None if _CHANGES.search(plain) else stated_value(plain)
    if value is None or not counts(plain[value.end :], question):
        return
    before = words(plain[: value.start])
    asked = set(words(question))
    if before and (_STATED.search(plain[: value.start]) or all(word in asked for word in before)):
        yield value.text
