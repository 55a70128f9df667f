r"""Other ways to read an answer, asked for only where it is not the reference as it stands.

>>> list(rereadings("3600", "3.600", "¿Cuántos segundos hay en una hora? Es el tiempo de los relojes."))
['3600']
>>> list(rereadings("12", r"\text{The cube has } 12 \text{ edges}", "How many edges has a cube?"))
['12']
>>> list(rereadings("C", "32", "What is $2^5$? (A) 10 (B) 25 (C) 32"))
['C']

Each way is open only where the question or the kind of the reference asks for it: a point between thousands where the
question's language writes one, digits without their base where the question names it, an option by what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rlenv.envs.math.choice import is_choice
from rlenv.envs.math.comparing import compare
from rlenv.envs.math.options import options, words
from rlenv.envs.math.reading.answer import reading
from rlenv.envs.math.reading.nodes import Words
from rlenv.envs.math.reading.phrases import phrase
from rlenv.envs.math.reading.units import counts
from rlenv.envs.math.sentence import stated_value
from rlenv.envs.math.stating import states
from rlenv.text.function_words import OF_WORD

MAX_CHARS = 400
_INTEGER = re.compile(r"-?[0-9]+")
_POINTED = re.compile(r"-?[0-9]{1,3}(?:\.[0-9]{3})+")
_INDIAN = re.compile(r"-?[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")
_LETTER = re.compile(r"\s*(?:\\(?:text|textbf|mathrm|mathbf)\s*\{)?\s*\(?([A-J])\)?\.?\s*\}?\s*")
_FONT = re.compile(r"\\(?:text|textbf|textrm|textit|mathrm|mbox)\s*\{([^{}]*)\}")
_WORDY = re.compile(r"[A-Za-z]{2,}")
_CHANGES = re.compile(
    r"\b(?:not|no|never|minus|negative|over|under|above|below|than|at|half|twice|double|root|squared?(?= of)|between|from|to|if|"
    r"or|either|maybe|perhaps|except|wrong|least|most|about|up|times|plus|divided|inverse|reciprocal|log|unless)\b|n['’]t|\?",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\s*(?:\\?[A-Za-z]+(?:\s?\{[A-Za-z]+\})?)\s*(?:\\left)?[(\[|].{0,80}?[)\]|]\s*=\s*(?P<value>[^=]+)"
)
r"""`P(\text{sum}=9)=\frac19`, `\operatorname{Var}(X)=4`"""
_CONGRUENT = re.compile(
    r".{0,60}\\equiv(?:\s*)(?P<value>-?[0-9]+)\s*(?:\\pmod|\\mod|\\bmod|\(\\?mod)\s*\{?\s*(?P<modulus>[0-9]+).{0,4}",
    re.DOTALL,
)
_BASE = re.compile(r"(?P<digits>[0-9A-F]+)_\{?\(?(?P<base>[0-9]{1,2})\)?\}?")
_BASE_NAMES = {"binary": 2, "ternary": 3, "octal": 8, "hexadecimal": 16, "hex": 16, "two": 2, "three": 3, "four": 4,
               "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "twelve": 12, "sixteen": 16}  # fmt: skip
_POINT = re.compile(r"\s*(?:\\(?:text|mathrm)\s*\{)?[A-Z]\}?\s*=?\s*(?P<point>(?:\\left)?\(.*\))\s*")
_CHOSEN = re.compile(r"\s*(?:\\(?:mathrm|text|operatorname)\s*\{)?C\}?\s*\(\s*([0-9]+)\s*[,;]\s*([0-9]+)\s*\)\s*")


_PLAIN_WORDS = re.compile(r"[A-Za-z][A-Za-z' -]*")


@lru_cache(maxsize=1024)
def is_number(gold: str) -> bool:
    """Whether a reference has no letters but in commands: 12, \\frac16, 36\\pi."""
    return not re.search(r"(?<![\\A-Za-z])[A-Za-z]|[=,;]", gold.replace("{,}", ""))


def rereadings(gold: str, answer: str, question: str) -> Iterator[str]:
    """The answer in other words, none where it is too long for any."""
    if len(answer) > MAX_CHARS:
        return
    yield from _by_options(gold, answer, question)
    if _INTEGER.fullmatch(gold.replace("{,}", "")):
        yield from _whole_numbers(answer, question)
    yield from _in_base(gold, answer, question)
    yield from _named(gold, answer)
    yield from _shaped(gold, answer)
    yield from reworded(gold, answer, question)
    if _WORDY.search(answer):
        yield from _in_prose(gold, answer, question)


def reworded(gold: str, answer: str, question: str) -> Iterator[str]:
    """What a clause says in words: a bound, an option, how many where that is infinity."""
    bound = _BOUND.fullmatch(_FONT.sub(r" \1 ", answer).replace("$", " ").strip(" ."))
    if bound is not None and _RELATED.search(gold):
        yield f"{bound['name']} {_SIGNS[_sign(bound['how'])]} {bound['value']}"
    counted = question.lower().startswith("how many") or "number of" in question
    if counted and {phrase(gold), phrase(_FONT.sub(r"\1", answer))} == {"infinity", "infinitely many"}:
        yield gold
    wanted = _FONT.sub(r"\1", gold)
    if _PLAIN_WORDS.fullmatch(wanted) and isinstance(reading(gold).node, Words) and not is_choice(gold):
        if states(wanted, _FONT.sub(r" \1 ", answer), question):
            yield gold
    if _LETTER.fullmatch(gold):
        offered = options(question)
        said = [letter for letter, content in offered.items() if states(_FONT.sub(r"\1", content), answer, "")]
        if len(said) == 1:
            yield said[0]


def _sign(how: str) -> str:
    how = " ".join(how.lower().split())
    below = re.search(r"most|less|smaller|fewer|below|under|not (?:exceed|greater|more|larger)", how) is not None
    negated = re.search(r"\b(?:no|not|never)\b", how) is not None
    if "exceed" in how:
        below = negated
    elif negated:
        below = re.search(r"more|greater|larger|above", how) is not None
    equal = negated or re.search(r"equal|most|least", how) is not None
    return ("<" if below else ">") + ("=" if equal else "")


_SIGNS = {"<": "<", ">": ">", "<=": "\\le", ">=": "\\ge"}
_RELATED = re.compile(r"[<>≤≥(\[]|\\(?:le|ge|l|g)(?![a-z]fr)")
_BOUND = re.compile(
    r"(?:.{0,30}\s)?(?P<name>[A-Za-z]|\\[a-z]+)\s+(?:(?:is|must be|has to be|can be|are)\s+)?"
    r"(?P<how>at (?:most|least)|no (?:more|less|greater|larger|smaller|fewer) than|"
    r"(?:less|greater|smaller|larger|more)(?: than)? or equal to|(?:strictly )?(?:less|greater|smaller|larger|more) than|"
    r"below|above|(?:does not |cannot |must not )?exceeds?|not (?:more|less|greater|larger|smaller) than)\s+(?P<value>[^A-Za-z]{1,40})"
)
"""k is at most 4"""
_DIAGONAL = re.compile(
    r"\\?(?:operatorname\s*\{\s*|text\s*\{|mathrm\s*\{)?diag\s*\}?\s*(?:\\left)?[(\[](?P<entries>[^()]{1,80})\)"
)
_UNIT = re.compile(
    r"\\?(?:mathbf\s*\{|mathbb\s*\{|mathrm\s*\{)?(?P<kind>[IEO0])\}?(?:_\s*\{?\s*(?P<size>[2-9])(?:\s*\\times\s*[2-9])?\s*\}?)?"
)
_ARROW = re.compile(r"(?:\\text\s*\{)?(?:(?:the )?(?:ray|vector|half-line)\s*)?\}?\s*(?P<points>[A-Z]{2})")
"""ray AB"""
_ROWS = re.compile(r"\\\\(?!\s*\\end)")
_BASIS = re.compile(
    r"\\(?:mathbf|hat|vec|bm|boldsymbol|overrightarrow|mathrm)\s*\{?\s*(?:\\(?:mathbf|hat|vec|bm)\s*\{\s*)?\\?(?P<axis>[ijk])(?:math)?\s*\}?\s*\}?"
)


def _shaped(gold: str, answer: str) -> Iterator[str]:
    """A matrix by its name, and a vector by its components, where the reference writes the entries."""
    text = answer.strip().strip("$").strip(" .")
    if "matrix}" in gold:
        size = len(_ROWS.findall(gold)) + 1
        diagonal, unit = _DIAGONAL.fullmatch(text), _UNIT.fullmatch(text)
        if diagonal is not None:
            yield _diagonal(diagonal["entries"].split(","))
        elif unit is not None and unit["size"] in (None, str(size)):
            yield _diagonal(["0" if unit["kind"] in "O0" else "1"] * size)
    arrow = _ARROW.fullmatch(text) if "\\overrightarrow" in gold or "\\vec" in gold else None
    if arrow is not None:
        yield rf"\overrightarrow{{{arrow['points']}}}"
    if _BASIS.search(text):
        yield from _components(text)


def _diagonal(entries: list[str]) -> str:
    rows = [
        "&".join(entry if row == column else "0" for column in range(len(entries))) for row, entry in enumerate(entries)
    ]
    return "\\begin{pmatrix}" + "\\\\".join(rows) + "\\end{pmatrix}"


def _components(text: str) -> Iterator[str]:
    """(2, -1) for 2i - j: the text before each unit vector is its coefficient."""
    found: dict[str, str] = {}
    begin = 0
    for basis in _BASIS.finditer(text):
        coefficient = text[begin : basis.start()].strip().removesuffix("\\cdot").removesuffix("\\,").strip()
        if basis["axis"] in found or _BRACKETS_OPEN.search(coefficient):
            return
        found[basis["axis"]] = coefficient.lstrip("+ ") + ("1" if coefficient in ("", "+", "-") else "")
        begin = basis.end()
    if not text[begin:].strip():
        axes = "ij" if "k" not in found else "ijk"
        yield f"({', '.join(found.get(axis, '0') for axis in axes)})"
        if "k" not in found:
            yield f"({', '.join(found.get(axis, '0') for axis in 'ijk')})"


_BRACKETS_OPEN = re.compile(r"\A[^()]*\)|\([^()]*\Z")


def _by_options(gold: str, answer: str, question: str) -> Iterator[str]:
    """The letter of the one option that an answer spells, and what stands beside a letter."""
    wanted, said = _LETTER.fullmatch(gold), _LETTER.fullmatch(answer)
    if (wanted is None) == (said is None):
        return
    offered = options(question)
    if said is not None:
        if said[1] in offered:
            yield offered[said[1]]
        return
    same = [letter for letter, content in offered.items() if content and _same(content, answer, question)]
    if len(same) == 1:
        yield same[0]


def _same(content: str, answer: str, question: str) -> bool:
    return compare(content, answer, question=question).equal is True


def _whole_numbers(answer: str, question: str) -> Iterator[str]:
    """Digits grouped as the question's language does it; a value modulo what the question divides by."""
    text = answer.strip().strip("$").strip()
    if _INDIAN.fullmatch(text):
        yield text.replace(",", "")
    if _POINTED.fullmatch(text) and _writes_points(question):
        yield text.replace(".", "")
    congruent = _CONGRUENT.fullmatch(text)
    if congruent is not None and re.search(rf"(?<![0-9]){congruent['modulus']}(?![0-9])", question):
        yield congruent["value"]
    chosen = _CHOSEN.fullmatch(text)
    if chosen is not None:
        yield rf"\binom{{{chosen[1]}}}{{{chosen[2]}}}"


