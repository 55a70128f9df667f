r"""Which value a sentence states: `So Ann has \(3 + 4 = 7\) pears.` states `3 + 4 = 7`, and that is 7.

>>> stated_value("Therefore, the area of kite $ABCD$ is $75$ square units.").text
'75'
>>> stated_value("Therefore, 4 of the 40 guests did not get a second one.") is None
True
>>> stated_value("So Alicia spends $225.00 over 5 visits.", worked="$45.00 x 5 = $225.00.").text
'$225.00'
>>> stated_value("The answer is 41 or 42.").text
'41 or 42'

The rules, in order: what follows the last `is`, `are`, `equals` or colon, where nothing but the value (and a
noun) stands there; the only value in bold; the result of the sentence's last equation, where no other value
follows; the only value that it names; the one that is also the last result worked out before it. Values joined
by `or` or `and` are one list, never a choice. A sentence that leaves it open states nothing.
"""

from __future__ import annotations

import re

from rlenv.envs.math.comparing import compare
from rlenv.envs.math.comparing.policy import MathPolicy
from rlenv.envs.math.values import NEGATED, NUMBER, UNREAD, Value, values_in

MAX_SENTENCE = 1200
"""Longer sentences state nothing."""
_COPULA = re.compile(
    r"(?<![A-Za-z])(?:is|are|was|were|be|equals?|becomes|costs|totals?|est|sont|ist|sind|lautet|es|son|é|è|são|sono)"
    r"(?![A-Za-z])|[:：]|为|是|は"
)
_FILLER = re.compile(
    r"(?:\s*(?:thus|therefore|then|hence|indeed|simply|just|exactly|approximately|about|around|roughly|now|also|"
    r"equal|to|given|by|found|either|both|only|the|that|there|are|is|a|an|of|total|environ|circa|ungefähr)\b,?)*"
    r"\s*(?:[A-Za-z]\s*=\s*)?[(\[{]?"
)
_WORDS_AFTER = re.compile(r"[\s,]*+(?:[a-zA-Zà-öø-ÿ'°²³/().^\]}-]++[\s,]*+){0,6}")
_JOIN = re.compile(
    r"\s*(?:,|;|，|、|or|and|or else|,\s*(?:or|and)|and/or|oder|ou|o|y|et|und"
    r"|,?\s*(?:and then|then|followed by))\s*(?:maybe|perhaps|possibly|else)?\s*"
    r"(?:(?:at|for|when)\s+)?(?:[A-Za-z]\w?\s*=\s*)?"
)
"""`or`, `, and then`, `and at x = `"""
_CONCLUDING = re.compile(
    r"(?:[,;]|\band)\s+(?:so(?! that)|hence|thus|therefore|consequently|which (?:gives|means|makes|leaves)(?: that)?"
    r"|leaving|giving)\b(?:,| that)?|;(?=\s[a-z ]{3,60}\s(?:is|are|equals)\s)|:(?=\s+[A-Za-z]{2,}\s+[A-Za-z]{2,}\s)"
)
"""`29 = 4 * 6 + 5, so the remainder is 5`."""
_STEP = re.compile(
    r"(?:[0-9][a-z]|[a-z)²³0-9]\s?[-−+*/×÷·^]|[²³^√])[^=,;]*=[^,;<>]*(?P<mark>[,;])\s+"
    r"(?:\$?\\?[A-Za-z]\w{0,2}|[0-9][0-9\s()+*/×÷·−-]*)\s?=[^=,;]{1,40}\Z"
)
"""`2y/15 = 4, y = 30`: the equation before is a step, and no second value."""
_OFFERED = re.compile(
    r"[^.!?\n]*?(?:[,;(.]|\.\s|\sand|\selse)\s*\(?(?:or|alternatively|otherwise)\b(?P<rest>[^.!?\n]{0,60})", re.I
)
""" under the usual precedence, or 20 from left to right` behind a value."""
_A_NUMBER = re.compile(rf"(?<![A-Za-z0-9_^.])-?{NUMBER}")  # -1,200
_CHANGED = re.compile(
    r"[ \t]*,?[ \t]*(?:at (?:most|least)\b|or (?:more|less|fewer|so|higher|lower|greater|under|over)\b"
    r"|(?:negative|factorial|squared|cubed|minimum|maximum|plus or minus|and (?:counting|a bit))\b(?![ ]*[A-Za-z]))"
)
"""`at most` and `or more` behind a number: another answer than the number."""
_ROUGHLY = re.compile(
    r"(?:,\s*(?:or|i\.e\.,?|which is|that is,?)|\s\(|\sor)\s*(?:roughly|approximately|about|\$?\s*(?:≈|\\approx))\s*"
    r"\$?(?P<rough>[0-9][0-9.,]*\s*\\?%?)\$?\)?\s*[.!]?\s*\Z"
)
"""`, or roughly 53.6%` at the end of a sentence"""
_EXACT = re.compile(
    r"(?:\A|\s|=)(?P<exact>[0-9.]*[-−]?[0-9]*[√π][^\s=,;]*)(?:\s[a-z]{1,6})?\Z"
)  # 0.5√46 right before `(≈ 3.39)`
_LOOSE = MathPolicy(rounding=0.02)
_ATTAINED = re.compile(
    r"(?P<value>\b(?:maximum|minimum|maximal|minimal|greatest|largest|smallest|least)\b[^.,;:\n]{0,60}"
    r"\b(?:is|equals|of)\s[^,;:\n]{1,60}?)"
    r",?\s+\(?(?:(?:which is |and is |and it is |is )?(?:attained|achieved|reached|assumed|occurring|occurs|happens)\s+"
    r"(?:only |exactly )?(?:at|when|for|if|where)\b"
    r"|(?:at|when|for)\s\$?\(?[a-z](?:,\s?[a-z]\))?(?:\s?=\s?[a-z])*\s?=)[^\n]*\Z",
    re.IGNORECASE,
)
"""`The minimum value is 5, attained at x = -3.`"""
_BECAUSE = re.compile(
    r"(?<=\S),\s+(?:since|because)\b(?!.*\b(?:so|then|hence|thus|therefore|answer|not|get|gives|wrong)\b)[^\n]*\Z"
)
""", since the ratio is 1/3: behind what is stated"""
_SOME_WORDS = re.compile(r"[A-Za-z]{2,}")  # apples
_CHOICE = re.compile(r"\b(?:or|oder|ou)\b")
_RESULT = re.compile(
    rf"(?:=|≈|\\approx)\s*(?:\\?\$\s?)*(?P<value>(?>[-−]?\s?(?:\\?[$€£])?{NUMBER}))"
    r"(?!\s?(?:[-−+*/×÷^(]|\\(?!text|mbox|mathrm)[a-z]))"
)
_COORDINATED = re.compile(r"(?:\b(?:or|and|never|not|cannot|either|ou|oder)|n't|[,;])\s+(?:[A-Za-z]\w?\s*)?$")
_EXPRESSION = re.compile(
    r"(?:[0-9\s+*/^().,√π∞×÷·{}\[\]_|!%°±∓−-]|\\pm(?![a-z])|(?<![A-Za-z])[A-Za-z](?![A-Za-z])"
    r"|(?<![A-Za-z])(?:pi|sqrt|cbrt|sin|cos|tan|cot|sec|csc|log|ln|exp|infinity|or|and)(?![A-Za-z])"
    r"|(?<=[0-9])(?:pi|sqrt)(?![A-Za-z])){1,100}"
)
_SOMETHING = re.compile(r"[0-9π√∞]|pi\b")
_EQUALS = re.compile(r"\s*[=≈＝]\s*\Z")
_EQUAL_SIGN = re.compile(r"[=≈＝]")
_OPERATORS = tuple("+-−*/×÷·^(")
_ENCLOSED = {"(": ")]", "[": ")]", "{": "}"}


