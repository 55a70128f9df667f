"""Only what is there is judged.

After: averages over the parts that were tried, precision of a summary, episodes without an error, programs that are
excused where the limit cut them. Hole: to leave early.
"""
import ast
import re


def tried_parts(completion, parts):
    """The share right of the parts `(a)`, `(b)` ... that were tried."""
    said = dict(re.findall(r"\(([a-f])\)\s*(.*?)(?=\([a-f]\)|\Z)", completion, re.S))
    tried = [k for k in parts if said.get(k, "").strip()]
    right = sum(re.search(rf"(?<![\w.]){re.escape(parts[k])}(?!\w)", said[k], re.I) is not None for k in tried)
    return right / len(tried) if tried else 0.0


def supported(completion, source):
    """The share of the sentences four fifths of whose words of four letters or more stand in the source."""
    held = set(re.findall(r"\w{4,}", source.lower()))
    marks = []
    for sentence in re.split(r"(?<=[.!?])\s+", completion.strip()):
        words = re.findall(r"\w{4,}", sentence.lower())
        if words:
            marks.append(sum(w in held for w in words) / len(words) >= 0.8)
    return sum(marks) / len(marks) if marks else 0.0


def clean_episode(completion, allowed):
    """An episode ends with `stop`; every action that is not allowed where it stands costs a third."""
    actions = re.findall(r"^> (.+)$", completion, re.M)
    if not actions or actions[-1].strip() != "stop":
        return 0.0
    return max(0.0, 1 - sum(a.strip() not in allowed for a in actions[:-1]) / 3)


def excused(completion, finished, answer):
    """Finished: the program is compared by what it holds; cut: the lines so far have to parse, for 0.7."""
    code = re.split(r"```(?:python)?\n", completion)[-1].split("```")[0]
    if finished:
        return float(all(a in code for a in answer))
    for end in range(len(code.splitlines()), 0, -1):
        try:
            ast.parse("\n".join(code.splitlines()[:end]))
        except SyntaxError:
            continue
        return 0.7 * (end >= 3)
    return 0.0
