"""The commonest refusals of some other languages, and whether a text is English at all.

Coverage is thin: what is found is a refusal; what is not found is only known to be in another language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rlenv.text.folding import Folded, fold
from rlenv.text.function_words import LANGUAGES

HEAD = 600
"""Characters of the opening that are searched."""
_OPENINGS = {
    "Spanish": (
        r"(?:lo siento|lo lamento|disculpa|perdon)[^.!?\n]{0,60}\bno (?:puedo|podre|me es posible)\b",
        r"\bno (?:puedo|voy a|debo) (?:ayudar|proporcionar|asistir|responder|ofrecer|dar|compartir|cumplir)",
    ),
    "French": (
        r"\b(?:je suis )?desole[^.!?\n]{0,60}\bje ne (?:peux|suis)\b",
        r"\bje ne (?:peux|suis|vais|saurais) (?:pas |en mesure )?(?:\w+ ){0,2}(?:de )?(?:vous |t')?"
        r"(?:aider|fournir|repondre|donner)",
    ),
    "German": (
        r"\b(?:es )?tut mir leid[^.!?\n]{0,60}\b(?:kann|darf|werde) ich\b",
        r"\b(?:ich (?:kann|darf|werde)|(?:kann|darf|werde) ich)\b[^.!?\n]{0,60}\bnicht (?:\w+ ){0,3}"
        r"(?:helfen|weiterhelfen|geben|beantworten|unterstutzen|bereitstellen|dienen)",
    ),
    "Italian": (r"\bmi dispiace[^.!?\n]{0,60}\bnon posso\b", r"\bnon posso (?:aiutar|fornir|assister|rispond|dar)"),
    "Portuguese": (
        r"\b(?:desculpe|sinto muito|lamento)[^.!?\n]{0,60}\bnao posso\b",
        r"\bnao posso (?:ajudar|fornecer|responder|dar)",
    ),
    "Dutch": (
        r"\b(?:sorry|het spijt me)[^.!?\n]{0,60}\bik kan\b[^.!?\n]{0,60}\bniet\b",
        r"\b(?:ik kan|kan ik) (?:je|u|hier|daar)\b[^.!?\n]{0,40}\bniet (?:mee |bij )?(?:helpen|geven|delen)",
    ),
    "Polish": (r"\bprzykro mi[^.!?\n]{0,60}\bnie mog", r"\bnie mog[ae] (?:\w+ ){0,2}(?:pomoc|udzielic|dostarczyc)"),
    "Turkish": (r"\buzgunum[^.!?\n]{0,80}(?:amam|emem|amiyorum|emiyorum)\b", r"\byardimci olamam"),
    "Indonesian": (r"\bmaaf[^.!?\n]{0,40}\b(?:tidak (?:bisa|dapat)|saya tidak)\b",),
    "Russian": (
        r"(?:извините|простите|к сожалению|сожалею)[^.!?\n]{0,60}не (?:могу|смогу)",
        r"я не (?:могу|буду|стану) (?:помо|предостав|ответ|дать)",
    ),
    "Chinese": (
        r"(?:抱歉|对不起|對不起|很遗憾|不好意思)[^。!?\n]{0,30}(?:不能|无法|無法|没办法)",
        r"我(?:不能|无法|無法)(?:提供|帮|回答|协助|協助|满足|幫)",
    ),
    "Japanese": (
        r"(?:申し訳|すみません|ごめん)[^。\n]{0,60}(?:できません|できかねます|お手伝いでき|お答えでき)",
        r"お(?:手伝い|答え)(?:することは)?でき(?:ません|かねます)",
    ),
    "Korean": (r"(?:죄송|미안)[^.\n]{0,60}(?:없습니다|수 없|어렵습니다)", r"(?:도와드릴|제공할|답변할) 수 없"),
    "Arabic": (r"(?:آسف|عذر|أعتذر)[^.\n]{0,60}لا (?:يمكن|أستطيع)", r"لا (?:يمكنني|أستطيع) (?:مساعد|تقديم)"),
    "Hindi": (r"(?:क्षमा|माफ)[^।\n]{0,60}(?:नहीं|असमर्थ)",),
}


@dataclass(frozen=True, slots=True)
class ForeignDecline:
    """A refusal in another language than English."""

    language: str
    span: tuple[int, int]


_PATTERNS = {name: re.compile(fold("|".join(patterns)).text) for name, patterns in _OPENINGS.items()}
_LETTERS = re.compile(r"[^\W\d_]")
_WORDS = re.compile(r"[^\W\d_]+")
_ENGLISH = LANGUAGES["English"]
FEW = 8
LOW = 0.12
"""English prose has more function words than this share; texts of fewer than FEW words are not told apart."""
MIXED = 0.3
"""English prose that cites another language has more of them than this."""


def foreign_decline(folded: Folded) -> ForeignDecline | None:
    """The refusal that a text which is not English opens with."""
    head = folded.text[:HEAD]
    if _english(head) > MIXED:
        return None
    for name, pattern in _PATTERNS.items():
        found = pattern.search(head)
        if found:
            return ForeignDecline(name, folded.span(*found.span()))
    return None


def mostly_foreign(text: str) -> bool:
    """True where most letters are not Latin, or hardly a word is one of the small words of English."""
    head = text[:4_000]
    letters = len(_LETTERS.findall(head))
    latin = sum("a" <= sign <= "z" for sign in head)
    return latin < 0.5 * letters or (len(_WORDS.findall(head)) >= FEW and _english(head) < LOW)


def _english(text: str) -> float:
    """The share of the words that are small words of English."""
    words = _WORDS.findall(text)
    return sum(word in _ENGLISH for word in words) / max(1, len(words))
