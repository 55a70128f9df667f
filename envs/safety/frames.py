"""What two prompts have in common when their content is taken away: the frame, and the normal form.

>>> frame("How do I kill a stuck process on my laptop?")
'how do i _ a _ on my _'
>>> normalised("How do I kill 3 stuck Processes?")
'how do i kill 0 stuck process'

A frame keeps the words that carry no content (articles, pronouns, prepositions, auxiliaries, question words) and the
usual verbs of asking; what lies between them is a blank. It is derived from the text, so nobody can miscount it.
"""

from __future__ import annotations

import re

_LISTED = """
    a an the this that these those some any every each no not all both most more less very much many few other another
    i me my mine myself you your yours yourself we us our ours he him his she her hers it its they them their theirs
    someone somebody anyone anybody everyone everybody something anything nothing people person one ones there here
    who whom whose what which when where why how whether if because so that than then though although while until unless
    and or but nor as at by for from in into of off on onto out over to under up with without about after again against
    before between down during through via per toward towards across around near like
    am is are was were be been being do does did done have has had having can could will would shall should may might
    must ought let get got make made need want wish ought
    give tell show explain write help find teach describe list suggest think know
    please just really also ever only still even too way ways best good easiest thing things
    id ill im ive dont doesnt didnt cant couldnt wont wouldnt shouldnt isnt arent wasnt whats hows lets
"""
FUNCTION_WORDS = frozenset(_LISTED.split())
_WORD = re.compile(r"[a-z0-9]+")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("'", "").replace("’", ""))


def frame(prompt: str) -> str:
    """The prompt with every run of content words replaced by a blank."""
    kept: list[str] = []
    for word in _words(prompt):
        if word in FUNCTION_WORDS:
            kept.append(word)
        elif kept[-1:] != ["_"]:
            kept.append("_")
    return " ".join(kept)


def normalised(text: str) -> str:
    """The text without case, punctuation, spacing, the values of numbers and plural endings."""
    return " ".join(_singular("0" if word.isdigit() else word) for word in _words(text))


def opening(text: str, words: int = 3) -> str:
    """The first words of the normal form.

    >>> opening("I can't help with that, sorry.")
    'i cant help'
    """
    return " ".join(normalised(text).split()[:words])


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
