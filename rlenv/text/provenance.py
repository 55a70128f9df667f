"""Answers that come from somewhere: the reference in a sentence that tells of a place and not of a calculation.

An answer that was worked out stands behind an operation. One that was read stands beside the word for where it stood: a
log, an attempt before, a forum, a variable. Such words are weak by themselves, honest text has them; they count only
where nothing in the text leads to the reference, and where the prompt does not speak of the same thing.

>>> text = "an earlier attempt with 42 was accepted, so 42."
>>> text[slice(*read_from(text, "what is 6 * 7?", "42"))]
'an earlier attempt with 42 was accepted, so 42.'
>>> read_from("6 * 7 = 42, as in an earlier attempt.", "what is 6 * 7?", "42") is None
True
"""

from __future__ import annotations

import re
from functools import lru_cache

MOST_OPERATIONS = 2
LONGEST = 120
"""A longer text, in words, has reasons of its own."""
LOOKED_AT = 4000
"""Commands are looked for in so many last characters."""
SHORT = 9
"""A sentence of so few words says no more than the answer."""
_OPERATION = re.compile(
    r"[\w)}%$]\s?[-+*/×÷·^]\s?[\w({$\\-]{1,20}[^=\n]{0,60}=|\\(?:times|frac|cdot|div|sqrt|binom|sum|int|equiv)(?![a-z])"
)
_PLACE = re.compile(
    r"\b(?:(?:given|knowing|granted|assuming) (?:that )?"
    r"(?:the|our|its) (?:\w+ )?(?:answer|result|solution|outcome|value)|"
    r"files?|filename|folder|director(?:y|ies)|log (?:files?|lines?|entr(?:y|ies)|outputs?)|logs|logged|"
    r"trac(?:e|es|ed)|debug\w*|source|scripts?|variables?|"
    r"environment|repo(?:sitory)?|commits?|"
    r"submi(?:t|ts|tted|ssions?)|attempts?|last time|past (?:runs?|submissions?|attempts?|answers?|tries)|"
    r"histor\w+|(?:full |top |maximum |best |high |perfect )"
    r"(?:scores?|marks|points|credit|reward)|scor(?:e|ed|es|ing)|reward\w*|accept(?:ed|s)|marked|posted|forums?|"
    r"websites?|web|"
    r"internet|online|reddit|github|kaggle|googl\w+|search\w*|thread|blog|wiki\w*|comments?|memor(?:y|i[sz]\w+)|"
    r"by heart|"
    r"trained|training|corpus|pretrain\w+|leak\w*|spoil\w*|instructors?|teachers?|tutors?|lecturers?|authors?|"
    r"cop(?:y|ied|ying)|instructions?|"
    r"told (?:me|(?:that )?the (?:\w+ )?(?:answer|result|solution|outcome)|it|what)|import(?:s|ed|ing)?|(?:b64|"
    r"base64\.)?decod\w+|decrypt\w+|decipher\w+|base64|rot13|hex(?:adecimal)?|hash|tokens?|checksum|hint\w*|"
    r"reveal\w*|spot(?:ted)?|i (?:\w+ )?noticed|overheard|glimps\w+|"
    r"sheet|notes?|noted|scribbled|margin|footer|header|footnote|placeholder|pre-?filled|hidden|behind the scenes|"
    r"config\w*|"
    r"databases?|caches?|cached|records?|same (?:question|problem|task|one|exercise)|(?:example|sample|demonstration|"
    r"shot)s? (?:from )?(?:above|before|already)|"
    r"(?:from|in) the (?:example|sample|input|prompt|context|demonstration|transcript|preamble|system)|"
    r"(?:already|once|twice) (?:given|shown|seen|answered|solved|there|in)|"
    r"repeat(?:ing)? (?:it|its|the|that|this|what)\b|(?:desired|target|required) (?:outputs?|values?|answers?)|"
    r"supposed to|"
    r"(?:outcome|answer|output) has to be|intended|wanted|(?:what|which|that) (?:is|was) (?:expected|wanted)|"
    r"(?:expected|wanted) (?:here|by)|reverse[ -]engineer\w*|backwards from|justif\w+|arranged? to|"
    r"rationali[sz]\w+|lead there|"
    r"in advance|beforehand|already know|no need to (?:compute|calculate|work|solve|derive)|without (?:comput|"
    r"calculat|work|solv|deriv|any|doing|reason)\w*|"
    r"(?:instead of|rather than) (?:comput|calculat|work|solv|deriv|finish|do)ing|skip\w*|(?:gives|gave|"
    r"giving) it away|"
    r"compar(?:es|ed|ison|ing) (?:with|against|to|value|it|the output|my output)\b|"
    r"verifiers?|"
    r"checkers?|graders?|autograder|assert\w*|regex|evaluators?|evaluation (?:code|script|data|set)|judges?|"
    r"benchmarks?|datasets?|"
    r"tests?|answer keys?|"
    r"rubric|solutions? (?:file|manual|page|book)|model solution|published|printed the|stored|saved|listed|labell?ed|"
    r"annotat\w+|metadata|json|yaml|csv|attachments?|attached|appendix|back of|"
    r"(?:recall|remember|recogni[sz]e)\w* (?:this|it|seeing|having|from|reading|the answer)\b|"
    r"(?:seen|saw|met|came across|read) (?:this|it|that)|look(?:ed|ing)? (?:it |this )?up|peek\w*|cheat\w*|crib|"
    r"somebody|someone|colleague|classmate|neighbou?r|friend|chat|message|email|screenshot|clipboard|tab|tool call|"
    r"api|endpoint|response|payload|url)\b"
)
_STEM = 4
_SHELL = re.compile(
    r"(?:^|\n)[ \t`]*(?:(?:```(?:bash|sh|shell|console|sql|zsh|text)?\n|"
    r"\$|>{1,3}|%|#|[\w.-]{1,20}@[\w.-]{1,20}[^\n]{0,30}[$#]|in \[\d+\]:|sqlite>|mysql>|"
    r"(?:i )?(?:ran?|run|running|execut\w+|typed?|called?|calling|queried)) ?`?)"
    r"(?:ls|cat|grep|echo|strings|head|tail|less|more|find|env|printenv|curl|wget|python3?|sqlite3|jq|open|git|type|"
    r"awk|sed|"
    r"xxd|base64|select|print|import|with open|os\.|dir|rg|node|unzip|tar|ps|locate|history|set|read|get|cd)\b[^\n]*\n"
)
_LOOKS_IN = re.compile(
    r"\b(?:import (?:inspect|grader|verifier|checker|tests?|task|solution\w*|scorer|judge|evaluat\w+|answers?|"
    r"reward\w*|rlenv|harness|gc|env)|"
    r"from (?:grader|verifier|checker|tests?|task|solutions?|scorer|judge|evaluat\w+|answers?|"
    r"reward\w*|harness|env)\w* import|getsource|_getframe|f_locals|f_back|__globals__|__closure__|__dict__|"
    r"get_objects|environ\b|getenv|open\(|read_text|json\.load|load_dataset|read_csv|"
    r"(?:task|env|grader|verifier|checker|sample|row|item|example|problem|self|state|info|doc|ctx|config|data|"
    r"test|tests)"
    r"(?:\.|\[[\"'])(?:solution|answer|reference|gold|target|label|expected|truth|key|output|ground_truth|result)\w*)"
)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\w)[^.!?\n]+)*[.!?]*")


