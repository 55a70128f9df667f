r"""Outcomes that a clause states in a sentence: that there is none, that all will do, yes or no by the question's word.

>>> [outcome(text) for text in ("there is no value of x that works", "the limit fails to exist", "every real x works")]
['no solution', 'undefined', 'all real numbers']
>>> question = "Is 221 prime? Answer yes or no."
>>> [decision(text, question) for text in ("221 is not a prime number", "so it is prime", "it is odd", "it is **No**")]
['no', 'yes', '', 'no']
"""

from __future__ import annotations

import re

from rlenv.envs.math.rereading.options import stem, words
from rlenv.text.function_words import OF_WORD, word_set

MAX_CHARS = 300
_NONE = re.compile(
    r"\b(?:there (?:is|are|exists?)|has|have|admits?|leaves?|so|thus|hence|therefore|means) no (?:(?:such|real|integer|"
    r"positive|possible|valid) ){0,2}(?:solutions?|roots?|values?|numbers?|integers?|choice|pairs?|[a-z])\b"
    r"|\bno (?:(?:such|real|integer|value of) ){0,2}(?:\$?[a-z]\$?|number|value|solution) (?:works?|exists?|satisf\w+|"
    r"can|will|solves?)\b"
    r"|\b(?:equation|inequality|system|problem) (?:is impossible|is inconsistent|cannot be (?:solved|satisfied))",
    re.IGNORECASE,
)
"""there is no value of x"""
_UNDEFINED = re.compile(
    r"\b(?:does not|doesn['’]t|do not|cannot|can['’]t|fails? to) exist\b|\bno (?:such |two-sided )?limit\b|\bis undefined\b"
    r"|\bis not defined\b",
    re.IGNORECASE,
)
"""the limit fails to exist"""
_ALL = re.compile(
    r"\b(?:every|all|any|each) (?:real )?(?:numbers?|reals?|values?(?: of)?|\$?[a-z]\$?)(?: \$?[a-z]\$?)?"
    r"(?: (?:is|are) (?:an? )?solutions?| works?| will (?:do|work)| satisf\w+| solves?| is allowed| are allowed)\b"
    r"|\b(?:true|holds|valid) for (?:all|every|any) (?:real )?(?:numbers?|reals?|values?|\$?[a-z]\$?)",
    re.IGNORECASE,
)
"""every real x is a solution"""
_LIMITED = re.compile(
    r"\b(?:other|except|besides|but|more|further|unless|if|only|apart|than|positive|negative|integer|maybe|perhaps|might"
    r"|greater|less|between|with|when)\b|[<>≤≥]|\?",
    re.IGNORECASE,
)
"""Words by which less is said: `no other solution`, `every x greater than 2`"""
_ASKS = re.compile(r"(?:is|are|does|do|can|has|have|was|were|must|will)\s", re.IGNORECASE)  # Is 91 prime?
_ENDS = re.compile(r"(?:[:,;–—]|\b(?:is|answer))\s*\W*(?P<word>yes|no)\W*\Z", re.IGNORECASE)  # it is not prime: **No**
_SHORT_NO = re.compile(
    r"(?:so |thus |hence |therefore |then )?(?:it|they|this|that) (?:is|are|does|do|can|has|was)(?:n['’]t| not)\W*",
    re.IGNORECASE,
)
"""it is not"""
_BECAUSE = re.compile(r",?\s(?:since|because|as)\s", re.IGNORECASE)  # since no square divides it
_NOPE = re.compile(r"\W*(?:nope|nah)\b", re.IGNORECASE)  # Nope: it has none
_NOT = re.compile(r"\b(?:not|never|cannot|no|neither|fails? to)\b|n['’]t\b", re.IGNORECASE)  # is not prime
_HEDGED = re.compile(r"\b(?:if|iff|when|unless|maybe|perhaps|might|may|could|whether|suppose|would)\b|\?", re.IGNORECASE)
"""if it is prime"""
_KINDS = word_set("number integer function matrix series sequence set graph equation triangle figure value here")
"""Words behind the one that is asked about: `a prime number`."""
_OPPOSITE = ("in", "im", "ir", "un", "non", "dis")
"""Beginnings that turn a word around: `irrational`, `nonsingular`."""


def outcome(clause: str) -> str:
    """`no solution`, `undefined` or `all real numbers` where a clause says so without limits, else ""."""
    if len(clause) > MAX_CHARS:
        return ""
    if _UNDEFINED.search(clause):
        return "" if _HEDGED.search(clause) else "undefined"
    none, everything = _NONE.search(clause), _ALL.search(clause)
    if none is not None and not _LIMITED.search(clause[: none.start()] + clause[none.end() :]):
        return "no solution"
    if everything is not None and not _LIMITED.search(clause) and not _NOT.search(clause):
        return "all real numbers"
    return ""


def decision(clause: str, question: str) -> str:
    """Yes or no to a question for one, by its own predicate: `it converges` where it asks `does it converge?`."""
    if not _ASKS.match(question) or len(clause) > MAX_CHARS or _HEDGED.search(clause):
        return ""
    ends = _ENDS.search(clause)
    if ends is not None:
        return ends["word"].lower()
    if _NOPE.match(clause):
        return "no"
    if _SHORT_NO.fullmatch(clause):
        return "no"
    predicate, clause = _predicate(question), _BECAUSE.split(clause)[0]
    said = [stem(word) for word in words(clause)]
    turned = {f"{prefix}{predicate}" for prefix in _OPPOSITE}
    if not predicate or sum(word == predicate or word in turned for word in said) != 1:
        return ""
    denials = len(_NOT.findall(clause)) + any(word in turned for word in said)
    return "" if denials > 1 else "no" if denials else "yes"


def _predicate(question: str) -> str:
    """The stem of the last word of the first question, which says what is asked; "" where it is no plain word."""
    asked = words(re.sub(r"\$[^$]*\$", " ", question.partition("?")[0]).lower())
    last = next((word for word in reversed(asked) if word not in _KINDS), "")
    return stem(last) if len(last) > 3 and last not in OF_WORD else ""
