r"""The answer that a completion announces: `The answer is 7.`, `**Answer:** 7`, `A: 7`, and so in other languages.

>>> text = "The final answer is $2\\pi$. I hope it is correct."
>>> line_answer(text, 0, len(text)).text
'2\\pi'
>>> texts = ("Suppose the answer is 7.", "The answer is 7 if n > 0.", "The answer is 7? No.", "The answer is over 7.")
>>> [line_answer(text, 0, len(text)) for text in texts]
[None, None, None, None]

What is supposed, asked, made to depend on something or taken back is not announced. Only the end of the text
is looked at.
"""

from __future__ import annotations

import re

from rlenv.envs.math.closing import sentence_ends
from rlenv.envs.math.sentence import stated_value, with_alternative
from rlenv.envs.math.values import Value, is_bare
from rlenv.envs.math.withdrawal import denied, withdrawn

MAX_CHARS = 1000
"""An answer is announced this close to the end, or not at all."""
MAX_ANSWER = 400
MAX_WORDS = 8
"""An answer in words has no more of them."""
_WORDS = (
    r"answer|ans|réponse(?: finale)?|respuesta(?: final)?|antwort|risposta(?: finale)?|resposta(?: final)?|odpowiedź|"
    r"ответ|відповідь|antwoord|cevap|jawaban(?:nya)?|đáp án|câu trả lời|απάντηση|الجواب|الإجابة|उत्तर|คำตอบ(?:คือ)?|"
    r"答案|答え|정답|답"
)
_ASCII_WORDS = ("ans", "antwo", "respuesta", "risposta", "resposta", "cevap", "jawaban")
"""How those of these words begin that are ASCII."""
_IS = (
    r"(?:is|are|would be|should be|must be|will be|was|equals|est|es|ist|lautet|è|é|to|jest|равен|это|adalah|là|ni"
    r"|είναι)"
    r"(?![^\W\d_])|هو|هي|है|คือ|是|为|為|は|은|는|[:：=–]|-(?=\s)"
)
_ANNOUNCED = re.compile(
    rf"(?<![A-Za-z])(?:{_WORDS})(?:\s+to\s+[^.\n:]{{1,60}}?)?[*_\s]*(?:{_IS})[*_\s]*(?:[:：])?[*_ \t]*", re.IGNORECASE
)
_BARE = re.compile(r"(?<![A-Za-z])answer\s*(?=\$|\\[(\[])", re.IGNORECASE)
_HEADING = re.compile(r"(?<![A-Za-z])answer[*_#\s]*\n\s*(?=\S)", re.IGNORECASE)
_SHORT = re.compile(r"[ \t>*]*(?:A|Ans|Q\.E\.D\.)\s*:\s*\**\s*")
_AROUND = re.compile(r"\A(?:\\?[\"“”]|[*_` ])+|(?:\\?[\"“”]|[*_` ])+\Z")
_DELIMITERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_SOME_WORDS = re.compile(r"[A-Za-z]{2,}")
_ENDED = re.compile(r"[.!?\n。]")
_REASON = re.compile(
    r",?\s+(?:which|because|since|as|where|when|while|so|for)\b|,\s+(?:it|that|this|they|he|she|we|you)\b"
)
_BECAUSE = re.compile(r"([*_ ]*[A-Za-z][A-Za-z -]{1,30}[*_ ]*),?\s+(?:because|since)\b")
"""`**odd**, because` behind `The answer is`"""
_ITEM = re.compile(r"\A[ \t]*(?:[-*•]|[0-9]{1,2}[.)])[ \t]+")  # 2) x = 3
_ITEMS = re.compile(r"(?:[ \t]*(?:[-*•]|[1-9][.)])[ \t]+[^\n]{1,80}(?:\n+|\Z)){2,12}\s*\Z")
"""`- $n = 11$` on each of the last lines"""
_VAGUE = re.compile(
    r"\bif\b|\A(?:at (?:least|most)|up to|over|under|above|below|more|less|fewer|greater|between|anything|not)\b", re.I
)
_SUPPOSED = re.compile(
    r"\b(?:suppose|assume|imagine|say|if|whether|maybe|perhaps|unless)\s+(?:that\s+)?(?:(?:the|my|our|your)\s+)?"
    r"(?:[a-z]+\s+)?\Z",
    re.I,
)


