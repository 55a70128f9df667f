r"""Answers in several parts, each with a word before it, and values with the place where they are attained.

>>> gold = r"\text{quotient } x+2, \text{ remainder } 9"
>>> [list(by_parts(gold, text, "")) == [gold] for text in ("Remainder: 9, Quotient: x+2", "remainder 9, quotient x-2")]
[True, False]
>>> list(by_parts("5", r"5 \text{ at } x = -3", "Find the minimum value of $f$."))
['5']
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from rlenv.envs.math.comparing import compare
from rlenv.envs.math.reading.written import FONT
from rlenv.envs.math.rereading.denials import denying
from rlenv.text.function_words import word_set

MAX_CHARS = 400
_LABELLED = re.compile(
    r"\s*(?:and\s+)?(?P<label>(?:(?:[a-z]-)?[A-Za-z]{2,}['’]?s?\s*){1,4})\s*[:=]?\s*(?P<value>\S.*?)\s*"
)
"""`quotient x + 2`, `Cara: 30`, `the remainder is 9`"""
_SMALL = word_set("the at is are gets get receives receive has have a an and of share part so value")
_DIVIDED = re.compile(
    r"\A((?:(?![A-Za-z]{2})[^,;=]){1,60}?),? (?:with )?(?:a )?remainder (?:of )?((?:(?![A-Za-z]{2})[^,;=]){1,30})\Z"
)  # 3 remainder 2
_QUOTIENT = re.compile(r"(?<![A-Za-z])[qQ](?:\([a-z]\))?\s*=\s*")  # q(x) =
_REMAINDER = re.compile(r"(?<![A-Za-z])[rR](?:\([a-z]\))?\s*=\s*")  # r =
_PLACED = re.compile(
    r"(?P<value>[^=<>]{1,60}?)\s*,?\s*(?:\()?(?:\\?[a-z]+ )?(?:attained |achieved |reached |occurring )?(?:only )?"
    r"(?P<how>at|when)\s+(?P<place>.{1,60}?)\)?"
)
"""`5 at x = -3`, `5, attained when x = -3`"""
# Find the minimum
_EXTREME = re.compile(r"\b(?:maximum|minimum|maximal|minimal|greatest|largest|smallest|least|extreme)\b", re.IGNORECASE)
# and the point at which it is attained
_WHERE = re.compile(
    r"\b(?:where|location|locate|point|at wh(?:at|ich)|for wh(?:at|ich)"
    r"|values? of \$?[xyt]\$?(?=[\s.,?]|\Z)|coordinates)",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"\(?[A-J]\)?(?:\s*(?:,|and|&|\\&)\s*\(?[A-J]\)?)+")  # (A), (C) and (D)
_RUN = re.compile(r"[A-J]{2,6}")  # ACD
_UNION = re.compile(r"([)\]])\s*(?:,|,?\s*and)\s*(?:on\s+|for\s+|in\s+)?(?=[(\[])")  # (-1,0) and on (1,2)

_PLAIN_UNION = re.compile(r"(?<=[)\]])\s*U\s*(?=[(\[])")
"""[1, 4) U (4, 5)"""
_DENIED = denying("than|half|twice|except|unless|maybe|perhaps")  # it is not 12
_VALUE_BEHIND = (
    r"(?:\s+(?:is|at|of|equals|equal to|the point)|\s*[=:])*\s*(\([^()]{1,40}\)|[^\s,;A-Za-z]{1,30}(?=[\s,;.]|\Z))"
)
"""`radius 5`, `centered at (-3, 4)`: behind a label"""
_INITIAL = re.compile(r"(?:(?P<name>[A-Za-zα-ω]+|\\[a-z]+)\s*=\s*|(?P<word>[A-Za-z]{2,})\s+)?(?P<value>[^=]+)")  # r = 5
_AT_PLACE = re.compile(
    r"(?:.*(?:\b(?:is|of|value)\s|=))?\s*(?P<value>[^=<>A-Za-z]{1,30}?)\s*,?\s*\(?"
    r"(?:and )?(?:which )?(?:it )?(?:is |occurs |occurring )?"
    r"(?:attained |achieved |reached )?(?:at|when|for|where)\s+(?P<place>[^A-Za-z]*[a-z]\s*=[^A-Za-z]{1,30}?)\)?"
)
"""the maximum is 5, attained at x = 2"""
_ROWS = re.compile(
    r"\\begin\{(?P<kind>aligned|array|gathered|align\*?|split)\}(?:\{[lcr|]+\})?(?P<rows>[^{}]*(?:\{[^{}]*\}[^{}]*)*)"
    r"\\end\{(?P=kind)\}"
)
r"""\begin{aligned}\text{Center}&=(2,3)\\ \text{Radius}&=5\end{aligned}"""
_PART = re.compile(r"\(([a-h])\)\s*:?\s*")
"""`(a) 1, 5; (b) -4`"""

_MEASURED = re.compile(r"(-?[0-9][0-9.]*) ([A-Za-z]+)")  # 45 m
_HEADING = re.compile(r"\A[A-Za-z]{2,}(?: [A-Za-z]+){0,3}(?::| is| equals)\s*")  # Sum: 5, The sum is 5
_A_NUMBER = re.compile(r"[0-9][0-9.]*")  # 45


def by_parts(gold: str, answer: str, question: str) -> Iterator[str]:
    """The reference where the answer has its parts by name; a value without the place where it is attained."""
    if len(gold) > MAX_CHARS or len(answer) > MAX_CHARS:
        return
    if (rows := _ROWS.fullmatch(answer.strip(" $"))) is not None:
        answer = ", ".join(row.replace("&", " ") for row in rows["rows"].split("\\\\"))
    plain = _DIVIDED.sub(r"quotient \1, remainder \2", _plain(answer.replace("\n", ", ")))
    if "quotient" in gold and "remainder" in gold:
        plain = _REMAINDER.sub("remainder ", _QUOTIENT.sub("quotient ", plain))
    if "(a)" in plain and (wanted := lettered(_plain(gold))) and (given := lettered(plain)):
        yield from [gold] if _agree(wanted, given, question) else []
    elif "(a)" in gold and (wanted := lettered(_plain(gold))):
        row = outer(plain) if "(a)" in question and labelled(plain) is None else []
        bare = dict(zip(wanted, row, strict=True)) if len(row) == len(wanted) else {}
        yield from [gold] if _agree(wanted, bare, question) or _by_what_is_asked(wanted, plain, question) else []
    if re.search(r"[A-Za-z]{2}", plain):
        expected = labelled(_plain(gold))
        said = labelled(plain)
        if expected and (
            (said and _agree(expected, said, question))
            or _told(expected, plain, question)
            or _in_turn(expected, plain, question)
        ):
            yield gold
        elif expected is None and said and (values := _as_asked(said, question)):
            yield values
    elif (expected := labelled(_plain(gold))) and _in_turn(expected, plain, question):
        yield gold
    if " at " in gold and _placed_alike(_plain(gold), plain, question):
        yield gold
    placed = _PLACED.fullmatch(plain) if " at " in plain or " when " in plain or "(" in plain else None
    if placed and _EXTREME.search(question) and not _WHERE.search(question) and not re.search(r"\b(?:at|when)\b", gold):
        yield placed["value"]
    run = _RUN.fullmatch(plain)
    if run is not None and _LETTERS.fullmatch(_plain(gold)) and len(set(plain)) == len(plain):
        yield ", ".join(plain)
    if "\\cup" in gold and "\\cup" not in answer:
        answer = _PLAIN_UNION.sub(r"\\cup", answer)
        yield _UNION.sub(r"\1\\cup ", FONT.sub(r" \1 ", answer).replace("$", " "))


def _plain(text: str) -> str:
    text = text.replace("\\quad", " ").replace("\\qquad", " ")
    return " ".join(FONT.sub(r" \1 ", text).replace("\\$", "").replace("$", " ").replace("\\ ", " ").split()).strip(
        " ."
    )


def labelled(text: str) -> dict[str, str] | None:
    """Each part by the words before it; None where one has none, or where two have the same."""
    found: dict[str, str] = {}
    for part in outer(text):
        match = _LABELLED.fullmatch(part)
        label = " ".join(word for word in match["label"].lower().split() if word not in _SMALL) if match else ""
        if match is None or not label or label in found or not re.search(r"[0-9a-z]", match["value"]):
            return None
        found[label] = match["value"]
    return found if len(found) > 1 else None


def lettered(text: str) -> dict[str, str] | None:
    """Each part by its letter; None where the letters do not run from (a) on, each once.

    >>> lettered("(a) 1, 5; (b) -4")
    {'a': '1, 5', 'b': '-4'}
    """
    before, *rest = _PART.split(text)
    letters, values = rest[::2], [value.strip(" ;,.:*") for value in rest[1::2]]
    if before.strip(" *") or len(letters) < 2 or "".join(letters) != "abcdefgh"[: len(letters)] or not all(values):
        return None
    return dict(zip(letters, values, strict=True))


def by_letters(gold: str, text: str, question: str) -> Iterator[str]:
    """The reference where the end of a text has its parts by letters, each at the end of a chain that holds.

    >>> text = "**(a)** Sum: $2+3=5$.\\n**(b)** Product: $2*3=6$."
    >>> list(by_letters("(a) 5, (b) 6", text, "")), list(by_letters("(a) 6, (b) 5", text, ""))
    (['(a) 5, (b) 6'], [])
    """
    at = text.rfind("(a)")
    wanted = lettered(_plain(gold)) if "(a)" in gold and at >= 0 and len(text) - at <= MAX_CHARS else None
    given = lettered(_plain(text[at:]).replace("**", " ")) if wanted else None
    if wanted is None or given is None or _DENIED.search(text[at:]):
        return
    ends = {}
    for part, said in given.items():
        sides = _HEADING.sub("", said).split("=")
        if not all(compare(left, right).equal for left, right in pairwise(sides)):
            return
        ends[part] = sides[-1].strip(" .*")
    yield from [gold] if _agree(wanted, ends, question) else []


def _by_what_is_asked(gold: Mapping[str, str], said: str, question: str) -> bool:
    """Whether each part of the question is answered by a word of its own or by its unit.

    >>> question = "Find (a) the maximum height and (b) the time of flight."
    >>> gold = {"a": "45 m", "b": "5 s"}
    >>> said = ("max = 45, time = 5", "max = 5, time = 45", "it rises to 45 m and lands after 5 s", "from 45 m to 5 m")
    >>> [_by_what_is_asked(gold, text, question) for text in said]
    [True, False, True, False]
    """
    if _DENIED.search(said):
        return False
    gold = {part: _MEASURED.sub(r"\1\\text{ \2}", value) for part, value in gold.items()}
    named, asked = labelled(said), _PART.split(question)
    texts = dict(zip(asked[1::2], asked[2::2], strict=True))
    if named and len(named) == len(gold) and texts.keys() == gold.keys():
        found = {label: [part for part, text in texts.items() if _begins(label, text)] for label in named}
        given = {parts[0]: named[label] for label, parts in found.items() if len(parts) == 1}
        if len(given) == len(gold) and _agree(gold, given, question):
            return True
    measured = _MEASURED.findall(said)
    units = {value.partition("{")[2] for value in gold.values()} - {""}
    if len(measured) != len(gold) or len(_A_NUMBER.findall(said)) != len(gold) or len(units) != len(gold):
        return False
    rest = [f"{number}\\text{{ {unit}}}" for number, unit in measured]
    for value in gold.values():
        equal = [one for one in rest if compare(value, one, question=question).equal]
        if len(equal) != 1:
            return False
        rest.remove(equal[0])
    return True


def _begins(label: str, text: str) -> bool:
    """Whether a word of a text is the label, or begins with it: `max` and `the local maximum`."""
    return any(len(word) > 2 and re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE) for word in label.split())


def outer(text: str) -> list[str]:
    """The parts between commas, semicolons and `and`, outside of brackets."""
    parts, depth = [""], 0
    for piece in re.split(r"([,;(){}\[\]]|\band\b)", text):
        depth += (piece in ("(", "[", "{")) - (piece in (")", "]", "}"))
        if piece in (",", ";", "and") and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [part for part in parts if part.strip()]


def _as_asked(said: Mapping[str, str], question: str) -> str:
    """The values in the order in which the question names them, "" where it does not: `the modulus is 5 and ...`."""
    if any("=" in value for value in said.values()):
        return ""  # cos θ = 0.6 and sin θ = 0.8
    places = {question.lower().find(label): value for label, value in said.items()}
    named = [value for at, value in places.items() if at >= 0]
    if len(named) == 1 and len(places) == 2:
        return named[0]  # Variance = 1/4, standard deviation = 1/2
    return ", ".join(places[at] for at in sorted(places)) if min(places) >= 0 and len(places) == len(said) else ""


def _told(gold: Mapping[str, str], said: str, question: str) -> bool:
    """Whether a sentence has each label once with its value behind it: `has center (-3, 4) and radius 5`."""
    if _DENIED.search(said) or any(" " in label for label in gold):
        return False
    for label, value in gold.items():
        found = re.findall(rf"\b{re.escape(label)}(?:ed|s)?{_VALUE_BEHIND}", said, re.IGNORECASE)
        if len(found) != 1 or not compare(value, found[0].rstrip(".,"), question=question).equal:
            return False
    return True


def _in_turn(gold: Mapping[str, str], said: str, question: str) -> bool:
    """Whether the values stand in the order in which the question asks for their labels: `(-3, 4), r = 5`."""
    places = [question.lower().find(label) for label in gold]
    parts = [_INITIAL.fullmatch(part.strip()) for part in outer(said)]
    if min(places) < 0 or places != sorted(places) or len(parts) != len(gold):
        return False
    pairs = zip(gold.items(), parts, strict=True)
    return all(
        part is not None
        and _may_name(part["name"] or part["word"] or label, label, gold)
        and compare(value, part["value"], question=question).equal is True
        for (label, value), part in pairs
    )


def _may_name(name: str, label: str, labels: Iterable[str]) -> bool:
    """Whether a name may stand for a label: its beginning, or one letter that begins none of the others."""
    if label.startswith(name.lower()):
        return True
    letter = len(name) == 1 or name.startswith("\\")
    return letter and not any(other[0] == name.lower() for other in labels)


def _placed_alike(gold: str, said: str, question: str) -> bool:
    """Whether a sentence has the value and the place of the gold: `the maximum is 5, attained at x = 2`."""
    wanted, found = _AT_PLACE.fullmatch(gold), _AT_PLACE.fullmatch(said)
    if wanted is None or found is None or _DENIED.search(said):
        return False
    return all(compare(wanted[part], found[part], question=question).equal for part in ("value", "place"))


def _agree(gold: Mapping[str, str], answer: Mapping[str, str], question: str) -> bool:
    return gold.keys() == answer.keys() and all(
        compare(value, answer[label], question=question).equal for label, value in gold.items()
    )
