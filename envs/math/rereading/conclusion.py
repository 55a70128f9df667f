r"""What the last clause of a completion concludes in plain text: the mathematics that it ends with, or its last words.

>>> question = "Find the area of the region."
>>> list(concluded("16-4\\pi", "The region has area 4(4 − π).", question))
['4(4 − π)']
>>> list(concluded("3/4", "it is not 3/4", question)), list(concluded("6", "half of 6", question))
([], [])
>>> list(concluded("y", "y = A sin x, with A arbitrary (any real number)", question))
['y = A sin x']

A clause concludes what stands at its end without words, where a verb, a colon, an arrow or a word of the question
stands right before it. Remarks behind it are no part of it: an aside in brackets, a reason, `with A and B arbitrary`.
A clause that denies, doubts or compares concludes nothing. There is one conclusion, in the spellings that it may be
read in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlenv.envs.math.reading.names import FUNCTIONS, GREEK
from rlenv.envs.math.reading.units import UNIT_WORDS
from rlenv.envs.math.rereading.numbers_told import in_digits
from rlenv.envs.math.rereading.options import stem, words
from rlenv.envs.math.sentence import stated_value
from rlenv.text.function_words import word_set

MAX_CHARS = 400
MAX_WORDS = 8
_DOLLARS = re.compile(r"(?<!\\)\$\$?([^$]{1,300})(?<!\\)\$\$?")  # $x = 3$
_MARKS = re.compile(r"\\[()\[\]]|\*\*|\\(?:text|textbf|mathrm|mbox)\s*\{([^{}]*)\}|\\[,;: ]")
r"""What sets off and shows: \(x\), **x**, \text{cm}"""
_ASIDE = re.compile(r"(?<=[\w)\]}%])\s+\((?!\\?mod)(?=[^()]*(?:[A-Za-z]{2}|[=≈]))[^()]{2,100}\)[.\s]*\Z")
""" (smaller to larger), (1.506 mg)"""
_REMARK = re.compile(r"\s\((?:with )?[A-Za-z]{3,} [^()=]{1,60}\)(?=.)")  # 1 (with multiplicity two) and 3
_CORRECTED = re.compile(r"\A\W*(?:no|wait|actually|oh|rather)\s*[,:;—–-]+\s*(?=\S)", re.IGNORECASE)  # No: 8
_INSTEAD = re.compile(
    r"(?:—|–|\.\.\.|…|;|,)\s*(?:no|wait|sorry|rather|I mean|make that|actually)\b[,:]?\s*", re.IGNORECASE
)
"""It is 10 — no, 9"""
_INDEX = re.compile(
    r",?\s*\(?(?:for |where |with )?\b[nk]\s*=\s*[012],\s*[123](?:,\s*[0-9]+)*,\s*(?:\\[cl]?dots|\.\.\.|…)\)?\Z"
)
""", n = 1, 2, 3, ...: which terms there are"""
_DEFINED = re.compile(
    r"(?:,\s*|[,(]?\s*\b(?:for|where|when|with|provided|valid for|assuming|as long as|if)(?: that)?(?: all)?\s+)"
    r"[a-z]\s*(?:≠|\\neq?(?![a-z]))[^A-Za-z=<>]{1,40}\Z"
)
"""for x ≠ -2, 3: where the value is defined"""
_REASON = re.compile(
    r"(?<![;:.]),?\s+(?:because|since)\b(?!.*\b(?:have|get|so|then|hence|thus|therefore|is|are)\b).*\Z",
    re.DOTALL | re.IGNORECASE,
)
""", since F(0) = 1 + C = 4"""
_FREE = re.compile(
    r",?\s*(?:(?:where|with|for|and|as|here|any|all|every|some|both|an?|the|is|are|being|of|real|reals|integers?|whole|"
    r"arbitrary|free|constants?|numbers?|parameters?|values?)\b|[∈,]|\\in\b|[ℝℤ]|\\mathbb\{?\s*[RZ]\}?"
    r"|(?<![A-Za-z])[A-Za-zλμ](?:_?[0-9₁₂])?(?![A-Za-z])|\s+)*"
)
""", with A and B arbitrary: of a letter it says no more than that it is one"""
_SAYS_FREE = re.compile(
    r"\b(?:arbitrary|real|reals|integers?|constants?|parameter|any)\b|[∈ℝℤ]|\\in\b"
)  # k is any integer
_ARROW = re.compile(
    r"→|⇒|⇔|⟺|⟹|➜|=>|->|\\(?:to|Rightarrow|implies|rightarrow|Longrightarrow)(?![A-Za-z])"
)  # 45 → 101101
_FILLING = re.compile(
    r"\b(?:also|exactly|precisely|only|just|simply|finally|then|about|approximately|roughly|either|both)\b\s*",
    re.IGNORECASE,
)
"""Words without which a sentence says the same."""
_SHORT_IS = re.compile(r"(?<=[A-Za-z])['’]s\b")  # it's
_MEASURES = "|".join(sorted(map(re.escape, UNIT_WORDS - {"in", "a", "per"}), key=len, reverse=True))
_UNIT = re.compile(rf"(?<=[0-9π)}}⁰¹²³⁴⁵⁶⁷⁸⁹])(?:\s?(?:{_MEASURES})\b(?!\())+(?:\s?(?:per|/)\s?(?:{_MEASURES})\b)?")
"""46 dollars, 21π cubic metres"""
_NOUNS = re.compile(r"(?<=[0-9])(?:\s[A-Za-z]{2,}){1,3}\Z")  # 10 primes
_GIVES = re.compile(r"\b(?:gives|yields|makes)\s*\Z", re.IGNORECASE)
"""Base times height gives: the words before are a way to the value, and no part of it."""
_WAY = re.compile(r"\b(?:times|squared?|half|twice|(?:one|a) third of)\b", re.IGNORECASE)  # half the base
_ALL_TOLD = re.compile(
    r"\s+(?:of them|in all|in total|altogether|overall|all told|together|of these|of an?"
    r" (?:square |cubic )?unit)\Z",
    re.IGNORECASE,
)
"""71 of them"""
_AS_GOES = re.compile(r"\s+(?:as|when) \(?[a-zA-Zθ]\s*(?:→|\\to(?![a-z])|->)\s*\S+\Z")  # as x → 0
# By what factor does it grow?
_FACTOR = re.compile(r"\b(?:by (?:what|which) factor|how many times|what factor)\b", re.IGNORECASE)
_TIMES_AS = re.compile(r"\b(?P<number>[0-9][0-9./]*)\s+times (?:as|its?|the|what|bigger|larger|greater)\b")
"""8 times as large"""
_PERCENT_OF = re.compile(
    r"\b(?:is|are|makes) (?P<number>[0-9.]+)\s?(?:%|percent)"
    r" of\b",
    re.IGNORECASE,
)  # 12 is 15% of 80
_OF_THEM = re.compile(
    r"(?:that is|that makes|this gives|there are|that gives|we get|this makes|which makes|so)"
    r" (?P<number>-?[0-9][0-9,]*)(?: of (?:them|these))?",
    re.IGNORECASE,
)
"""that is 71 of them"""
_WORD = re.compile(r"(?<![A-Za-z\\_])(?<!\\text\{)[A-Za-z]{2,}(?:['’-][A-Za-z]+)*")  # region
_NO_WORD = FUNCTIONS | GREEK | word_set("pi inf infinity mod bmod pmod and or det arg deg lim cis")
_STATING = word_set(
    """is are was were be being equals equal give gives giving get gets getting obtain obtains have has find finds make
    makes leaves leaving become becomes comes as namely yields yield so hence thus therefore means that of form
    point pair vector interval set value values matrix line solution solutions answer result total sum
    coordinates measures"""
)
"""Behind these a sentence says what it has found."""
_LEADS = re.compile(
    r"\b(?:(?:equal|equals|tends?|amounts?|simplifies|converges?|evaluates|comes|reduces|leads|up"
    r"|congruent|goes|diverges|collapses|condenses|shrinks|boils down|cancels down|works out|sums|adds up|corresponds"
    r"|rounds|expands|factors|narrows down|simplify|reduce|leading) to"
    r"|(?:left|end(?:s|ed)? up|leaves us|remains?|finish|come up|start(?:s|ing)? and ends?) with"
    r"|(?:works out|factors|can be written|may be written|written|expressed|rewritten|comes out|turns out) as"
    r"|(?:given|described|found|defined) by)\Z",
    re.IGNORECASE,
)
"""simplifies to, given by"""
_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|cannot|impossible|wrong|incorrect|false|instead|rather|except|unless"
    r"|if|suppose|"
    r"assume|assuming|maybe|perhaps|might|could|may|than|least|most|half|twice|double|between|below|above|over|under|"
    r"times|log|squared?|(?:square|cube|cubic|fourth|nth) root|roots? of(?=\s*[-0-9√$\\]*\s*\Z)"
    r"|(?<!add )(?<!adds )(?<!end )(?<!ends )(?<!ended )up|almost|nearly|wait|checks?|check|try|tried|guess"
    r"|(?:one|some|any|two|most|part|multiples?|powers?) of)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
"""Words by which a sentence says something else of what it ends with, or nothing for sure."""
_NAMED = re.compile(r"[A-Za-z]\w*(?:\([a-z]\))?\s*=")  # f(x) =
_IS = re.compile(r"\b(?:is|are|was|were|be)\s+(?P<said>[^=<>:0-9]{2,60})\Z", re.IGNORECASE)  # the limit is infinite
_HOW_MANY = re.compile(r"(?:[^.?]*\. )?how many ([a-z]{3,})\b", re.IGNORECASE)  # How many edges
_STORY = re.compile(
    r"\b(?:but|then|first|initially|before|after|started|began|needs?|wants?|had|were)\b|;", re.IGNORECASE
)
"""Words of a sentence that tells more than one count: `she has 12 but needs 15`"""
_COUNT_AND_LIST = re.compile(
    r"\b(?:are|is|has|have|exist|gives?|get) (?P<number>[0-9]{1,3})(?: [A-Za-z]+){0,5}:\s*"
    r"(?P<items>[^:A-Za-z]+,(?: and)? [^:A-Za-z]+)\Z"
)
"""there are 3 of them: 2, 4, 6"""
_ALL_BUT = re.compile(
    r"\b(?:everywhere|(?:all|any|every) (?:reals?|real numbers?|[a-z]))(?: numbers?)?,?\s+"
    r"(?:except|but|other than|apart from|excluding)(?: for| at| when)?\s+(?P<taken>[^<>]{1,40})\Z",
    re.IGNORECASE,
)
"""everywhere except at x = 2"""
_RATIO = re.compile(r"(?<=[0-9])\s+to\s+(?=[0-9])")  # 2 to 3
_SHARE = re.compile(r"\b([0-9]+)\s+(?:chances?\s+)?(?:in|out of)\s+([0-9]+)")  # 3 chances in 52
_CHANCE = re.compile(r"\bprobability|\bchances?\b|\blikel|\bodds\b|\bfraction\b|\bproportion\b", re.IGNORECASE)


def concluded(gold: str, clause: str, question: str) -> Iterator[str]:
    """The conclusion of a clause as it stands, and with its numbers in digits."""
    if not 0 < len(clause) <= MAX_CHARS:
        return
    said = _without_remarks(clause)
    spelled = in_digits(said)
    if ":" in gold:
        spelled = _RATIO.sub(":", spelled)
    if _CHANCE.search(question):
        spelled = _SHARE.sub(r"\1/\2", spelled)
    yield from filter(None, dict.fromkeys(_ended_by(text, question) for text in (said, spelled)))
    value = stated_value(spelled) if spelled != said and not _DENIED.search(said) else None
    if value is not None:
        yield value.result or value.text
    yield from _last_words(said)
    noun = _HOW_MANY.match(question)
    told = noun is not None and not _DENIED.search(said) and not _STORY.search(said)
    number = (
        re.findall(rf"(?:\A|\b(?:are|is|has|have|makes?|get) )([0-9][0-9,]*) {noun[1]}\b", spelled)
        if told and noun
        else []
    )
    yield from number if len(number) == 1 else []
    share = _PERCENT_OF.search(spelled) if "percent" in question.lower() and not _DENIED.search(said) else None
    if share is not None:
        yield f"{share['number']}%"
    yield from _counts_told(spelled, question)
    counting = question[:8].lower() == "how many" and not _DENIED.search(said)
    items = _COUNT_AND_LIST.search(spelled) if counting else None
    if items is not None and items["items"].count(",") + 1 == int(items["number"]):
        yield items["number"]
    but = _ALL_BUT.search(said)
    if but is not None and not _DENIED.search(said[: but.start()]):
        yield f"all real numbers except {but['taken']}"


def _counts_told(said: str, question: str) -> Iterator[str]:
    """The number of `that is 71 of them`, and of `8 times as large` where a factor is asked for."""
    times = _TIMES_AS.search(said) if _FACTOR.search(question) else None
    if times is not None and not _DENIED.search(said.replace(times[0], "")):
        yield times["number"]
    told = _OF_THEM.search(said) if noun_asked(question) else None
    if told is not None and told.end() == len(said) and not _DENIED.search(said.replace("of them", "")):
        yield told["number"]


def noun_asked(question: str) -> bool:
    """Whether a question asks how many there are."""
    return "how many" in question.lower() or "number of" in question.lower()


def _without_remarks(clause: str) -> str:
    """The clause in plain signs without what it says behind its conclusion."""
    text = _MARKS.sub(r" \1 ", _DOLLARS.sub(r" \1 ", clause))
    text = " ".join(text.split()).rstrip(" .,;")
    text = text[max((found.end() for found in _INSTEAD.finditer(text)), default=0) :]
    text = _INDEX.sub("", text)
    text = _DEFINED.sub("", text) if "≠" in text or "\\ne" in text else text
    text = _REASON.sub("", _ASIDE.sub("", _CORRECTED.sub("", _REMARK.sub("", text))))
    text = _FILLING.sub("", _SHORT_IS.sub(" is", text))
    for comma in (text.rfind(","), text.rfind(" with "), text.rfind(" where ")):
        if comma > 0 and _SAYS_FREE.search(text, comma) and _FREE.fullmatch(text, comma):
            return text[:comma]
    return _ALL_TOLD.sub("", _AS_GOES.sub("", text))


def _ended_by(text: str, question: str) -> str:
    """The mathematics at the end of a text, "" where it has none or where its words deny it."""
    hidden = _UNIT.sub(lambda unit: "#" * len(unit[0]), text)
    nouns = _NOUNS.search(hidden)
    if nouns is not None and {*map(stem, words(nouns[0]))} <= {*map(stem, words(question))}:
        hidden = hidden[: nouns.start()] + "#" * len(nouns[0])
    before = [word for word in _WORD.finditer(hidden) if word[0].lower() not in _NO_WORD]
    begin = before[-1].end() if before else 0
    head, tail = text[:begin], text[begin:].lstrip(" :,;—–").strip()
    tail = _ARROW.split(tail)[-1].strip() if _ARROW.search(tail) and "infty" not in tail and "∞" not in tail else tail
    tail = re.split(r"(?<=[A-Za-z0-9]): ", tail)[-1]
    subject = _WAY.sub("", head) if _GIVES.search(head) else head
    if not re.search(r"[0-9A-Za-zπ∞∅]", tail) or _DENIED.search(subject):
        return ""
    last = before[-1][0].lower() if before else ""
    stated = not before or tail != text[begin:].strip() or last in _STATING or last in words(question.lower())
    stated = stated or _LEADS.search(head) is not None or (last == "at" and tail.startswith("("))
    return tail if stated or _NAMED.match(tail) else ""


def _last_words(text: str) -> Iterator[str]:
    """What a sentence says in words behind its last verb: `the odd integers`."""
    found = None if _DENIED.search(text) else _IS.search(text)
    if found is not None and len(found["said"].split()) <= MAX_WORDS:
        yield found["said"]