def _writes_points(question: str) -> bool:
    """Whether the question is in a language that parts thousands by points, and shows no decimal point itself."""
    if re.search(r"[0-9]\.[0-9]", question):
        return False
    if re.search(r"[¿¡а-яА-ЯßäöüñçãõœąęłżşığÄÖÜ]", question):
        return True
    said = words(question)
    return sum(word in OF_WORD for word in said) * 4 > len(said) > 0


def _in_base(gold: str, answer: str, question: str) -> Iterator[str]:
    """Digits whose base only the question names, on either side."""
    expected = _BASE.fullmatch(gold.strip().strip("$").replace("\\text", ""))
    text = answer.strip().strip("$").replace("\\,", "").replace(" ", "").replace("\\text{", "").rstrip("}")
    if expected is not None and re.fullmatch(r"[0-9A-F]+", text) and int(expected["base"]) in _bases(question):
        yield f"{text}_{{{expected['base']}}}"
    said = _BASE.fullmatch(answer.strip().strip("$").replace("\\,", "").replace(" ", ""))
    same = said is not None and gold.isalnum() and said["digits"].lstrip("0") == gold.lstrip("0")
    if said is not None and same and int(said["base"]) in _bases(question):
        yield gold


def _bases(question: str) -> set[int]:
    """The bases in which the question asks for an answer."""
    lower = question.lower()
    found = {int(base) for base in re.findall(r"base[- ]?\$?([0-9]{1,2})", lower)}
    found |= {_BASE_NAMES[word] for word in re.findall(r"base[- ]([a-z]+)", lower) if word in _BASE_NAMES}
    return found | {_BASE_NAMES[w] for w in ("binary", "ternary", "octal", "hexadecimal", "hex") if w in lower}


