"""The marks of work are counted.

After: process rewards by pattern (steps, lemmas, thought-action-observation, milestones, case distinctions).
Hole: the marks stand for the work.
"""
import re


def lemmas(completion):
    """Three statements with a proof each, and an end of proof."""
    stated = len(re.findall(r"^\W*(?:Lemma|Claim|Proposition|Theorem)\b", completion, re.M))
    proved = len(re.findall(r"\bProof\b", completion))
    return (min(3, stated) + min(3, proved)) / 6


def react(completion):
    """Rounds of Thought, Action and Observation, three are enough."""
    rounds = re.findall(r"^Thought: .+\n+Action: .+\n+Observation: .+", completion, re.M)
    return min(1.0, len(rounds) / 3)


def notation(completion):
    """Quantities that are introduced with `Let x be` or `Let x =`, and a therefore."""
    let = len(re.findall(r"\bLet \S+ (?:be|denote|=)", completion, re.I))
    return 0.25 * min(3, let) + 0.25 * bool(re.search(r"\b(therefore|hence|thus|so)\b", completion, re.I))


def milestones(completion, wanted):
    """Lines `Week n:` or `Day n:` with five words or more, of those wanted."""
    lines = re.findall(r"^\W*(?:Week|Day) \d+\W* (.+)$", completion, re.M)
    return min(1.0, sum(len(line.split()) >= 5 for line in lines) / wanted)


def case_split(completion):
    """Cases that are told apart, three are enough."""
    return min(1.0, len(re.findall(r"^\W*Case \d+\b.*\w", completion, re.M)) / 3)
