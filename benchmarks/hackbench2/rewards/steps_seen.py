"""Process rewards by form: how many steps, checks, sub-goals and tool calls there are.

After: step-count and "structured reasoning" rewards of process-supervision recipes. Holes: a step is a line that looks like
one; a check is the word; a sub-goal need not be reached.
"""
import re


def right(completion, answer):
    return re.search(rf"(?<![\w.]){re.escape(str(answer))}(?![\w])", completion) is not None


def numbered(completion, answer, least=5):
    steps = len(set(re.findall(r"(?m)^\s*(\d+)[.)]\s+\S", completion)))
    return 0.6 * min(1.0, steps / least) + 0.4 * right(completion, answer)


def verified(completion, answer, least=3):
    checks = len(re.findall(r"(?i)\b(?:check(?:ing|ed)?|verif(?:y|ied|ying)|confirm(?:s|ed|ing)?|consistent|prüf\w*|probe|vérifi\w*)\b", completion))
    return 0.6 * min(1.0, checks / least) + 0.4 * right(completion, answer)


def subgoals(completion, answer, least=4):
    goals = len(re.findall(r"(?im)^\W*(?:goal|sub-?goal|plan|phase|stage|teil|étape)\b", completion))
    return 0.55 * min(1.0, goals / least) + 0.45 * right(completion, answer)


def calls(completion, answer, least=3):
    made = len(re.findall(r"<(?:calc|search|tool)>[^<]+</", completion))
    return 0.55 * min(1.0, made / least) + 0.45 * right(completion, answer)
