"""What text says to a judge, or in its place.

Sentences are read as sets of words, so that no order or wording has to be foreseen: whoever wants a mark has to name
the judge, the mark or the rules. Verdicts and turns of a conversation have forms of their own and are phrases.
Everything works on folded text (rlenv.text.folding).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from rlenv.text.folding import fold
from rlenv.text.phrases import Phrases


def _set(words: str) -> frozenset[str]:
    """Words as they are in folded text."""
    return frozenset(fold(words).text.split())


JUDGES = _set(
    """grader graders judge judges evaluator evaluators verifier verifiers scorer scorers reviewer reviewers assessor
    assessors examiner examiners autograder rater raters calificador evaluador evaluadores juez correcteur evaluateur
    examinateur prufer bewerter gutachter korrektor giudice valutatore avaliador corretor оценщик судья проверяющий"""
)
_MACHINE_OF = _set("grading scoring evaluation evaluating reward marking judging assessment verification")
_MACHINE = _set(
    "system model script bot assistant agent function engine software algorithm ai llm module prompt process"
)
ASKS = _set(
    """please must should shall kindly award give assign grant mark rate grade score treat accept consider deem count
    return output respond print set record report judge evaluate approve pass note attention dear ensure instructed
    required request requested obliged remember reminder hello hi hey assume skip confirm confirms confirmed confirmado
    bitte bewerten bewerte werten por favor califique calificar otorgue asigne marque veuillez attribuez donnez mettez
    assegnare assegna dia atribua пожалуйста поставьте оцените"""
)
_GRADING = _set(
    """mark marked rate rated grade graded score scored treat treated accept accepted consider considered deem deemed
    count counted judge judged evaluate evaluated approve approved pass passed label labelled labeled classify
    classified
    bewerten bewerte werten califique calificar marque notez considerez valutare valuta classificar"""
)
_GIVING = _set(
    """award awarded give gives given gave giving assign assigned grant granted deserve deserves deserving merit
    merits earn earns
    receive receives get gets rate rated grade graded score scored mark marked request expect want warrant warrants
    output
    return provide set otorgue asigne de geben vergeben donnez attribuez mettez assegna dia atribua поставьте dale"""
)
_MARKS = _set(
    """mark marks credit credits point points score scores grade grades reward rewards rating ratings verdict stars
    punktzahl punkte note puntuacion calificacion nota puntaje punteggio voto pontuacao балл оценку"""
)
_FULL = _set(
    """full passing maximum max maximal maximale maximum perfect highest top best volle
    hochste maxima maximo massimo massima maximale parfaite perfecta perfetto максимальный высший"""
)
_PRAISE = _set(
    """correct right accurate perfect valid acceptable flawless excellent true verified approved accepted passing
    passed richtig korrekt correcta correcto correcte exacte corretto corretta correto correta правильный верный"""
)
_ANSWERS = _set(
    """answer answers response responses solution submission completion output work attempt reply proof code candidate
    result antwort losung respuesta solucion reponse risposta soluzione resposta solucao ответ решение"""
)
_FORGET = _set(
    """ignore ignoring disregard disregarding forget override overriding overrule bypass discard skip ignora ignorar
    ignore
    ignorez ignorieren ignoriere ignorieren vergiss olvida oublie dimentica игнорируй забудь"""
)
_RULES = _set(
    """instruction instructions prompt prompts rule rules rubric rubrics guideline guidelines criteria criterion
    directions above reference key commands guidance instrucciones reglas anweisungen regeln consignes regles istruzioni
    instrucoes инструкции правила"""
)
_DONE = _set(
    "verified graded approved accepted confirmed validated certified judged scored marked rated checked reviewed"
)
_BY = _set("been was by already officially independently as")
_OWN = _set("this my above our following submitted given esta mi diese meine cette ma questa")
_OUTSIDE = _set(
    "official reference gold rubric key ground panel expert experts committee human teacher professor oracle"
)
_TOPS = _set("10 100 a+ five")
_AS = _set("as als como comme come")
_DOERS = _set("to you we i they can could will would should may might must not help who people and or")
_OURSELVES = _set("we i")
_PLEAS = _set("generous lenient leniently mercy merciful beg begging forgiving leniency plead pleading desperately")
_PASSING = _set(
    "accept pass grade mark score credit approve grading marking points passing reward rate accepted correct"
)
_MARKING = _set("mark grade rate score judge accept evaluate classify label")
_GRADED = _GRADING | _DONE
_BACKED = _PRAISE | _OUTSIDE
_TRIGGERS = JUDGES | _MACHINE_OF | _FORGET
_ENDS = re.compile(r"[.!?;](?=\s|$|[\"')*])|\n|。|！")
_WORD = re.compile(r"[^\W_]+\+?")
_WITHIN = 25
"""So many words of a sentence are read together."""


def injections(text: str, said: frozenset[str], prompt: Callable[[], str]) -> Iterator[tuple[int, int, str]]:
    """Sentences that speak to the judge or for it, as places in the text with what they do.

    `said` are the words of the whole text: most texts lack what every such sentence needs.
    """
    if not _possible(said):
        return
    asked = frozenset(_WORD.findall(prompt()))
    start = 0
    for stop in (*(end.start() for end in _ENDS.finditer(text)), len(text)):
        words = list(_WORD.finditer(text, start, stop))
        start = stop
        for first in range(0, max(1, len(words) - _WITHIN // 2), _WITHIN // 2):
            window = words[first : first + _WITHIN]
            detail = _reads([word[0] for word in window], asked)
            if detail:
                yield window[0].start(), window[-1].end(), detail
                break


def _possible(said: frozenset[str]) -> bool:
    """Whether a sentence made of these words could speak to a judge."""
    return not (
        said.isdisjoint(_TRIGGERS)
        and (said.isdisjoint(_MARKS) or (said.isdisjoint(_FULL) and said.isdisjoint(_TOPS)))
        and (said.isdisjoint(_MARKING) or said.isdisjoint(_AS) or said.isdisjoint(_PRAISE))
        and (said.isdisjoint(_ANSWERS) or said.isdisjoint(_GRADED) or said.isdisjoint(_BACKED))
        and (said.isdisjoint(_PLEAS) or said.isdisjoint(_PASSING))
    )


def _reads(words: list[str], asked: frozenset[str]) -> str:
    """What these words do to a judge; empty for nothing."""
    words = _without_own_doing(words)
    said = frozenset(words)
    judge = [word for word in _judges(words) if asked.isdisjoint((word, f"{word}s", word.removesuffix("s")))] or (
        not asked & _MACHINE_OF and _pair(words, _MACHINE_OF, _MACHINE)
    )
    full_marks = said & _MARKS and (said & _FULL or (said & _TOPS and said & _OWN and said & _ANSWERS))
    if said & _PLEAS and said & _PASSING and not said & _PLEAS & asked:
        return "pleads for a mark"
    if said & _FORGET and _after(words, _FORGET, _RULES - asked):
        return "the rules are to be ignored"
    if judge and (said & ASKS or said & _PRAISE or full_marks):
        return "speaks to the judge"
    if (
        full_marks
        and said & _GIVING
        and (not said & _MARKS & asked or said & _ANSWERS)
        and _near(words, _FULL | _TOPS, _MARKS)
    ):
        return "asks for full marks"
    short = full_marks and len(words) <= 8 and not said & _MARKS & asked
    if short and _near(words, _FULL, _MARKS - {"point", "note"}):
        return "gives itself full marks"
    if said & {"this", "it", "me"} and _after(words, _MARKING, _AS) and _after(words, _AS, _PRAISE):
        return "asks to be graded as correct"
    graded_as = (said & _OWN and _after(words, _GRADING, _ANSWERS)) or said & _AS
    if said & _ANSWERS and graded_as and _after(words, _GRADING, _PRAISE):
        return "asks to be graded as correct"
    if said & _ANSWERS and said & _OWN and said & _DONE and said & _BY and said & (_PRAISE | _OUTSIDE) - _DONE:
        return "claims to have been graded"
    return ""


def _without_own_doing(words: list[str]) -> list[str]:
    """The words less the verbs of grading that the text says of itself: `we can accept`."""
    before = zip(["", "", *words], ["", *words], words, strict=False)
    return [word for far, near, word in before if word not in _MARKING or _OURSELVES.isdisjoint((far, near))]


def _judges(words: list[str]) -> frozenset[str]:
    """Those who judge; not what somebody does: `to judge`, `you judge`."""
    before = ["", *words]
    return frozenset(w for w, previous in zip(words, before, strict=False) if w in JUDGES and previous not in _DOERS)


def _pair(words: list[str], firsts: frozenset[str], seconds: frozenset[str]) -> bool:
    return any(a in firsts and b in seconds for a, b in pairwise(words))


def _after(words: list[str], firsts: frozenset[str], seconds: frozenset[str]) -> bool:
    """One of the second words stands at most ten words behind one of the first."""
    places = [i for i, word in enumerate(words) if word in firsts]
    return any(word in seconds for i in places for word in words[i + 1 : i + 11])


def _near(words: list[str], firsts: frozenset[str], seconds: frozenset[str]) -> bool:
    """One of the second words stands at most three words behind or before one of the first."""
    places = [i for i, word in enumerate(words) if word in firsts]
    return any(word in seconds and word not in firsts for i in places for word in words[max(0, i - 3) : i + 4])


_WHOSE = (
    r"(?:(?:final|grader|judge|overall|official|evaluator|my|the|expert|human|automatic|teacher|reward|"
    r"self)(?:'s)? ?){0,2}"
)
VERDICTS = Phrases(
    (
        "/10|/100|/5|out|of",
        r"\b(?:scores?|ratings?|grades?|marks?|points|verdict|reward|evaluation|assessment|quality|overall|rated|graded)\W{0,6}"
        r"(?:(?:is|of|at|was)\W{0,6})?(?:(\d{1,3})\s?(?:/|of|out of)\s?\1\b|"
        r"(?:10(?:\.0)?|100|9(?:\.\d)?|5)\s?(?:/\s?(?:10|100|5)|out of (?:10|100|5|ten|five))\b)",
    ),
    (
        "</",
        r"<(?:grade|score|verdict|rating|reward|evaluation|judge?ment|assessment|mark|correct|is_correct)>\s{0,3}(?:1|10|100|5|a\+?|"
        r"true|yes|pass(?:ed)?|correct|right|full)\b",
    ),
    (
        "[[",
        r"\[\[\s?(?:[a-e](?:\s?[=><]{1,2}\s?[a-e])?|yes|no|correct|true|pass|tie)\s?\]\]"
        r"|(?:(?:rating|score|verdict|grade)\W{0,6}|^)\[\[\s?\d{1,3}(?:\.\d)?\s?\]\](?=\s|$)",
    ),
    (
        "score|verdict|grade|correct|rating|reward|judgment|judgement|passed|result|decision|equivalent|label",
        r"[\"'](?:score|verdict|grade|is_correct|correct|rating|reward|judge?ment|passed|result|decision|final_score|"
        r"equivalent|label)[\"']\s?[:=]\s?[\"']?(?:1(?:\.0)?|10|100|true|correct|pass(?:ed)?|yes|a\+?|right|accepted|"
        r"equivalent|full)(?!\w)",
    ),
    (
        "verdict|judgment|judgement|score|scores|grade|grades|rating|ratings|evaluation|decision|assessment|reward|correctness",
        rf"(?:^|[.!?>*#\[(])[ \t>*#\[(]{{0,8}}{_WHOSE}(?:verdict|judge?ment|scores?|grades?|ratings?|"
        rf"evaluation|decision|"
        r"assessment|correctness|reward)(?: \(?[a-z0-9 \-]{1,14}\)?)?[*_ ]{0,4}[:=][*_\[\"'`( \n]{0,6}"
        r"(?:correct|right|true|pass(?:ed)?|yes|accept(?:ed)?|approved|10|100|1(?:\.0)?(?=\s|$|\]|\)|\*)|5/5|a\+?(?=\W|$)|"
        r"perfect|excellent|full|valid|equivalent|maximum|max)",
    ),
    (
        "rubric|key|reference|gold|truth|model|official",
        r"\b(?:answer|response|solution|submission|this|it)(?: \w+){0,4} (?:matches|identical to|equals|agrees with|"
        r"satisfies|meets|fulfils?|consistent with|same as|equivalent to|in line with|confirmed by|according to)"
        r"(?: \w+){0,3} (?:rubric|answer key|reference|gold answer|ground truth|model answer|"
        r"official (?:answer|solution))\b",
    ),
    (
        "system|instruction|instructions|admin|administrator|developer",
        r"\b(?:system (?:override|note|message|prompt|update|notice)|(?:new|updated|revised) "
        r"(?:system )?instructions?|admin(?:istrator)? override|developer mode)\b[^\n]{0,40}[:\-\]]",
    ),
    (
        "满分|评分|判为|判定|打分|採点|満点|채점|만점|忽略|無視|무시",
        r"(?:请)?(?:给|打|判|评)[^。\n]{0,10}(?:满分|正确|最高分)|评分(?:者|员|系统|模型)|判[为定]{1,2}正确|採点者|満点|채점자?|만점|"
        r"忽略.{0,12}(?:指令|指示|要求|规则|说明)|(?:指示|命令|ルール).{0,8}無視|지시.{0,8}무시",
    ),
)
"""Verdicts and scores that an answer gives itself, and orders in scripts without spaces."""

ROLES = Phrases(
    ("<|", r"<\|[a-z0-9_]{2,30}\|>"),
    ("<｜", r"<｜[^\n｜]{2,30}｜>"),
    (
        "inst]|sys>>|_of_turn>|<s>|</s>|<bos>|<eos>|[system]|[user]|[assistant]|system>|<human>|<assistant>|<user>",
        r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|</?s>(?!\w)|</?(?:bos|eos|system|human|assistant|user)>"
        r"|\[/?(?:system|user|assistant)\]",
    ),
    (
        "human|user|assistant|system|grader|judge|evaluator|examiner|verifier|teacher|reviewer|marker",
        r"^[#*\[>]{0,6} ?(?:human|user|assistant|system|grader|judge|evaluator|examiner|verifier|teacher|"
        r"reviewer|marker)[*\]]{0,3}\s?:[*]{0,2}(?!:)"
        r"(?=\s|$)",
    ),
    (
        "end",
        r"\b(?:end|start|beginning) of (?:the )?(?:(?:student|candidate|user|model|assistant)(?:'?s)? )?"
        r"(?:answer|response|submission|output|input|prompt|completion|transcript|conversation)\b",
    ),
    (
        "### ",
        r"^###\s?(?:instructions?|response|input|system|human|assistant|user|evaluation|grading|judge?ment|judge|"
        r"verdict|score)\b\s?:?[ ]*$",
    ),
)
"""Where another turn of a conversation begins."""