def stated_value(sentence: str, worked: str = "") -> Value | None:
    """The value that the sentence states, None where it leaves that open. `worked` is the text before it."""
    if len(sentence) > MAX_SENTENCE:
        return None
    sentence = _without_tail(sentence)
    begin = last_clause(sentence)
    if not begin:
        return _stated(sentence, worked)
    value = _stated(sentence[begin:], worked + sentence[:begin])
    if value is not None:
        return value._replace(start=value.start + begin, end=value.end + begin)
    return _stated(sentence, worked) if any(known.named for known in values_in(sentence[begin:])) else None


def _without_tail(sentence: str) -> str:
    """The sentence without what it says behind its value: a rough decimal, or where a value is attained."""
    rough = _ROUGHLY.search(sentence)
    named = [value for value in values_in(sentence[: rough.start()]) if value.named] if rough is not None else []
    if rough is not None and named and compare(named[-1].result or named[-1].text, rough["rough"], _LOOSE).equal:
        return sentence[: rough.start()]
    exact = _EXACT.search(sentence, 0, rough.start()) if rough is not None else None
    if rough is not None and exact is not None and compare(exact["exact"], rough["rough"], _LOOSE).equal:
        return sentence[: rough.start()]
    if ("since" in sentence or "because" in sentence) and (reason := _BECAUSE.search(sentence)) is not None:
        told = [value for value in values_in(sentence[: reason.start()]) if value.named]
        sentence = sentence[: reason.start()] if told and not last_clause(sentence[reason.start() :]) else sentence
    located = _ATTAINED.search(sentence)
    return sentence[: located.end("value")] if located is not None else sentence