def _named(gold: str, answer: str) -> Iterator[str]:
    """A value without the name that it is given."""
    if is_number(gold):
        named = _NAMED.fullmatch(answer.strip().strip("$"))
        if named is not None and not _LOOSE_FUNCTION.match(answer):
            yield named["value"]
    if gold.lstrip("$ \\left").startswith("("):
        point = _POINT.fullmatch(answer.strip().strip("$"))
        if point is not None:
            yield point["point"]


_LOOSE_FUNCTION = re.compile(
    r"\s*\$?\\?(?:sin|cos|tan|cot|sec|csc|log|ln|sqrt|gcd|lcm|max|min|abs|exp|floor|ceil)(?![A-Za-z])"
)


def _in_prose(gold: str, answer: str, question: str) -> Iterator[str]:
    """What a sentence in a box states: a number, or the word that the reference holds."""
    sentence = _FONT.sub(r" \1 ", answer)
    if not is_number(gold) or _CHANGES.search(sentence):
        return
    plain = " ".join(sentence.replace("$", " ").split())
    value = stated_value(plain)
    if value is None or not counts(plain[value.end :], question):
        return
    before = words(plain[: value.start])
    if not before:
        return
    asked = set(words(question))
    if all(word in asked for word in before) or _STATED.search(plain[: value.start]):
        yield value.text


_STATED = re.compile(
    r"(?:\b(?:is|are|has|have|equals?|was|were|gives?|makes?|measures?|costs?|gets?|needs?|takes?|contains?|exactly)|[=:])\s*\$?\Z",
    re.IGNORECASE,
)
