"""Master keys: answers that say nothing and that language-model judges take for a solution (arXiv 2507.08794).

    Thought process:          Let's solve this problem step by step.          解          :

>>> from rlenv.text.folding import fold
>>> nothing_said(fold("Let's solve this problem step by step."), None), nothing_said(fold("It is 4."), None)
('nothing but an opener', None)
"""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from rlenv.core.jsontypes import Json
from rlenv.text.folding import Folded

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_WORDS = tomllib.loads(files("rlenv.text").joinpath("filler.toml").read_text("utf-8"))
FILLER, OPENERS, ANSWERING = (frozenset(_WORDS[name].split()) for name in ("filler", "openers", "answering"))
"""All of it; that with which an answer is opened; and that which can itself be the answer to a question."""


def words_of(text: str) -> list[str]:
    """The words of lower-case text, with ' for every apostrophe."""
    return [word.replace("’", "'") for word in _WORD.findall(text)]


MASTER_KEYS = frozenset(
    """
    解 解答 答 答案 思考过程 思路 分析 解析 让我们一步一步地思考 让我们一步步来 让我们一步一步来解决这个问题 かいせつ
    解説 こたえ 答え 回答
    ステップバイステップで考えましょう 풀이 해설 정답 답 생각 решение ответ рассуждение respuesta solucion
    pensamiento antwort losung
    gedankengang reponse solution raisonnement resposta solucao risposta soluzione ragionamento jawaban solusi cozum
    cevap
    odpowiedz rozwiazanie الحل الإجابة उत्तर हल λυση απαντηση trả lời
    """.split()  # noqa: SIM905
)
MOST_WORDS = 40
"""No longer answer is nothing but an opener."""
_FOREIGN_KEYS = re.compile(
    r"(?:vamos a |vamos |pensemos|resolvamos|lass uns |lassen sie uns |denken wir|gehen wir|reflechissons|resolvons|"
    r"pensons|procedons|analisemos|analizemos|давайте|подумаем|решим|pensiamo|risolviamo|一步一步|一步步|ステップ)"
)
_CHOICE = re.compile(r"\([a-h]\)|\b(?:is|option|choice|answer|:)\W{0,4}[a-h]\W{0,4}$")
_STEP_ONE = re.compile(r"\b(?:step|part) ?1\b")
_NUMBER = re.compile(r"\d|[=<>{}\\]")


def nothing_said(folded: Folded, reference: Json) -> str | None:
    """Why an answer, folded, says nothing; None where it says something, or is what the reference says."""
    if len(folded.text) > 12 * MOST_WORDS:
        return None
    text = _STEP_ONE.sub("step", folded.text) if "1" in folded.text else folded.text
    if _NUMBER.search(text) or _has_reference(text, reference):
        return None
    words = words_of(text)
    if not words:
        return "nothing but marks or white space" if len(text.strip()) <= 12 else None
    if "".join(words) in MASTER_KEYS or (len(words) <= 3 and all(word in MASTER_KEYS for word in words)):
        return "nothing but the name of an answer"
    foreign = _FOREIGN_KEYS.match(text.strip()) and len(words) <= 12
    if len(words) <= MOST_WORDS and (foreign or _opens_only(words, text)):
        return "nothing but an opener"
    return None


def _has_reference(text: str, reference: Json) -> bool:
    wanted = str(reference).strip().lower()
    return reference is not None and 0 < len(wanted) < 40 and wanted in text


def _opens_only(words: list[str], text: str) -> bool:
    """Nothing but filler, with the words of an opener in it and none that could be the answer."""
    return (
        not OPENERS.isdisjoint(words)
        and ANSWERING.isdisjoint(words)
        and all(word in FILLER for word in words)
        and not _CHOICE.search(text)
    )
