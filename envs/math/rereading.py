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

from rlenv.envs.math.choice import is_choice
from rlenv.envs.math.comparing import compare
from rlenv.envs.math.options import options, words
from rlenv.envs.math.reading.answer import reading
from rlenv.envs.math.reading.nodes import Words
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
    r"\b(?:not|no|never|minus|negative|over|under|above|below|than|at|half|twice|double|square|root|cube|between|from|to|if|"
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
    if _WORDY.search(answer):
        yield from _in_prose(gold, answer, question)


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
    wanted = _FONT.sub(r"\1", gold)
    if _PLAIN_WORDS.fullmatch(wanted) and isinstance(reading(gold).node, Words) and not is_choice(gold):
        if states(wanted, sentence, question):
            yield gold
        return
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