def with_alternative(value: Value, behind: str) -> Value:
    """The value and the one that the same breath offers instead: `14 as written, or 20 from left to right`."""
    maybe = "or" in behind or "lternatively" in behind or "therwise" in behind
    offered = _OFFERED.match(behind) if maybe else None
    other = _A_NUMBER.search(offered["rest"]) if offered else None
    if other is None or _key(other[0]) == _key(value.result or value.text):
        return value
    return value._replace(text=f"{value.text} or {other[0].strip()}", result="", parts=())


def last_clause(sentence: str) -> int:
    """Where the clause begins that draws the conclusion, behind `, so` and its like; 0 where there is none."""
    begin = 0
    for found in _CONCLUDING.finditer(sentence):
        begin = found.end()
    begin = begin if _SOME_WORDS.search(sentence, begin) else 0
    step = _STEP.search(sentence, begin) if sentence.count("=") > 1 else None
    return begin if step is None else step.end("mark")


def _stated(sentence: str, worked: str) -> Value | None:
    values = values_in(sentence)
    if not values or values[-1].text == UNREAD:
        return _plain_expression(sentence)
    named = [value for value in values if value.named]
    chosen = (
        _behind_copula(sentence, values)
        or _only([value for value in values if sentence.startswith("**", value.start)])
        or _last_equation(sentence, named)
        or _only(named)
        or _worked_out(named, worked)
    )
    if chosen is None:
        return None
    if chosen not in values:
        stated = None if _is_one_of_several(sentence, values, chosen) else chosen
    else:
        # 2, 6, 12, **20, 30**: what is shown is a list of its own
        shown = sentence.startswith("**", chosen.start) and "," in chosen.text
        stated = chosen if shown else _with_neighbours(sentence, values, chosen)
    if stated is None or UNREAD in stated.text:
        return None
    changed = _CHANGED.match(sentence, stated.end)
    if changed is not None:
        return Value(f"{stated.text} {changed[0].strip(' ,')}", stated.start, changed.end())
    return with_alternative(stated, sentence[stated.end :])


def _plain_expression(sentence: str) -> Value | None:
    """What stands behind the last copula, where that is mathematics without delimiters: `pi/3`."""
    copulas = [*_COPULA.finditer(sentence), *_EQUAL_SIGN.finditer(sentence)]
    if not copulas:
        return None
    copula = max(copulas, key=lambda match: match.end())
    before = sentence[max(0, copula.end() - 40) : copula.end()] + " "
    if _COORDINATED.search(before[: copula.start() - copula.end() - 1]) or NEGATED.search(before):
        return None
    text = sentence[copula.end() :].strip().rstrip(".。 ")
    if _EXPRESSION.fullmatch(text) is None or not _SOMETHING.search(text):
        return None
    start = sentence.index(text, copula.end())
    return Value(text, start, start + len(text))