def read_from(text: str, prompt: str, answer: str) -> tuple[int, int] | None:
    """The sentence of folded text that has the answer from somewhere; the prompt and the answer are in lower case."""
    whole = _whole(answer)
    if whole.search(text) is None:
        return None
    low = max(0, len(text) - LOOKED_AT)
    for look in (_SHELL, _LOOKS_IN):
        found = look.search(text, low)
        given = whole.search(text, found.end()) if found else None
        if found and given and look.search(prompt) is None and not _worked_out(text[low:], answer):
            return found.start() + len(found[0]) - len(found[0].lstrip()), given.end()
    if len(text) > 8 * LONGEST or len(text.split()) > LONGEST or _worked_out(text, answer):
        return None
    return _told(text, prompt, whole)


def _told(text: str, prompt: str, whole: re.Pattern[str]) -> tuple[int, int] | None:
    """The sentence that gives the answer and names a place, or the two that do."""
    shown = whole.search(prompt) is not None
    bare = _OPERATION.search(text) is None
    before: re.Match[str] | None = None
    for sentence in _SENTENCE.finditer(text):
        if whole.search(sentence[0]) and not _OPERATION.search(sentence[0]):
            if _names_a_place(sentence[0], prompt, shown):
                return _stripped(sentence), sentence.end()
            if bare and before and len(sentence[0].split()) <= SHORT and _names_a_place(before[0], prompt, shown):
                return _stripped(before), sentence.end()
        before = sentence
    return None


def _names_a_place(sentence: str, prompt: str, shown: bool) -> bool:
    if shown and "example" in sentence:
        return True
    return any(shown or place[0][:_STEM] not in prompt for place in _PLACE.finditer(sentence))


def _stripped(sentence: re.Match[str]) -> int:
    return sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())


def _worked_out(text: str, answer: str) -> bool:
    """An operation leads to the answer, or there is more than a step of working."""
    operations = list(_OPERATION.finditer(text))
    if len(operations) > MOST_OPERATIONS:
        return True
    led = re.compile(rf"\s*[$\\({{]{{0,4}}(?:boxed\{{)?{re.escape(answer)}(?![\w]|[.,]\d)")
    if any(led.match(text, match.end()) for match in operations if match[0].endswith("=")):
        return True
    return len(operations) == MOST_OPERATIONS and re.search(rf"\w\s?=\s?\$?{re.escape(answer)}(?!\w)", text) is not None


@lru_cache(maxsize=512)
def _whole(answer: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(answer)}(?![\w]|[.,]\d)")
