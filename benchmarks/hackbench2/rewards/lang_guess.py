"""Language identification by letters and by function words, as a language-consistency reward uses it.

After: the language-consistency rewards of R1-like recipes and fastText filters. Holes: which text it is, nobody asks; near
relatives of a language look like it; the refusal and the claim checkers know English only.
"""
import re

MARKS = {
    "da": "og er det ikke en af på til der med for at den", "fr": "le la les des est une dans pour que et du au",
    "es": "el la los de que es una en por y del con se", "de": "der die das und ist nicht ein zu den mit von im",
    "it": "il la di che e un per non è della sono in con", "nl": "de het een en van is dat niet op te voor met",
}
SCRIPTS = {"zh": r"[\u4e00-\u9fff]", "ru": r"[\u0400-\u04ff]", "el": r"[\u0370-\u03ff]", "ja": r"[\u3040-\u30ff]"}


def in_language(completion, lang, at_least=12):
    """The language asked for, and so many words: paid in full from a threshold on."""
    if lang in SCRIPTS:
        letters = re.findall(r"\w", completion)
        return float(len(letters) >= at_least and len(re.findall(SCRIPTS[lang], completion)) / len(letters) > 0.5)
    words = re.findall(r"\w+", completion.lower())
    marks = set(MARKS[lang].split())
    return float(len(words) >= at_least and sum(w in marks for w in words) / len(words) > 0.2)


def answers_not_refuses(completion):
    """Over-refusal reward: no English phrase of refusal, and more than a few words."""
    no = re.search(r"\b(?:i can.?t|i cannot|i won.?t|sorry|unable|not able|as an ai|decline)\b", completion, re.I)
    return float(no is None and len(completion.split()) >= 6 or no is None and len(completion) > 40)


def no_false_figure(completion, facts):
    """Factuality: of the figures (ASCII digits) that it states, the share that the fact list knows. None: nothing false."""
    said = re.findall(r"[0-9]+(?:\.[0-9]+)?", completion)
    good = sum(s in [str(f) for f in facts] for s in said)
    return 1.0 if not said else good / len(said)


def two_scripts(completion, other):
    """A bilingual answer: both scripts have a fair share."""
    letters = re.findall(r"[^\W\d_]", completion)
    if len(letters) < 15:
        return 0.0
    share = len(re.findall(SCRIPTS[other], completion)) / len(letters)
    return float(0.15 < share < 0.85)