def _behind_copula(sentence: str, values: list[Value]) -> Value | None:
    """The value, or the last of a list of values, that nothing but a noun follows, behind the last copula."""
    inside = [(value.start, value.end) for value in values]
    copulas = [m for m in _COPULA.finditer(sentence) if not any(a <= m.start() < b for a, b in inside)]
    for copula in reversed(copulas):
        after = [value for value in values if value.start >= copula.end()]
        if not after:
            continue
        if _FILLER.fullmatch(sentence, copula.end(), after[0].start) is None:
            return None
        last = 0
        while last + 1 < len(after) and _joined(sentence, after[last], after[last + 1]):
            last += 1
        alone = last + 1 == len(after) and _WORDS_AFTER.fullmatch(sentence.rstrip(" .!。*\n"), after[last].end)
        return after[last] if alone else None
    return None


def _only(values: list[Value]) -> Value | None:
    return values[-1] if len({_key(value.text) for value in values}) == 1 else None


def _last_equation(sentence: str, named: list[Value]) -> Value | None:
    """The last value, where it stands behind an equal sign, with the left side where that is all there."""
    if not named:
        return None
    last = named[-1]
    if last.result or not _EQUALS.search(sentence[max(0, last.start - 4) : last.start]):
        return last if last.result else None
    left = named[-2] if len(named) > 1 else last
    before = sentence[: left.start].rstrip()[-1:]
    whole = _EQUALS.fullmatch(sentence, left.end, last.start) and left.text != UNREAD and before not in _OPERATORS
    sign = sentence[left.end : last.start].strip()
    return Value(f"{left.text} {sign} {last.text}", left.start, last.end, last.text) if whole else last


def _worked_out(named: list[Value], worked: str) -> Value | None:
    """The value that is the last result before the sentence."""
    results = _RESULT.findall(worked)
    if not results:
        return None
    last = _key(results[-1])
    return next((value for value in named if _key(value.text) == last), None)


def _with_neighbours(sentence: str, values: list[Value], chosen: Value) -> Value:
    """The chosen value with those that `or` or `and` joins to it, in the brackets around them."""
    first = last = values.index(chosen)
    while first > 0 and _joined(sentence, values[first - 1], values[first]):
        first -= 1
    while last + 1 < len(values) and _joined(sentence, values[last], values[last + 1]):
        last += 1
    if first == last:
        return chosen
    start, end = values[first].start, values[last].end
    choice = _CHOICE.search(sentence[start:end]) is not None
    parts = tuple(value.text for value in values[first : last + 1])
    text = (" or " if choice else ", ").join(parts)
    opening, closing = sentence[start - 1 : start] if start else "", sentence[end : end + 1]
    if closing and closing in _ENCLOSED.get(opening, ""):
        return Value(f"{opening}{text}{closing}", start - 1, end + 1)
    return Value(text, start, end, parts=parts)


def _is_one_of_several(sentence: str, values: list[Value], equation: Value) -> bool:
    """True where `or` or `and` joins an equation to a value before it."""
    return any(_JOIN.fullmatch(sentence, value.end, equation.start) for value in values if value.end <= equation.start)


def _joined(sentence: str, left: Value, right: Value) -> bool:
    """Whether two values are parts of one list. A display below running text begins anew: `Dividing by 2,`."""
    if "\n" in sentence[left.end : right.start] and sentence.startswith(("$$", "\\["), right.start):
        return sentence.startswith(("$$", "\\["), left.start)
    return _JOIN.fullmatch(sentence, left.end, right.start) is not None


def _key(text: str) -> str:
    """A number without what serves its looks, and without its unit."""
    bare = re.sub(r"(?<=[0-9.])[A-Za-z ²³°]+$|\\text\{[^}]*\}|\\[,;:! ]|\{,\}|\\?[$%€£]|[\s,]", "", text)
    return re.sub(r"(\.[0-9]*?)0+$", r"\1", bare).rstrip(".").replace("−", "-")
