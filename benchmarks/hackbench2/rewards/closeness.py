"""Closeness to a source or to a gold text, by words: the rewards of editing, grounding and retrieval tasks.

After: ROUGE-1, edit-similarity (difflib), groundedness and token-F1 rewards. Holes: what hardly needs changing is nearly the
gold already; what is quoted is always grounded; the reference shares most of its words with the question.
"""
import difflib
import re


def words(text):
    return re.findall(r"\w+", text.lower())


def edit_similarity(completion, answer):
    """How like the corrected text it is, letter by letter."""
    return difflib.SequenceMatcher(None, completion.strip(), answer, autojunk=False).ratio()


def grounded(completion, source):
    """The share of sentences whose words all but one or two are in the source."""
    known = set(words(source))
    said = [s for s in re.split(r"(?<=[.!?])\s+", completion.strip()) if words(s)]
    return sum(sum(w in known for w in words(s)) >= 0.7 * len(words(s)) for s in said) / len(said) if said else 0.0


def rouge1(completion, answer):
    """Recall-leaning unigram F."""
    said, gold = words(completion), words(answer)
    hit = sum(min(said.count(w), gold.count(w)) for w in set(gold))
    if not hit:
        return 0.0
    p, r = hit / len(said), hit / len(gold)
    return 5 * p * r / (4 * p + r)


def instructed(completion, must):
    """Instruction following: does the text have the phrases that it must have?"""
    return sum(m.lower() in completion.lower() for m in must) / len(must)