def line_answer(text: str, start: int, end: int) -> Value | None:
    """What follows the last `answer is`, `Answer:`, `A:` or its like in another language."""
    start = max(start, end - MAX_CHARS)
    tail = text[start:end]
    last = _last_announced(tail)
    if last is None and ("nswer" in tail or "NSWER" in tail):
        last = _last(_HEADING, tail) or _last(_BARE, tail)
    line = tail.rstrip().rfind("\n") + 1
    short = _SHORT.match(tail, line)
    if short is not None and (last is None or last.start() < line):
        last = short
    if last is None or _SUPPOSED.search(tail[max(0, last.start() - 80) : last.start()]):
        return None
    return _announced(tail, last.end(), start)


def answer_before(text: str, start: int, value: Value) -> Value | None:
    """The answer that is announced before this one, where nothing takes it back."""
    start = max(start, value.start - MAX_CHARS)
    marker = _last_announced(text[start : value.start])
    if marker is None:
        return None
    before = line_answer(text, start, start + marker.start())
    if before is None or not _ENDED.search(text[before.end : start + marker.start()]):
        return None  # `Final answer: the answer is 7` is one statement
    return None if withdrawn(text[before.end : value.start]) else before


def _last_announced(tail: str) -> re.Match[str] | None:
    """The last announcement; in ASCII it is looked for from the end, word by word."""
    if not tail.isascii():
        return _last(_ANNOUNCED, tail)
    lower = tail.lower()
    last: re.Match[str] | None = None
    for word in _ASCII_WORDS:
        at = lower.rfind(word)
        while at >= 0 and (last is None or at > last.start()):
            last = _ANNOUNCED.match(tail, at) or last
            at = lower.rfind(word, 0, at)
    return last


def _last(marker: re.Pattern[str], tail: str) -> re.Match[str] | None:
    last = None
    for match in marker.finditer(tail):
        last = match
    return last


def _announced(tail: str, begin: int, offset: int) -> Value | None:
    while begin < len(tail) and tail[begin] in " \n\t*":
        begin += 1
    stop = _stop(tail, begin)
    answer = tail[begin:stop].strip()
    asked = answer.endswith("?") or tail[stop : stop + 1] == "?"
    if not answer or len(answer) > MAX_ANSWER or asked or withdrawn(tail[stop:]) or denied(tail[stop:]):
        return None
    items = _ITEMS.match(tail, tail.rfind("\n", 0, begin) + 1)
    if items is not None and (listed := _listed(items[0])):
        return Value(listed, offset + begin, offset + len(tail.rstrip()))
    value = _value(answer)
    if value is None:
        return None
    value = with_alternative(value, tail[begin + value.end :])
    return value._replace(start=offset + begin + value.start, end=offset + begin + value.end)


def _listed(lines: str) -> str:
    """The values of a list with one value an item, "" for other lists."""
    said = [unwrapped(_ITEM.sub("", line)) for line in lines.split("\n") if line.strip()]
    return ", ".join(said) if all(item and is_bare(item) and "," not in item for item in said) else ""


def _value(answer: str) -> Value | None:
    if _VAGUE.search(answer):
        return None
    value = None if is_bare(answer) else said(_REASON.split(answer, maxsplit=1)[0]) or said(answer)
    if value is not None:
        return value
    reasoned = _BECAUSE.match(answer)
    bare = unwrapped(reasoned[1] if reasoned is not None else answer)
    if not bare or len(_SOME_WORDS.findall(bare)) > MAX_WORDS:
        return None
    return Value(bare, answer.index(bare), answer.index(bare) + len(bare))


def unwrapped(said: str) -> str:
    """The answer without what a sentence puts around it: a full stop, markdown, the delimiters of mathematics."""
    bare = _AROUND.sub("", said.rstrip(".。 ")).rstrip("\\")
    for opening, closing in _DELIMITERS:
        inside = bare[len(opening) : -len(closing)]
        if bare.startswith(opening) and bare.endswith(closing) and opening not in inside:
            return inside.strip().rstrip(" .")
    return bare


def said(fragment: str) -> Value | None:
    """What a part of a sentence states, as the object of an `is`."""
    value = stated_value(f"is: {fragment}") if fragment else None
    return None if value is None else value._replace(start=value.start - 4, end=value.end - 4)


def _stop(tail: str, begin: int) -> int:
    """Where the sentence that begins here ends, mathematics left whole."""
    return next((end for end in sentence_ends(tail[begin:])), len(tail) - begin) + begin
